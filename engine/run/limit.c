/* What ends a run, and since when. */
#include "run/inner.h"

uint64_t run_ns(double seconds)
{
    return (uint64_t)(seconds * 1e9);
}

/* Wakes workers that wait for a moment far ahead, to see what is new. */
void run_news(struct run *r)
{
    pthread_mutex_lock(&r->news_lock);
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->news_lock);
}

void run_set_limit(struct run *r, enum limit why)
{
    int none = LIMIT_NONE;
    if (atomic_compare_exchange_strong(&r->limit, &none, why))
        run_news(r);
}

/* No worker starts a further event. True: that had been said before. */
bool run_stop(struct run *r, uint64_t now_ns)
{
    uint64_t never = UINT64_MAX;
    atomic_compare_exchange_strong(&r->stopped_ns, &never, now_ns);
    bool before = atomic_exchange(&r->stop, 1);
    if (!before)
        run_news(r);
    return before;
}

/* What counts begins at that moment: sets the times that follow from it. Workers
 * in the warm-up leave it at their first event that ends after it. */
void run_set_start(struct run *r, uint64_t start_ns)
{
    r->start_ns = start_ns;
    r->end_ns = r->general->time > 0 ? start_ns + run_ns(r->general->time) : UINT64_MAX;
    r->last_interval.at_ns = r->last_checkpoint.at_ns = start_ns;
    for (unsigned i = 0; i < r->worker_count; i++)
        r->workers[i].border_ns = r->workers[i].warm_stats ? start_ns : r->end_ns;
    run_news(r);
}

bool run_interrupted(const struct run *r)
{
    return r->signal && r->signal->caught;
}

const char *run_limit_name(const struct run *r)
{
    static const char *const names[] = {
        [LIMIT_NONE] = "work", [LIMIT_TIME] = "time",     [LIMIT_EVENTS] = "events",
        [LIMIT_WORK] = "work", [LIMIT_SIGNAL] = "signal", [LIMIT_ERROR] = "error"};
    return names[atomic_load(&r->limit)];
}

bool run_complete(const struct run *r)
{
    int why = atomic_load(&r->limit);
    return why != LIMIT_SIGNAL && why != LIMIT_ERROR && r->hung_count == 0;
}

int run_clock_error(struct err *e)
{
    return err_set(e,
                   "the system's clock cannot be read (clock_gettime with CLOCK_MONOTONIC fails): "
                   "nothing can be measured");
}
