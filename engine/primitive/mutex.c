/* mutex: many short critical sections on randomly chosen locks. */
#include "primitive/mutex.h"

#include "primitive/locks.h"
#include "run/run.h"
#include "run/worker.h"

struct mutex_options {
    int64_t num, locks, loops;
};
#define O struct mutex_options

static const struct option mutex_rows[] = {
    {"mutex-num", "mutexes to choose from", "4096", OPT_ROW_INT(O, num), .min = 1, .max = 10000000},
    {"mutex-locks", "times that each thread takes a mutex; that is its one event", "50000",
     OPT_ROW_INT(O, locks), .min = 1, .max = 2147483647},
    {"mutex-loops", "empty turns between two locks, outside of the mutex", "10000",
     OPT_ROW_INT(O, loops), .min = 0, .max = 2147483647},
    {0},
};

static int mutex_begin(struct part *p, struct run *r, struct err *e)
{
    const O *o = p->options;
    (void)r;
    p->shared = lock_set_new(o->num, "mutex-num", e);
    return p->shared ? 0 : -1;
}

static void mutex_end(struct part *p, struct run *r)
{
    (void)r;
    lock_set_free(p->shared);
    p->shared = NULL;
}

int mutex_take(struct worker *w, struct part *p, int64_t which)
{
    const O *o = p->options;
    struct lock_set *s = p->shared;
    if (which < 0)
        which = (int64_t)rng_below(&w->rng, (uint64_t)o->num);
    if (which >= o->num)
        return err_set(&w->err, "mutex: there is no mutex %lld, --mutex-num is %lld",
                       (long long)which, (long long)o->num);
    kernel_lock_add(&s->lock[which], &s->count);
    return 0;
}

/* Each thread makes one event; its state tells that it has been made. */
static enum step mutex_step(struct worker *w, struct part *p)
{
    const O *o = p->options;
    struct lock_set *s = p->shared;
    bool whole = general_as_sysbench(w->run->general);
    if (w->state[p->index])
        return STEP_NO_MORE;
    for (int64_t i = 0; i < o->locks; i++) {
        struct spaced_lock *lock = &s->lock[rng_below(&w->rng, (uint64_t)o->num)];
        kernel_spin((uint64_t)o->loops);
        kernel_lock_add(lock, &s->count);
        if (!whole && i % 16 == 15 && !worker_may_go_on(w))
            return STEP_NO_MORE;
    }
    w->state[p->index] = s;
    return STEP_DONE;
}

static double seconds_per_thread(const struct figures *f)
{
    return tally_mean_ms(&f->in->tally[LAT_EVENT]) / 1e3;
}

static const struct metric mutex_metrics[] = {
    {"seconds_per_thread", "s", true, seconds_per_thread},
    {0},
};

static void mutex_describe(const struct part *p, const struct general *g, enum layout l,
                           struct log *log)
{
    (void)p;
    (void)g;
    (void)l;
    log_put(log, LOG_INFO, "Doing mutex performance test");
}

static void mutex_notes(const struct figures *f, note_fn *note, void *to)
{
    uint64_t made = snapshot_events(f->in);
    if (made == 0 || (made < f->run->worker_count && f->general->events == 0))
        note(to, "cut_events",
             "the time limit came before every thread had taken its --mutex-locks; the events that "
             "were cut are not counted. Raise --time or use --time=0");
    note(to, "what_to_compare",
         "each thread makes one event, so compare the total time (less is better), not events per "
         "second");
}

const struct workload mutex_workload = {
    .name = "mutex",
    .title = "Mutex performance test",
    .summary = "many short critical sections on randomly chosen locks",
    .options = mutex_rows,
    .options_size = sizeof(O),
    .metrics = mutex_metrics,
    .begin = mutex_begin,
    .step = mutex_step,
    .end = mutex_end,
    .describe = mutex_describe,
    .notes = mutex_notes,
};
