#include "primitive/locks.h"

#include <stdlib.h>

struct lock_set *lock_set_new(int64_t size, const char *option, struct err *e)
{
    struct lock_set *s = calloc(1, sizeof *s);
    struct spaced_lock *lock = calloc((size_t)size, sizeof *lock);
    if (!s || !lock) {
        err_set(e, "option --%s: out of memory for %lld mutexes", option, (long long)size);
        free(s);
        free(lock);
        return NULL;
    }
    s->size = size;
    s->lock = lock;
    for (int64_t i = 0; i < size; i++)
        pthread_mutex_init(&lock[i].mutex, NULL);
    return s;
}

void lock_set_free(struct lock_set *s)
{
    if (!s)
        return;
    for (int64_t i = 0; i < s->size; i++)
        pthread_mutex_destroy(&s->lock[i].mutex);
    free(s->lock);
    free(s);
}
