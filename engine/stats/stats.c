#include "stats/stats.h"

#include <errno.h>
#include <sys/mman.h>

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

int stats_pool_init(struct stats_pool *p, unsigned blocks, unsigned latencies,
                    const struct hist_grid *grid, struct err *e)
{
    /* What each block writes starts on cache lines of its own; all buckets lie
     * behind all heads, for most of their pages are never touched. */
    size_t one = round_up(HIST_N * sizeof(uint64_t), 64);
    size_t head = round_up(sizeof(struct stats), 64) + latencies * sizeof(struct latency);
    size_t size = blocks * (head + latencies * one);
    *p = (struct stats_pool){.blocks = blocks};
    void *map = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return err_sys(e, errno,
                       "no memory for the statistics of %u workers (%zu MiB); use fewer "
                       "--threads",
                       blocks, size >> 20);
    p->map = map;
    p->size = size ? size : 1;
    p->stats = map;
    struct latency *l = (struct latency *)(p->stats + blocks);
    char *buckets = (char *)map + blocks * head;
    for (unsigned i = 0; i < blocks; i++) {
        p->stats[i].latencies = latencies;
        for (unsigned k = 0; k < latencies; k++, buckets += one) {
            p->stats[i].latency[k] = l++;
            latency_init(p->stats[i].latency[k], grid, (_Atomic uint64_t *)buckets);
        }
    }
    return 0;
}

void stats_pool_release(struct stats_pool *p)
{
    if (p->map)
        munmap(p->map, p->size);
    *p = (struct stats_pool){0};
}
