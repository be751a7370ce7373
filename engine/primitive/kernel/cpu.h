/* The measured loop of the cpu primitive, in an object of its own with fixed
 * flags, so that no other change of the program moves its speed. */
#ifndef PRIMITIVE_KERNEL_CPU_H
#define PRIMITIVE_KERNEL_CPU_H

#include <stdint.h>

/* Counts the primes c with 3 <= c < max by trial division: sysbench's work,
 * divisor by divisor. */
uint64_t kernel_primes_64(uint64_t max);
/* The same in 32-bit arithmetic; max < 2^32. */
uint64_t kernel_primes_32(uint32_t max);

#endif
