/*
 * A file that a reader finds whole or not at all: it is written under another
 * name beside its place and renamed when it is complete. A link is followed, also
 * to where nothing is yet. What is no regular file (a device, a pipe) is written
 * as it is, and never replaced. One thread.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "base/err.h"

#include <stddef.h>

struct outfile {
    int fd;          /* where to write; -1: not open */
    char *path;      /* its place, links resolved */
    char *temporary; /* NULL: path itself is being written */
};

/* Errors name `path` and the reason. */
int outfile_open(struct outfile *f, const char *path, struct err *e);
/* Puts the file into its place; -1 with e if that failed, then nothing is left
 * of it and what was there before still is. Closes it in both cases. */
int outfile_commit(struct outfile *f, struct err *e);
/* Leaves what was there before. Fine for one that is not open. */
void outfile_discard(struct outfile *f);
/* Can it be written? Asked before hours of work; leaves everything as it is. */
int outfile_check(const char *path, struct err *e);
/* Opens, writes, commits. */
int outfile_write(const char *path, const char *text, size_t size, struct err *e);

#endif
