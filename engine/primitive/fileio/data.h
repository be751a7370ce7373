/*
 * What is written. By default each write gets bytes that neither compress nor
 * repeat, for file systems and cards that compress or deduplicate would look
 * too fast otherwise: one random page, each copy of it combined with a random
 * word of its own. That costs little more than the copy.
 */
#ifndef FILEIO_DATA_H
#define FILEIO_DATA_H

#include "base/rng.h"

#include <stddef.h>
#include <stdint.h>

#define DATA_PAGE 4096

struct data_page {
    uint64_t word[DATA_PAGE / 8]; /* read-only once made: shared by all threads */
};

/* A generator that does not disturb the run's own random numbers. Different
 * `which` and moments give different data. */
void data_seed(struct rng *r, uint64_t which);
void data_page_init(struct data_page *p, struct rng *r);
void data_fill(const struct data_page *p, struct rng *r, void *to, size_t size);

#endif
