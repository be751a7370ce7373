/*
 * Sets of processors, and what Linux says about those of this machine: which
 * are online, which this process may use, which share a core, which are fast.
 * Plain data, no thread owns anything.
 */
#ifndef ENV_CPUS_H
#define ENV_CPUS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUS_MAX 4096

struct cpuset {
    uint64_t bits[CPUS_MAX / 64];
};

static inline bool cpuset_has(const struct cpuset *s, unsigned cpu)
{
    return cpu < CPUS_MAX && (s->bits[cpu / 64] >> cpu % 64 & 1);
}
static inline void cpuset_add(struct cpuset *s, unsigned cpu)
{
    if (cpu < CPUS_MAX)
        s->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}
unsigned cpuset_count(const struct cpuset *s);
/* Adds what a kernel's list says, "0-3,6" or "0 1 2 3": 0, or -1 if it is none. */
int cpuset_parse(struct cpuset *s, const char *text);
void cpuset_print(const struct cpuset *s, struct buf *out); /* "0-3,6" */

/* What tells fast processors from slow ones. */
enum cpu_rank { RANK_NONE, RANK_CAPACITY, RANK_HYBRID, RANK_FREQUENCY };

struct cpus {
    struct cpuset online, allowed; /* allowed: part of online */
    enum cpu_rank ranked_by;
    uint32_t rank[CPUS_MAX]; /* larger is faster; 0: unknown */
};

/* Both sets; 0, or -1 if not even these can be read. */
int cpus_read(struct cpus *c, const char *root);
/* The ranks of online processors, read on demand for they take many files. */
void cpus_read_ranks(struct cpus *c, const char *root);
/* Are there kinds of processors? Differences below a tenth are no kind: single
 * processors of one kind may be clocked a little higher than their neighbours. */
bool cpus_have_kinds(const struct cpus *c);
bool cpus_is_big(const struct cpus *c, unsigned cpu);
bool cpus_is_little(const struct cpus *c, unsigned cpu);
/* The processors that share a core with this one, itself included. */
void cpus_siblings(const char *root, unsigned cpu, struct cpuset *out);
/* "0-3=446 4-5=1024", slow ones first. */
void cpus_print_ranks(const struct cpus *c, struct buf *out);

#endif
