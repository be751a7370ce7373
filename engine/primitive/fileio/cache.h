/* How much of the test files lies in memory, and how much of what was read came
 * from there: reads of a set that was just written measure memory. */
#ifndef FILEIO_CACHE_H
#define FILEIO_CACHE_H

#include "primitive/fileio/files.h"

struct cache_probe {
    double resident;    /* share of the set in the page cache; < 0: unknown */
    uint64_t fetched;   /* bytes that the kernel has read for this process so far */
    uint64_t allocated; /* bytes of the set with a place on the disk */
};

void cache_probe_init(struct cache_probe *c, const struct file_set *s);
/* Bytes that the kernel has read from devices for this process until now. */
uint64_t cache_fetched(void);

#endif
