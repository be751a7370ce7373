/*
 * One latency statistic: count, sum, minimum, maximum and a histogram.
 *
 * The histogram is log-linear, 64 sub-buckets to each power of two, so that the
 * middle of a bucket is never more than 0.8 % from a value in it. Range: 1 ns
 * to 19 hours (2^46 ns); longer values count in the last bucket.
 *
 * sysbench reports percentiles on a grid of its own: 1024 points spaced evenly
 * on a log scale from 0.001 to 100000 ms, 1.8 % apart. The borders of that grid
 * cut the buckets here in two where they fall into one (never two into one, for
 * a bucket is narrower than the grid), so the same counts give both, exactly.
 *
 * A `struct latency` is written by one thread only, with relaxed stores to
 * memory of its own; any thread may read it at any time.
 */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#define HIST_SUB_BITS 6
#define HIST_TOP_BIT 45
#define HIST_PLAIN ((HIST_TOP_BIT - HIST_SUB_BITS + 2) << HIST_SUB_BITS)
#define HIST_N (2 * HIST_PLAIN) /* each in two halves */
#define HIST_BITS 13            /* of the number of a bucket */
#define HIST_MASK ((1u << HIST_BITS) - 1)
_Static_assert(HIST_N <= HIST_MASK, "a bucket has a number of HIST_BITS bits");

#define SYSBENCH_BINS 1024

/* The borders, computed once; read-only afterwards. */
struct hist_grid {
    uint64_t split[HIST_PLAIN]; /* ns from which on the upper half counts */
    uint16_t bin[HIST_N];       /* point of sysbench's grid, by bucket */
};

void hist_grid_init(struct hist_grid *g);
/* Value of a point of sysbench's grid, ms. */
double hist_bin_ms(unsigned bin);
/* Point of sysbench's grid for a value in ms; v <= 0 gives 0. */
unsigned hist_bin_of_ms(double ms);
/* Smallest and largest value that counts in a bucket, ns. */
uint64_t hist_low(const struct hist_grid *g, unsigned bucket);
uint64_t hist_high(const struct hist_grid *g, unsigned bucket);

static inline unsigned hist_plain(uint64_t ns)
{
    if (ns < 1u << HIST_SUB_BITS)
        return (unsigned)ns;
    unsigned top = 63u - (unsigned)__builtin_clzll(ns);
    if (top > HIST_TOP_BIT)
        return HIST_PLAIN - 1;
    unsigned shift = top - HIST_SUB_BITS;
    return (shift << HIST_SUB_BITS) + (unsigned)(ns >> shift);
}

static inline unsigned hist_bucket(const struct hist_grid *g, uint64_t ns)
{
    unsigned plain = hist_plain(ns);
    return 2 * plain + (ns >= g->split[plain]);
}

/* Apart from its buckets, so that one which is never used costs a line of the
 * cache and no page of memory. */
struct latency {
    _Alignas(64) const struct hist_grid *grid;
    _Atomic uint64_t *bucket; /* HIST_N of them */
    _Atomic uint64_t count, sum_ns;
    _Atomic uint64_t min_ns, max_ns; /* UINT64_MAX and 0 while empty */
    /* What the bucket of the last value is to hold, and below that its number; 0:
     * none. It is stored there only when the next value comes. To do so at once
     * would store to an address that depends on the last reading of the cycle
     * counter, and the next reading waits for such a store: nearly half the cost
     * of an empty event. */
    _Atomic uint64_t pending;
};

/* bucket is the caller's, zero-filled. */
void latency_init(struct latency *l, const struct hist_grid *grid, _Atomic uint64_t *bucket);

/* The owner is the only writer, so an addition needs no read-modify-write. */
static inline void latency_add(_Atomic uint64_t *to, uint64_t n)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

static inline void latency_record(struct latency *l, uint64_t ns)
{
    uint64_t last = atomic_load_explicit(&l->pending, memory_order_relaxed);
    if (__builtin_expect(last != 0, 1))
        atomic_store_explicit(&l->bucket[last & HIST_MASK], last >> HIST_BITS,
                              memory_order_relaxed);
    latency_add(&l->count, 1);
    latency_add(&l->sum_ns, ns);
    if (__builtin_expect(ns < atomic_load_explicit(&l->min_ns, memory_order_relaxed), 0))
        atomic_store_explicit(&l->min_ns, ns, memory_order_relaxed);
    if (__builtin_expect(ns > atomic_load_explicit(&l->max_ns, memory_order_relaxed), 0))
        atomic_store_explicit(&l->max_ns, ns, memory_order_relaxed);
    uint64_t bucket = hist_bucket(l->grid, ns);
    uint64_t count = atomic_load_explicit(&l->bucket[bucket], memory_order_relaxed) + 1;
    atomic_store_explicit(&l->pending, count << HIST_BITS | bucket, memory_order_release);
}

/* Values in a bucket, for any thread. It never falls: whoever no longer finds a
 * value pending finds it in its bucket, and one that is in both counts once. */
static inline uint64_t latency_in(const struct latency *l, unsigned bucket)
{
    uint64_t last = atomic_load_explicit(&l->pending, memory_order_acquire);
    uint64_t n = atomic_load_explicit(&l->bucket[bucket], memory_order_relaxed);
    uint64_t pending = (last & HIST_MASK) == bucket ? last >> HIST_BITS : 0;
    return pending > n ? pending : n;
}

#endif
