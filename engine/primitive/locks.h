/* What the primitives mutex and threads share: a row of mutexes that no two
 * threads meet in one cache line, and one count beside it. */
#ifndef PRIMITIVE_LOCKS_H
#define PRIMITIVE_LOCKS_H

#include "base/err.h"
#include "primitive/kernel/locks.h"

#include <stdatomic.h>
#include <stdint.h>

struct lock_set {
    _Atomic uint64_t count; /* what the primitive counts: additions, events */
    int64_t size;
    struct spaced_lock *lock;
};

/* option: the name of what asked for so many, for the error. */
struct lock_set *lock_set_new(int64_t size, const char *option, struct err *e);
void lock_set_free(struct lock_set *s); /* NULL is fine */

#endif
