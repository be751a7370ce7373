/*
 * From a run to what the user reads. A report observes its run, collects what
 * is due at once (text lines) or at the end (JSON, CSV), and writes it.
 * Used by the thread that runs the run only.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/json.h"
#include "base/log.h"
#include "report/result.h"
#include "report/watch.h"
#include "run/run.h"

/* What Lua hooks get: counts of an interval, times in seconds. */
struct hook_stat {
    double time_total, time_interval;
    unsigned threads_running;
    uint64_t events, reads, writes, other, errors, reconnects;
    double latency_pct, latency_min, latency_max, latency_avg, latency_sum;
    uint64_t queue_length, concurrency;
    bool cumulative;
};
/* Hooks of a script, which replace the lines of a report. NULL: none. */
struct report_hooks {
    void *self;
    void (*intermediate)(void *self, const struct hook_stat *s);
    void (*cumulative)(void *self, const struct hook_stat *s, bool checkpoint);
};

/* Members that others add to the JSON document: env, script. */
typedef void metric_fn(void *to, const char *name, const char *unit, bool lower_is_better,
                       double value);
struct report_extra {
    void *self;
    void (*metrics)(void *self, const struct figures *f, const struct hook_stat *s, metric_fn *emit,
                    void *to);
    void (*json)(void *self, struct json *j);
    void (*notes)(void *self, note_fn *note, void *to);
    const char *(*flaw)(void *self); /* why the result is not whole; NULL: it is */
};

struct report {
    struct run *run;
    struct log *log;
    const struct general *general;
    enum layout layout;
    const char *test; /* name of the scenario */
    struct report_hooks hooks;
    struct report_extra extra;
    const struct optset *const *sets; /* all options, for the record */
    size_t set_count;
    int result_fd;                     /* JSON and CSV go there */
    struct buf intervals, checkpoints; /* JSON values, with commas between */
    struct buf csv;
    struct watch_view watch;
    uint64_t *events_before, *sum_before; /* per worker, at the last checkpoint */
};

int report_init(struct report *p, struct run *r, struct log *l, const char *test, struct err *e);
void report_release(struct report *p);

/* The lines before the start: limits, seed, what the test says of itself. */
void report_mode_lines(struct report *p);
void report_observe(struct report *p); /* sets run->observer */
/* The final report, in the format that was asked for. failed: the error that
 * ended the run, or NULL. -1 with e if it could not be written. */
int report_final(struct report *p, const struct err *failed, struct err *e);

/* One writer for each format. */
void text_mode_lines(struct report *p);
void text_interval(struct report *p, const struct moment *m);
void text_checkpoint(struct report *p, const struct moment *m);
/* What comes before the final statistics, and before a hook that replaces them. */
void text_end(struct report *p, const struct figures *f, bool failed);
void text_final(struct report *p, const struct figures *f);
void text_notes(struct report *p, const struct figures *f);
void json_interval(struct report *p, const struct moment *m, struct buf *to);
void json_final(struct report *p, const struct figures *f, const struct err *failed,
                struct buf *out);
void csv_interval(struct report *p, const struct moment *m);
void csv_final(struct report *p, const struct figures *f, struct buf *out);

/* The figures that a scenario declared itself; nothing before the end of a run. */
void report_own_metrics(const struct report *p, const struct figures *f, metric_fn *emit, void *to);
/* Those and then the ones of all parts that speak. Names differ: who comes with
 * one that is taken has it called after its part. False: out of memory. */
bool report_metrics(const struct report *p, const struct figures *f, metric_fn *emit, void *to);
/* What went wrong apart from the run itself, or NULL. */
const char *report_flaw(const struct report *p);

struct hook_stat report_hook_stat(const struct report *p, const struct moment *m, bool cumulative);

/* Digits behind the point that tell apart the times of reports so many seconds apart. */
int report_second_digits(double step);

/* "95" or "99.9". */
const char *report_percent(double p, char *out, size_t room);

#endif
