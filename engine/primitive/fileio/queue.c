#include "primitive/fileio/queue.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK_UP_NS (20 * NS_PER_MS) /* with a rate: how long to wait before looking again */

struct slot {
    struct request request;
    void *buffer;
    uint64_t event_ns;     /* what the event's latency counts from */
    uint64_t submitted_ns; /* of this request; 0: not yet */
    uint64_t first_ns;     /* of the event's first request */
    uint32_t moved;        /* bytes of the request that are done already */
};

struct queue {
    const struct io_engine *engine;
    void *kernel;
    unsigned depth, in_flight; /* from put to completion */
    struct slot *slot;
    unsigned *unused, unused_count;
    bool planned; /* with a rate: planned_ns is taken, its event has not begun */
    uint64_t planned_ns;
    unsigned *fresh, fresh_count; /* put, not yet submitted, in order */
    struct io_done *done;
    void *buffers;
    size_t buffers_size;
};

void queue_free(struct queue *q)
{
    if (!q)
        return;
    if (q->kernel)
        q->engine->close(q->kernel);
    work_buffer_free(q->buffers, q->buffers_size);
    free(q->slot);
    free(q->unused);
    free(q->fresh);
    free(q->done);
    free(q);
}

static int make(struct queue *q, size_t size, struct err *e)
{
    q->slot = calloc(q->depth, sizeof *q->slot);
    q->unused = calloc(q->depth, sizeof *q->unused);
    q->fresh = calloc(q->depth, sizeof *q->fresh);
    q->done = calloc(q->depth, sizeof *q->done);
    if (!q->slot || !q->unused || !q->fresh || !q->done)
        return err_set(e, "out of memory for %u requests in flight", q->depth);
    size = (size + DATA_PAGE - 1) / DATA_PAGE * DATA_PAGE;
    q->buffers_size = size * q->depth;
    if (q->buffers_size / q->depth != size)
        return err_set(e,
                       "option --file-async-backlog: %u requests of %llu bytes do not fit the "
                       "address space",
                       q->depth, (unsigned long long)size);
    q->buffers = work_buffer(q->buffers_size, e);
    if (!q->buffers)
        return -1;
    for (unsigned i = 0; i < q->depth; i++) {
        q->slot[i].buffer = (char *)q->buffers + i * size;
        q->unused[q->unused_count++] = i;
    }
    q->kernel = q->engine->open(q->depth, e);
    return q->kernel ? 0 : -1;
}

struct queue *queue_new(const struct io_engine *engine, unsigned depth, size_t size, struct err *e)
{
    struct queue *q = calloc(1, sizeof *q);
    if (!q) {
        err_set(e, "out of memory for a queue of requests");
        return NULL;
    }
    q->engine = engine;
    q->depth = depth;
    if (make(q, size, e) == 0)
        return q;
    queue_free(q);
    return NULL;
}

/* --- into the queue -------------------------------------------------------------- */

/* What is left of a slot's request. */
static void put_rest(struct fileio *f, struct queue *q, unsigned i)
{
    struct slot *s = &q->slot[i];
    struct request rest = s->request;
    rest.offset += s->moved;
    rest.size -= s->moved;
    q->engine->put(q->kernel, i, f->set.file[rest.file].fd, &rest, (char *)s->buffer + s->moved,
                   f->data_only);
    q->fresh[q->fresh_count++] = i;
    q->in_flight++;
}

static void put(struct fileio *f, struct queue *q, unsigned i)
{
    q->slot[i].submitted_ns = 0;
    q->slot[i].moved = 0;
    put_rest(f, q, i);
}

/* The next request that is an event. False with rc 0: there is none. */
static bool take(struct worker *w, struct fileio *f, struct request *out, int *rc)
{
    while (stream_take(&f->stream, &w->rng, out)) {
        if (f->debug)
            work_say(f, out);
        if (!f->flush_apart || out->kind != REQUEST_FSYNC)
            return true;
        w->now_ns = clock_now(w->clock);
        *rc = work_flush(w, f, out->file);
        if (*rc != 0)
            return false;
    }
    return false;
}

/* With a rate: does the next event begin? YES, not YET, or there is none any more.
 * A worker with room takes the next start and keeps it; with requests in flight
 * it does not sleep until then, or it would learn too late what has completed. */
enum answer { NO_MORE, YET, YES };

static enum answer next_planned(struct worker *w, struct queue *q)
{
    if (!q->planned && !worker_plan(w, &q->planned_ns))
        return NO_MORE;
    q->planned = true;
    if (q->in_flight == 0 && !worker_wait(w, q->planned_ns))
        return NO_MORE;
    w->now_ns = clock_now(w->clock);
    if (w->now_ns < worker_due(w, q->planned_ns))
        return atomic_load_explicit(w->stop, memory_order_relaxed) ? NO_MORE : YET;
    q->planned = false;
    return worker_begin(w, q->planned_ns) ? YES : NO_MORE;
}

static enum answer next_event(struct worker *w, struct queue *q)
{
    if (w->run->pacer)
        return next_planned(w, q);
    return worker_next(w) ? YES : NO_MORE;
}

static void tell_under_way(struct worker *w, const struct queue *q)
{
    atomic_store_explicit(&w->under_way, q->depth - q->unused_count, memory_order_relaxed);
}

/* Fills the queue. False: no more events for this worker. */
static bool fill(struct worker *w, struct fileio *f, struct fileio_worker *own, int *rc)
{
    struct queue *q = own->queue;
    while (q->unused_count > 0) {
        enum answer next = next_event(w, q);
        if (next != YES)
            return next == YET;
        unsigned i = q->unused[q->unused_count - 1];
        struct slot *s = &q->slot[i];
        if (!take(w, f, &s->request, rc))
            return false;
        q->unused_count--;
        tell_under_way(w, q);
        s->first_ns = 0;
        s->event_ns = w->run->pacer ? atomic_load_explicit(&w->began_ns, memory_order_relaxed) : 0;
        atomic_store_explicit(&w->served_ns, 0, memory_order_relaxed);
        work_draw(w, f);
        if (s->request.kind == REQUEST_WRITE)
            work_fill(f, own, &s->request, s->buffer);
        put(f, q, i);
    }
    return true;
}

static int hand_over(struct worker *w, struct fileio *f, struct queue *q)
{
    if (q->fresh_count == 0)
        return 0;
    uint64_t now = clock_now(w->clock);
    for (unsigned i = 0; i < q->fresh_count; i++) {
        struct slot *s = &q->slot[q->fresh[i]];
        s->submitted_ns = s->submitted_ns ? s->submitted_ns : now;
        s->first_ns = s->first_ns ? s->first_ns : now;
        s->event_ns = s->event_ns ? s->event_ns : now;
    }
    int n = q->engine->submit(q->kernel);
    bool later = n == -EAGAIN || n == -EBUSY || n == -EINTR;
    if (n < 0 && later && q->in_flight > q->fresh_count)
        return 0; /* there is room again when something has completed */
    if (n < 0 && n != -EINTR)
        return work_error(w, f, &q->slot[q->fresh[0]].request, -n);
    for (unsigned i = 0; n > 0 && i + (unsigned)n < q->fresh_count; i++)
        q->fresh[i] = q->fresh[i + (unsigned)n];
    q->fresh_count -= n > 0 ? (unsigned)n : 0;
    return 0;
}

/* --- out of the queue ---------------------------------------------------------------- */

static uint64_t passed(uint64_t from, uint64_t now)
{
    return now > from ? now - from : 0;
}

static void count_event(struct worker *w, const struct slot *s)
{
    latency_record(w->into->latency[LAT_EVENT], passed(s->event_ns, w->now_ns));
    if (w->run->pacer)
        latency_record(w->into->latency[w->run->service_latency], passed(s->first_ns, w->now_ns));
}

/* The kernel may do less than it was asked for, or nothing when a signal comes:
 * then the rest is asked for, and the request's time goes on. */
static bool goes_on(struct fileio *f, struct queue *q, unsigned i, int64_t result)
{
    struct slot *s = &q->slot[i];
    bool partly = s->request.kind != REQUEST_FSYNC && result > 0 &&
                  s->moved + (uint64_t)result < s->request.size;
    if (!partly && result != -EINTR)
        return false;
    s->moved += partly ? (uint32_t)result : 0;
    put_rest(f, q, i);
    return true;
}

/* A slot's request was done, all or a part of it, or has failed with -errno. */
static int complete(struct worker *w, struct fileio *f, struct fileio_worker *own, unsigned i,
                    int64_t result)
{
    struct queue *q = own->queue;
    struct slot *s = &q->slot[i];
    struct request *r = &s->request;
    if (goes_on(f, q, i, result))
        return 0;
    if (result < 0 || (r->kind != REQUEST_FSYNC && result == 0))
        return work_error(w, f, r, engine_stuck(r->kind, s->moved > 0, (int)-result));
    work_count(w, f, r->kind, r->size, passed(s->submitted_ns, w->now_ns));
    if (r->kind == REQUEST_READ && f->validate && work_check(w, f, r, s->buffer) != 0)
        return -1;
    if (r->kind != REQUEST_FSYNC)
        stream_give_back(&f->stream, r);
    if (r->kind == REQUEST_WRITE && f->options->fsync_all) {
        r->kind = REQUEST_FSYNC;
        put(f, q, i);
        return 0;
    }
    count_event(w, s);
    q->unused[q->unused_count++] = i;
    tell_under_way(w, q);
    return 0;
}

/* How long to wait for a request: with a rate only until the planned start, of
 * which the last bit is waited awake. Negative: for ever. */
static int64_t patience(const struct worker *w, const struct queue *q)
{
    if (!q->planned)
        return -1;
    uint64_t now = clock_now(w->clock), due = worker_due(w, q->planned_ns);
    if (due <= now + WAKE_LATE_NS)
        return 0;
    uint64_t wait = due - now - WAKE_LATE_NS;
    return (int64_t)(wait < LOOK_UP_NS ? wait : LOOK_UP_NS);
}

static int fetch(struct worker *w, struct fileio *f, struct fileio_worker *own, bool more)
{
    struct queue *q = own->queue;
    int n = q->engine->reap(q->kernel, 1, more ? patience(w, q) : -1, q->done, q->depth);
    w->now_ns = clock_now(w->clock);
    if (n < 0)
        return err_sys(&w->err, -n, "cannot fetch completed requests");
    q->in_flight -= (unsigned)n;
    for (int i = 0; i < n; i++)
        if (complete(w, f, own, q->done[i].slot, q->done[i].result) != 0)
            return -1;
    return 0;
}

/* After an error: the kernel still uses the buffers. */
static void drain(struct queue *q)
{
    unsigned left = q->in_flight - q->fresh_count;
    while (left > 0) {
        int n = q->engine->reap(q->kernel, 1, -1, q->done, q->depth);
        if (n < 0)
            return;
        left -= (unsigned)n < left ? (unsigned)n : left;
    }
}

int queue_loop(struct worker *w, struct fileio *f, struct fileio_worker *own)
{
    struct queue *q = own->queue;
    bool more = true;
    int rc = 0;
    while (rc == 0 && (more || q->in_flight > 0)) {
        more = more && fill(w, f, own, &rc);
        if (rc == 0)
            rc = hand_over(w, f, q);
        if (rc == 0 && q->in_flight > q->fresh_count)
            rc = fetch(w, f, own, more);
    }
    if (rc != 0)
        drain(q);
    atomic_store_explicit(&w->under_way, 0, memory_order_relaxed);
    return rc;
}
