#include "primitive/kernel/locks.h"

#include <sched.h>

void kernel_spin(uint64_t loops)
{
    for (uint64_t i = 0; i < loops; i++)
        __asm__ volatile("" ::: "memory");
}

void kernel_lock_add(struct spaced_lock *lock, _Atomic uint64_t *sum)
{
    pthread_mutex_lock(&lock->mutex);
    /* The sum is one for all locks, so other holders may be adding: without a
     * read-modify-write some additions get lost, which nobody reads. */
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    pthread_mutex_unlock(&lock->mutex);
}

void kernel_lock_yield(struct spaced_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    sched_yield();
    pthread_mutex_unlock(&lock->mutex);
}
