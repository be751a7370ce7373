/*
 * Plain numbers copied from the statistics of all workers at one moment. They
 * belong to the reader, who subtracts an older one to get an interval.
 */
#ifndef STATS_SNAPSHOT_H
#define STATS_SNAPSHOT_H

#include "stats/stats.h"

struct tally {
    uint64_t count, sum_ns;
    uint64_t min_ns, max_ns; /* both 0 without a value */
    uint64_t bucket[HIST_N];
};

struct snapshot {
    uint64_t at_ns;
    uint64_t counter[CNT_N]; /* CNT_TRX is filled with the number of events */
    unsigned latencies;
    const struct hist_grid *grid;
    struct tally *tally; /* one for each latency statistic */
};

int snapshot_init(struct snapshot *s, unsigned latencies, const struct hist_grid *grid,
                  struct err *e);
void snapshot_release(struct snapshot *s);
/* Sums all blocks of the pool. */
void snapshot_take(struct snapshot *s, const struct stats_pool *p, uint64_t at_ns);
void snapshot_copy(struct snapshot *to, const struct snapshot *from);
/* out = now - before, both of the same run. Minimum and maximum of the interval
 * come from the buckets, within what the whole run saw. out may be now. */
void snapshot_sub(struct snapshot *out, const struct snapshot *now, const struct snapshot *before);

static inline uint64_t snapshot_events(const struct snapshot *s)
{
    return s->tally[LAT_EVENT].count;
}

/* Value below which p percent lie, ns: the middle of the bucket, inside of
 * [min, max]; 0 without values. */
double tally_percentile(const struct tally *t, const struct hist_grid *g, double p);
/* The same as sysbench 1.0 computes it, ms: a point of its grid. 0.001 if empty. */
double tally_sysbench_percentile(const struct tally *t, const struct hist_grid *g, double p);
/* Counts by point of sysbench's grid. */
void tally_bins(const struct tally *t, const struct hist_grid *g, uint64_t bins[SYSBENCH_BINS]);
double tally_mean_ms(const struct tally *t);

#endif
