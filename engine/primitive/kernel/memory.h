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

#endif
