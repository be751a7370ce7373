#include "stats/snapshot.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int snapshot_init(struct snapshot *s, unsigned latencies, const struct hist_grid *grid,
                  struct err *e)
{
    *s = (struct snapshot){.latencies = latencies, .grid = grid};
    s->tally = calloc(latencies, sizeof *s->tally);
    return s->tally ? 0 : err_set(e, "out of memory for a snapshot of the statistics");
}

void snapshot_release(struct snapshot *s)
{
    free(s->tally);
    *s = (struct snapshot){0};
}

static uint64_t peek(const _Atomic uint64_t *n)
{
    return atomic_load_explicit(n, memory_order_relaxed);
}

/* Most statistics of most runs are never used. To leave those alone spares their
 * pages, at the end of a short run a good part of its time. */
static bool is_blank(const struct tally *t)
{
    return (t->count | t->sum_ns | t->max_ns) == 0;
}

static void tally_clear(struct tally *t)
{
    if (!is_blank(t))
        memset(t, 0, sizeof *t);
}

static void tally_copy(struct tally *to, const struct tally *from)
{
    if (is_blank(from))
        tally_clear(to);
    else
        *to = *from;
}

struct progress {
    uint64_t count, sum_ns;
};

/* Both at one moment, as well as can be without stopping the worker. */
static struct progress progress_of(const struct latency *l)
{
    struct progress p;
    int tries = 100;
    do {
        p.count = peek(&l->count);
        p.sum_ns = peek(&l->sum_ns);
    } while (p.count != peek(&l->count) && --tries > 0);
    return p;
}

/* The sum that belongs to the count: the worker went on while its buckets were
 * read. Else the mean of a few values could lie outside of them. */
static uint64_t sum_at(struct progress before, struct progress after, uint64_t count)
{
    if (count <= before.count || after.count <= before.count)
        return before.sum_ns;
    if (count >= after.count)
        return after.sum_ns;
    double part = (double)(count - before.count) / (double)(after.count - before.count);
    return before.sum_ns + (uint64_t)((double)(after.sum_ns - before.sum_ns) * part);
}

static void tally_add(struct tally *t, const struct latency *l)
{
    uint64_t min = peek(&l->min_ns), max = peek(&l->max_ns), count = 0;
    struct progress before = progress_of(l);
    if (min > max)
        return; /* nothing recorded yet: its pages stay untouched */
    if (t->count == 0 || min < t->min_ns)
        t->min_ns = min;
    if (max > t->max_ns)
        t->max_ns = max;
    /* The count is that of the buckets, so that percentiles fit it even while
     * the worker goes on counting. */
    for (unsigned i = hist_bucket(l->grid, min); i <= hist_bucket(l->grid, max); i++) {
        uint64_t n = latency_in(l, i);
        t->bucket[i] += n;
        count += n;
    }
    t->count += count;
    t->sum_ns += sum_at(before, progress_of(l), count);
}

void snapshot_take(struct snapshot *s, const struct stats_pool *p, uint64_t at_ns)
{
    memset(s->counter, 0, sizeof s->counter);
    for (unsigned k = 0; k < s->latencies; k++)
        tally_clear(&s->tally[k]);
    s->at_ns = at_ns;
    for (unsigned i = 0; i < p->blocks; i++) {
        for (unsigned c = 0; c < CNT_N; c++)
            s->counter[c] += peek(&p->stats[i].counter[c]);
        for (unsigned k = 0; k < s->latencies; k++)
            tally_add(&s->tally[k], p->stats[i].latency[k]);
    }
    s->counter[CNT_TRX] = s->tally[LAT_EVENT].count;
}

void snapshot_copy(struct snapshot *to, const struct snapshot *from)
{
    struct tally *own = to->tally;
    for (unsigned k = 0; k < from->latencies; k++)
        tally_copy(&own[k], &from->tally[k]);
    *to = *from;
    to->tally = own;
}

static uint64_t clamp(uint64_t n, uint64_t low, uint64_t high)
{
    return n < low ? low : n > high ? high : n;
}

static void bounds_from_buckets(struct tally *t, const struct hist_grid *g, uint64_t min,
                                uint64_t max)
{
    t->min_ns = t->max_ns = 0;
    if (t->count == 0)
        return;
    unsigned low = 0, high = HIST_N - 1;
    while (t->bucket[low] == 0)
        low++;
    while (t->bucket[high] == 0)
        high--;
    t->min_ns = clamp(hist_low(g, low), min, max);
    t->max_ns = clamp(hist_high(g, high), min, max);
}

static void tally_sub(struct tally *out, const struct tally *now, const struct tally *before,
                      const struct hist_grid *g)
{
    uint64_t min = now->min_ns, max = now->max_ns;
    if (before->count == 0) {
        if (out != now)
            tally_copy(out, now);
        return;
    }
    out->count = now->count - before->count;
    out->sum_ns = now->sum_ns - before->sum_ns;
    for (unsigned i = 0; i < HIST_N; i++)
        out->bucket[i] = now->bucket[i] - before->bucket[i];
    bounds_from_buckets(out, g, min, max);
}

void snapshot_sub(struct snapshot *out, const struct snapshot *now, const struct snapshot *before)
{
    out->at_ns = now->at_ns;
    for (unsigned c = 0; c < CNT_N; c++)
        out->counter[c] = now->counter[c] - before->counter[c];
    for (unsigned k = 0; k < now->latencies; k++)
        tally_sub(&out->tally[k], &now->tally[k], &before->tally[k], now->grid);
}

double tally_percentile(const struct tally *t, const struct hist_grid *g, double p)
{
    if (t->count == 0)
        return 0;
    uint64_t rank = (uint64_t)ceil((double)t->count * p / 100);
    uint64_t seen = 0;
    unsigned i = 0;
    rank = clamp(rank, 1, t->count);
    while (i < HIST_N - 1 && (seen += t->bucket[i]) < rank)
        i++;
    double low = (double)hist_low(g, i), high = (double)hist_high(g, i);
    double middle = i / 2 == HIST_PLAIN - 1 ? (double)t->max_ns : low + (high - low) / 2;
    return fmin(fmax(middle, (double)t->min_ns), (double)t->max_ns);
}

void tally_bins(const struct tally *t, const struct hist_grid *g, uint64_t bins[SYSBENCH_BINS])
{
    memset(bins, 0, SYSBENCH_BINS * sizeof *bins);
    for (unsigned i = 0; i < HIST_N; i++)
        bins[g->bin[i]] += t->bucket[i];
}

double tally_sysbench_percentile(const struct tally *t, const struct hist_grid *g, double p)
{
    uint64_t bins[SYSBENCH_BINS], seen = 0;
    uint64_t rank = (uint64_t)floor((double)t->count * p / 100 + 0.5);
    unsigned i = 0;
    tally_bins(t, g, bins);
    while (i < SYSBENCH_BINS - 1 && (seen += bins[i]) < rank)
        i++;
    return hist_bin_ms(i);
}

double tally_mean_ms(const struct tally *t)
{
    return t->count ? (double)t->sum_ns / (double)t->count / 1e6 : 0;
}
