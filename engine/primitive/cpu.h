/* cpu: trial division up to a limit. Operations for events of other scenarios. */
#ifndef PRIMITIVE_CPU_H
#define PRIMITIVE_CPU_H

#include "run/workload.h"

#include <stdint.h>

struct cpu_options {
    int64_t max_prime;
    int word; /* index of the choices 64, 32 */
};

extern const struct workload cpu_workload;

/* Primes from 3 to below max, in words of the option --cpu-word. */
uint64_t cpu_primes(const struct part *p, uint64_t max);

#endif
