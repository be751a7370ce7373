/* Main's side of the start: threads, the gate that holds them until all are
 * ready, the times that count from there. */
#include "run/inner.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static int set_stack(pthread_attr_t *how, uint64_t size, struct err *e)
{
    long page = sysconf(_SC_PAGESIZE), least = sysconf(_SC_THREAD_STACK_MIN);
    /* On arm64 that is 128K, which is more than the default. */
    if (least > 0 && size < (uint64_t)least)
        size = (uint64_t)least;
    size = (size + (uint64_t)page - 1) / (uint64_t)page * (uint64_t)page;
    if (size > SIZE_MAX || pthread_attr_setstacksize(how, (size_t)size) != 0)
        return err_set(e, "option --thread-stack-size: the system refuses %llu bytes",
                       (unsigned long long)size);
    return 0;
}

/* Signals are for the thread that watches over the run. */
static void keep_signals(sigset_t *old)
{
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGBUS); /* a worker's own fault; blocked it could have no handler */
    pthread_sigmask(SIG_SETMASK, &all, old);
}

/* As many as can be had; 0 or the error number of the first that cannot. */
static int create_threads(struct run *r, const pthread_attr_t *how, unsigned *started)
{
    for (; *started < r->worker_count; ++*started) {
        struct worker *w = &r->workers[*started];
        atomic_fetch_add(&r->alive, 1);
        int rc = pthread_create(&w->thread, how, thread_main, w);
        if (rc != 0) {
            atomic_fetch_sub(&r->alive, 1);
            return rc;
        }
    }
    return 0;
}

static int start_threads(struct run *r, unsigned *started, struct err *e)
{
    pthread_attr_t how;
    sigset_t old;
    *started = 0;
    pthread_attr_init(&how);
    int rc = set_stack(&how, r->general->thread_stack_size, e);
    if (rc == 0) {
        keep_signals(&old);
        rc = create_threads(r, &how, started);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    pthread_attr_destroy(&how);
    if (rc > 0)
        err_sys(e, rc,
                "only %u of %u threads could be started; lower --threads or "
                "--thread-stack-size, or raise the limit of processes (ulimit -u) and of memory.",
                *started, r->worker_count);
    return rc ? -1 : 0;
}

static void call_off(struct run *r)
{
    run_stop(r, clock_now(r->clock));
    pthread_rwlock_unlock(&r->gate);
}

void start_join(struct run *r, unsigned n)
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

/* Until all are ready or one has failed, a signal comes or the time is over. */
static void wait_at_gate(struct run *r, unsigned *ready, unsigned *failed)
{
    uint64_t began = clock_system_ns();
    double limit = r->general->thread_init_timeout, waited = 0;
    pthread_mutex_lock(&r->ready_lock);
    while (r->ready + r->failed < r->worker_count && !r->failed && waited < limit &&
           !run_interrupted(r)) {
        double left = limit - waited;
        struct timespec until = deadline(left < GATE_LOOK_S ? left : GATE_LOOK_S);
        pthread_cond_timedwait(&r->ready_changed, &r->ready_lock, &until);
        waited = (double)(clock_system_ns() - began) / 1e9;
    }
    *ready = r->ready;
    *failed = r->failed;
    pthread_mutex_unlock(&r->ready_lock);
}

static int interrupted(struct run *r, struct err *e)
{
    err_set(e, "interrupted while the threads were starting");
    e->status = (enum err_status)(128 + r->signal->caught);
    run_set_limit(r, LIMIT_SIGNAL);
    return -1;
}

static int wait_for_ready(struct run *r, struct err *e)
{
    unsigned ready, failed;
    wait_at_gate(r, &ready, &failed);
    if (failed)
        return -1; /* the worker's own error tells why */
    if (run_interrupted(r))
        return interrupted(r, e);
    if (ready == r->worker_count)
        return 0;
    err_set(e,
            "only %u of %u threads were ready within %.15g seconds, %u are still in their "
            "initialisation (thread_init of a script, opening of files); raise "
            "--thread-init-timeout or lower --threads",
            ready, r->worker_count, r->general->thread_init_timeout, r->worker_count - ready);
    e->status = ERR_FORCED;
    return -1;
}

static int set_times(struct run *r, struct err *e)
{
    r->go_ns = clock_now(r->clock);
    if (r->go_ns == 0)
        return run_clock_error(e);
    r->steady.level = r->general->until_steady;
    run_set_start(r, r->go_ns + run_ns(general_warmup_s(r->general)));
    if (r->pacer)
        pacer_start(r->pacer, r->go_ns);
    return 0;
}

static void open_gate(struct run *r)
{
    r->open = true;
    pthread_rwlock_unlock(&r->gate);
}

static void tell(struct run *r, void (*what)(void *, struct run *))
{
    if (what)
        what(r->observer.self, r);
}

/* Until all workers have left or the time is over; a second signal does not wait. */
static void wait_for_leaving(struct run *r, double seconds)
{
    uint64_t now = clock_system_ns(), until = now + run_ns(seconds);
    for (; atomic_load(&r->alive) > 0 && now < until; now = clock_system_ns()) {
        if (run_interrupted(r) && r->signal->times > 1)
            return;
        struct pollfd left = {.fd = r->left_fd, .events = POLLIN};
        poll(&left, 1, (int)((until - now) / NS_PER_MS) + 1);
        uint64_t drained;
        if (read(r->left_fd, &drained, sizeof drained) < 0)
            continue; /* none left, or the time is over */
    }
}

/* Threads that do not get ready in time are left alone: they may hang. */
static int fail_start(struct run *r, unsigned started, struct err *e)
{
    double limit = r->general->thread_init_timeout;
    call_off(r);
    run_set_limit(r, LIMIT_ERROR);
    if (e->status != ERR_FORCED) /* else they have had their time already */
        wait_for_leaving(r, limit < SIGNAL_GRACE_S ? limit : SIGNAL_GRACE_S);
    if (atomic_load(&r->alive) == 0 || !ticker_give_up(r, started, clock_now(r->clock)))
        start_join(r, started);
    thread_error(r, e);
    return -1;
}

/* Both ends are read to some 20 ns, so this is a rate to 0.004 %. Most of it
 * has passed since the program started. */
#define CLOCK_SPAN_NS NS_PER_MS

int start_workers(struct run *r, struct err *e)
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
    return 0;
}
