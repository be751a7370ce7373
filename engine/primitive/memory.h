/* memory: passes over a block of memory. Operations for other scenarios. */
#ifndef PRIMITIVE_MEMORY_H
#define PRIMITIVE_MEMORY_H

#include "run/workload.h"

#include <stdint.h>

enum memory_oper { MEMORY_READ, MEMORY_WRITE, MEMORY_NONE };

struct memory_options {
    uint64_t block_size, total_size; /* bytes */
    int scope;                       /* index of global, local */
    bool hugetlb;
    int oper;   /* enum memory_oper */
    int access; /* index of seq, rnd */
};

extern const struct workload memory_workload;

/* One pass over memory of the caller's, which is aligned to words; counts bytes. */
void memory_touch(struct worker *w, void *block, size_t bytes, enum memory_oper oper, bool random);
/* One pass over the worker's block; counts bytes. Only after open. */
void memory_pass(struct worker *w, struct part *p, enum memory_oper oper, bool random);

#endif
