#include "stats/bins.h"

#include <math.h>
#include <stdlib.h>

struct bins *bins_new(size_t size, double low, double high, struct err *e)
{
    struct bins *b;
    if (size < 2 || size > SIZE_MAX / sizeof b->count[0] / 2) {
        err_set(e, "a histogram of %zu bins is not possible, it takes at least 2", size);
        return NULL;
    }
    if (!(low > 0) || !(high > low) || isinf(high)) {
        err_set(e,
                "a histogram from %.15g to %.15g is not possible: its bins are spaced on a log "
                "scale, so the lower end must be above 0 and below the upper one",
                low, high);
        return NULL;
    }
    b = calloc(1, sizeof *b + size * sizeof b->count[0]);
    if (!b) {
        err_set(e, "no memory for a histogram of %zu bins", size);
        return NULL;
    }
    b->size = size;
    b->low = log(low);
    b->high = log(high);
    return b;
}

void bins_free(struct bins *b)
{
    free(b);
}

void bins_add(struct bins *b, double value)
{
    double i = value > 0
                   ? floor((log(value) - b->low) * (double)(b->size - 1) / (b->high - b->low) + 0.5)
                   : 0;
    if (!(i > 0))
        i = 0;
    b->count[i < (double)b->size ? (size_t)i : b->size - 1]++;
}

static uint64_t fullest(const struct bins *b)
{
    uint64_t most = 0;
    for (size_t i = 0; i < b->size; i++)
        most = b->count[i] > most ? b->count[i] : most;
    return most;
}

void bins_text(const struct bins *b, struct buf *out)
{
    static const char stars[] = "****************************************";
    double most = (double)fullest(b), step = (b->high - b->low) / (double)(b->size - 1);
    if (most == 0)
        return;
    buf_puts(out, "       value  ------------- distribution ------------- count\n");
    for (size_t i = 0; i < b->size; i++)
        if (b->count[i])
            buf_printf(out, "%12.3f |%-40.*s %llu\n", exp((double)i * step + b->low),
                       (int)floor((double)b->count[i] * 40 / most + 0.5), stars,
                       (unsigned long long)b->count[i]);
}
