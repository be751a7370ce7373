/* The measured loops of the mutex and threads primitives. */
#ifndef PRIMITIVE_KERNEL_LOCKS_H
#define PRIMITIVE_KERNEL_LOCKS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* Locks far enough apart that no two share a cache line. */
struct spaced_lock {
    pthread_mutex_t mutex;
    char space[256];
};

/* Turns that many times; each turn is kept, whatever the compiler is. */
void kernel_spin(uint64_t loops);
/* Takes the lock, adds 1 to *sum, frees the lock. */
void kernel_lock_add(struct spaced_lock *lock, _Atomic uint64_t *sum);
/* Takes the lock, yields the processor, frees the lock. */
void kernel_lock_yield(struct spaced_lock *lock);

#endif
