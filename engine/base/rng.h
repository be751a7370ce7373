/*
 * Random numbers: xoroshiro128+ with the constants 55, 14, 36 (Blackman and
 * Vigna 2016, public domain), one state per thread, as in sysbench 1.0.
 * Seeds come from the C library's additive generator, again as there, so that
 * one worker with a given seed draws the same numbers.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>
#include <stdlib.h>

struct rng {
    uint64_t s[2];
};

/* A source of seeds: random() of the C library with a state of its own. */
struct rng_seeder {
    struct random_data data;
    char state[128]; /* TYPE_3, the size that random() itself has */
};

void rng_seeder_init(struct rng_seeder *s, unsigned seed);
uint32_t rng_seeder_next(struct rng_seeder *s); /* 31 bits */
/* Takes four numbers for the two state words. */
void rng_init(struct rng *r, struct rng_seeder *s);

static inline uint64_t rng_rotate(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t s0 = r->s[0], s1 = r->s[1], out = s0 + s1;
    s1 ^= s0;
    r->s[0] = rng_rotate(s0, 55) ^ s1 ^ s1 << 14;
    r->s[1] = rng_rotate(s1, 36);
    return out;
}

/* In [0, 1), with 52 random bits. */
static inline double rng_double(struct rng *r)
{
    union {
        uint64_t bits;
        double value;
    } u = {.bits = UINT64_C(0x3ff) << 52 | rng_next(r) >> 12};
    return u.value - 1.0;
}

/* In [0, n), n > 0; a product with a double, exact enough below 2^52. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
    return (uint64_t)(rng_double(r) * (double)n);
}

#endif
