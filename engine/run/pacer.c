#include "run/pacer.h"

#include <math.h>

/* Counting a longer backlog one by one would take longer than it is worth. */
#define COUNTED_MAX 4000000

void pacer_init(struct pacer *p, double rate, enum rate_pace pace, struct rng_seeder *seeds)
{
    *p = (struct pacer){.gap_ns = 1e9 / rate, .pace = pace};
    pthread_mutex_init(&p->lock, NULL);
    rng_init(&p->rng, seeds);
}

void pacer_release(struct pacer *p)
{
    pthread_mutex_destroy(&p->lock);
}

/* Exponential gaps make the starts a Poisson process. */
static double next_gap(double mean_ns, int pace, struct rng *rng)
{
    return pace == PACE_FIXED ? mean_ns : -mean_ns * log(1.0 - rng_double(rng));
}

void pacer_start(struct pacer *p, uint64_t now_ns)
{
    p->zero_ns = now_ns;
    p->next_ns = next_gap(p->gap_ns, p->pace, &p->rng);
}

uint64_t pacer_take(struct pacer *p)
{
    pthread_mutex_lock(&p->lock);
    uint64_t at = p->zero_ns + (uint64_t)p->next_ns;
    p->next_ns += next_gap(p->gap_ns, p->pace, &p->rng);
    p->taken++;
    pthread_mutex_unlock(&p->lock);
    return at;
}

uint64_t pacer_peek(struct pacer *p)
{
    pthread_mutex_lock(&p->lock);
    uint64_t at = p->zero_ns + (uint64_t)p->next_ns;
    pthread_mutex_unlock(&p->lock);
    return at;
}

uint64_t pacer_backlog(struct pacer *p, uint64_t now_ns)
{
    pthread_mutex_lock(&p->lock);
    double at = p->next_ns;
    struct rng rng = p->rng; /* a copy: looking ahead takes nothing */
    pthread_mutex_unlock(&p->lock);
    uint64_t n = 0, passed = now_ns > p->zero_ns ? now_ns - p->zero_ns : 0;
    if (passed < (uint64_t)at) /* whole ns, as pacer_take hands them out */
        return 0;
    double more = ((double)passed - at) / p->gap_ns;
    if (more > COUNTED_MAX)
        return (uint64_t)more + 1;
    for (; (uint64_t)at <= passed; n++)
        at += next_gap(p->gap_ns, p->pace, &rng);
    return n;
}
