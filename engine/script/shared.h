/*
 * Data that a script builds once and all of its threads read: blocks of memory
 * with names. Whoever claims a name first builds its block, others wait until
 * it is published. All functions may be called from any thread.
 */
#ifndef SCRIPT_SHARED_H
#define SCRIPT_SHARED_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct shared_block {
    char *name;
    void *data;
    size_t size;
    bool published;
    pthread_t builder;
    struct shared_block *next;
};

struct shared {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    struct shared_block *blocks;
};

void shared_init(struct shared *s);
void shared_release(struct shared *s);

/* 1: the caller must build it; 0: it is there; -1 with e: the caller is in the
 * midst of building it, or no memory. */
int shared_claim(struct shared *s, const char *name, struct err *e);
/* Memory of a claimed block, zero-filled; NULL with e: there is none. */
void *shared_make(struct shared *s, const char *name, size_t size, struct err *e);
void shared_publish(struct shared *s, const char *name);
/* The builder failed: the next who claims the name builds it. */
void shared_abandon(struct shared *s, const char *name);
/* A published block, NULL: there is none. */
const struct shared_block *shared_find(struct shared *s, const char *name);

#endif
