/* The thread that started the workers watches over them: reports at planned
 * times, signals, windows of --until-steady, the hard stop. */
#include "run/inner.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* Who has only just been told to stop gets this long to do so before it is
 * called stuck. */
#define LAST_LOOK_NS (100 * NS_PER_MS)

static uint64_t concurrency(const struct run *r)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < r->worker_count; i++) {
        const struct worker *w = &r->workers[i];
        n += atomic_load_explicit(&w->served_ns, memory_order_relaxed) != 0;
        n += atomic_load_explicit(&w->under_way, memory_order_relaxed);
    }
    return n;
}

static uint64_t queue_length(struct run *r, uint64_t now)
{
    return pacer_backlog(r->pacer, now < r->end_ns ? now : r->end_ns - 1);
}

/* What came since `last`, by now. False: that is asked for in the warm-up, where
 * nothing counts yet. */
static bool look(struct run *r, const struct snapshot *last, struct moment *m)
{
    uint64_t now = clock_now(r->clock);
    if (now < last->at_ns)
        return false;
    snapshot_take(&r->now, &r->main_pool, now);
    snapshot_sub(&r->scratch, &r->now, last);
    *m = (struct moment){.total_s = (double)(now - r->start_ns) / 1e9,
                         .interval_s = (double)(now - last->at_ns) / 1e9,
                         .since = &r->scratch,
                         .running = atomic_load(&r->alive),
                         .queue = r->pacer ? queue_length(r, now) : 0,
                         .concurrency = r->pacer ? concurrency(r) : 0};
    return true;
}

static void tell_interval(struct run *r, const struct moment *m)
{
    snapshot_copy(&r->last_interval, &r->now);
    if (r->observer.interval)
        r->observer.interval(r->observer.self, r, m);
}

static void tell_checkpoint(struct run *r, const struct moment *m)
{
    if (!m->last) /* the final report counts from the one before it */
        snapshot_copy(&r->last_checkpoint, &r->now);
    if (r->observer.checkpoint)
        r->observer.checkpoint(r->observer.self, r, m);
}

struct watch {
    uint64_t next_interval; /* UINT64_MAX: none */
    uint64_t next_window;   /* of --until-steady; UINT64_MAX: none */
    uint64_t window_events; /* up to the last one */
    uint64_t interval_ns;
    unsigned checkpoint; /* the next one in general->checkpoints */
    unsigned intervals;  /* told so far */
    unsigned running;    /* workers that had not left before the end */
    uint64_t give_up;    /* when stuck workers are given up */
    bool forced;         /* that is by --forced-shutdown */
    bool failed;         /* an error has been noticed */
    unsigned clockless;  /* looks since the clock failed */
};

static double hard_stop_grace(const struct general *g)
{
    if (g->hard_stop >= 0)
        return g->hard_stop;
    return g->time > 50 ? g->time / 10 : 5;
}

static void watch_begin(struct watch *t, const struct run *r)
{
    const struct general *g = r->general;
    double grace = general_as_sysbench(g) && g->hard_stop < 0 ? 0 : hard_stop_grace(g);
    *t = (struct watch){.next_interval = UINT64_MAX,
                        .next_window = UINT64_MAX,
                        .give_up = UINT64_MAX,
                        .running = r->worker_count};
    t->interval_ns = g->report_interval > 1e-9 ? run_ns(g->report_interval) : 1;
    if (g->report_interval > 0)
        t->next_interval = r->start_ns + t->interval_ns;
    t->forced = g->time > 0 && g->forced_s >= 0;
    if (t->forced)
        grace = g->forced_s;
    if (g->time > 0 && (grace > 0 || t->forced))
        t->give_up = r->end_ns + run_ns(grace);
}

static uint64_t checkpoint_ns(const struct run *r, const struct watch *t)
{
    const struct general *g = r->general;
    return t->checkpoint < g->checkpoint_count ? r->start_ns + run_ns(g->checkpoints[t->checkpoint])
                                               : UINT64_MAX;
}

static uint64_t earliest(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Without a clock this long is waited for workers to leave, as often. */
#define CLOCKLESS_LOOK_NS (100 * NS_PER_MS)
#define CLOCKLESS_LOOKS 50
/* A worker that could not write that it has left is noticed by then. */
#define LONGEST_LOOK_NS NS_PER_S

/* Sleeps until a worker leaves, a signal comes or the clock shows until_ns. */
static void wait_for_something(struct run *r, uint64_t until_ns)
{
    struct pollfd fds[2] = {{.fd = r->left_fd, .events = POLLIN},
                            {.fd = r->signal ? r->signal->wake_fd : -1, .events = POLLIN}};
    uint64_t now = clock_now(r->clock), left = until_ns > now ? until_ns - now : 0;
    if (left > LONGEST_LOOK_NS)
        left = LONGEST_LOOK_NS;
    if (now == 0)
        left = CLOCKLESS_LOOK_NS;
    struct timespec t = {.tv_sec = (time_t)(left / NS_PER_S), .tv_nsec = (long)(left % NS_PER_S)};
    uint64_t drained;
    if (ppoll(fds, 2, &t, NULL) <= 0)
        return;
    for (int i = 0; i < 2; i++)
        if (fds[i].revents & POLLIN && read(fds[i].fd, &drained, sizeof drained) < 0)
            continue;
}

/* What ends with the time limit waits for the last events, so that it holds all
 * of them: until no worker is left, or so long. */
static uint64_t when_told(const struct run *r, uint64_t planned_ns, uint64_t slack_ns)
{
    uint64_t apart = planned_ns > r->end_ns ? planned_ns - r->end_ns : r->end_ns - planned_ns;
    return planned_ns != UINT64_MAX && apart <= slack_ns ? planned_ns + LAST_LOOK_NS : planned_ns;
}

/* A thousandth, for the sum of intervals may miss the limit by a rounding error. */
static uint64_t interval_told(const struct run *r, const struct watch *t)
{
    return when_told(r, t->next_interval, t->interval_ns / 1000);
}

static uint64_t checkpoint_told(const struct run *r, const struct watch *t)
{
    return when_told(r, checkpoint_ns(r, t), 0);
}

static void due_interval(struct run *r, struct watch *t, uint64_t now)
{
    struct moment m;
    if (now < interval_told(r, t))
        return;
    t->next_interval += ((now - t->next_interval) / t->interval_ns + 1) * t->interval_ns;
    t->intervals++;
    if (look(r, &r->last_interval, &m))
        tell_interval(r, &m);
}

static void due_checkpoint(struct run *r, struct watch *t, uint64_t now)
{
    struct moment m;
    if (now < checkpoint_told(r, t))
        return;
    while (checkpoint_ns(r, t) <= now)
        t->checkpoint++;
    if (look(r, &r->last_checkpoint, &m))
        tell_checkpoint(r, &m);
}

/* A checkpoint empties the statistics of the interval that follows, so the
 * interval that ends at the same moment comes first. */
static void due_reports(struct run *r, struct watch *t, uint64_t now)
{
    due_interval(r, t, now);
    due_checkpoint(r, t, now);
}

/* The run is over: what became due with its end, and the rest of the interval in
 * which it ended, so that the intervals add up to the whole. */
static void last_reports(struct run *r, const struct watch *t)
{
    struct moment m;
    uint64_t now = clock_now(r->clock);
    bool wanted = r->general->report_interval > 0 || t->intervals > 0;
    if (wanted && look(r, &r->last_interval, &m)) {
        m.last = true;
        m.early = now < t->next_interval;
        m.running = t->running;
        if (!m.early || t->intervals == 0 || snapshot_events(m.since) > 0)
            tell_interval(r, &m);
    }
    if (now >= checkpoint_ns(r, t) && look(r, &r->last_checkpoint, &m)) {
        m.last = true;
        m.running = t->running;
        tell_checkpoint(r, &m);
    }
}

static uint64_t warm_events(const struct run *r)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < r->worker_count; i++)
        n += stats_events(r->workers[i].warm_stats);
    return n;
}

/* One more window of the warm-up is over; if the rate is steady, so is it. */
static void due_window(struct run *r, struct watch *t, uint64_t now)
{
    double window = r->general->steady_window;
    if (now < t->next_window)
        return;
    if (now >= r->start_ns) { /* the longest warm-up is over */
        t->next_window = UINT64_MAX;
        return;
    }
    uint64_t events = warm_events(r);
    bool steady = steady_add(&r->steady, (double)(events - t->window_events) / window);
    t->window_events = events;
    t->next_window += run_ns(window);
    if (!steady)
        return;
    r->steady.after_s = (double)(now - r->go_ns) / 1e9;
    run_set_start(r, now);
    watch_begin(t, r);
}

static void due_signals(struct run *r, struct watch *t, uint64_t now)
{
    struct run_signal *s = r->signal;
    if (!s)
        return;
    struct moment m;
    if (s->report && look(r, &r->last_interval, &m)) {
        t->intervals++;
        tell_interval(r, &m);
    }
    s->report = 0;
    if (!s->caught)
        return;
    if (!run_stop(r, now)) {
        run_set_limit(r, LIMIT_SIGNAL);
        t->give_up = now + (s->times > 1 ? LAST_LOOK_NS : run_ns(SIGNAL_GRACE_S));
        t->forced = false;
    } else if (s->times > 1 && t->give_up > now + LAST_LOOK_NS) {
        t->give_up = now + LAST_LOOK_NS;
    }
}

/* A worker has failed and told the others to stop; one that is stuck in its
 * event must not keep the error from being told. */
static void due_error(const struct run *r, struct watch *t, uint64_t now)
{
    uint64_t latest = now + run_ns(SIGNAL_GRACE_S);
    if (t->failed || atomic_load(&r->limit) != LIMIT_ERROR)
        return;
    t->failed = true;
    if (latest < t->give_up)
        t->give_up = latest;
}

/* The workers that are still in an event or in their opening, and for how long. */
int ticker_give_up(struct run *r, unsigned started, uint64_t now)
{
    if (!r->hung)
        r->hung = calloc(r->worker_count, sizeof *r->hung);
    for (unsigned i = 0; r->hung && i < started; i++) {
        struct worker *w = &r->workers[i];
        int stage = atomic_load(&w->stage);
        if (stage != WORKER_BUSY && stage != WORKER_STARTING)
            continue;
        uint64_t began = atomic_load_explicit(&w->began_ns, memory_order_relaxed);
        r->hung[r->hung_count].worker = i;
        r->hung[r->hung_count++].seconds = now > began ? (double)(now - began) / 1e9 : 0;
    }
    return r->hung_count > 0;
}

/* The clock cannot be read any more: ends the run; true when it is given up. */
static bool end_clockless(struct run *r, struct watch *t)
{
    r->clockless = true;
    run_set_limit(r, LIMIT_ERROR);
    run_stop(r, 0);
    return ++t->clockless > CLOCKLESS_LOOKS && ticker_give_up(r, r->worker_count, 0);
}

/* One look; true: workers that have not left are given up. */
static bool look_after(struct run *r, struct watch *t)
{
    uint64_t now = clock_now(r->clock);
    if (now == 0)
        return end_clockless(r, t);
    due_signals(r, t, now);
    due_window(r, t, now);
    due_error(r, t, now);
    if (atomic_load(&r->alive) == 0)
        return false;
    due_reports(r, t, now);
    if (now < t->give_up)
        return false;
    run_set_limit(r, LIMIT_TIME);
    if (!run_stop(r, now)) {
        t->give_up = now + LAST_LOOK_NS;
        return false;
    }
    r->forced = t->forced;
    t->give_up = now + NS_PER_S; /* those who are not stuck are on their way out */
    return ticker_give_up(r, r->worker_count, now);
}

/* When something is to be done next. Workers stop by themselves at the time
 * limit; it is one of the moments since signals and failures end with it. */
static uint64_t next_look(const struct run *r, const struct watch *t, uint64_t now)
{
    uint64_t due = earliest(interval_told(r, t), checkpoint_told(r, t), t->give_up);
    return earliest(due, now < r->end_ns ? r->end_ns : UINT64_MAX, t->next_window);
}

/* Until all workers have left, or those that have not are given up. */
void ticker_watch(struct run *r)
{
    struct watch t;
    unsigned alive;
    bool given_up = false;
    watch_begin(&t, r);
    if (r->steady.level > 0)
        t.next_window = r->go_ns + run_ns(r->general->steady_window);
    while (!given_up && (alive = atomic_load(&r->alive)) > 0) {
        uint64_t now = clock_now(r->clock);
        if (now < r->end_ns && !atomic_load(&r->stop))
            t.running = alive;
        wait_for_something(r, next_look(r, &t, now));
        given_up = look_after(r, &t);
    }
    last_reports(r, &t);
}
