/*
 * files: files by name below one folder, for events that create, append, read
 * and delete them. Each operation has a latency statistic of its own. All
 * functions are for the worker's own thread, between its open and close; they
 * return -1 with w->err on failure. Names are relative to --files-dir; one that
 * leads out of it is refused, so that nothing else is ever changed.
 */
#ifndef PRIMITIVE_FILES_H
#define PRIMITIVE_FILES_H

#include "run/worker.h"
#include "run/workload.h"

#include <stdint.h>

extern const struct workload files_workload;

enum files_how { FILES_READ, FILES_WRITE, FILES_CREATE, FILES_APPEND };

/* A descriptor. FILES_CREATE makes the file or empties it. */
int files_open(struct worker *w, struct part *p, const char *name, int how);
/* Bytes that neither compress nor repeat; offset -1: at the file's position. */
int64_t files_write(struct worker *w, struct part *p, int fd, int64_t offset, uint64_t size);
/* Up to size bytes; less at the end of the file. */
int64_t files_read(struct worker *w, struct part *p, int fd, int64_t offset, uint64_t size);
int files_sync(struct worker *w, struct part *p, int fd, int data_only);
int files_close(struct worker *w, struct part *p, int fd);
int files_delete(struct worker *w, struct part *p, const char *name);
/* Bytes of the file; -2, without an error, if there is none. */
int64_t files_size(struct worker *w, struct part *p, const char *name);
int files_make_dir(struct worker *w, struct part *p, const char *name);

#endif
