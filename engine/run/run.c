#include "run/run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SIGNAL_GRACE_S 5.0
/* Who has only just been told to stop gets this long to do so before it is
 * called stuck. */
#define LAST_LOOK_NS (100 * NS_PER_MS)

static uint64_t seconds_ns(double seconds)
{
    return (uint64_t)(seconds * 1e9);
}

/* Wakes workers that wait for a moment far ahead, to see what is new. */
static void tell_news(struct run *r)
{
    pthread_mutex_lock(&r->news_lock);
    pthread_cond_broadcast(&r->news);
    pthread_mutex_unlock(&r->news_lock);
}

void run_set_limit(struct run *r, enum limit why)
{
    int none = LIMIT_NONE;
    if (atomic_compare_exchange_strong(&r->limit, &none, why))
        tell_news(r);
}

/* No worker starts a further event. True: that had been said before. */
static bool stop(struct run *r, uint64_t now_ns)
{
    uint64_t never = UINT64_MAX;
    atomic_compare_exchange_strong(&r->stopped_ns, &never, now_ns);
    bool before = atomic_exchange(&r->stop, 1);
    if (!before)
        tell_news(r);
    return before;
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

/* --- parts ---------------------------------------------------------------- */

int part_init(struct part *p, const struct workload *w, struct err *e)
{
    *p = (struct part){.workload = w};
    p->options = calloc(1, w->options_size ? w->options_size : 1);
    if (!p->options)
        return err_set(e, "out of memory for the options of %s", w->name);
    if (optset_init(&p->set, w->name, w->options, p->options, e) == 0)
        return 0;
    part_release(p);
    return -1;
}

void part_release(struct part *p)
{
    if (p->options)
        optset_release(&p->set);
    free(p->options);
    *p = (struct part){0};
}

/* --- names ---------------------------------------------------------------- */

static int find_name(char *const *names, unsigned from, unsigned n, const char *name)
{
    for (unsigned i = from; i < n; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

static int name_slot(struct run_names *n, char **names, unsigned *used, unsigned room,
                     const char *name)
{
    pthread_mutex_lock(&n->lock);
    int at = find_name(names, 0, *used, name);
    if (at < 0 && *used < room) {
        names[*used] = strdup(name);
        n->failed |= !names[*used];
        at = names[*used] ? (int)(*used)++ : -1;
    }
    pthread_mutex_unlock(&n->lock);
    return at;
}

int run_counter(struct run *r, const char *name)
{
    return name_slot(&r->names, r->names.counter, &r->names.counters, CNT_N, name);
}

int run_latency(struct run *r, const char *name)
{
    return name_slot(&r->names, r->names.latency, &r->names.latencies, r->names.room, name);
}

static void name_usual(struct run *r)
{
    static const char *const usual[] = {"other",  "reads",      "writes",     "events",
                                        "errors", "reconnects", "bytes_read", "bytes_written"};
    for (unsigned i = 0; i < CNT_NAMED; i++)
        run_counter(r, usual[i]);
    run_latency(r, "event");
}

/* --- begin and end of a run's memory --------------------------------------- */

static unsigned count_latencies(struct part **parts, unsigned n)
{
    unsigned sum = 1;
    for (unsigned i = 0; i < n; i++)
        for (const char *const *name = parts[i]->workload->latencies; name && *name; name++)
            sum++;
    return sum;
}

/* A part's statistics lie side by side, so each gets a slot of its own: one
 * whose name is taken already is called after its part. */
static void name_latency(struct run *r, const struct part *p, const char *name)
{
    char own[128];
    if (find_name(r->names.latency, 0, r->names.latencies, name) >= 0) {
        snprintf(own, sizeof own, "%s.%u.%s", p->workload->name, p->index, name);
        name = own;
    }
    run_latency(r, name);
}

static unsigned own_counter(struct run *r, const struct part *p, const char *name)
{
    char own[128];
    snprintf(own, sizeof own, "%s.%s", p->workload->name, name);
    int slot = run_counter(r, own);
    return slot > 0 ? (unsigned)slot : 0; /* without memory the run does not begin */
}

static void name_statistics(struct run *r)
{
    for (unsigned i = 0; i < r->part_count; i++) {
        struct part *p = r->parts[i];
        p->index = i;
        p->bytes_read = p->workload->moves_bytes ? own_counter(r, p, "bytes_read") : 0;
        p->bytes_written = p->workload->moves_bytes ? own_counter(r, p, "bytes_written") : 0;
        p->first_latency = r->names.latencies;
        for (const char *const *name = p->workload->latencies; name && *name; name++)
            name_latency(r, p, *name);
    }
    if (!r->pacer)
        return;
    r->service_latency = (unsigned)run_latency(r, "service");
    r->late_counter = (unsigned)run_counter(r, "late");
    r->dropped_counter = (unsigned)run_counter(r, "dropped");
}

static int make_snapshots(struct run *r, struct err *e)
{
    struct snapshot *all[] = {&r->now, &r->last_interval, &r->last_checkpoint, &r->scratch};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (snapshot_init(all[i], r->names.room, &r->grid, e) != 0)
            return -1;
    return 0;
}

static int make_pacer(struct run *r, struct err *e)
{
    if (r->general->rate <= 0)
        return 0;
    r->pacer = calloc(1, sizeof *r->pacer);
    if (!r->pacer)
        return err_set(e, "out of memory for --rate");
    return 0;
}

/* Each worker's words come from the seed in the order of their numbers, whatever
 * order the threads start in. */
static void seed_all(struct run *r)
{
    int64_t seed = r->general->rand_seed;
    r->seed = seed ? (unsigned)seed : (unsigned)time(NULL);
    rng_seeder_init(&r->seeds, r->seed);
    for (unsigned i = 0; i < r->worker_count; i++)
        rng_init(&r->workers[i].rng, &r->seeds);
    if (r->pacer)
        pacer_init(r->pacer, r->general->rate, r->general->rate_ramp, r->general->rate_pace,
                   &r->seeds);
}

static int make_workers(struct run *r, struct err *e)
{
    unsigned n = r->worker_count;
    r->workers = aligned_alloc(64, n * sizeof *r->workers);
    if (!r->workers)
        return err_set(e, "out of memory for %u workers; use fewer --threads", n);
    memset(r->workers, 0, n * sizeof *r->workers);
    if (stats_pool_init(&r->main_pool, n, r->names.room, &r->grid, e) != 0)
        return -1;
    if (general_warmup_s(r->general) > 0 &&
        stats_pool_init(&r->warm_pool, n, r->names.room, &r->grid, e) != 0)
        return -1;
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = &r->workers[i];
        w->run = r;
        w->id = i;
        w->clock = r->clock;
        w->stop = &r->stop;
        w->simple = r->event_limit == 0 && !r->pacer;
        w->main_stats = &r->main_pool.stats[i];
        w->warm_stats = r->warm_pool.stats ? &r->warm_pool.stats[i] : NULL;
        w->into = w->warm_stats ? w->warm_stats : w->main_stats;
        w->planned_ns = UINT64_MAX;
    }
    return 0;
}

int run_init(struct run *r, const struct general *g, struct log *l, struct clock *c,
             struct part **parts, unsigned part_count, unsigned extra_latencies, struct err *e)
{
    memset(r, 0, sizeof *r);
    r->general = g;
    r->log = l;
    r->clock = c;
    r->parts = parts;
    r->part_count = part_count;
    r->worker_count = (unsigned)g->threads;
    r->event_limit = parts[0]->workload->own_work ? 0 : (uint64_t)g->events;
    r->left_fd = -1;
    atomic_init(&r->stopped_ns, UINT64_MAX);
    pthread_mutex_init(&r->names.lock, NULL);
    pthread_mutex_init(&r->ready_lock, NULL);
    pthread_rwlock_init(&r->gate, NULL);
    pthread_condattr_t how;
    pthread_condattr_init(&how);
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    pthread_cond_init(&r->ready_changed, &how);
    pthread_mutex_init(&r->news_lock, NULL);
    pthread_cond_init(&r->news, &how);
    pthread_condattr_destroy(&how);
    hist_grid_init(&r->grid);
    if (part_count > PARTS_MAX)
        return err_set(e, "a scenario may use at most %d primitives", PARTS_MAX);
    r->names.room = count_latencies(parts, part_count) + (g->rate > 0);
    if (r->names.room > LAT_N)
        return err_set(e,
                       "the primitives of the scenario have %u latency statistics, %d are "
                       "possible; use fewer primitives",
                       r->names.room, LAT_N);
    r->names.room += extra_latencies;
    if (r->names.room > LAT_N)
        r->names.room = LAT_N;
    name_usual(r);
    if (make_pacer(r, e) != 0)
        return -1;
    name_statistics(r);
    if (r->names.failed) /* those behind it are in the wrong places */
        return err_set(e, "out of memory for the names of statistics");
    if (make_workers(r, e) != 0 || make_snapshots(r, e) != 0)
        return -1;
    seed_all(r);
    r->left_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return r->left_fd < 0 ? err_sys(e, errno, "cannot make an eventfd.") : 0;
}

void run_release(struct run *r)
{
    struct snapshot *all[] = {&r->now, &r->last_interval, &r->last_checkpoint, &r->scratch};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        snapshot_release(all[i]);
    stats_pool_release(&r->main_pool);
    stats_pool_release(&r->warm_pool);
    for (unsigned i = 0; i < CNT_N; i++)
        free(r->names.counter[i]);
    for (unsigned i = 0; i < LAT_N; i++)
        free(r->names.latency[i]);
    if (r->pacer)
        pacer_release(r->pacer);
    free(r->pacer);
    free(r->workers);
    free(r->hung);
    if (r->left_fd >= 0)
        close(r->left_fd);
    pthread_rwlock_destroy(&r->gate);
    pthread_cond_destroy(&r->news);
    pthread_mutex_destroy(&r->news_lock);
    pthread_cond_destroy(&r->ready_changed);
    pthread_mutex_destroy(&r->ready_lock);
    pthread_mutex_destroy(&r->names.lock);
}

/* --- the workers' side ------------------------------------------------------ */

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
    uint64_t turn = seconds_ns(w->run->general->thread_ramp) / w->run->worker_count * w->id;
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
        stop(r, clock_now(w->clock));
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

static void *worker_main(void *arg)
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

/* --- starting ---------------------------------------------------------------- */

static int set_stack(pthread_attr_t *how, uint64_t size, struct err *e)
{
    long page = sysconf(_SC_PAGESIZE), least = sysconf(_SC_THREAD_STACK_MIN);
    /* On arm64 that is 128K, which is more than the default. */
    if (least > 0 && size < (uint64_t)least)
        size = (uint64_t)least;
    size = (size + (uint64_t)page - 1) / (uint64_t)page * (uint64_t)page;
    if (pthread_attr_setstacksize(how, size) != 0)
        return err_set(e, "option --thread-stack-size: the system refuses %llu bytes",
                       (unsigned long long)size);
    return 0;
}

static int start_threads(struct run *r, unsigned *started, struct err *e)
{
    pthread_attr_t how;
    sigset_t all, old;
    int rc = 0;
    *started = 0;
    pthread_attr_init(&how);
    if (set_stack(&how, r->general->thread_stack_size, e) != 0) {
        pthread_attr_destroy(&how);
        return -1;
    }
    /* Signals are for the thread that watches over the run. */
    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* a worker's own fault; blocked it could have no handler */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (; rc == 0 && *started < r->worker_count; *started += rc == 0) {
        atomic_fetch_add(&r->alive, 1);
        rc = pthread_create(&r->workers[*started].thread, &how, worker_main, &r->workers[*started]);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&how);
    if (rc != 0) {
        atomic_fetch_sub(&r->alive, 1);
        return err_sys(e, rc,
                       "only %u of %u threads could be started; lower --threads or "
                       "--thread-stack-size, or raise the limit of processes (ulimit -u) and of "
                       "memory.",
                       *started, r->worker_count);
    }
    return 0;
}

static void call_off(struct run *r)
{
    stop(r, clock_now(r->clock));
    pthread_rwlock_unlock(&r->gate);
}

static void join(struct run *r, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        pthread_join(r->workers[i].thread, NULL);
}

static struct timespec deadline(double seconds)
{
    struct timespec t = {0}; /* so that a clock that fails makes no one wait */
    clock_gettime(CLOCK_MONOTONIC, &t);
    double sum = (double)t.tv_nsec + seconds * 1e9;
    t.tv_sec += (time_t)(sum / 1e9);
    t.tv_nsec = (long)(sum - (double)(time_t)(sum / 1e9) * 1e9);
    return t;
}

/* How long a look at the gate lasts, so that a signal is noticed meanwhile. */
#define GATE_LOOK_S 0.2

static bool caught(const struct run *r)
{
    return r->signal && r->signal->caught;
}

static int wait_for_ready(struct run *r, struct err *e)
{
    uint64_t began = clock_system_ns();
    double limit = r->general->thread_init_timeout, waited = 0;
    pthread_mutex_lock(&r->ready_lock);
    while (r->ready + r->failed < r->worker_count && !r->failed && waited < limit && !caught(r)) {
        double left = limit - waited;
        struct timespec until = deadline(left < GATE_LOOK_S ? left : GATE_LOOK_S);
        pthread_cond_timedwait(&r->ready_changed, &r->ready_lock, &until);
        waited = (double)(clock_system_ns() - began) / 1e9;
    }
    unsigned ready = r->ready, failed = r->failed;
    pthread_mutex_unlock(&r->ready_lock);
    if (failed)
        return -1; /* the worker's own error tells why */
    if (caught(r)) {
        err_set(e, "interrupted while the threads were starting");
        e->status = (enum err_status)(128 + r->signal->caught);
        run_set_limit(r, LIMIT_SIGNAL);
        return -1;
    }
    if (ready == r->worker_count)
        return 0;
    err_set(e,
            "only %u of %u threads were ready within %.15g seconds, %u are still in their "
            "initialisation (thread_init of a script, opening of files); raise "
            "--thread-init-timeout or lower --threads",
            ready, r->worker_count, limit, r->worker_count - ready);
    e->status = ERR_FORCED;
    return -1;
}

/* Only the error of a worker that is through with it may be read. */
static const struct err *worker_error(struct run *r)
{
    for (unsigned i = 0; i < r->worker_count; i++)
        if (atomic_load(&r->workers[i].stage) == WORKER_FAILED)
            return &r->workers[i].err;
    return NULL;
}

/* What counts begins at that moment: sets the times that follow from it. Workers
 * in the warm-up leave it at their first event that ends after it. */
static void set_start(struct run *r, uint64_t start_ns)
{
    r->start_ns = start_ns;
    r->end_ns = r->general->time > 0 ? start_ns + seconds_ns(r->general->time) : UINT64_MAX;
    r->last_interval.at_ns = r->last_checkpoint.at_ns = start_ns;
    for (unsigned i = 0; i < r->worker_count; i++)
        r->workers[i].border_ns = r->workers[i].warm_stats ? start_ns : r->end_ns;
    tell_news(r);
}

static int clock_error(struct err *e)
{
    return err_set(e,
                   "the system's clock cannot be read (clock_gettime with CLOCK_MONOTONIC fails): "
                   "nothing can be measured");
}

static int set_times(struct run *r, struct err *e)
{
    r->go_ns = clock_now(r->clock);
    if (r->go_ns == 0)
        return clock_error(e);
    r->steady.level = r->general->until_steady;
    set_start(r, r->go_ns + seconds_ns(general_warmup_s(r->general)));
    if (r->pacer)
        pacer_start(r->pacer, r->go_ns);
    return 0;
}

static void open_gate(struct run *r)
{
    r->open = true;
    pthread_rwlock_unlock(&r->gate);
}

/* --- watching ------------------------------------------------------------------ */

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

/* How many planned starts before that moment no worker has begun. */
static uint64_t unbegun(struct run *r, uint64_t until_ns)
{
    uint64_t n = until_ns ? pacer_backlog(r->pacer, until_ns - 1) : 0;
    for (unsigned i = 0; i < r->worker_count; i++)
        n += atomic_load_explicit(&r->workers[i].planned_ns, memory_order_relaxed) < until_ns;
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
    t->interval_ns = g->report_interval > 1e-9 ? seconds_ns(g->report_interval) : 1;
    if (g->report_interval > 0)
        t->next_interval = r->start_ns + t->interval_ns;
    t->forced = g->time > 0 && g->forced_s >= 0;
    if (t->forced)
        grace = g->forced_s;
    if (g->time > 0 && (grace > 0 || t->forced))
        t->give_up = r->end_ns + seconds_ns(grace);
}

static uint64_t checkpoint_ns(const struct run *r, const struct watch *t)
{
    const struct general *g = r->general;
    return t->checkpoint < g->checkpoint_count
               ? r->start_ns + seconds_ns(g->checkpoints[t->checkpoint])
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
    t->next_window += seconds_ns(window);
    if (!steady)
        return;
    r->steady.after_s = (double)(now - r->go_ns) / 1e9;
    set_start(r, now);
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
    if (!stop(r, now)) {
        run_set_limit(r, LIMIT_SIGNAL);
        t->give_up = now + (s->times > 1 ? LAST_LOOK_NS : seconds_ns(SIGNAL_GRACE_S));
        t->forced = false;
    } else if (s->times > 1 && t->give_up > now + LAST_LOOK_NS) {
        t->give_up = now + LAST_LOOK_NS;
    }
}

/* A worker has failed and told the others to stop; one that is stuck in its
 * event must not keep the error from being told. */
static void due_error(const struct run *r, struct watch *t, uint64_t now)
{
    uint64_t latest = now + seconds_ns(SIGNAL_GRACE_S);
    if (t->failed || atomic_load(&r->limit) != LIMIT_ERROR)
        return;
    t->failed = true;
    if (latest < t->give_up)
        t->give_up = latest;
}

/* The workers that are still in an event or in their opening, and for how long. */
static int give_up_workers(struct run *r, unsigned started, uint64_t now)
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
    stop(r, 0);
    return ++t->clockless > CLOCKLESS_LOOKS && give_up_workers(r, r->worker_count, 0);
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
    if (!stop(r, now)) {
        t->give_up = now + LAST_LOOK_NS;
        return false;
    }
    r->forced = t->forced;
    t->give_up = now + NS_PER_S; /* those who are not stuck are on their way out */
    return give_up_workers(r, r->worker_count, now);
}

/* When something is to be done next. Workers stop by themselves at the time
 * limit; it is one of the moments since signals and failures end with it. */
static uint64_t next_look(const struct run *r, const struct watch *t, uint64_t now)
{
    uint64_t due = earliest(interval_told(r, t), checkpoint_told(r, t), t->give_up);
    return earliest(due, now < r->end_ns ? r->end_ns : UINT64_MAX, t->next_window);
}

/* Until all workers have left, or those that have not are given up. */
static void watch_over(struct run *r)
{
    struct watch t;
    unsigned alive;
    bool given_up = false;
    watch_begin(&t, r);
    if (r->steady.level > 0)
        t.next_window = r->go_ns + seconds_ns(r->general->steady_window);
    while (!given_up && (alive = atomic_load(&r->alive)) > 0) {
        uint64_t now = clock_now(r->clock);
        if (now < r->end_ns && !atomic_load(&r->stop))
            t.running = alive;
        wait_for_something(r, next_look(r, &t, now));
        given_up = look_after(r, &t);
    }
    last_reports(r, &t);
}

/* --- the whole --------------------------------------------------------------- */

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

static void tell(struct run *r, void (*what)(void *, struct run *))
{
    if (what)
        what(r->observer.self, r);
}

static int report_worker_error(struct run *r, struct err *e)
{
    const struct err *first = worker_error(r);
    if (!first)
        return 0;
    run_set_limit(r, LIMIT_ERROR);
    err_clear(e);
    *e = *first;
    return -1;
}

/* Threads that do not get ready in time are left alone: they may hang. */
static int fail_start(struct run *r, unsigned started, struct err *e)
{
    double limit = r->general->thread_init_timeout;
    uint64_t now = clock_system_ns(), until = now;
    if (e->status != ERR_FORCED) /* else they have had their time already */
        until += seconds_ns(limit < SIGNAL_GRACE_S ? limit : SIGNAL_GRACE_S);
    call_off(r);
    run_set_limit(r, LIMIT_ERROR);
    for (; atomic_load(&r->alive) > 0 && now < until; now = clock_system_ns()) {
        if (caught(r) && r->signal->times > 1)
            break;
        struct pollfd left = {.fd = r->left_fd, .events = POLLIN};
        poll(&left, 1, (int)((until - now) / NS_PER_MS) + 1);
        uint64_t drained;
        if (read(r->left_fd, &drained, sizeof drained) < 0)
            continue; /* none left, or the time is over */
    }
    if (atomic_load(&r->alive) == 0 || !give_up_workers(r, started, clock_now(r->clock)))
        join(r, started);
    report_worker_error(r, e);
    return -1;
}

/* Both ends are read to some 20 ns, so this is a rate to 0.004 %. Most of it
 * has passed since the program started. */
#define CLOCK_SPAN_NS NS_PER_MS

static int run_workers(struct run *r, struct err *e)
{
    unsigned started;
    tell(r, r->observer.threads_starting);
    pthread_rwlock_wrlock(&r->gate);
    if (start_threads(r, &started, e) != 0 || wait_for_ready(r, e) != 0)
        return fail_start(r, started, e);
    clock_calibrate(r->clock, CLOCK_SPAN_NS);
    if (set_times(r, e) != 0)
        return fail_start(r, started, e);
    tell(r, r->observer.threads_started); /* what events print comes after it */
    open_gate(r);
    watch_over(r);
    r->last_left_ns = clock_now(r->clock);
    if (r->hung_count == 0)
        join(r, r->worker_count);
    if (r->clockless || r->last_left_ns == 0)
        clock_error(e);
    return report_worker_error(r, e) != 0 || e->status ? -1 : 0;
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
    if (r->start_ns && rc == 0 && finish_parts(r, e) != 0)
        rc = -1;
    if (r->start_ns) {
        r->ended_ns = clock_now(r->clock);
        if (r->ended_ns == 0)
            rc = clock_error(e);
        else if (rc == 0)
            rc = nothing_counts(r, e);
        r->backlog = backlog(r);
    }
    if (rc != 0) /* also where a limit had been met before */
        atomic_store(&r->limit, LIMIT_ERROR);
    end_parts(r, begun);
    return rc;
}
