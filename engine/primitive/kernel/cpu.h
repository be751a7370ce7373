/* The measured loop of the cpu primitive, in an object of its own with fixed
 * flags, so that no other change of the program moves its speed. */
#ifndef PRIMITIVE_KERNEL_CPU_H
#define PRIMITIVE_KERNEL_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* Builds for 32-bit ARM whose baseline has no division: a second kernel divides,
 * for processors that can. clang does not know the attribute that it needs. */
#if defined(__arm__) && !defined(__ARM_FEATURE_IDIV)
#define KERNEL_WITHOUT_DIVISION
#ifndef __clang__
#define KERNEL_FOR_DIVIDERS __attribute__((target("arch=armv7ve+vfpv3-d16")))
#endif
#endif

/* Counts the primes c with 3 <= c < max by trial division: sysbench's work,
 * divisor by divisor. */
uint64_t kernel_primes_64(uint64_t max);
/* The same in 32-bit arithmetic; max < 2^32. */
uint64_t kernel_primes_32(uint32_t max);
/* Whether that divides by an instruction here, and not by a routine. */
bool kernel_divides_32(void);

#endif
