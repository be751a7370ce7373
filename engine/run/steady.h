/*
 * Whether a rate has become steady, by the two criteria that storage
 * benchmarks use (fio's steady state, SNIA's performance test specification):
 * over the last windows no value is further from their mean than the level,
 * and the trend over all of them is no more than the level either.
 * Belongs to the thread that watches over a run.
 */
#ifndef RUN_STEADY_H
#define RUN_STEADY_H

#include <stdbool.h>

#define STEADY_WINDOWS 5

struct steady {
    double level;                 /* percent; 0: nobody asked */
    double value[STEADY_WINDOWS]; /* the last ones, in a ring */
    unsigned seen;                /* windows so far */
    bool reached;
    double after_s;       /* when: seconds since the first event */
    double spread, slope; /* of the last full look, percent of the mean */
};

/* Adds the rate of one more window; true once the last STEADY_WINDOWS are steady. */
bool steady_add(struct steady *s, double rate);

#endif
