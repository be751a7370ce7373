/* The measured loops of the memory primitive, in an object of their own with
 * fixed flags. Each pass goes over one block, a machine word at a time; every
 * access is a load or store of its own that no compiler may drop or join. */
#ifndef PRIMITIVE_KERNEL_MEMORY_H
#define PRIMITIVE_KERNEL_MEMORY_H

#include "base/rng.h"

#include <stddef.h>

typedef void kernel_memory_pass(size_t *block, size_t words, struct rng *rng);

kernel_memory_pass kernel_read_seq, kernel_write_seq, kernel_none_seq;
/* Places are drawn from rng, evenly over the block, one for each access. */
kernel_memory_pass kernel_read_rnd, kernel_write_rnd, kernel_none_rnd;

/* Makes the block one cycle through all of its lines of `stride` bytes, in an
 * order that no prefetcher guesses (Sattolo's shuffle). */
void kernel_chain_make(void *block, size_t bytes, size_t stride, struct rng *rng);
/* Follows the cycle that many steps, each load waiting for the one before.
 * Returns where it ended, which is where to go on. */
void *kernel_chain_walk(void *start, uint64_t steps);

#endif
