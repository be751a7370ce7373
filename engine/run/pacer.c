#include "run/pacer.h"

#include <math.h>

/* Counting a longer backlog one by one would take longer than it is worth. */
#define COUNTED_MAX 200000

void pacer_init(struct pacer *p, double rate, double ramp_s, enum rate_pace pace,
                struct rng_seeder *seeds)
{
    *p = (struct pacer){.gap_ns = 1e9 / rate, .ramp_ns = ramp_s * 1e9, .pace = pace};
    pthread_mutex_init(&p->lock, NULL);
    rng_init(&p->rng, seeds);
}

void pacer_release(struct pacer *p)
{
    pthread_mutex_destroy(&p->lock);
}

/* Starts are planned in numbers of expected events, where their mean distance
 * is always 1 and exponential gaps make a Poisson process; the climb of the
 * rate is only in how such a number becomes a moment (time rescaling). */
static double next_gap(int pace, struct rng *rng)
{
    return pace == PACE_FIXED ? 1 : -log(1.0 - rng_double(rng));
}

/* ns since zero at which `events` are expected. */
static double moment_of(const struct pacer *p, double events)
{
    double full_ns = events * p->gap_ns; /* a product: whole gaps give whole ns */
    if (full_ns < p->ramp_ns / 2)
        return sqrt(2 * p->ramp_ns * full_ns);
    return p->ramp_ns / 2 + full_ns;
}

/* The inverse: events expected within ns since zero. */
static double expected_in(const struct pacer *p, double ns)
{
    if (ns < p->ramp_ns)
        return ns * ns / (2 * p->ramp_ns * p->gap_ns);
    return (ns - p->ramp_ns / 2) / p->gap_ns;
}

void pacer_start(struct pacer *p, uint64_t now_ns)
{
    p->zero_ns = now_ns;
    p->next = next_gap(p->pace, &p->rng);
}

uint64_t pacer_take(struct pacer *p)
{
    pthread_mutex_lock(&p->lock);
    uint64_t at = p->zero_ns + (uint64_t)moment_of(p, p->next);
    p->next += next_gap(p->pace, &p->rng);
    p->taken++;
    pthread_mutex_unlock(&p->lock);
    return at;
}

uint64_t pacer_backlog(struct pacer *p, uint64_t now_ns)
{
    pthread_mutex_lock(&p->lock);
    double at = p->next;
    struct rng rng = p->rng; /* a copy: looking ahead takes nothing */
    pthread_mutex_unlock(&p->lock);
    uint64_t n = 0, passed = now_ns > p->zero_ns ? now_ns - p->zero_ns : 0;
    double more = expected_in(p, (double)passed) - at;
    if (more > COUNTED_MAX)
        return (uint64_t)more + 1;
    /* whole ns, as pacer_take hands them out */
    for (; (uint64_t)moment_of(p, at) <= passed; n++)
        at += next_gap(p->pace, &rng);
    return n;
}
