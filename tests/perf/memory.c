/*
 * How fast a plain loop goes over a block of memory, word by word and with a
 * jump for each eight as in the program, in MiB/s:
 * what the memory test would reach if its events cost nothing.
 * Usage: memory read|write BYTES SECONDS
 */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define AT_ONCE (64 << 20) /* bytes between two looks at the clock */

static void read_block(volatile size_t *at, size_t words)
{
    volatile size_t *end = at + words;
#pragma GCC unroll 8
    for (; at < end; at++)
        (void)*at;
}

static void write_block(volatile size_t *at, size_t words)
{
    volatile size_t *end = at + words;
#pragma GCC unroll 8
    for (; at < end; at++)
        *at = (size_t)(end - at);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: memory read|write BYTES SECONDS\n");
        return 1;
    }
    size_t size = strtoul(argv[2], NULL, 10), passes = 0;
    uint64_t limit = (uint64_t)(atof(argv[3]) * 1e9), passed = 0;
    void (*go)(volatile size_t *, size_t) = strcmp(argv[1], "read") == 0 ? read_block : write_block;
    /* Mapped as the program maps its blocks, so that both lie on pages alike. */
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (size < sizeof(size_t) || block == MAP_FAILED) {
        fprintf(stderr, "memory: no block of %zu bytes\n", size);
        return 1;
    }
    memset(block, 0, size);
    uint64_t began = clock_system_ns();
    while (passed < limit) {
        for (size_t n = 0; n < AT_ONCE; n += size, passes++)
            go(block, size / sizeof(size_t));
        passed = clock_system_ns() - began;
    }
    printf("mib_per_s %.3f\n", (double)passes * (double)size / 1048576.0 / ((double)passed / 1e9));
    return 0;
}
