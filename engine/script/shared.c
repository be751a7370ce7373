#include "script/shared.h"

#include <stdlib.h>
#include <string.h>

void shared_init(struct shared *s)
{
    *s = (struct shared){0};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->moved, NULL);
}

static void block_free(struct shared_block *b)
{
    free(b->name);
    free(b->data);
    free(b);
}

void shared_release(struct shared *s)
{
    while (s->blocks) {
        struct shared_block *next = s->blocks->next;
        block_free(s->blocks);
        s->blocks = next;
    }
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->moved);
}

/* Where the pointer to the block lies, or to which one would be added. */
static struct shared_block **place(struct shared *s, const char *name)
{
    struct shared_block **at = &s->blocks;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

static int add_block(struct shared_block **at, const char *name, struct err *e)
{
    struct shared_block *b = calloc(1, sizeof *b);
    char *copy = strdup(name);
    if (!b || !copy) {
        free(b);
        free(copy);
        return err_set(e, "no memory for the shared data '%s'", name);
    }
    b->name = copy;
    b->builder = pthread_self();
    *at = b;
    return 1;
}

static int claim(struct shared *s, const char *name, struct err *e)
{
    for (;;) {
        struct shared_block **at = place(s, name);
        if (!*at)
            return add_block(at, name, e);
        if ((*at)->published)
            return 0;
        if (pthread_equal((*at)->builder, pthread_self()))
            return err_set(e, "the builder of the shared data '%s' asks for it itself", name);
        pthread_cond_wait(&s->moved, &s->lock);
    }
}

int shared_claim(struct shared *s, const char *name, struct err *e)
{
    pthread_mutex_lock(&s->lock);
    int rc = claim(s, name, e);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* The block that the calling thread is building. */
static struct shared_block *own(struct shared *s, const char *name)
{
    struct shared_block *b = *place(s, name);
    return b && !b->published && pthread_equal(b->builder, pthread_self()) ? b : NULL;
}

static void *make(struct shared *s, const char *name, size_t size, struct err *e)
{
    struct shared_block *b = own(s, name);
    if (!b || b->data) {
        err_set(e, "the shared data '%s' is not this thread's to make", name);
        return NULL;
    }
    b->data = calloc(1, size ? size : 1);
    b->size = size;
    if (!b->data)
        err_set(e, "no memory for %zu bytes of shared data '%s'", size, name);
    return b->data;
}

void *shared_make(struct shared *s, const char *name, size_t size, struct err *e)
{
    pthread_mutex_lock(&s->lock);
    void *data = make(s, name, size, e);
    pthread_mutex_unlock(&s->lock);
    return data;
}

void shared_publish(struct shared *s, const char *name)
{
    pthread_mutex_lock(&s->lock);
    struct shared_block *b = own(s, name);
    if (b)
        b->published = true;
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

void shared_abandon(struct shared *s, const char *name)
{
    pthread_mutex_lock(&s->lock);
    struct shared_block *b = own(s, name), **at = place(s, name);
    if (b) {
        *at = b->next;
        block_free(b);
    }
    pthread_cond_broadcast(&s->moved);
    pthread_mutex_unlock(&s->lock);
}

const struct shared_block *shared_find(struct shared *s, const char *name)
{
    pthread_mutex_lock(&s->lock);
    const struct shared_block *b = *place(s, name);
    if (b && !b->published)
        b = NULL;
    pthread_mutex_unlock(&s->lock);
    return b;
}
