/*
 * Running other programs: mkfs, fsck, modprobe, a measuring sbench, the guest.
 * A child has its own process group, so a signal that the terminal sends to
 * the foreground reaches it once, through its parent, and it dies with its
 * parent whatever happens to that.
 */
#ifndef FS_CHILD_H
#define FS_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct child_order {
    const char *const
        *argv;          /* NULL at the end; argv[0] is looked up in PATH and the sbin folders */
    double limit_s;     /* stopped, as an error, when it takes longer; 0 = no limit */
    double grace_s;     /* between the polite signal and SIGKILL */
    bool capture;       /* collect stdout and stderr, show their end on failure */
    const char *output; /* or: a file for both; NULL = inherited */
    const char *errors; /* a file for stderr alone; NULL = as output says */
};

/* 0 with the exit status in *status (128 + N after signal N); -1 when it could
 * not start, was interrupted or took too long. A non-zero exit is no error. */
int child_run(const struct child_order *o, int *status, struct err *e);

/* As above, output captured; a non-zero exit is an error that shows it. */
int child_must(const char *const *argv, double limit_s, struct err *e);

/* Full path of a program: PATH, then /usr/sbin, /sbin, /usr/local/sbin, which
 * an ordinary user's PATH lacks. -1 and ERR_UNABLE when there is none. */
int child_find(const char *name, char *path, size_t size, struct err *e);

#endif
