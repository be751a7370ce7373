/*
 * Messages by level, as sysbench words them: a prefix for the serious ones, a
 * line identical to the one before swallowed and counted. Where they go is
 * decided once, at the start: the 1.0 form puts everything on standard output,
 * the native form puts what is not part of the report on standard error.
 * May be called from any thread.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>

enum log_level { LOG_FATAL, LOG_ALERT, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG };

struct log {
    int out;          /* descriptor for notices and reports */
    int result;       /* descriptor for what a command makes: text, or the document alone */
    int serious;      /* descriptor for FATAL, ALERT and WARNING */
    int verbosity;    /* the highest level that is shown */
    bool loud_report; /* reports are shown whatever the verbosity is */
    bool failed;      /* a write failed: the run must not end with status 0 */
    pthread_mutex_t lock;
    bool said;       /* there is a message before */
    char last[2048]; /* that one, to find repetitions */
    unsigned repeats;
};

void log_init(struct log *l);
void log_release(struct log *l);
void log_put(struct log *l, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A piece of the report, unchanged, if level allows: no prefix, no search for
 * repetitions. */
void log_report(struct log *l, enum log_level level, const char *text);
/* Writes all of text, also through interruptions: 0, or -1 with errno. */
int log_write_all(int fd, const char *text, size_t size);

#endif
