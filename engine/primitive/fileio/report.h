/* What fileio says: mode lines, intermediate and final reports in sysbench's
 * layouts, metrics and notes. */
#ifndef FILEIO_REPORT_H
#define FILEIO_REPORT_H

#include "primitive/fileio/options.h"
#include "run/workload.h"

extern const struct metric fileio_metrics[];

void report_extra_flags(const struct fileio_options *o, struct log *log, enum log_level level);
void fileio_describe(const struct part *p, const struct general *g, enum layout l, struct log *log);
void fileio_interval(const struct figures *f, enum layout l, struct buf *out);
void fileio_report(const struct figures *f, enum layout l, struct buf *out);
void fileio_list(struct buf *out);
void fileio_notes(const struct figures *f, note_fn *note, void *to);

#endif
