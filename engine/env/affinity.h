/*
 * --cpu-list: which processor each worker is bound to. The list is read once,
 * before the workers start, and only read by them afterwards.
 */
#ifndef ENV_AFFINITY_H
#define ENV_AFFINITY_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct affinity {
    int *cpu; /* in the order given; a number may stand twice */
    size_t count;
};

/* Text: items with commas between them, each a number "2", a range "0-3", a
 * range with a step "0-7:2", or a word: "one-per-core" (the first usable
 * processor of each core), "big" or "little" (the fast or slow cores of a
 * machine that has both). Empty or NULL: no list, workers are not bound. Each
 * processor must be online and allowed to this process. 0, or -1 and e names
 * the option, the item and what would do. */
int affinity_init(struct affinity *a, const char *text, struct err *e);
int affinity_init_at(struct affinity *a, const char *text, const char *root, struct err *e);
void affinity_release(struct affinity *a);

/* The processor of that worker: the list's in turn; -1 without a list. */
int affinity_pick(const struct affinity *a, uint32_t worker_id);
/* Binds the calling thread. cpu < 0: leaves it alone. */
int affinity_apply(int cpu, struct err *e);

#endif
