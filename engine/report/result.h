/*
 * The result of a run, before any format: figures for the whole run or an
 * interval, and the notes that belong to them. Text, JSON, CSV and the `stat`
 * table of Lua hooks are written from these.
 */
#ifndef REPORT_RESULT_H
#define REPORT_RESULT_H

#include "run/run.h"
#include "run/workload.h"

/* Goes through the parts whose figures and notes are those of the run: the one that
 * makes the events, and those whose operations count by themselves wherever they
 * are used. *i begins with 0; NULL: there are no more. */
const struct part *result_part(const struct run *r, unsigned *i);

struct figures result_figures(const struct run *r, const struct snapshot *in, double seconds,
                              double total_s);

/* Events a second; the metric of most primitives. */
double result_events_per_s(const struct figures *f);

/* A percentile in the manner of the layout: sysbench's grid or the exact one, ms. */
double result_percentile_ms(const struct figures *f, const struct tally *t, double p);

/* Mean and population deviation over the workers of events and busy seconds,
 * since the given older counts (NULL: since the start). */
struct fairness {
    double events_avg, events_dev, time_avg, time_dev;
};
struct fairness result_fairness(const struct run *r, const uint64_t *events_before,
                                const uint64_t *sum_ns_before);

/* Calls note for every fact that belongs to the result: those of the engine,
 * then those of the parts. */
void result_notes(const struct figures *f, note_fn *note, void *to);

#endif
