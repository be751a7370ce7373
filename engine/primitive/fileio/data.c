#include "primitive/fileio/data.h"

#include "base/clock.h"

#include <string.h>

#define STRIP 64 /* bytes done in one go */

/* Spreads a number over all bits: the finaliser of splitmix64. */
static uint64_t spread(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void data_seed(struct rng *r, uint64_t which)
{
    r->s[0] = spread(clock_system_ns());
    r->s[1] = spread(r->s[0] ^ which);
    if (r->s[0] == 0 && r->s[1] == 0)
        r->s[0] = 1;
}

void data_page_init(struct data_page *p, struct rng *r)
{
    for (size_t i = 0; i < DATA_PAGE / 8; i++)
        p->word[i] = rng_next(r);
}

/* 16 bytes at a time, where the machine can: that costs what a copy costs. */
typedef uint64_t pair __attribute__((vector_size(16)));

static void fill_strip(const unsigned char *from, uint64_t key, unsigned char *to)
{
    const pair keys = {key, key};
    for (size_t at = 0; at < STRIP; at += sizeof(pair)) {
        pair x;
        memcpy(&x, from + at, sizeof x);
        x ^= keys;
        memcpy(to + at, &x, sizeof x);
    }
}

/* Blocks need not be aligned to words, hence memcpy; it compiles to stores. */
static void fill_page(const struct data_page *p, uint64_t key, unsigned char *to, size_t size)
{
    size_t words = size / 8, strips = size / STRIP;
    for (size_t i = 0; i < strips; i++)
        fill_strip((const unsigned char *)p->word + i * STRIP, key, to + i * STRIP);
    for (size_t i = strips * STRIP / 8; i < words; i++) {
        uint64_t word = p->word[i] ^ key;
        memcpy(to + 8 * i, &word, 8);
    }
    if (size % 8) {
        uint64_t word = p->word[words] ^ key;
        memcpy(to + 8 * words, &word, size % 8);
    }
}

void data_fill(const struct data_page *p, struct rng *r, void *to, size_t size)
{
    for (size_t at = 0; at < size; at += DATA_PAGE)
        fill_page(p, rng_next(r), (unsigned char *)to + at,
                  size - at < DATA_PAGE ? size - at : DATA_PAGE);
}
