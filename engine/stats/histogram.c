#include "stats/histogram.h"

#include <math.h>

#define BIN_LOW_MS 0.001
#define BIN_HIGH_MS 100000.0

static double bin_range(void)
{
    return log(BIN_HIGH_MS) - log(BIN_LOW_MS);
}

double hist_bin_ms(unsigned bin)
{
    return exp(bin * bin_range() / (SYSBENCH_BINS - 1) + log(BIN_LOW_MS));
}

unsigned hist_bin_of_ms(double ms)
{
    if (ms <= 0)
        return 0;
    double i = floor((log(ms) - log(BIN_LOW_MS)) * (SYSBENCH_BINS - 1) / bin_range() + 0.5);
    if (i < 0)
        return 0;
    return i >= SYSBENCH_BINS ? SYSBENCH_BINS - 1 : (unsigned)i;
}

/* The smallest whole number of ns that counts at a point of the grid. */
static uint64_t bin_border(unsigned bin)
{
    double ms = exp((bin - 0.5) * bin_range() / (SYSBENCH_BINS - 1) + log(BIN_LOW_MS));
    uint64_t ns = (uint64_t)(ms * 1e6);
    /* Rounding may put the result one off on either side. */
    while (ns > 0 && hist_bin_of_ms((double)(ns - 1) / 1e6) >= bin)
        ns--;
    while (hist_bin_of_ms((double)ns / 1e6) < bin)
        ns++;
    return ns;
}

static uint64_t plain_low(unsigned plain)
{
    unsigned shift = plain >> HIST_SUB_BITS;
    if (shift == 0)
        return plain;
    shift--;
    return (uint64_t)(plain - (shift << HIST_SUB_BITS)) << shift;
}

static uint64_t plain_high(unsigned plain)
{
    return plain + 1 < HIST_PLAIN ? plain_low(plain + 1) - 1 : UINT64_MAX;
}

/* The first bucket whose values count at that point of the grid. */
static unsigned cut(struct hist_grid *g, uint64_t border)
{
    unsigned plain = hist_plain(border);
    /* A border at the low end of a bucket cuts nothing off. */
    if (border == plain_low(plain))
        return 2 * plain;
    g->split[plain] = border;
    return 2 * plain + 1;
}

void hist_grid_init(struct hist_grid *g)
{
    unsigned bucket = 0;
    for (unsigned i = 0; i < HIST_PLAIN; i++)
        g->split[i] = UINT64_MAX;
    /* Borders rise, so the buckets between two of them need no logarithm. */
    for (unsigned bin = 1; bin <= SYSBENCH_BINS; bin++) {
        unsigned end = bin < SYSBENCH_BINS ? cut(g, bin_border(bin)) : HIST_N;
        while (bucket < end)
            g->bin[bucket++] = (uint16_t)(bin - 1);
    }
}

uint64_t hist_low(const struct hist_grid *g, unsigned bucket)
{
    unsigned plain = bucket / 2;
    return bucket % 2 && g->split[plain] != UINT64_MAX ? g->split[plain] : plain_low(plain);
}

uint64_t hist_high(const struct hist_grid *g, unsigned bucket)
{
    unsigned plain = bucket / 2;
    return bucket % 2 == 0 && g->split[plain] != UINT64_MAX ? g->split[plain] - 1
                                                            : plain_high(plain);
}

void latency_init(struct latency *l, const struct hist_grid *grid, _Atomic uint64_t *bucket)
{
    l->grid = grid;
    l->bucket = bucket;
    atomic_init(&l->min_ns, UINT64_MAX);
}
