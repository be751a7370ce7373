#include "base/rng.h"

#include <string.h>

void rng_seeder_init(struct rng_seeder *s, unsigned seed)
{
    memset(s, 0, sizeof *s);
    initstate_r(seed, s->state, sizeof s->state, &s->data);
}

uint32_t rng_seeder_next(struct rng_seeder *s)
{
    int32_t n = 0;
    random_r(&s->data, &n);
    return (uint32_t)n;
}

void rng_init(struct rng *r, struct rng_seeder *s)
{
    for (int i = 0; i < 2; i++) {
        uint64_t high = rng_seeder_next(s);
        r->s[i] = high << 32 | rng_seeder_next(s);
    }
}
