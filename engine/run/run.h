/*
 * One run: workers that make events until a limit is met, and the thread that
 * started them, which meanwhile watches limits and calls for reports at planned
 * times. No globals: several runs may exist in one process.
 *
 *   run_init    -> parts, options and statistics are in place
 *   run_go      -> begin, workers, events, done, finish; observer is called
 *   run_release
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/clock.h"
#include "run/pacer.h"
#include "run/steady.h"
#include "run/worker.h"
#include "run/workload.h"
#include "stats/snapshot.h"

#include <signal.h>

/* What ended a run. */
enum limit { LIMIT_NONE, LIMIT_TIME, LIMIT_EVENTS, LIMIT_WORK, LIMIT_SIGNAL, LIMIT_ERROR };

/* A moment at which a report is due. */
struct moment {
    double total_s;               /* since the start of what counts */
    double interval_s;            /* since the last report of this kind */
    const struct snapshot *since; /* what was counted in the interval */
    unsigned running;             /* workers that have not left yet */
    uint64_t queue, concurrency;  /* with --rate */
    bool last;                    /* the run is over; the final report comes next */
    bool early;                   /* and it ended before this interval should have */
};

/* Whom the run tells. Called in the thread that called run_go; any may be NULL. */
struct run_observer {
    void *self;
    void (*threads_starting)(void *self, struct run *r);
    void (*threads_started)(void *self, struct run *r);
    void (*interval)(void *self, struct run *r, const struct moment *m);
    void (*checkpoint)(void *self, struct run *r, const struct moment *m);
};

/* Set by a signal handler of main's, together with a write to wake_fd. */
struct run_signal {
    volatile sig_atomic_t caught; /* number of the signal */
    volatile sig_atomic_t times;
    volatile sig_atomic_t report; /* SIGUSR1: an intermediate report is wanted */
    int wake_fd;                  /* an eventfd; readable when something was caught */
};

struct hung {
    uint32_t worker;
    double seconds; /* in its opening or its last event when it was given up */
};

/* Names given to statistics beyond the usual ones, fixed by who comes first. */
struct run_names {
    pthread_mutex_t lock;
    char *counter[CNT_N], *latency[LAT_N];
    unsigned counters, latencies;         /* slots in use */
    unsigned own_counters, own_latencies; /* the first slots that scripts named */
    unsigned room;                        /* latency slots that the workers have */
    bool failed;                          /* there was no memory for one of them */
};

struct run {
    const struct general *general;
    struct log *log;
    struct clock *clock;
    struct run_signal *signal; /* may be NULL */
    struct run_observer observer;
    /* Called by each worker before anything else; binds it to a processor. NULL: none. */
    int (*pin)(void *self, uint32_t worker, struct err *e);
    void *pin_self;
    struct part **parts;
    unsigned part_count;
    struct run_names names;

    struct hist_grid grid;
    struct stats_pool main_pool, warm_pool;
    struct worker *workers;
    unsigned worker_count;
    struct rng_seeder seeds;
    unsigned seed;       /* what they began with, for the record */
    struct pacer *pacer; /* NULL without --rate */
    unsigned late_counter, dropped_counter;
    unsigned service_latency; /* with --rate: execution alone, without waiting */

    _Atomic int stop;              /* workers start no further event */
    _Atomic uint64_t stopped_ns;   /* since then; UINT64_MAX: they may */
    _Atomic int limit;             /* enum limit, the first one met */
    uint64_t event_limit;          /* 0: none */
    _Atomic uint64_t tickets;      /* events handed out, with an event limit */
    _Atomic uint64_t event_number; /* for whoever wants to number events */
    _Atomic unsigned alive;        /* workers that have not left */
    int left_fd; /* an eventfd; written when the last worker leaves or one fails */

    pthread_mutex_t ready_lock;
    pthread_cond_t ready_changed; /* main alone waits for it */
    unsigned ready, failed;
    /* Main holds it for writing until the start, so workers that want to read it
     * wait. To let go wakes all of them at once, without a lock that they would
     * have to take in turn. */
    pthread_rwlock_t gate;
    bool open;
    pthread_mutex_t news_lock;
    pthread_cond_t news; /* a limit was met or moved: workers asleep wait for it */

    uint64_t go_ns;            /* the first event, of the warm-up if there is one */
    _Atomic uint64_t start_ns; /* of what counts: warm-up lies before it */
    _Atomic uint64_t end_ns;   /* the time limit; UINT64_MAX: none */
    struct steady steady;      /* with --until-steady */
    uint64_t ended_ns;         /* everything done, the last flush included */
    uint64_t last_left_ns;     /* the last event was over */
    bool forced;               /* ended by --forced-shutdown */
    bool clockless;            /* ended since the clock could not be read any more */
    struct hung *hung;         /* workers given up; they still exist */
    unsigned hung_count;
    struct snapshot now, last_interval, last_checkpoint, scratch;
    uint64_t backlog; /* with --rate: due before the end, never begun */
};

/* parts[0] makes the events. Takes its own references; general, log, clock and
 * parts must outlive the run. Sets the options' error in e. */
int run_init(struct run *r, const struct general *g, struct log *l, struct clock *c,
             struct part **parts, unsigned part_count, unsigned extra_latencies, struct err *e);
void run_release(struct run *r);

/* 0, or -1 with e. Statistics are there in both cases once the threads had
 * started (start_ns != 0). After a run that gave up workers (hung_count > 0)
 * nothing of it may be freed: they still use it. */
int run_go(struct run *r, struct err *e);

/* Slot of a named statistic, made if it is new; -1 if there is no room. Any
 * thread. */
int run_counter(struct run *r, const char *name);
int run_latency(struct run *r, const char *name);

/* Snapshot of the whole run so far, without warm-up; valid until the next call. */
const struct snapshot *run_totals(struct run *r);
double run_seconds(const struct run *r); /* of what counts, up to now or the end */
bool run_complete(const struct run *r);  /* ended by a limit that was asked for */
const char *run_limit_name(const struct run *r);
void run_set_limit(struct run *r, enum limit why);

#endif
