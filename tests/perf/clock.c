/*
 * What one reading of the program's clock costs, in ns: the same source, the
 * same conversion and the same flags as in the program, in a loop that does
 * nothing else. Usage: clock SECONDS
 */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>

#define AT_ONCE 100000 /* readings between two looks at the system's clock */

static void read_often(const struct clock *c)
{
    for (int i = 0; i < AT_ONCE; i++) {
        uint64_t now = clock_now(c);
        __asm__ volatile("" ::"r"(now));
    }
}

int main(int argc, char **argv)
{
    struct clock c;
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    uint64_t readings = 0, passed = 0;
    clock_init(&c);
    clock_calibrate(&c, 2 * NS_PER_MS);
    uint64_t began = clock_system_ns();
    while (passed < (uint64_t)(seconds * 1e9)) {
        read_often(&c);
        readings += AT_ONCE;
        passed = clock_system_ns() - began;
    }
    printf("ns %.6f\nsource %s\n", (double)passed / (double)readings, clock_name(&c));
    return 0;
}
