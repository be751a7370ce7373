#include "run/worker.h"

#include "run/run.h"

#include <errno.h>
#include <time.h>

/* A shorter sleep need not be disturbed by what is new. */
#define SHORT_NS (20 * NS_PER_MS)
/* Who sleeps longer is woken when something is new; if that were missed, or the
 * clock is moved by hand, a look this often finds it. */
#define LOOK_UP_NS NS_PER_S

static bool stopped(const struct worker *w)
{
    return atomic_load_explicit(w->stop, memory_order_relaxed) != 0;
}

static void meet(struct worker *w, enum limit why)
{
    w->met = (int)why;
    run_set_limit(w->run, why);
}

static void end_warm_up(struct worker *w)
{
    w->into = w->main_stats;
    atomic_thread_fence(memory_order_acquire); /* what set_start wrote before the border */
    w->border_ns = w->run->end_ns;
}

/* The worker has come to a moment at which something changes: the end of the
 * warm-up, then the time limit. */
static bool worker_border(struct worker *w)
{
    struct run *r = w->run;
    if (w->into == w->warm_stats)
        end_warm_up(w);
    if (w->now_ns < r->end_ns)
        return true;
    meet(w, LIMIT_TIME);
    return false;
}

/* The event limit is one count for all workers; it is lifted in the warm-up. */
static bool take_ticket(struct worker *w)
{
    uint64_t limit = w->run->event_limit;
    return limit == 0 ||
           atomic_fetch_add_explicit(&w->run->tickets, 1, memory_order_relaxed) < limit;
}

static bool may_count(struct worker *w)
{
    if (take_ticket(w))
        return true;
    meet(w, LIMIT_EVENTS);
    return false;
}

/* The event that has just ended began in the warm-up, where it needed no
 * ticket; it counts if there is still one for it. */
void worker_straddled(struct worker *w)
{
    if (w->into == w->warm_stats && take_ticket(w))
        end_warm_up(w);
}

static struct timespec time_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

/* Thousands of workers may wait for starts that lie far ahead. To look up every
 * few ms would take more of the processors than what is measured. */
static void sleep_until_news(struct worker *w, uint64_t ns)
{
    struct run *r = w->run;
    uint64_t longest = w->clock->source == CLOCK_BY_HAND ? SHORT_NS : LOOK_UP_NS;
    struct timespec until = time_of(clock_system_ns() + (ns < longest ? ns : longest));
    pthread_mutex_lock(&r->news_lock);
    if (!stopped(w))
        pthread_cond_timedwait(&r->news, &r->news_lock, &until);
    pthread_mutex_unlock(&r->news_lock);
}

/* Most of the time that is left until then, and little enough to be in time. */
static void sleep_towards(struct worker *w, uint64_t at_ns)
{
    uint64_t left = at_ns - w->now_ns;
    if (left > SHORT_NS) {
        sleep_until_news(w, left - WAKE_LATE_NS);
    } else if (left > WAKE_LATE_NS) {
        struct timespec t = time_of(left - WAKE_LATE_NS);
        nanosleep(&t, NULL);
    }
}

uint64_t worker_due(const struct worker *w, uint64_t at_ns)
{
    uint64_t end = w->run->end_ns;
    return at_ns < end ? at_ns : end;
}

bool worker_wait(struct worker *w, uint64_t at_ns)
{
    for (;;) {
        uint64_t due = worker_due(w, at_ns); /* --until-steady may move the limit */
        w->now_ns = clock_now(w->clock);
        if (w->now_ns >= due)
            return true;
        if (stopped(w))
            return false;
        sleep_towards(w, due);
    }
}

bool worker_wait_turn(struct worker *w, uint64_t at_ns)
{
    for (;;) {
        uint64_t due = worker_due(w, at_ns);
        w->now_ns = clock_now(w->clock);
        if (stopped(w) || atomic_load(&w->run->limit) != LIMIT_NONE)
            return false;
        if (w->now_ns >= due)
            return true;
        sleep_towards(w, due);
    }
}

/* What the warm-up has not got round to is none of the measurement's business:
 * a backlog of then would spoil the latencies of now. */
static bool is_left_over(const struct worker *w, uint64_t at)
{
    return w->into == w->main_stats && at < w->run->start_ns;
}

static bool is_too_late(const struct worker *w, uint64_t at)
{
    uint64_t allowed = (uint64_t)(w->run->general->rate_drop * 1e9);
    return allowed && w->now_ns > at && w->now_ns - at > allowed && at < w->run->end_ns;
}

/* The next planned start. Those that are later than --rate-drop allows are
 * dropped, which is counted; one that no worker was free for is late. */
static uint64_t take_start(struct worker *w)
{
    struct run *r = w->run;
    uint64_t at = pacer_take(r->pacer);
    w->now_ns = clock_now(w->clock);
    while ((is_left_over(w, at) || is_too_late(w, at)) && !stopped(w)) {
        if (!is_left_over(w, at))
            stats_count(w->into, r->dropped_counter, 1);
        at = pacer_take(r->pacer);
        w->now_ns = clock_now(w->clock);
    }
    w->late = w->now_ns > at;
    atomic_store_explicit(&w->planned_ns, at, memory_order_relaxed);
    return at;
}

/* Is there another event for this worker, as far as limits can tell now? */
static bool may_go(struct worker *w)
{
    bool drain = w->run->pacer && w->run->general->rate_drain;
    if (stopped(w))
        return false;
    if (worker_at_border(w, w->now_ns) && !worker_border(w) && !drain)
        return false;
    return w->into == w->warm_stats || may_count(w);
}

bool worker_plan(struct worker *w, uint64_t *at_ns)
{
    if (!may_go(w))
        return false;
    *at_ns = take_start(w);
    return true;
}

bool worker_begin(struct worker *w, uint64_t at_ns)
{
    struct run *r = w->run;
    bool warm = w->into == w->warm_stats;
    if (stopped(w))
        return false;
    if (at_ns >= r->end_ns) {
        meet(w, LIMIT_TIME);
        return false;
    }
    if (worker_at_border(w, w->now_ns) && !worker_border(w) && !r->general->rate_drain)
        return false;
    /* The warm-up ended while it waited: now the event needs a ticket, too. */
    if (warm && w->into == w->main_stats && !may_count(w))
        return false;
    if (w->late)
        stats_count(w->into, r->late_counter, 1);
    atomic_store_explicit(&w->planned_ns, UINT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&w->began_ns, at_ns, memory_order_relaxed);
    atomic_store_explicit(&w->served_ns, w->now_ns, memory_order_relaxed);
    return true;
}

bool worker_next_slow(struct worker *w)
{
    uint64_t at;
    if (w->run->pacer)
        return worker_plan(w, &at) && worker_wait(w, at) && worker_begin(w, at);
    if (!may_go(w))
        return false;
    atomic_store_explicit(&w->began_ns, w->now_ns, memory_order_relaxed);
    return true;
}

void worker_served(struct worker *w)
{
    uint64_t served = atomic_load_explicit(&w->served_ns, memory_order_relaxed);
    latency_record(w->into->latency[w->run->service_latency],
                   w->now_ns > served ? w->now_ns - served : 0);
    atomic_store_explicit(&w->served_ns, 0, memory_order_relaxed);
}

bool worker_may_go_on(struct worker *w)
{
    uint64_t now = clock_now(w->clock);
    if (stopped(w))
        return false;
    if (now < w->run->end_ns)
        return true;
    w->now_ns = now;
    meet(w, LIMIT_TIME);
    return false;
}

int worker_plain_loop(struct worker *w, struct part *p)
{
    enum step (*step)(struct worker *, struct part *) = p->workload->step;
    while (worker_next(w)) {
        enum step said = step(w, p);
        if (said != STEP_DONE)
            return said == STEP_FAILED ? -1 : 0;
        worker_done(w);
    }
    return 0;
}
