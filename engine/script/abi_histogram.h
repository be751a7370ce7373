/* A script's own histograms. See abi.h. */
#ifndef SCRIPT_ABI_HISTOGRAM_H
#define SCRIPT_ABI_HISTOGRAM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Histograms with bins on a log scale. NULL: see sb_error(). */
typedef struct histogram sb_histogram_t;
sb_histogram_t *sb_histogram_new(size_t size, double low, double high);
void sb_histogram_delete(sb_histogram_t *h);
void sb_histogram_update(sb_histogram_t *h, double value);
void sb_histogram_print(sb_histogram_t *h);
#endif
