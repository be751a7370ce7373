/* The primitive fileio, as scripts may call it. */
#ifndef PRIMITIVE_FILEIO_H
#define PRIMITIVE_FILEIO_H

#include "run/worker.h"
#include "run/workload.h"

#include <stdint.h>

extern const struct workload fileio_workload;

enum fileio_kind { FILEIO_READ = 1, FILEIO_WRITE = 2, FILEIO_FSYNC = 3 };

/* One operation of a script's event, in the worker's thread, with the engines
 * sync and mmap. It counts and has its latency recorded as one of fileio's.
 * A file of -1 and an offset of -1 are chosen as --file-test-mode would, at
 * random if it was not given; an offset of -1 in a given file is a random block
 * of it; a flush of file -1 flushes all. size 0: --file-block-size. Returns the
 * bytes, 0 for a flush, or -1 with w->err. */
int64_t fileio_op(struct worker *w, struct part *p, int kind, int64_t file, int64_t offset,
                  uint64_t size);
/* Files of the set and bytes of each, for scripts that choose places. */
uint32_t fileio_files(const struct part *p);
uint64_t fileio_file_size(const struct part *p);

#endif
