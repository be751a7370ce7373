#include "base/dist.h"

#include <math.h>

/* --- Zipf --------------------------------------------------------------------- */

/*
 * Rejection-inversion after W. Hoermann and G. Derflinger, "Rejection-inversion
 * to generate variates from monotone discrete distributions", ACM Transactions
 * on Modeling and Computer Simulation 6 (1996). h(x) = x^-theta is the weight of
 * a rank, H its integral with H(1) = 0. Written with expm1 and log1p, for which
 * theta = 1 is nothing special.
 */
static double zipf_weight(double theta, double x)
{
    return exp(-theta * log(x));
}

static double zipf_integral(double theta, double x)
{
    double l = log(x), t = (1 - theta) * l;
    return fabs(t) > 1e-8 ? expm1(t) / t * l : l * (1 + t / 2);
}

static double zipf_inverse(double theta, double y)
{
    double t = y * (1 - theta);
    if (t < -1) /* beyond the end by rounding */
        t = -1;
    return exp(fabs(t) > 1e-8 ? log1p(t) / t * y : y * (1 - t / 2));
}

/* A rank from 1 to n. */
static double zipf_rank(const struct dist *d, struct rng *r, double n)
{
    double theta = d->options.zipfian_theta, last = zipf_integral(theta, n + 0.5);
    for (;;) {
        double y = last + rng_double(r) * (d->zipf_first - last);
        double x = zipf_inverse(theta, y), k = floor(x + 0.5);
        if (k < 1)
            k = 1;
        else if (k > n)
            k = n;
        if (k - x <= d->zipf_shift || y >= zipf_integral(theta, k + 0.5) - zipf_weight(theta, k))
            return k;
    }
}

/* --- parameters ----------------------------------------------------------------- */

void dist_init(struct dist *d, const struct dist_options *o)
{
    double theta = o->zipfian_theta;
    *d = (struct dist){.options = *o};
    d->mean = 1.0 / o->iterations;
    d->spread = 100.0 / (100.0 - o->special_res);
    d->power = log(o->pareto_h) / log(1.0 - o->pareto_h);
    d->zipf_first = zipf_integral(theta, 1.5) - 1;
    d->zipf_shift = 2 - zipf_inverse(theta, zipf_integral(theta, 2.5) - zipf_weight(theta, 2));
}

/* --- offsets from the lower bound ------------------------------------------------ */

/*
 * Whole numbers to be added to the lower bound; t is b - a and n the count of
 * numbers, which differ from each other by more than one where 32 bits wrap.
 * sysbench takes some sums before it drops the fraction, and the sum rounds, so
 * base is what to do the same with.
 */
typedef double (*offset_fn)(const struct dist *d, struct rng *r, double base, double t, double n);

static double whole_of_sum(double base, double offset)
{
    return floor(base + offset) - base;
}

static double uniform(const struct dist *d, struct rng *r, double base, double t, double n)
{
    (void)d;
    (void)t;
    return whole_of_sum(base, rng_double(r) * n);
}

static double mean_of(const struct dist *d, struct rng *r)
{
    double sum = 0;
    for (unsigned i = 0; i < d->options.iterations; i++)
        sum += rng_double(r);
    return sum * d->mean;
}

static double gaussian(const struct dist *d, struct rng *r, double base, double t, double n)
{
    (void)base;
    (void)t;
    return floor(mean_of(d, r) * n);
}

/* One number decides whether the result lies in the zone round the middle and,
 * if so, where; hence only the zone's upper part ever comes. */
static double special(const struct dist *d, struct rng *r, double base, double t, double n)
{
    double u = rng_double(r), pct = d->options.special_pct / 100.0;
    (void)n;
    if (u * t * d->spread < t)
        return whole_of_sum(base, mean_of(d, r) * t);
    return floor(u * (t * pct + 1) + t / 2 - t * pct / 2);
}

static double pareto(const struct dist *d, struct rng *r, double base, double t, double n)
{
    (void)base;
    (void)t;
    return floor(n * pow(rng_double(r), d->power));
}

static double zipfian(const struct dist *d, struct rng *r, double base, double t, double n)
{
    (void)base;
    (void)t;
    return n > 1 ? zipf_rank(d, r, n) - 1 : 0;
}

static const offset_fn offsets[DIST_KINDS] = {[DIST_UNIFORM] = uniform,
                                              [DIST_GAUSSIAN] = gaussian,
                                              [DIST_SPECIAL] = special,
                                              [DIST_PARETO] = pareto,
                                              [DIST_ZIPFIAN] = zipfian};

uint32_t dist_narrow(const struct dist *d, enum dist_kind kind, struct rng *r, uint32_t a,
                     uint32_t b)
{
    return a + (uint32_t)(uint64_t)offsets[kind](d, r, a, (double)(uint32_t)(b - a),
                                                 (double)(uint32_t)(b - a + 1));
}

double dist_wide(const struct dist *d, enum dist_kind kind, struct rng *r, double a, double b)
{
    a = trunc(a);
    b = trunc(b);
    /* Where sysbench could not be right its rounding need not be kept. */
    double base = a >= 0 && b <= UINT32_MAX ? a : 0, n = b >= a ? b - a + 1 : 0;
    double v = a + offsets[kind](d, r, base, n > 0 ? n - 1 : 0, n);
    return v > b ? fmax(a, b) : v;
}

/* --- texts ---------------------------------------------------------------------------- */

static char between(struct rng *r, char first, char last)
{
    return (char)(first + (int)rng_below(r, (uint64_t)last - (uint64_t)first + 1));
}

void dist_string(struct rng *r, const char *format, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++) {
        if (format[i] == '#')
            out[i] = between(r, '0', '9');
        else
            out[i] = format[i] == '@' ? between(r, 'a', 'z') : format[i];
    }
}

uint32_t dist_varstring(struct rng *r, char *out, uint32_t least, uint32_t most)
{
    uint32_t n = least + (uint32_t)rng_below(r, (uint64_t)most - least + 1);
    for (uint32_t i = 0; i < n; i++)
        out[i] = between(r, '0', 'z');
    return n;
}

/* --- unique numbers ------------------------------------------------------------------- */

/*
 * J. Preshing, "How to generate a sequence of unique random integers" (2012, in
 * the public domain): the quadratic residues of a prime just below 2^32 give a
 * permutation; two of them with an addition and an exclusive or between hide
 * its pattern.
 */
static uint32_t permute(uint32_t x)
{
    const uint32_t prime = 4294967291u;
    if (x >= prime)
        return x;
    uint32_t residue = (uint32_t)((uint64_t)x * x % prime);
    return x <= prime / 2 ? residue : prime - residue;
}

void unique_init(struct unique *u, uint32_t seed1, uint32_t seed2)
{
    atomic_init(&u->index, permute(permute(seed1) + 0x682f0161));
    u->offset = permute(permute(seed2) + 0x46790905);
}

uint32_t unique_next(struct unique *u)
{
    uint32_t i = atomic_fetch_add_explicit(&u->index, 1, memory_order_relaxed);
    return permute((permute(i) + u->offset) ^ 0x5bf03635);
}
