/* The whole of a run, in order. */
#include "run/inner.h"

const struct snapshot *run_totals(struct run *r)
{
    snapshot_take(&r->now, &r->main_pool, r->ended_ns ? r->ended_ns : clock_now(r->clock));
    return &r->now;
}

double run_seconds(const struct run *r)
{
    uint64_t now = r->ended_ns ? r->ended_ns : clock_now(r->clock);
    return r->start_ns && now > r->start_ns ? (double)(now - r->start_ns) / 1e9 : 0;
}

static int begin_parts(struct run *r, unsigned *begun, struct err *e)
{
    for (*begun = 0; *begun < r->part_count; (*begun)++) {
        struct part *p = r->parts[r->part_count - 1 - *begun];
        if (p->workload->begin && p->workload->begin(p, r, e) != 0) {
            ++*begun; /* end must see what begin left half-made */
            return -1;
        }
    }
    return 0;
}

static void end_parts(struct run *r, unsigned begun)
{
    for (unsigned i = 0; i < begun; i++) {
        struct part *p = r->parts[r->part_count - begun + i];
        if (p->workload->end)
            p->workload->end(p, r);
    }
}

static int finish_parts(struct run *r, struct err *e)
{
    int rc = 0;
    for (unsigned i = 0; i < r->part_count; i++)
        if (r->parts[i]->workload->finish && r->parts[i]->workload->finish(r->parts[i], r, e) != 0)
            rc = -1;
    return rc;
}

static int run_workers(struct run *r, struct err *e)
{
    if (start_workers(r, e) != 0)
        return -1;
    ticker_watch(r);
    r->last_left_ns = clock_now(r->clock);
    if (r->hung_count == 0)
        start_join(r, r->worker_count);
    if (r->clockless || r->last_left_ns == 0)
        run_clock_error(e);
    return thread_error(r, e) != 0 || e->status ? -1 : 0;
}

/* A fixed amount of work may be over before what counts begins. */
static int nothing_counts(const struct run *r, struct err *e)
{
    int why = atomic_load(&r->limit);
    if (r->ended_ns >= r->start_ns || (why != LIMIT_NONE && why != LIMIT_WORK) ||
        general_as_sysbench(r->general))
        return 0;
    return err_set(e,
                   "all the work was done in the warm-up, so nothing was measured; use a shorter "
                   "--warmup-time or more work");
}

/* How many planned starts before that moment no worker has begun. */
static uint64_t unbegun(struct run *r, uint64_t until_ns)
{
    uint64_t n = until_ns ? pacer_backlog(r->pacer, until_ns - 1) : 0;
    for (unsigned i = 0; i < r->worker_count; i++)
        n += atomic_load_explicit(&r->workers[i].planned_ns, memory_order_relaxed) < until_ns;
    return n;
}

/* Starts that were due when the run was to make no more. One that ended since all
 * was done wanted none. */
static uint64_t backlog(struct run *r)
{
    int why = atomic_load(&r->limit);
    bool cut_off = why == LIMIT_TIME || why == LIMIT_SIGNAL || why == LIMIT_ERROR;
    uint64_t until = atomic_load(&r->stopped_ns);
    if (until > r->end_ns)
        until = r->end_ns;
    return r->pacer && cut_off && until > r->start_ns ? unbegun(r, until) : 0;
}

/* The end of what counts: it is fixed, and what is left undone at it. */
static int close_accounts(struct run *r, int rc, struct err *e)
{
    r->ended_ns = clock_now(r->clock);
    r->backlog = backlog(r);
    if (r->ended_ns == 0)
        return run_clock_error(e);
    return rc ? rc : nothing_counts(r, e);
}

int run_go(struct run *r, struct err *e)
{
    unsigned begun;
    int rc = begin_parts(r, &begun, e);
    /* What is named from here on is named by scripts. */
    r->names.own_counters = r->names.counters;
    r->names.own_latencies = r->names.latencies;
    if (rc == 0)
        rc = run_workers(r, e);
    if (r->hung_count > 0) { /* nothing may be taken away from them */
        r->ended_ns = clock_now(r->clock);
        r->backlog = backlog(r);
        return rc;
    }
    if (r->start_ns && rc == 0)
        rc = finish_parts(r, e);
    if (r->start_ns)
        rc = close_accounts(r, rc, e);
    bool interrupted = !r->start_ns && atomic_load(&r->limit) == LIMIT_SIGNAL;
    if (rc != 0 && !interrupted) /* also where a limit had been met before */
        atomic_store(&r->limit, LIMIT_ERROR);
    end_parts(r, begun);
    return rc;
}
