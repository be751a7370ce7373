/*
 * A histogram of any values on a grid of any size, evenly spaced on a log
 * scale, as scripts make them: sysbench.histogram. Bin i of n stands for
 * exp(ln low + i (ln high - ln low) / (n - 1)); a value counts in the nearest
 * one, values outside in the first and the last. Belongs to one thread.
 */
#ifndef STATS_BINS_H
#define STATS_BINS_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct bins {
    size_t size;
    double low, high; /* logarithms */
    uint64_t count[];
};

/* NULL with e: no memory, or a range that has no logarithms. size is 2 or more. */
struct bins *bins_new(size_t size, double low, double high, struct err *e);
void bins_free(struct bins *b);
void bins_add(struct bins *b, double value);
/* A line of stars for each bin that is not empty; nothing if all are. */
void bins_text(const struct bins *b, struct buf *out);

#endif
