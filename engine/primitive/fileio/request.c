#include "primitive/fileio/request.h"

#include "primitive/fileio/options.h"

#include <stdlib.h>

/* Random places of one kind, never flushed between: nothing to keep in order. */
static bool is_free(const struct stream_plan *p)
{
    bool one_kind = !mode_is_sequential(p->mode) && p->mode != MODE_RNDRW;
    return one_kind && p->exclusive == 0 && (p->fsync_freq == 0 || !mode_writes(p->mode));
}

static void lock(struct stream *s)
{
    if (!s->plan.alone)
        pthread_mutex_lock(&s->lock);
}

static void unlock(struct stream *s)
{
    if (!s->plan.alone)
        pthread_mutex_unlock(&s->lock);
}

int stream_init(struct stream *s, const struct stream_plan *plan, struct err *e)
{
    *s = (struct stream){.plan = *plan, .is_free = is_free(plan)};
    pthread_mutex_init(&s->lock, NULL);
    if (plan->exclusive == 0)
        return 0;
    uint64_t blocks = plan->file_size / plan->size * plan->files;
    if (blocks < 2 * (uint64_t)plan->exclusive)
        return err_set(e,
                       "option --validate: %u requests at a time need a set of %llu requests, this "
                       "one has %llu; use fewer --threads, a lower --file-async-backlog or a "
                       "larger --file-total-size",
                       plan->exclusive, 2ULL * plan->exclusive, (unsigned long long)blocks);
    s->busy = malloc(plan->exclusive * sizeof *s->busy);
    return s->busy ? 0 : err_set(e, "out of memory for %u requests in flight", plan->exclusive);
}

void stream_release(struct stream *s)
{
    free(s->busy);
    pthread_mutex_destroy(&s->lock);
}

/* --- periodic flushes ------------------------------------------------------ */

/* After every fsync_freq reads and writes all files are flushed in turn, each
 * by a request of its own. */
static bool flush_is_due(const struct stream *s)
{
    return s->plan.fsync_freq > 0 && s->dirty && s->made % s->plan.fsync_freq == 0;
}

static void take_flush(struct stream *s, struct request *out)
{
    *out = (struct request){.kind = REQUEST_FSYNC, .file = s->next_flush++};
    if (s->next_flush == s->plan.files) {
        s->next_flush = 0;
        s->dirty = false;
    }
}

/* --- places ------------------------------------------------------------------ */

static uint32_t clip(const struct stream *s, uint64_t offset, uint32_t size)
{
    uint64_t left = s->plan.file_size - offset;
    return left < size ? (uint32_t)left : size;
}

static bool next_place(struct stream *s, struct request *out)
{
    if (s->file == s->plan.files) {
        if (s->plan.one_pass)
            return false;
        s->file = 0;
        s->passes++;
    }
    out->file = s->file;
    out->offset = s->position;
    out->size = clip(s, s->position, s->plan.size);
    s->position += out->size;
    if (s->position == s->plan.file_size) {
        s->position = 0;
        s->file++;
    }
    return true;
}

static bool random_place(struct stream *s, struct rng *rng, struct request *out)
{
    double total = (double)s->plan.file_size * s->plan.files;
    uint64_t offset = (uint64_t)(rng_double(rng) * total);
    offset -= offset % s->plan.block;
    out->file = (uint32_t)(offset / s->plan.file_size);
    out->offset = offset - out->file * s->plan.file_size;
    out->size = clip(s, out->offset, s->plan.block);
    return true;
}

static uint64_t place_number(const struct stream *s, const struct request *q)
{
    return q->file * s->plan.file_size + q->offset;
}

static bool is_busy(const struct stream *s, uint64_t place)
{
    for (uint32_t i = 0; i < s->busy_count; i++)
        if (s->busy[i] == place)
            return true;
    return false;
}

/* A block that is being written must be neither read nor written a second time
 * if its checksum is to hold. */
static bool free_place(struct stream *s, struct rng *rng, struct request *out)
{
    do {
        if (mode_is_sequential(s->plan.mode) ? !next_place(s, out) : !random_place(s, rng, out))
            return false;
    } while (s->busy && is_busy(s, place_number(s, out)));
    if (s->busy)
        s->busy[s->busy_count++] = place_number(s, out);
    return true;
}

static enum request_kind next_kind(const struct stream *s)
{
    if (s->plan.mode != MODE_RNDRW)
        return mode_writes(s->plan.mode) ? REQUEST_WRITE : REQUEST_READ;
    double ratio = (double)(s->reads + 1) / (double)(s->writes + 1);
    return ratio < s->plan.rw_ratio ? REQUEST_READ : REQUEST_WRITE;
}

static void account(struct stream *s, enum request_kind kind)
{
    s->made++;
    s->reads += kind == REQUEST_READ;
    s->writes += kind == REQUEST_WRITE;
    s->dirty |= kind == REQUEST_WRITE;
}

bool stream_take(struct stream *s, struct rng *rng, struct request *out)
{
    bool there = true;
    if (s->is_free) {
        out->kind = next_kind(s);
        return random_place(s, rng, out);
    }
    lock(s);
    if (flush_is_due(s)) {
        take_flush(s, out);
    } else {
        there = free_place(s, rng, out);
        out->kind = next_kind(s);
        if (there)
            account(s, out->kind);
    }
    unlock(s);
    return there;
}

void stream_place(struct stream *s, struct rng *rng, enum request_kind kind, struct request *out)
{
    lock(s);
    free_place(s, rng, out);
    out->kind = kind;
    account(s, kind);
    unlock(s);
}

bool stream_claim(struct stream *s, const struct request *q)
{
    lock(s);
    bool mine = !s->busy || !is_busy(s, place_number(s, q));
    if (mine && s->busy)
        s->busy[s->busy_count++] = place_number(s, q);
    if (mine)
        account(s, q->kind);
    unlock(s);
    return mine;
}

void stream_give_back(struct stream *s, const struct request *done)
{
    if (!s->busy)
        return;
    lock(s);
    uint64_t place = place_number(s, done);
    for (uint32_t i = 0; i < s->busy_count; i++) {
        if (s->busy[i] != place)
            continue;
        s->busy[i] = s->busy[--s->busy_count];
        break;
    }
    unlock(s);
}

bool stream_has_written(struct stream *s)
{
    lock(s);
    bool written = s->writes > 0;
    unlock(s);
    return written;
}

double stream_passes(struct stream *s)
{
    lock(s);
    double files = s->file + (double)s->position / (double)s->plan.file_size;
    double passes = (double)s->passes + files / s->plan.files;
    unlock(s);
    return passes;
}
