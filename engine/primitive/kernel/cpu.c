#include "primitive/kernel/cpu.h"

#include <math.h>

/* A test includes this file with a definition of its own, to count. */
#ifndef REMAINDER
#define REMAINDER(c, l) ((c) % (l))
#endif

/* The limit is compared as a double at each divisor: sysbench does so, and the
 * conversion is part of the work that its figures stand for. Divisors end at the
 * root, so that those of the 32-bit form can be converted as signed numbers: i386
 * has no instruction for unsigned ones, and its detour costs more than the division. */
#define PRIMES(word, divisor, max)                                                                 \
    uint64_t primes = 0;                                                                           \
    for (word c = 3; c < (max); c++) {                                                             \
        double t = sqrt((double)c);                                                                \
        word l = 2;                                                                                \
        for (; (double)(divisor)l <= t; l++)                                                       \
            if (REMAINDER(c, l) == 0)                                                              \
                break;                                                                             \
        if ((double)(divisor)l > t)                                                                \
            primes++;                                                                              \
    }                                                                                              \
    return primes

uint64_t kernel_primes_64(uint64_t max)
{
    PRIMES(uint64_t, uint64_t, max);
}

#ifdef KERNEL_FOR_DIVIDERS
KERNEL_FOR_DIVIDERS static uint64_t primes_32_divided(uint32_t max)
{
    PRIMES(uint32_t, int32_t, max);
}
#endif

uint64_t kernel_primes_32(uint32_t max)
{
#ifdef KERNEL_FOR_DIVIDERS
    if (kernel_divides_32())
        return primes_32_divided(max);
#endif
    PRIMES(uint32_t, int32_t, max);
}
