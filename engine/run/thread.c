/* The workers' side of a run: ready, gate, events, leave. */
#include "run/inner.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Tells main that this worker is ready, or has failed to get so, and waits for
 * the start. False: there will be none. */
static bool pass_gate(struct worker *w, bool ready)
{
    struct run *r = w->run;
    pthread_mutex_lock(&r->ready_lock);
    atomic_store(&w->stage, ready ? WORKER_READY : WORKER_FAILED);
    r->ready += ready;
    r->failed += !ready;
    if (r->failed > 0 || r->ready == r->worker_count)
        pthread_cond_signal(&r->ready_changed);
    pthread_mutex_unlock(&r->ready_lock);
    if (!ready)
        return false;
    pthread_rwlock_rdlock(&r->gate);
    bool go = r->open;
    pthread_rwlock_unlock(&r->gate);
    return go;
}

static int open_parts(struct worker *w)
{
    struct run *r = w->run;
    if (r->pin && r->pin(r->pin_self, w->id, &w->err) != 0)
        return -1;
    for (unsigned i = 0; i < r->part_count; i++) {
        struct part *p = r->parts[r->part_count - 1 - i]; /* part 0 may use the others */
        if (p->workload->open && p->workload->open(w, p) != 0)
            return -1;
    }
    return 0;
}

static void close_parts(struct worker *w)
{
    struct run *r = w->run;
    for (unsigned i = 0; i < r->part_count; i++)
        if (r->parts[i]->workload->close)
            r->parts[i]->workload->close(w, r->parts[i]);
}

/* Once for each worker, as sysbench does: the log joins what repeats. */
static void say_limit(const struct worker *w)
{
    static const char *const said[] = {[LIMIT_TIME] = "Time limit exceeded, exiting...",
                                       [LIMIT_EVENTS] = "Event limit exceeded, exiting..."};
    if (w->met == LIMIT_TIME || w->met == LIMIT_EVENTS)
        log_put(w->run->log, LOG_INFO, "%s", said[w->met]);
}

static int make_events(struct worker *w)
{
    struct part *p = w->run->parts[0];
    uint64_t turn = run_ns(w->run->general->thread_ramp) / w->run->worker_count * w->id;
    int rc = 0;
    w->now_ns = clock_now(w->clock);
    if (turn == 0 || worker_wait_turn(w, w->run->go_ns + turn))
        rc = p->workload->loop ? p->workload->loop(w, p) : worker_plain_loop(w, p);
    say_limit(w);
    if (rc != 0)
        return -1;
    for (unsigned i = 0; i < w->run->part_count; i++)
        if (w->run->parts[i]->workload->done)
            w->run->parts[i]->workload->done(w, w->run->parts[i]);
    return 0;
}

static void leave(struct worker *w, int rc)
{
    struct run *r = w->run;
    uint64_t one = 1;
    atomic_store(&w->stage, rc ? WORKER_FAILED : WORKER_LEFT);
    if (rc != 0) {
        run_set_limit(r, LIMIT_ERROR);
        run_stop(r, clock_now(w->clock));
    }
    /* Main need not wake up for each of a thousand. */
    if (atomic_fetch_sub(&r->alive, 1) != 1 && rc == 0)
        return;
    while (write(r->left_fd, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

/* A failure that gives no reason is one none the less. */
static int with_reason(struct worker *w, int rc)
{
    return rc ? err_set(&w->err, "worker %u failed without saying why", w->id) : 0;
}

void *thread_main(void *arg)
{
    struct worker *w = arg;
    /* The kernel wakes sleepers up to 50 us late to spare itself interrupts, which
     * is too late for a planned start; here it is not to. */
    if (w->run->pacer)
        prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    atomic_store_explicit(&w->began_ns, clock_now(w->clock), memory_order_relaxed);
    log_put(w->run->log, LOG_DEBUG, "Worker thread (#%u) started", w->id);
    int rc = with_reason(w, open_parts(w));
    if (rc == 0)
        log_put(w->run->log, LOG_DEBUG, "Worker thread (#%u) initialized", w->id);
    if (pass_gate(w, rc == 0)) {
        atomic_store(&w->stage, WORKER_BUSY);
        rc = with_reason(w, make_events(w));
    }
    close_parts(w);
    leave(w, rc);
    return NULL;
}

/* Only the error of a worker that is through with it may be read. */
static const struct err *first_error(struct run *r)
{
    for (unsigned i = 0; i < r->worker_count; i++)
        if (atomic_load(&r->workers[i].stage) == WORKER_FAILED)
            return &r->workers[i].err;
    return NULL;
}

int thread_error(struct run *r, struct err *e)
{
    const struct err *first = first_error(r);
    if (!first)
        return 0;
    run_set_limit(r, LIMIT_ERROR);
    err_clear(e);
    *e = *first;
    return -1;
}
