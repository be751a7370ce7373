/*
 * Errors travel: a function that can fail returns 0 or -1 and fills a struct
 * err that its caller owns. The first error wins, since what follows it is
 * usually a consequence. A text names the object, the reason and the way out.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

/* Exit statuses of the program; also the class of an error. */
enum err_status {
    ERR_NONE = 0,
    ERR_FAILED = 1, /* bad usage, failed run: whatever sysbench calls 1 */
    ERR_FORCED = 2, /* forced shutdown, threads that did not start in time */
    ERR_UNABLE = 3, /* not possible here: no root, no f2fs, package missing */
};

struct err {
    enum err_status status; /* ERR_NONE while nothing has happened */
    bool of_options;        /* a look at the table of options would help */
    char text[1000];        /* one or more lines, no newline at the end */
};

/* All of these return -1, so that `return err_set(...)` reads well. They keep
 * an error that is already there. e may be NULL: then only -1 is returned. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, with the text of errnum behind it: " errno = 2 (No such ...)". */
int err_sys(struct err *e, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same as err_set, but of class ERR_UNABLE. */
int err_unable(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void err_clear(struct err *e);

#endif
