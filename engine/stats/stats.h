/*
 * What one worker counts. Written by its worker only and never reset: warm-up
 * counts in a block of its own, intervals and totals are differences of
 * snapshots. Readable by any thread at any time.
 */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "base/err.h"
#include "stats/histogram.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The counters that reports of sysbench know, then those that scripts and
 * primitives name themselves. */
enum counter {
    CNT_OTHER,
    CNT_READ,
    CNT_WRITE,
    CNT_TRX, /* events; kept by the event latency, see stats_events */
    CNT_ERROR,
    CNT_RECONNECT,
    CNT_BYTES_READ,
    CNT_BYTES_WRITTEN,
    CNT_NAMED, /* the first of the named ones */
    CNT_N = 48,
};

#define LAT_EVENT 0 /* whole events; with a rate: from their planned start */
#define LAT_N 24    /* latency statistics at most */

struct stats {
    _Alignas(64) _Atomic uint64_t counter[CNT_N];
    unsigned latencies;
    struct latency *latency[LAT_N];
};

/* All statistics of a run: `blocks` of them with `latencies` histograms each,
 * in one mapping that is zero-filled page by page as it is touched. */
struct stats_pool {
    struct stats *stats;
    unsigned blocks;
    void *map;
    size_t size;
};

int stats_pool_init(struct stats_pool *p, unsigned blocks, unsigned latencies,
                    const struct hist_grid *grid, struct err *e);
void stats_pool_release(struct stats_pool *p);

static inline void stats_count(struct stats *s, unsigned counter, uint64_t n)
{
    latency_add(&s->counter[counter], n);
}

static inline uint64_t stats_events(const struct stats *s)
{
    return atomic_load_explicit(&s->latency[LAT_EVENT]->count, memory_order_relaxed);
}

#endif
