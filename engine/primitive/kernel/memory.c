#include "primitive/kernel/memory.h"

#define UNUSED __attribute__((unused))
#define KEEP_LOOP __asm__ volatile("" ::: "memory")

void kernel_read_seq(size_t *block, size_t words, struct rng *rng UNUSED)
{
    volatile size_t *at = block, *end = at + words;
    for (; at < end; at++)
        (void)*at;
}

void kernel_write_seq(size_t *block, size_t words, struct rng *rng UNUSED)
{
    volatile size_t *at = block, *end = at + words;
    for (; at < end; at++)
        *at = (size_t)(end - at);
}

void kernel_none_seq(size_t *block UNUSED, size_t words, struct rng *rng UNUSED)
{
    for (size_t i = 0; i < words; i++)
        KEEP_LOOP;
}

void kernel_read_rnd(size_t *block, size_t words, struct rng *rng)
{
    volatile size_t *at = block;
    for (size_t i = 0; i < words; i++)
        (void)at[rng_below(rng, words)];
}

void kernel_write_rnd(size_t *block, size_t words, struct rng *rng)
{
    volatile size_t *at = block;
    for (size_t i = 0; i < words; i++)
        at[rng_below(rng, words)] = i;
}

void kernel_none_rnd(size_t *block UNUSED, size_t words, struct rng *rng)
{
    for (size_t i = 0; i < words; i++) {
        size_t place = (size_t)rng_below(rng, words);
        __asm__ volatile("" ::"r"(place));
    }
}
