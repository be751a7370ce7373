/*
 * One thread of a run and the two calls that surround each of its events.
 * Everything here belongs to the worker's own thread, unless it says otherwise.
 */
#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "base/clock.h"
#include "base/err.h"
#include "base/rng.h"
#include "run/workload.h"
#include "stats/stats.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PARTS_MAX 8
/* The kernel wakes a sleeper late by about this much; the rest is waited awake. */
#define WAKE_LATE_NS 60000

enum worker_stage { WORKER_STARTING, WORKER_READY, WORKER_BUSY, WORKER_LEFT, WORKER_FAILED };

struct worker {
    /* read and written at each event */
    _Alignas(64) struct stats *into; /* where events count now: warm-up or main */
    const struct clock *clock;
    uint64_t now_ns;            /* the last reading of the clock */
    _Atomic uint64_t border_ns; /* the next moment at which worker_border decides */
    _Atomic uint64_t began_ns;  /* start of the event: of the planned one with a rate */
    _Atomic uint64_t served_ns; /* with a rate: when its execution began; 0 between events */
    _Atomic unsigned under_way; /* events of loops that have several at once */
    const _Atomic int *stop;    /* run->stop */
    bool simple;                /* neither an event limit nor a rate: nothing to ask */

    struct run *run;
    uint32_t id;
    /* With a rate: a start that it has taken and not begun; UINT64_MAX: none. */
    _Atomic uint64_t planned_ns;
    bool late; /* when it took that one, it was past */
    int met;   /* enum limit that this worker has come to */
    struct rng rng;
    struct stats *main_stats, *warm_stats;
    void *state[PARTS_MAX]; /* what each part's open made */
    struct err err;
    pthread_t thread;
    _Atomic int stage; /* enum worker_stage; others read it */
};

/* May this worker run another event? Sets the start of the event. With a rate
 * it waits for the planned moment. */
bool worker_next_slow(struct worker *w);
static inline bool worker_at_border(const struct worker *w, uint64_t now_ns)
{
    return now_ns >= atomic_load_explicit(&w->border_ns, memory_order_relaxed);
}
static inline bool worker_next(struct worker *w)
{
    if (__builtin_expect(!w->simple || worker_at_border(w, w->now_ns) ||
                             atomic_load_explicit(w->stop, memory_order_relaxed),
                         0))
        return worker_next_slow(w);
    atomic_store_explicit(&w->began_ns, w->now_ns, memory_order_relaxed);
    return true;
}

/* Counts the event that ended at that moment, which is the start of the next.
 * An event that began in the warm-up and ends after it counts. */
void worker_served(struct worker *w);
void worker_straddled(struct worker *w);
static inline void worker_done_at(struct worker *w, uint64_t now)
{
    uint64_t began = atomic_load_explicit(&w->began_ns, memory_order_relaxed);
    w->now_ns = now;
    if (__builtin_expect(worker_at_border(w, now), 0))
        worker_straddled(w);
    /* Counters of two cores may differ by a few ns after a migration. */
    latency_record(w->into->latency[LAT_EVENT], now > began ? now - began : 0);
    if (__builtin_expect(atomic_load_explicit(&w->served_ns, memory_order_relaxed) != 0, 0))
        worker_served(w);
}

/* The same for the event that has just ended: one reading of the clock. */
static inline void worker_done(struct worker *w)
{
    worker_done_at(w, clock_now(w->clock));
}

/* In the midst of an event, for one that takes long or is to be restarted: may
 * it go on, or has the run been stopped or come to its time limit? */
bool worker_may_go_on(struct worker *w);

/* Waits until the clock shows at_ns or the time limit, whichever is first; false
 * if the run was stopped meanwhile. */
bool worker_wait(struct worker *w, uint64_t at_ns);
/* The same for the first event of a worker, which others may make needless: false
 * also when they have come to a limit. */
bool worker_wait_turn(struct worker *w, uint64_t at_ns);

/* With a rate, for loops that have other things to do until a planned start:
 * takes the next one without waiting for it. worker_begin starts its event when
 * w->now_ns has come to worker_due: the start, or the time limit before it.
 * False: no more events for this worker. */
bool worker_plan(struct worker *w, uint64_t *at_ns);
uint64_t worker_due(const struct worker *w, uint64_t at_ns);
bool worker_begin(struct worker *w, uint64_t at_ns);

/* The loop round a workload's step: 0, or -1 with w->err. */
int worker_plain_loop(struct worker *w, struct part *p);

/* An operation inside of an event, with a latency statistic of its own: record
 * what lies between this reading and the given one, return the new one. */
static inline uint64_t worker_record(struct worker *w, unsigned latency, uint64_t from_ns)
{
    uint64_t now = clock_now(w->clock);
    latency_record(w->into->latency[latency], now > from_ns ? now - from_ns : 0);
    return now;
}

#endif
