/* A run's memory: parts, names of statistics, workers. */
#include "run/inner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

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

/* --- the whole -------------------------------------------------------------- */

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

static void init_worker(struct run *r, unsigned i)
{
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
    for (unsigned i = 0; i < n; i++)
        init_worker(r, i);
    return 0;
}

static void init_locks(struct run *r)
{
    pthread_condattr_t how;
    pthread_mutex_init(&r->names.lock, NULL);
    pthread_mutex_init(&r->ready_lock, NULL);
    pthread_mutex_init(&r->news_lock, NULL);
    pthread_rwlock_init(&r->gate, NULL);
    pthread_condattr_init(&how);
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    pthread_cond_init(&r->ready_changed, &how);
    pthread_cond_init(&r->news, &how);
    pthread_condattr_destroy(&how);
}

static void release_locks(struct run *r)
{
    pthread_cond_destroy(&r->news);
    pthread_cond_destroy(&r->ready_changed);
    pthread_rwlock_destroy(&r->gate);
    pthread_mutex_destroy(&r->news_lock);
    pthread_mutex_destroy(&r->ready_lock);
    pthread_mutex_destroy(&r->names.lock);
}

/* Latency statistics are as many as the parts have, and room for extra ones. */
static int make_room(struct run *r, unsigned extra_latencies, struct err *e)
{
    unsigned n = count_latencies(r->parts, r->part_count) + (r->general->rate > 0);
    if (r->part_count > PARTS_MAX)
        return err_set(e, "a scenario may use at most %d primitives", PARTS_MAX);
    if (n > LAT_N)
        return err_set(e,
                       "the primitives of the scenario have %u latency statistics, %d are "
                       "possible; use fewer primitives",
                       n, LAT_N);
    r->names.room = n + extra_latencies < LAT_N ? n + extra_latencies : LAT_N;
    return 0;
}

static int make_names(struct run *r, struct err *e)
{
    name_usual(r);
    name_statistics(r);
    if (r->names.failed) /* those behind it are in the wrong places */
        return err_set(e, "out of memory for the names of statistics");
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
    init_locks(r);
    hist_grid_init(&r->grid);
    if (make_room(r, extra_latencies, e) != 0 || make_pacer(r, e) != 0 || make_names(r, e) != 0 ||
        make_workers(r, e) != 0 || make_snapshots(r, e) != 0)
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
    release_locks(r);
}
