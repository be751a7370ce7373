/* threads: lock, yield, unlock. Shows the scheduler under contention. */
#include "primitive/threads.h"

#include "primitive/locks.h"
#include "report/result.h"
#include "run/run.h"
#include "run/worker.h"

struct threads_options {
    int64_t yields, locks;
};
#define O struct threads_options

static const struct option threads_rows[] = {
    {"thread-yields", "rounds of lock, yield the processor, unlock that make up one event", "1000",
     OPT_ROW_INT(O, yields), .min = 0, .max = 2147483647},
    {"thread-locks",
     "mutexes to choose from; events take them in turn, so fewer locks than threads means that "
     "threads wait for each other",
     "8", OPT_ROW_INT(O, locks), .min = 1, .max = 1000000},
    {0},
};

static int threads_begin(struct part *p, struct run *r, struct err *e)
{
    const O *o = p->options;
    (void)r;
    p->shared = lock_set_new(o->locks, "thread-locks", e);
    return p->shared ? 0 : -1;
}

static void threads_end(struct part *p, struct run *r)
{
    (void)r;
    lock_set_free(p->shared);
    p->shared = NULL;
}

int threads_yield(struct worker *w, struct part *p, int64_t which)
{
    const O *o = p->options;
    struct lock_set *s = p->shared;
    if (which < 0)
        which = (int64_t)(atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed) %
                          (uint64_t)o->locks);
    if (which >= o->locks)
        return err_set(&w->err, "threads: there is no mutex %lld, --thread-locks is %lld",
                       (long long)which, (long long)o->locks);
    kernel_lock_yield(&s->lock[which]);
    return 0;
}

static enum step threads_step(struct worker *w, struct part *p)
{
    const O *o = p->options;
    struct lock_set *s = p->shared;
    uint64_t turn = atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
    struct spaced_lock *lock = &s->lock[turn % (uint64_t)o->locks];
    bool whole = general_as_sysbench(w->run->general);
    for (int64_t i = 0; i < o->yields; i++) {
        kernel_lock_yield(lock);
        if (!whole && i % 64 == 63 && !worker_may_go_on(w))
            return STEP_NO_MORE;
    }
    return STEP_DONE;
}

static const struct metric threads_metrics[] = {
    {"events_per_s", "1/s", false, result_events_per_s},
    {0},
};

static void threads_describe(const struct part *p, const struct general *g, enum layout l,
                             struct log *log)
{
    const O *o = p->options;
    (void)g;
    (void)l;
    log_put(log, LOG_INFO, "Doing thread subsystem performance test");
    log_put(log, LOG_INFO, "Thread yields per test: %lld Locks used: %lld", (long long)o->yields,
            (long long)o->locks);
}

static void threads_notes(const struct figures *f, note_fn *note, void *to)
{
    (void)f;
    note(to, "what_to_compare",
         "compare the total number of events in the same time (more is better) with the same "
         "--threads, --thread-yields and --thread-locks; it depends on the kernel's scheduler");
}

const struct workload threads_workload = {
    .name = "threads",
    .title = "Threads subsystem performance test",
    .summary = "lock, yield, unlock: the scheduler under contention",
    .options = threads_rows,
    .options_size = sizeof(O),
    .metrics = threads_metrics,
    .begin = threads_begin,
    .step = threads_step,
    .end = threads_end,
    .describe = threads_describe,
    .notes = threads_notes,
};
