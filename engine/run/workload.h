/*
 * The contract between the engine and what it runs.
 *
 * A primitive is one file that exports one `const struct workload`; it knows
 * the engine, and nothing here knows it. A scenario in Lua is a workload too:
 * one whose loop lies in Lua. A run has one or more parts, each a workload with
 * its options and what it shares; part 0 makes the events, the others lend
 * their operations to it.
 */
#ifndef RUN_WORKLOAD_H
#define RUN_WORKLOAD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "option/general.h"
#include "option/option.h"
#include "stats/snapshot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;
struct worker;
struct part;

/* What a step says. */
enum step { STEP_FAILED = -1, STEP_DONE = 0, STEP_NO_MORE = 1 /* not counted; this worker ends */ };

/* Text reports differ between the versions of sysbench. */
enum layout { LAYOUT_1_0, LAYOUT_0_4 };

/* A figure of the result: everything that reports show is one of these. */
struct figures {
    const struct snapshot *in; /* of the interval or the whole run */
    double seconds;            /* its length */
    double total_s;            /* since the start */
    const struct general *general;
    const struct part *part;
    const struct run *run;
};
struct metric {
    const char *name, *unit;
    bool lower_is_better;
    double (*value)(const struct figures *);
};

/* Takes one fact for the reader of a result: a key for programs, a sentence. */
typedef void note_fn(void *to, const char *key, const char *text);

struct workload {
    const char *name, *summary;
    const char *unavailable; /* why this build lacks it; NULL: it is there */
    const char *title;       /* "CPU performance test", as the help lists it */

    const struct option *options;
    size_t options_size;
    const struct metric *metrics; /* ends with a row without name */
    const char *const *latencies; /* names of further latency statistics; ends with NULL */
    bool reports_lent;            /* report and notes also hold for operations lent to a script */
    bool own_work;                /* it counts its own work: --events is not for it */
    bool moves_bytes;             /* it has counters of its own for them: see struct part */

    /* All of these may be NULL. `p` is the workload's own part. Errors go to e,
     * in workers to worker->err. */
    int (*check)(struct part *p, const struct general *g, struct err *e); /* options, before all */
    int (*prepare)(struct part *p, const struct general *g, struct log *l, struct err *e);
    int (*cleanup)(struct part *p, const struct general *g, struct log *l, struct err *e);

    int (*begin)(struct part *p, struct run *r, struct err *e); /* before the workers start */
    int (*open)(struct worker *w, struct part *p);       /* in the worker, before the barrier */
    enum step (*step)(struct worker *w, struct part *p); /* one event */
    int (*loop)(struct worker *w, struct part *p);       /* NULL: the C loop round step */
    void (*done)(struct worker *w, struct part *p);      /* in the worker, after its last event */
    void (*close)(struct worker *w, struct part *p);     /* frees what open made; always called */
    int (*finish)(struct part *p, struct run *r, struct err *e); /* still timed, all joined */
    void (*end)(struct part *p, struct run *r); /* frees what begin made; always called */

    /* Lines of the text report, in sysbench's layouts. */
    void (*describe)(const struct part *p, const struct general *g, enum layout l, struct log *log);
    void (*interval)(const struct figures *f, enum layout l, struct buf *out);
    void (*report)(const struct figures *f, enum layout l, struct buf *out);
    /* Further lines for `sbench list`: variants and why one is missing. */
    void (*list)(struct buf *out);
    /* Facts that keep people from wrong conclusions, one line each. */
    void (*notes)(const struct figures *f, note_fn *note, void *to);
};

struct part {
    const struct workload *workload;
    void *options;          /* an instance of the workload's option struct */
    struct optset set;      /* its rows, bound to options */
    void *shared;           /* what begin made for all workers */
    void *self;             /* the maker's own, for loops in Lua */
    unsigned index;         /* in run->parts and worker->state */
    unsigned first_latency; /* of its further latency statistics */
    /* Counters for what this part moves: the usual ones sum over all parts. 0: none. */
    unsigned bytes_read, bytes_written;
};

/* Allocates options and sets the defaults. */
int part_init(struct part *p, const struct workload *w, struct err *e);
void part_release(struct part *p);

#endif
