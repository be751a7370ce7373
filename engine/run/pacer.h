/*
 * Planned starts for --rate: an open loop. The plan is one sequence of moments
 * for all workers, made as they are asked for. A free worker takes the next
 * moment in order, waits for it and runs the event; latency counts from the
 * plan. That is what one queue before all workers does, without the queue: it
 * cannot overflow, and being behind is only a number.
 */
#ifndef RUN_PACER_H
#define RUN_PACER_H

#include "base/rng.h"
#include "option/general.h"

#include <pthread.h>
#include <stdint.h>

struct pacer {
    pthread_mutex_t lock;
    double gap_ns;  /* mean distance of two starts at the full rate */
    double ramp_ns; /* over which it climbs from 0 */
    int pace;       /* enum rate_pace */
    struct rng rng;
    double next; /* the first start that nobody has taken, see pacer.c */
    uint64_t zero_ns;
    uint64_t taken; /* starts handed out */
};

/* rate: starts a second; ramp_s: seconds over which it climbs from nothing. */
void pacer_init(struct pacer *p, double rate, double ramp_s, enum rate_pace pace,
                struct rng_seeder *seeds);
void pacer_release(struct pacer *p);
/* The plan begins at that moment of the run's clock. Before workers ask. */
void pacer_start(struct pacer *p, uint64_t now_ns);
/* Takes the next planned start, ns of the run's clock. Any thread. */
uint64_t pacer_take(struct pacer *p);
/* How many planned starts up to now_ns nobody has taken yet. Any thread. */
uint64_t pacer_backlog(struct pacer *p, uint64_t now_ns);

#endif
