#include "primitive/kernel/memory.h"

#define UNUSED __attribute__((unused))
/* One jump for eight words: with one for each, processors that load or store two
 * words at a time would wait for the jumps. */
#define IN_EIGHTS _Pragma("GCC unroll 8")
#define KEEP_LOOP __asm__ volatile("" ::: "memory")
/* Threads that share a block write over each other's words: that is the test. */
#define RACES __attribute__((no_sanitize("thread")))

RACES void kernel_read_seq(size_t *block, size_t words, struct rng *rng UNUSED)
{
    volatile size_t *at = block, *end = at + words;
    IN_EIGHTS
    for (; at < end; at++)
        (void)*at;
}

RACES void kernel_write_seq(size_t *block, size_t words, struct rng *rng UNUSED)
{
    volatile size_t *at = block, *end = at + words;
    IN_EIGHTS
    for (; at < end; at++)
        *at = (size_t)(end - at);
}

void kernel_none_seq(size_t *block UNUSED, size_t words, struct rng *rng UNUSED)
{
    for (size_t i = 0; i < words; i++)
        KEEP_LOOP;
}

RACES void kernel_read_rnd(size_t *block, size_t words, struct rng *rng)
{
    volatile size_t *at = block;
    for (size_t i = 0; i < words; i++)
        (void)at[rng_below(rng, words)];
}

RACES void kernel_write_rnd(size_t *block, size_t words, struct rng *rng)
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

void kernel_chain_make(void *block, size_t bytes, size_t stride, struct rng *rng)
{
    size_t lines = bytes / stride;
    char *base = block;
    /* Each line first holds its own number, then the address of its successor. */
    for (size_t i = 0; i < lines; i++)
        *(size_t *)(base + i * stride) = i;
    for (size_t i = lines; i-- > 1;) {
        size_t other = (size_t)rng_below(rng, i); /* never i itself: one cycle results */
        size_t *a = (size_t *)(base + i * stride), *b = (size_t *)(base + other * stride);
        size_t kept = *a;
        *a = *b;
        *b = kept;
    }
    for (size_t i = 0; i < lines; i++) {
        void **line = (void **)(base + i * stride);
        *line = base + *(size_t *)line * stride;
    }
}

void *kernel_chain_walk(void *start, uint64_t steps)
{
    void **at = start;
    for (uint64_t i = 0; i < steps; i++)
        at = *(void *volatile *)at;
    return at;
}
