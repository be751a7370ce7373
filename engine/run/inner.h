/*
 * What the files of a run share among themselves; nobody else includes it.
 *
 *   setup.c   memory: parts, names of statistics, workers
 *   start.c   main's side of the start: threads, the gate, times
 *   thread.c  the workers' side: ready, gate, events, leave
 *   worker.c  one worker between two events: limits, warm-up, planned starts
 *   ticker.c  watching over the workers: reports, signals, hard stop
 *   limit.c   what ends a run, and since when
 *   run.c     the whole, in order
 */
#ifndef RUN_INNER_H
#define RUN_INNER_H

#include "run/run.h"

/* Whoever is told to stop in the midst of something gets this long. */
#define SIGNAL_GRACE_S 5.0

uint64_t run_ns(double seconds);

/* No worker starts a further event. True: that had been said before. Any thread. */
bool run_stop(struct run *r, uint64_t now_ns);
/* Wakes workers that wait for a moment far ahead, to see what is new. Any thread. */
void run_news(struct run *r);
/* What counts begins at that moment: sets the times that follow from it. */
void run_set_start(struct run *r, uint64_t start_ns);
/* A signal asks for the end. */
bool run_interrupted(const struct run *r);
/* Sets the error that the system's clock fails; -1. */
int run_clock_error(struct err *e);

/* Main's side, in this order. start_workers returns when they make events; -1
 * with e: none is left but those given up. */
int start_workers(struct run *r, struct err *e);
void ticker_watch(struct run *r);
void start_join(struct run *r, unsigned started);

/* Notes the workers that are still in an event or in their opening in r->hung,
 * and for how long; 0: there are none. */
int ticker_give_up(struct run *r, unsigned started, uint64_t now);

/* A worker's whole life; the argument is its struct worker. */
void *thread_main(void *worker);
/* -1 with e: the error of the first worker that failed and has left. */
int thread_error(struct run *r, struct err *e);

#endif
