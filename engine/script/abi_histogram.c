/* sysbench's C functions of histograms, which sysbench.histogram calls. */
#include "script/abi.h"
#include "script/here.h"
#include "stats/bins.h"

#include <stdio.h>

sb_histogram_t *sb_histogram_new(size_t size, double low, double high)
{
    err_clear(&here.err);
    return (sb_histogram_t *)bins_new(size, low, high, &here.err);
}

void sb_histogram_delete(sb_histogram_t *h)
{
    bins_free((struct bins *)h);
}

void sb_histogram_update(sb_histogram_t *h, double value)
{
    if (!h)
        return;
    bins_add((struct bins *)h, value);
    rng_next(here_generator()); /* sysbench chooses one of several counters with it */
}

void sb_histogram_print(sb_histogram_t *h)
{
    struct buf out = {0};
    if (!h)
        return;
    bins_text((struct bins *)h, &out);
    fwrite(buf_text(&out), 1, out.size, stdout);
    fflush(stdout);
    buf_release(&out);
}
