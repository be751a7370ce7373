/* Whole runs with small workloads that the test makes up. Where time matters it
 * is moved by the steps themselves; where threads are to hang, they hang until
 * the test releases them, so that none is left behind. */
#include "bench.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* What a test asks of its workload and what that counted; in part->self. */
struct play {
    struct bench *bench;
    _Atomic unsigned begun, opened, steps, done, closed, finished, ended;
    unsigned fail_begin, fail_finish;
    unsigned bad_worker;       /* the one that fails, hangs or comes late */
    uint64_t last_step;        /* the step with that number, from 1, does it */
    uint64_t step_ns;          /* by this the clock moves with each step */
    uint64_t hang_ns;          /* so much passes before a step hangs, */
    uint64_t creep_ns;         /* so much again and again while it does */
    _Atomic uint64_t first_ns; /* start of the second worker's first event */
    _Atomic bool release;      /* lets go what hangs */
    char order[64];            /* letters of the calls made in one thread */
};

static void note(struct play *y, char letter, const struct part *p)
{
    size_t n = strlen(y->order);
    if (n + 2 < sizeof y->order) {
        y->order[n] = letter;
        y->order[n + 1] = (char)('0' + p->index);
    }
}

static struct play *play_of(const struct part *p)
{
    return p->self;
}

static int play_begin(struct part *p, struct run *r, struct err *e)
{
    struct play *y = play_of(p);
    (void)r;
    y->begun++;
    note(y, 'b', p);
    return y->fail_begin ? err_set(e, "cannot begin here") : 0;
}

static int play_open(struct worker *w, struct part *p)
{
    play_of(p)->opened++;
    w->state[p->index] = play_of(p);
    return 0;
}

static int open_badly(struct worker *w, struct part *p)
{
    play_open(w, p);
    if (w->id != play_of(p)->bad_worker)
        return 0;
    return err_set(&w->err, "worker %u: no such file", w->id);
}

static void hang(struct play *y)
{
    while (!y->release) {
        y->bench->hand += y->creep_ns;
        usleep(1000);
    }
}

static int open_and_hang(struct worker *w, struct part *p)
{
    play_open(w, p);
    if (w->id == play_of(p)->bad_worker)
        hang(play_of(p));
    return 0;
}

/* Hangs until the run is called off. */
static int open_until_stopped(struct worker *w, struct part *p)
{
    play_open(w, p);
    while (!atomic_load(w->stop))
        usleep(1000);
    return 0;
}

static int open_badly_or_hang(struct worker *w, struct part *p)
{
    play_open(w, p);
    if (w->id == play_of(p)->bad_worker)
        return err_set(&w->err, "worker %u: no such file", w->id);
    hang(play_of(p));
    return 0;
}

static enum step play_step(struct worker *w, struct part *p)
{
    struct play *y = play_of(p);
    (void)w;
    y->steps++;
    if (y->step_ns)
        y->bench->hand += y->step_ns;
    return STEP_DONE;
}

static enum step step_no_more(struct worker *w, struct part *p)
{
    play_step(w, p);
    return stats_events(w->main_stats) == play_of(p)->last_step ? STEP_NO_MORE : STEP_DONE;
}

static bool is_bad_step(struct worker *w, struct part *p)
{
    struct play *y = play_of(p);
    play_step(w, p);
    return w->id == y->bad_worker && stats_events(w->main_stats) + 1 == y->last_step;
}

static enum step step_badly(struct worker *w, struct part *p)
{
    if (!is_bad_step(w, p))
        return STEP_DONE;
    err_set(&w->err, "worker %u: disk full", w->id);
    return STEP_FAILED;
}

static enum step step_badly_without_a_word(struct worker *w, struct part *p)
{
    return is_bad_step(w, p) ? STEP_FAILED : STEP_DONE;
}

static enum step step_and_hang(struct worker *w, struct part *p)
{
    if (is_bad_step(w, p)) {
        play_of(p)->bench->hand += play_of(p)->hang_ns;
        hang(play_of(p));
    }
    return STEP_DONE;
}

static void play_done(struct worker *w, struct part *p)
{
    (void)w;
    play_of(p)->done++;
}

static void play_close(struct worker *w, struct part *p)
{
    (void)w;
    play_of(p)->closed++;
}

static int play_finish(struct part *p, struct run *r, struct err *e)
{
    struct play *y = play_of(p);
    (void)r;
    y->finished++;
    note(y, 'f', p);
    return y->fail_finish ? err_set(e, "the last flush failed") : 0;
}

static void play_end(struct part *p, struct run *r)
{
    (void)r;
    play_of(p)->ended++;
    note(play_of(p), 'e', p);
}

#define PLAY(open_, step_)                                                                         \
    {                                                                                              \
        .name = "play", .begin = play_begin, .open = (open_), .step = (step_), .done = play_done,  \
        .close = play_close, .finish = play_finish, .end = play_end                                \
    }

static const struct workload normal = PLAY(play_open, play_step);
static const struct workload ends_by_itself = PLAY(play_open, step_no_more);
static const struct workload fails_to_open = PLAY(open_badly, play_step);
static const struct workload hangs_in_open = PLAY(open_and_hang, play_step);
static const struct workload opens_until_stopped = PLAY(open_until_stopped, play_step);
static const struct workload fails_or_hangs_in_open = PLAY(open_badly_or_hang, play_step);
static const struct workload fails = PLAY(play_open, step_badly);
static const struct workload fails_without_a_word = PLAY(play_open, step_badly_without_a_word);
static const struct workload hangs = PLAY(play_open, step_and_hang);

static struct bench *with_play(struct bench *b, struct play *y)
{
    *y = (struct play){.bench = b};
    for (unsigned i = 0; i < b->part_count; i++)
        b->part[i].self = y;
    return b;
}

static int go(struct bench *b)
{
    bench_begin(b, 2);
    return run_go(&b->run, &b->err);
}

static void assert_goes(struct bench *b)
{
    if (go(b) != 0)
        fail_msg("%s", b->err.text);
    assert_no_err(&b->err);
}

static uint64_t events(struct bench *b)
{
    return snapshot_events(run_totals(&b->run));
}

/* --- runs that go well ------------------------------------------------------------- */

static void test_events_are_exact_over_threads(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "threads", "4");
    bench_set(b, "time", "0");
    bench_set(b, "events", "40003");
    assert_goes(b);
    assert_int_equal(y.steps, 40003);
    assert_int_equal(events(b), 40003);
    assert_int_equal(b->run.now.counter[CNT_TRX], 40003);
    assert_string_equal(run_limit_name(&b->run), "events");
    assert_true(run_complete(&b->run));
    assert_int_equal(y.begun, 1);
    assert_int_equal(y.opened, 4);
    assert_int_equal(y.done, 4);
    assert_int_equal(y.closed, 4);
    assert_int_equal(y.finished, 1);
    assert_int_equal(y.ended, 1);
    assert_int_equal(b->run.alive, 0);
    assert_int_equal(b->run.hung_count, 0);
    bench_free(b);
}

static void test_time_limit(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_by_hand(&normal), &y);
    (void)state;
    y.step_ns = 3 * MS;
    bench_set(b, "time", "1");
    assert_goes(b);
    assert_int_equal(events(b), 334); /* the last one begins at 999 ms */
    assert_string_equal(run_limit_name(&b->run), "time");
    assert_true(run_complete(&b->run));
    assert_between(run_seconds(&b->run), 1.0019, 1.0021);
    b->hand += 5 * SECOND; /* what is over stays as long as it was */
    assert_between(run_seconds(&b->run), 1.0019, 1.0021);
    bench_free(b);
}

/* Events of 3 ms: 333 end in the warm-up, one straddles its end, the last one
 * begins at 1998 ms. */
static void test_warm_up(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_by_hand(&normal), &y);
    (void)state;
    y.step_ns = 3 * MS;
    bench_set(b, "warmup-time", "1");
    bench_set(b, "time", "1");
    assert_goes(b);
    assert_int_equal(y.steps, 667);
    assert_int_equal(events(b), 334);
    assert_int_equal(stats_events(&b->run.warm_pool.stats[0]), 333);
    assert_between(run_seconds(&b->run), 1.0009, 1.0011);
    bench_free(b);
}

/* Any rate is steady enough at that level, so it ends after five windows, long
 * before the longest warm-up. */
static void test_until_steady(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "threads", "2");
    bench_set(b, "until-steady", "100");
    bench_set(b, "steady-window", "0.02");
    bench_set(b, "time", "0.05");
    assert_goes(b);
    assert_true(b->run.steady.reached);
    assert_between(b->run.steady.after_s, 0.0999, 60);
    assert_between((double)(b->run.start_ns - b->run.go_ns), 0.0999e9, 60e9);
    assert_int_equal(b->run.end_ns - b->run.start_ns, 50 * MS);
    assert_true(stats_events(&b->run.warm_pool.stats[0]) > 0);
    assert_true(events(b) > 0);
    assert_true(events(b) < y.steps);
    assert_string_equal(run_limit_name(&b->run), "time");
    bench_free(b);
}

static enum step step_and_look(struct worker *w, struct part *p)
{
    struct play *y = play_of(p);
    if (w->id == 1)
        y->first_ns = w->began_ns;
    return y->first_ns ? STEP_NO_MORE : STEP_DONE;
}

/* The second of two threads begins in the middle of the ramp, not before. */
static void test_thread_ramp(void **state)
{
    static const struct workload looks = PLAY(play_open, step_and_look);
    struct play y;
    struct bench *b = with_play(bench_in_time(&looks), &y);
    (void)state;
    bench_set(b, "threads", "2");
    bench_set(b, "thread-ramp", "0.1");
    bench_set(b, "time", "20");
    assert_goes(b);
    assert_true(events(b) > 0);
    assert_true(y.first_ns >= b->run.go_ns + 50 * MS);
    assert_string_equal(run_limit_name(&b->run), "work");
    bench_free(b);
}

/* Whose turn would come when all is over has none, and is not waited for. */
static void test_a_ramp_longer_than_the_run(void **state)
{
    static const char *const limits[][2] = {{"time", "1"}, {"events", "10"}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct play y;
        struct bench *b = with_play(bench_by_hand(&normal), &y);
        y.step_ns = 10 * MS;
        bench_set(b, "threads", "4");
        bench_set(b, "thread-ramp", "10000");
        bench_set(b, "time", "0");
        bench_set(b, limits[i][0], limits[i][1]);
        assert_goes(b);
        assert_string_equal(run_limit_name(&b->run), limits[i][0]);
        assert_int_equal(events(b), i == 0 ? 100 : 10);
        assert_int_equal(stats_events(b->run.workers[0].main_stats), events(b));
        assert_true(run_complete(&b->run));
        assert_int_equal(y.done, 4);
        bench_free(b);
    }
}

static void test_no_more_work(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&ends_by_itself), &y);
    (void)state;
    y.last_step = 25;
    bench_set(b, "threads", "3");
    bench_set(b, "time", "0");
    assert_goes(b);
    assert_int_equal(y.steps, 3 * 26);
    assert_int_equal(events(b), 3 * 25); /* the step that says no is no event */
    assert_string_equal(run_limit_name(&b->run), "work");
    assert_true(run_complete(&b->run));
    assert_int_equal(y.done, 3);
    assert_int_equal(y.finished, 1);
    bench_free(b);
}

static int loop_of_ten(struct worker *w, struct part *p)
{
    for (int i = 0; i < 10 && worker_next(w); i++) {
        play_of(p)->steps++;
        worker_done(w);
    }
    return play_of(p)->bad_worker == w->id ? err_set(&w->err, "loop %u failed", w->id) : 0;
}

static void test_a_loop_of_its_own(void **state)
{
    static const struct workload loops = {
        .name = "loops", .loop = loop_of_ten, .done = play_done, .close = play_close};
    struct play y;
    struct bench *b = with_play(bench_in_time(&loops), &y);
    (void)state;
    y.bad_worker = 99;
    bench_set(b, "threads", "2");
    assert_goes(b);
    assert_int_equal(events(b), 20);
    assert_int_equal(y.done, 2);
    bench_free(b);
    b = with_play(bench_in_time(&loops), &y);
    y.bad_worker = 0;
    assert_int_equal(go(b), -1);
    assert_err(&b->err, ERR_FAILED, "loop 0 failed");
    assert_int_equal(y.done, 0);
    assert_int_equal(y.closed, 1);
    bench_free(b);
}

/* Only the step is needed. */
static void test_a_workload_may_have_no_hooks(void **state)
{
    static const struct workload bare = {.name = "bare", .step = play_step};
    struct play y;
    struct bench *b = with_play(bench_in_time(&bare), &y);
    (void)state;
    bench_set(b, "events", "10");
    assert_goes(b);
    assert_int_equal(y.steps, 10);
    bench_free(b);
}

/* As many as --events allow, at planned starts, not before them. */
static void test_rate(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "threads", "2");
    bench_set(b, "rate", "2000");
    bench_set(b, "rate-pace", "fixed");
    bench_set(b, "events", "200");
    assert_goes(b);
    assert_int_equal(events(b), 200);
    assert_true(run_seconds(&b->run) >= 0.0999);
    const struct tally *service = &b->run.now.tally[b->run.service_latency];
    assert_string_equal(b->run.names.latency[b->run.service_latency], "service");
    assert_int_equal(service->count, 200);
    assert_true(service->sum_ns <= b->run.now.tally[LAT_EVENT].sum_ns);
    bench_free(b);
}

/* Ten a second are planned for 10.05 s, each takes 200 ms: about half of them
 * are done at the limit. What nobody took is said to be left. */
static enum step step_slowly(struct worker *w, struct part *p)
{
    play_of(p)->steps++;
    play_of(p)->bench->hand = w->now_ns + 200 * MS;
    return STEP_DONE;
}

static void move_to_first_start(void *self, struct run *r)
{
    struct bench *b = self;
    b->hand = r->start_ns + 100 * MS;
}

static void test_rate_and_backlog(void **state)
{
    static const struct workload slow = PLAY(play_open, step_slowly);
    struct play y;
    struct bench *b = with_play(bench_by_hand(&slow), &y);
    (void)state;
    bench_set(b, "rate", "10");
    bench_set(b, "rate-pace", "fixed");
    bench_set(b, "time", "10.05");
    bench_begin(b, 0);
    b->run.observer = (struct run_observer){.self = b, .threads_started = move_to_first_start};
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_int_equal(events(b), 50); /* from 0.1 s on one each 0.2 s */
    assert_int_equal(b->run.backlog, 50);
    assert_int_equal(b->run.now.tally[LAT_EVENT].max_ns, 49 * 100 * MS + 200 * MS);
    assert_int_equal(b->run.now.tally[b->run.service_latency].max_ns, 200 * MS);
    bench_free(b);
}

/* Whatever becomes of a start that was due: it is begun, dropped or left, and
 * none is lost on the way, also those that workers hold when the time is up. */
static void test_no_start_is_lost(void **state)
{
    static const char *const drop[] = {"0", "5ms", "0"}, *const drain[] = {"off", "off", "on"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct play y;
        struct bench *b = with_play(bench_in_time(&normal), &y);
        bench_set(b, "threads", "4");
        bench_set(b, "rate", "100000");
        bench_set(b, "rate-pace", "fixed");
        bench_set(b, "rate-drop", drop[i]);
        bench_set(b, "rate-drain", drain[i]);
        bench_set(b, "time", "0.2");
        bench_set(b, "hard-stop", "0");
        assert_goes(b);
        const struct snapshot *s = run_totals(&b->run);
        uint64_t n = snapshot_events(s), dropped = s->counter[b->run.dropped_counter];
        assert_int_equal(n + dropped + b->run.backlog, 20000 - 1);
        assert_true(s->counter[b->run.late_counter] <= n);
        assert_true(i == 2 ? b->run.backlog == 0 : true);
        bench_free(b);
    }
}

/* All that was wanted is done: nothing is left, however late it was. */
static void test_no_backlog_at_the_event_limit(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "rate", "1e9");
    bench_set(b, "events", "100");
    assert_goes(b);
    assert_int_equal(events(b), 100);
    assert_int_equal(b->run.backlog, 0);
    bench_free(b);
}

static void test_the_seed_decides(void **state)
{
    struct play y;
    struct rng first[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bench *b = with_play(bench_in_time(&normal), &y);
        struct rng_seeder seeds;
        struct rng expected;
        bench_set(b, "threads", "3");
        bench_set(b, "rand-seed", "42");
        bench_begin(b, 0);
        assert_int_equal(b->run.seed, 42);
        rng_seeder_init(&seeds, 42);
        for (int w = 0; w < 3; w++) { /* in the order of the workers' numbers */
            rng_init(&expected, &seeds);
            assert_memory_equal(&b->run.workers[w].rng, &expected, sizeof expected);
        }
        first[i] = b->run.workers[0].rng;
        bench_free(b);
    }
    assert_memory_equal(&first[0], &first[1], sizeof first[0]);
    struct bench *b = with_play(bench_in_time(&normal), &y);
    bench_begin(b, 0);
    assert_int_not_equal(b->run.seed, 0); /* taken from the time, and told */
    bench_free(b);
}

/* --- what is told meanwhile ------------------------------------------------------------ */

struct told {
    unsigned starting, started, intervals, checkpoints;
    _Atomic unsigned reports; /* both together; the worker waits for it */
    double total[8], interval[8];
    uint64_t events[8], checkpoint_events[8];
    unsigned running;
    bool last[8], early[8], last_checkpoint[8];
    char order[64];
};

static void add_letter(struct told *t, char letter)
{
    size_t n = strlen(t->order);
    if (n + 1 < sizeof t->order)
        t->order[n] = letter;
}

static void on_starting(void *self, struct run *r)
{
    struct told *t = self;
    t->starting++;
    assert_int_equal(r->start_ns, 0);
}

static void on_started(void *self, struct run *r)
{
    struct told *t = self;
    t->started++;
    assert_int_not_equal(r->start_ns, 0);
}

static void on_interval(void *self, struct run *r, const struct moment *m)
{
    struct told *t = self;
    unsigned i = t->intervals++ % 8;
    (void)r;
    t->total[i] = m->total_s;
    t->interval[i] = m->interval_s;
    t->events[i] = snapshot_events(m->since);
    t->running = m->running;
    t->last[i] = m->last;
    t->early[i] = m->early;
    add_letter(t, 'i');
    t->reports++;
}

static void on_checkpoint(void *self, struct run *r, const struct moment *m)
{
    struct told *t = self;
    (void)r;
    t->last_checkpoint[t->checkpoints % 8] = m->last;
    t->checkpoint_events[t->checkpoints++ % 8] = snapshot_events(m->since);
    add_letter(t, 'c');
    t->reports++;
}

static struct run_observer observe(struct told *t)
{
    *t = (struct told){0};
    return (struct run_observer){.self = t,
                                 .threads_starting = on_starting,
                                 .threads_started = on_started,
                                 .interval = on_interval,
                                 .checkpoint = on_checkpoint};
}

/* Waits, but not for ever, until the watching thread has told n reports. */
static void wait_for_reports(struct told *t, unsigned n)
{
    for (int i = 0; i < 10000 && t->reports < n; i++)
        usleep(1000);
}

static struct told told;

/* Each step moves the clock by 100 ms and wakes the watching thread; where a
 * report is due it waits for it. */
static enum step step_and_wake(struct worker *w, struct part *p)
{
    uint64_t one = 1;
    struct bench *b = play_of(p)->bench;
    unsigned n = ++play_of(p)->steps;
    (void)w;
    b->hand += 100 * MS;
    if (write(b->run.signal->wake_fd, &one, sizeof one) < 0)
        return STEP_FAILED;
    if (n % 10 == 0)
        wait_for_reports(&told, n / 10 + (n >= 20 ? 1 : 0));
    return STEP_DONE;
}

static void test_reports(void **state)
{
    static const struct workload wakes = PLAY(play_open, step_and_wake);
    struct play y;
    struct bench *b = with_play(bench_by_hand(&wakes), &y);
    struct run_signal s = {.wake_fd = eventfd(0, EFD_NONBLOCK)};
    (void)state;
    bench_set(b, "time", "3.5");
    bench_set(b, "report-interval", "1");
    bench_set(b, "report-checkpoints", "2");
    bench_begin(b, 0);
    b->run.signal = &s;
    b->run.observer = observe(&told);
    assert_int_equal(run_go(&b->run, &b->err), 0);
    close(s.wake_fd);
    assert_int_equal(told.starting, 1);
    assert_int_equal(told.started, 1);
    assert_int_equal(told.intervals, 4);
    assert_int_equal(told.checkpoints, 1);
    assert_string_equal(told.order, "iicii");
    for (unsigned i = 0; i < 3; i++) {
        assert_false(told.last[i] || told.early[i]);
        assert_between(told.total[i], i + 1 - 1e-9, i + 1 + 1e-9);
        assert_between(told.interval[i], 1 - 1e-9, 1 + 1e-9);
        /* The tenth event is still under way when the clock shows the second. */
        assert_int_equal(told.events[i], i ? 10 : 9);
    }
    /* The interval in which the run ended is cut short, and holds the rest. */
    assert_true(told.last[3] && told.early[3]);
    assert_between(told.total[3], 3.5 - 1e-9, 3.5 + 1e-9);
    assert_int_equal(told.events[3], 6);
    assert_int_equal(told.checkpoint_events[0], 19);
    assert_int_equal(told.running, 1);
    assert_int_equal(events(b), 35);
    bench_free(b);
}

/* What is due at the time limit is told once, when all events have ended, also
 * where thirds of a second do not quite make a whole one. */
static void test_reports_at_the_end(void **state)
{
    static const char *const intervals[] = {"1", "0.5", "0.33333333"};
    (void)state;
    for (size_t k = 0; k < sizeof intervals / sizeof intervals[0]; k++) {
        struct play y;
        struct bench *b = with_play(bench_by_hand(&normal), &y);
        uint64_t sum = 0;
        y.step_ns = 10 * MS;
        bench_set(b, "threads", "2");
        bench_set(b, "time", "1");
        bench_set(b, "report-interval", intervals[k]);
        bench_set(b, "report-checkpoints", "1");
        bench_begin(b, 0);
        b->run.observer = observe(&told);
        assert_int_equal(run_go(&b->run, &b->err), 0);
        assert_in_range(told.intervals, 1, k + 1);
        for (unsigned i = 0; i < told.intervals; i++)
            sum += told.events[i];
        assert_int_equal(sum, events(b));
        assert_true(told.last[told.intervals - 1]);
        assert_false(told.early[told.intervals - 1]);
        assert_int_equal(told.running, 2); /* as until then */
        assert_int_equal(told.checkpoints, 1);
        assert_true(told.last_checkpoint[0]);
        assert_int_equal(told.checkpoint_events[0], events(b));
        assert_int_equal(b->run.last_checkpoint.at_ns, b->run.start_ns); /* the end counts on */
        bench_free(b);
    }
}

/* An interval longer than the run is as long as the run. */
static void test_an_interval_longer_than_the_run(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "events", "10");
    bench_set(b, "report-interval", "1000");
    bench_begin(b, 0);
    b->run.observer = observe(&told);
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_int_equal(told.intervals, 1);
    assert_int_equal(told.events[0], 10);
    assert_true(told.last[0] && told.early[0]);
    bench_free(b);
}

/* After a pause over several intervals there is one report, not several, and
 * the next one is due on the old beat. */
static enum step step_over_intervals(struct worker *w, struct part *p)
{
    uint64_t one = 1;
    struct bench *b = play_of(p)->bench;
    unsigned n = ++play_of(p)->steps;
    (void)w;
    b->hand += n == 1 ? 3500 * MS : 500 * MS;
    if (write(b->run.signal->wake_fd, &one, sizeof one) < 0)
        return STEP_FAILED;
    wait_for_reports(&told, n);
    return n == 2 ? STEP_NO_MORE : STEP_DONE;
}

static void test_missed_intervals(void **state)
{
    static const struct workload jumps = PLAY(play_open, step_over_intervals);
    struct play y;
    struct bench *b = with_play(bench_by_hand(&jumps), &y);
    struct run_signal s = {.wake_fd = eventfd(0, EFD_NONBLOCK)};
    (void)state;
    bench_set(b, "report-interval", "1");
    bench_begin(b, 0);
    b->run.signal = &s;
    b->run.observer = observe(&told);
    assert_int_equal(run_go(&b->run, &b->err), 0);
    close(s.wake_fd);
    assert_int_equal(told.intervals, 2);
    assert_between(told.interval[0], 3.499, 3.501);
    assert_between(told.total[1], 3.999, 4.001);
    bench_free(b);
}

static enum step step_until_told(struct worker *w, struct part *p)
{
    (void)w;
    (void)p;
    wait_for_reports(&told, 1);
    return STEP_NO_MORE;
}

static const struct workload waits_for_report = PLAY(play_open, step_until_told);

/* An interval shorter than the clock can show neither hangs nor divides by 0. */
static void test_tiny_interval(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&waits_for_report), &y);
    (void)state;
    bench_begin(b, 0);
    b->g.values.report_interval = 1e-12; /* as an option it would be refused */
    b->run.observer = observe(&told);
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_true(told.intervals > 0);
    bench_free(b);
}

/* --- signals ------------------------------------------------------------------------ */

static struct run_signal signalled;
static atomic_int handled; /* for other threads, which may not read those */

/* What main's handlers do. */
static void catch (int number)
{
    uint64_t one = 1;
    if (number == SIGUSR1)
        signalled.report = 1;
    else
        signalled.caught = number;
    signalled.times += number != SIGUSR1;
    if (write(signalled.wake_fd, &one, sizeof one) < 0)
        signalled.times = 99;
    atomic_fetch_add(&handled, 1);
}

/* The test's thread is interrupted, by itself, once the workers run. */
static void interrupt_on_start(void *self, struct run *r)
{
    (void)self;
    (void)r;
    raise(SIGUSR2);
}

/* A thread: two signals for the process once an event is under way. */
static void *interrupt_twice(void *arg)
{
    struct play *y = arg;
    int before = atomic_load(&handled);
    for (int i = 0; i < 10000 && y->steps == 0; i++)
        usleep(1000);
    kill(getpid(), SIGUSR2);
    for (int i = 0; i < 10000 && atomic_load(&handled) == before; i++)
        usleep(1000);
    kill(getpid(), SIGUSR2);
    return NULL;
}

static void ask_for_a_report(void *self, struct run *r)
{
    on_started(self, r);
    raise(SIGUSR1);
}

static void ask_and_interrupt(void *self, struct run *r)
{
    ask_for_a_report(self, r);
    raise(SIGUSR2);
}

static int set_up_signals(void **state)
{
    struct sigaction act = {.sa_handler = catch};
    (void)state;
    signalled = (struct run_signal){.wake_fd = eventfd(0, EFD_NONBLOCK)};
    return sigaction(SIGUSR1, &act, NULL) | sigaction(SIGUSR2, &act, NULL);
}

static int tear_down_signals(void **state)
{
    (void)state;
    signal(SIGUSR1, SIG_DFL);
    signal(SIGUSR2, SIG_DFL);
    return close(signalled.wake_fd);
}

static void test_a_signal_ends_the_run(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "threads", "2");
    bench_set(b, "time", "0");
    bench_begin(b, 0);
    b->run.signal = &signalled;
    b->run.observer.threads_started = interrupt_on_start;
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_no_err(&b->err);
    assert_string_equal(run_limit_name(&b->run), "signal");
    assert_false(run_complete(&b->run));
    assert_int_equal(signalled.caught, SIGUSR2);
    assert_int_equal(y.done, 2);
    assert_int_equal(y.closed, 2);
    assert_int_equal(y.finished, 1);
    assert_int_equal(y.ended, 1);
    assert_int_equal(events(b), y.steps);
    bench_free(b);
}

/* The next planned start is an hour away: the signal reaches the sleepers. */
static void test_a_signal_wakes_waiting_workers(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "threads", "2");
    bench_set(b, "time", "0");
    bench_set(b, "rate", "0.0002777");
    bench_set(b, "rate-pace", "fixed");
    bench_begin(b, 0);
    b->run.signal = &signalled;
    b->run.observer.threads_started = interrupt_on_start;
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_string_equal(run_limit_name(&b->run), "signal");
    assert_int_equal(y.steps, 0);
    bench_free(b);
}

static void test_a_signal_in_the_warm_up(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "warmup-time", "1000");
    bench_begin(b, 0);
    b->run.signal = &signalled;
    b->run.observer.threads_started = interrupt_on_start;
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_string_equal(run_limit_name(&b->run), "signal");
    assert_int_equal(events(b), 0);
    assert_true(run_seconds(&b->run) == 0);
    bench_free(b);
}

static void test_a_report_on_demand(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&waits_for_report), &y);
    (void)state;
    bench_set(b, "time", "0");
    bench_begin(b, 0);
    b->run.signal = &signalled;
    b->run.observer = observe(&told);
    b->run.observer.threads_started = ask_for_a_report;
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_int_equal(told.intervals, 1);
    assert_between(told.total[0], 0, run_seconds(&b->run));
    assert_string_equal(run_limit_name(&b->run), "work"); /* it went on afterwards */
    bench_free(b);
}

/* Nothing counts in the warm-up, so there is nothing to report either. */
static void test_a_report_on_demand_in_the_warm_up(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "warmup-time", "1000");
    bench_begin(b, 0);
    b->run.signal = &signalled;
    b->run.observer = observe(&told);
    b->run.observer.threads_started = ask_and_interrupt;
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_int_equal(told.intervals, 0);
    assert_int_equal(signalled.report, 0); /* dealt with all the same */
    bench_free(b);
}

static void test_a_signal_before_the_start(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&opens_until_stopped), &y);
    (void)state;
    bench_set(b, "threads", "2");
    bench_begin(b, 0);
    b->run.signal = &signalled;
    b->run.observer.threads_starting = interrupt_on_start;
    assert_int_equal(run_go(&b->run, &b->err), -1);
    assert_err(&b->err, (enum err_status)(128 + SIGUSR2), "interrupted");
    assert_string_equal(run_limit_name(&b->run), "signal");
    assert_int_equal(b->run.start_ns, 0);
    assert_int_equal(y.steps, 0);
    assert_int_equal(y.closed, 2);
    assert_int_equal(y.ended, 1);
    bench_free(b);
}

/* --- failures ------------------------------------------------------------------------ */

static void test_a_step_fails(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&fails), &y);
    (void)state;
    y.bad_worker = 2;
    y.last_step = 5;
    bench_set(b, "threads", "3");
    bench_set(b, "time", "0"); /* the others would go on for ever */
    assert_int_equal(go(b), -1);
    assert_err(&b->err, ERR_FAILED, "worker 2: disk full");
    assert_string_equal(run_limit_name(&b->run), "error");
    assert_false(run_complete(&b->run));
    assert_int_equal(stats_events(&b->run.main_pool.stats[2]), 4);
    assert_int_equal(y.done, 2); /* not in the one that failed */
    assert_int_equal(y.closed, 3);
    assert_int_equal(y.finished, 0);
    assert_int_equal(y.ended, 1);
    assert_true(run_seconds(&b->run) > 0);
    bench_free(b);
}

static void test_a_failure_without_a_word_is_one(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&fails_without_a_word), &y);
    (void)state;
    y.last_step = 3;
    assert_int_equal(go(b), -1);
    assert_err(&b->err, ERR_FAILED, "worker 0");
    bench_free(b);
}

static void test_a_failure_in_the_last_event(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&fails), &y);
    (void)state;
    y.last_step = 3;
    bench_set(b, "events", "3");
    assert_int_equal(go(b), -1);
    assert_string_equal(run_limit_name(&b->run), "error");
    bench_free(b);
}

static void test_begin_fails(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    y.fail_begin = 1;
    assert_int_equal(go(b), -1);
    assert_err(&b->err, ERR_FAILED, "cannot begin here");
    assert_string_equal(run_limit_name(&b->run), "error");
    assert_int_equal(y.opened, 0);
    assert_int_equal(y.finished, 0);
    assert_int_equal(y.ended, 1); /* of what begin left half-made */
    bench_free(b);
}

/* The limit had been met, but the result is none. */
static void test_finish_fails(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    y.fail_finish = 1;
    bench_set(b, "events", "5");
    assert_int_equal(go(b), -1);
    assert_err(&b->err, ERR_FAILED, "flush");
    assert_string_equal(run_limit_name(&b->run), "error");
    assert_false(run_complete(&b->run));
    assert_int_equal(y.ended, 1);
    bench_free(b);
}

static void test_open_fails(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&fails_to_open), &y);
    (void)state;
    y.bad_worker = 1;
    bench_set(b, "threads", "4");
    bench_begin(b, 0);
    b->run.observer = observe(&told);
    assert_int_equal(run_go(&b->run, &b->err), -1);
    assert_err(&b->err, ERR_FAILED, "worker 1: no such file");
    assert_string_equal(run_limit_name(&b->run), "error");
    assert_int_equal(told.starting, 1);
    assert_int_equal(told.started, 0);
    assert_int_equal(b->run.start_ns, 0);
    assert_int_equal(y.steps, 0);
    assert_int_equal(y.done, 0);
    assert_int_equal(y.closed, 4);
    assert_int_equal(y.finished, 0);
    assert_int_equal(y.ended, 1);
    assert_int_equal(b->run.hung_count, 0);
    bench_free(b);
}

static void test_stack_too_large(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "thread-stack-size", "900G");
    assert_int_equal(go(b), -1);
    assert_err(&b->err, ERR_FAILED, "--thread-stack-size", NULL);
    assert_int_equal(y.opened, 0);
    assert_int_equal(y.ended, 1);
    bench_free(b);
}

static void test_too_many_parts(void **state)
{
    struct part *parts[PARTS_MAX + 1];
    struct bench *b = bench_in_time(&normal);
    struct run r;
    (void)state;
    for (size_t i = 0; i < LENGTH(parts); i++)
        parts[i] = b->part;
    bench_begin(b, 0);
    assert_int_equal(
        run_init(&r, &b->g.values, &b->log, &b->clock, parts, PARTS_MAX + 1, 0, &b->err), -1);
    assert_err(&b->err, ERR_FAILED, "8 primitives");
    run_release(&r);
    bench_free(b);
}

static void test_too_many_latencies(void **state)
{
    static const char *const many[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", NULL};
    static const struct workload greedy = {.name = "greedy", .latencies = many};
    struct bench *b = bench_in_time(&greedy);
    (void)state;
    bench_add_part(b, &greedy);
    bench_add_part(b, &greedy);
    assert_int_equal(general_finish(&b->g, &b->err), 0);
    assert_int_equal(run_init(&b->run, &b->g.values, &b->log, &b->clock, b->parts, 3, 0, &b->err),
                     -1);
    assert_err(&b->err, ERR_FAILED, "31 latency statistics", "24");
    bench_free(b);
}

/* --- threads that hang ----------------------------------------------------------------- */

/* Lets go what hung and waits for it; then the run may be freed. */
static void release(struct bench *b, struct play *y)
{
    y->release = true;
    for (unsigned i = 0; i < b->run.worker_count; i++)
        pthread_join(b->run.workers[i].thread, NULL);
    assert_int_equal(b->run.alive, 0);
    bench_free(b);
}

static void test_hard_stop_names_the_worker(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_by_hand(&hangs), &y);
    (void)state;
    y.bad_worker = 1;
    y.last_step = 3;
    y.creep_ns = 10 * MS;
    bench_set(b, "threads", "3");
    bench_set(b, "time", "0.05");
    bench_set(b, "hard-stop", "0.1");
    assert_int_equal(go(b), 0);
    assert_int_equal(b->run.hung_count, 1);
    assert_int_equal(b->run.hung[0].worker, 1);
    assert_between(b->run.hung[0].seconds, 0.15, 100);
    assert_string_equal(run_limit_name(&b->run), "time");
    assert_false(run_complete(&b->run));
    assert_false(b->run.forced);
    assert_true(events(b) >= 2);
    assert_between(run_seconds(&b->run), 0.15, 100);
    assert_int_equal(y.finished, 0); /* nothing is taken away from the one that hangs */
    assert_int_equal(y.ended, 0);
    release(b, &y);
}

static void test_forced_shutdown(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_by_hand(&hangs), &y);
    (void)state;
    y.last_step = 1;
    y.creep_ns = 10 * MS;
    bench_set(b, "threads", "2");
    bench_set(b, "time", "0.05");
    bench_set(b, "forced-shutdown", "0.05");
    bench_set(b, "hard-stop", "1000");
    assert_int_equal(go(b), 0);
    assert_true(b->run.forced);
    assert_int_equal(b->run.hung_count, 1);
    assert_int_equal(b->run.hung[0].worker, 0);
    release(b, &y);
}

/* With --forced-shutdown a run that ends in time is as any other. */
static void test_forced_shutdown_not_needed(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&normal), &y);
    (void)state;
    bench_set(b, "time", "0.02");
    bench_set(b, "forced-shutdown", "100");
    assert_goes(b);
    assert_false(b->run.forced);
    assert_true(run_complete(&b->run));
    bench_free(b);
}

/* Over the time limit, but within the grace, which is 5 s if nothing is said:
 * the event is waited for and counted. */
static void *release_later(void *arg)
{
    struct play *y = arg;
    usleep(150000);
    y->release = true;
    return NULL;
}

static void test_a_late_event_is_waited_for(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_by_hand(&hangs), &y);
    pthread_t thread;
    (void)state;
    y.last_step = 1;
    y.hang_ns = 4 * SECOND;
    bench_set(b, "time", "0.05");
    assert_int_equal(pthread_create(&thread, NULL, release_later, &y), 0);
    assert_goes(b);
    pthread_join(thread, NULL);
    assert_int_equal(events(b), 1);
    assert_int_equal(b->run.hung_count, 0);
    assert_true(run_complete(&b->run));
    bench_free(b);
}

static void test_a_second_signal_does_not_wait(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&hangs), &y);
    pthread_t thread;
    (void)state;
    y.last_step = 1;
    bench_set(b, "time", "0");
    bench_set(b, "hard-stop", "50");
    bench_begin(b, 0);
    b->run.signal = &signalled;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_twice, &y), 0);
    assert_int_equal(run_go(&b->run, &b->err), 0);
    pthread_join(thread, NULL);
    assert_int_equal(b->run.hung_count, 1);
    assert_true(run_seconds(&b->run) < 40); /* the grace after a first one would be 50 s */
    assert_string_equal(run_limit_name(&b->run), "signal");
    release(b, &y);
}

static void test_slow_open(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&hangs_in_open), &y);
    (void)state;
    y.bad_worker = 2;
    bench_set(b, "threads", "3");
    bench_set(b, "thread-init-timeout", "2");
    assert_int_equal(go(b), -1);
    assert_err(&b->err, ERR_FORCED, "2 of 3", "2 seconds", "1 are still", "--thread-init-timeout",
               "--threads");
    assert_string_equal(run_limit_name(&b->run), "error");
    assert_int_equal(b->run.hung_count, 1);
    assert_int_equal(b->run.hung[0].worker, 2);
    assert_between(b->run.hung[0].seconds, 0.2, 50);
    assert_int_equal(b->run.start_ns, 0);
    assert_int_equal(y.ended, 0);
    release(b, &y);
    assert_int_equal(y.steps, 0);
    assert_int_equal(y.closed, 3);
}

/* One cannot open, another hangs in its opening: the error is told all the same. */
static void test_open_fails_while_another_hangs(void **state)
{
    struct play y;
    struct bench *b = with_play(bench_in_time(&fails_or_hangs_in_open), &y);
    (void)state;
    bench_set(b, "threads", "2");
    bench_set(b, "thread-init-timeout", "2");
    assert_int_equal(go(b), -1);
    assert_err(&b->err, ERR_FAILED, "worker 0: no such file");
    assert_int_equal(b->run.hung_count, 1);
    assert_int_equal(b->run.hung[0].worker, 1);
    release(b, &y);
}

/* --- several parts, several runs ------------------------------------------------------- */

static void test_order_of_parts(void **state)
{
    struct play y;
    struct bench *b = bench_in_time(&normal);
    (void)state;
    bench_add_part(b, &normal);
    bench_add_part(b, &normal);
    with_play(b, &y);
    bench_set(b, "events", "7");
    assert_goes(b);
    /* Part 0 uses the others: made last, taken down first. */
    assert_string_equal(y.order, "b2b1b0f0f1f2e0e1e2");
    assert_int_equal(y.steps, 7);
    assert_int_equal(y.opened, 3);
    assert_int_equal(y.closed, 3);
    assert_ptr_equal(b->run.workers[0].state[2], &y);
    bench_free(b);
}

static void test_what_was_not_begun_is_not_ended(void **state)
{
    struct play y;
    struct bench *b = bench_in_time(&normal);
    (void)state;
    bench_add_part(b, &normal);
    bench_add_part(b, &normal);
    with_play(b, &y);
    y.fail_begin = 1;
    assert_int_equal(go(b), -1);
    assert_string_equal(y.order, "b2e2");
    bench_free(b);
}

struct one_run {
    struct bench *bench;
    int rc;
};

static void *go_alone(void *arg)
{
    struct one_run *one = arg;
    one->rc = run_go(&one->bench->run, &one->bench->err);
    return NULL;
}

static void test_two_runs_at_once(void **state)
{
    struct play y[2];
    struct one_run one[2];
    pthread_t thread[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        one[i].bench = with_play(bench_in_time(&normal), &y[i]);
        bench_set(one[i].bench, "threads", "2");
        bench_set(one[i].bench, "time", "0");
        bench_set(one[i].bench, "events", i ? "30001" : "20000");
        bench_begin(one[i].bench, 0);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, go_alone, &one[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(one[i].rc, 0);
        assert_int_equal(events(one[i].bench), i ? 30001 : 20000);
        assert_int_equal(y[i].steps, i ? 30001 : 20000);
        bench_free(one[i].bench);
    }
}

/* --- names ------------------------------------------------------------------------------- */

static void test_counter_names(void **state)
{
    struct bench *b = bench_in_time(&normal);
    char name[16];
    (void)state;
    bench_begin(b, 0);
    assert_int_equal(run_counter(&b->run, "other"), CNT_OTHER);
    assert_int_equal(run_counter(&b->run, "reads"), CNT_READ);
    assert_int_equal(run_counter(&b->run, "events"), CNT_TRX);
    assert_int_equal(run_counter(&b->run, "bytes_written"), CNT_BYTES_WRITTEN);
    assert_int_equal(run_counter(&b->run, "hits"), CNT_NAMED);
    assert_int_equal(run_counter(&b->run, "misses"), CNT_NAMED + 1);
    assert_int_equal(run_counter(&b->run, "hits"), CNT_NAMED);
    for (int i = CNT_NAMED + 2; i < CNT_N; i++) {
        snprintf(name, sizeof name, "c%d", i);
        assert_int_equal(run_counter(&b->run, name), i);
    }
    assert_int_equal(run_counter(&b->run, "one too many"), -1);
    assert_int_equal(run_counter(&b->run, "misses"), CNT_NAMED + 1);
    bench_free(b);
}

static void test_latency_names(void **state)
{
    static const char *const ab[] = {"a", "b", NULL}, *const ca[] = {"c", "a", NULL};
    static const struct workload first = {.name = "first", .latencies = ab};
    static const struct workload second = {.name = "second", .latencies = ca};
    struct bench *b = bench_in_time(&first);
    (void)state;
    bench_add_part(b, &second);
    bench_set(b, "rate", "5");
    bench_begin(b, 2);
    struct run *r = &b->run;
    assert_string_equal(r->names.latency[LAT_EVENT], "event");
    assert_int_equal(b->part[0].first_latency, 1);
    assert_int_equal(b->part[1].first_latency, 3);
    assert_string_equal(r->names.latency[1], "a");
    assert_string_equal(r->names.latency[3], "c");
    assert_string_equal(r->names.latency[4], "second.1.a"); /* a slot of its own */
    assert_int_equal(r->service_latency, 5);
    assert_int_equal(run_latency(r, "a"), 1);
    assert_int_equal(run_latency(r, "x"), 6);
    assert_int_equal(run_latency(r, "y"), 7);
    assert_int_equal(run_latency(r, "z"), -1); /* two of its own were asked for */
    assert_int_equal(run_latency(r, "x"), 6);
    assert_int_equal(r->main_pool.stats[0].latencies, 8);
    bench_free(b);
}

static void *name_many(void *arg)
{
    struct run *r = arg;
    char name[16];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "n%d", i);
        if (run_counter(r, name) < CNT_NAMED)
            return arg;
    }
    return NULL;
}

/* Who comes first decides; the same name never gets two slots. */
static void test_names_from_many_threads(void **state)
{
    struct bench *b = bench_in_time(&normal);
    pthread_t thread[4];
    void *failed;
    (void)state;
    bench_begin(b, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, name_many, &b->run), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(b->run.names.counters, CNT_NAMED + 20);
    bench_free(b);
}

static void test_limit_names(void **state)
{
    static const char *const names[] = {
        [LIMIT_NONE] = "work", [LIMIT_TIME] = "time",     [LIMIT_EVENTS] = "events",
        [LIMIT_WORK] = "work", [LIMIT_SIGNAL] = "signal", [LIMIT_ERROR] = "error"};
    struct bench *b = bench_in_time(&normal);
    (void)state;
    bench_begin(b, 0);
    for (int i = 0; i <= LIMIT_ERROR; i++) {
        b->run.limit = i;
        assert_string_equal(run_limit_name(&b->run), names[i]);
        assert_int_equal(run_complete(&b->run), i != LIMIT_SIGNAL && i != LIMIT_ERROR);
    }
    bench_free(b);
}

int main(void)
{
#define WITH_SIGNALS(test) cmocka_unit_test_setup_teardown(test, set_up_signals, tear_down_signals)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_are_exact_over_threads),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_warm_up),
        cmocka_unit_test(test_until_steady),
        cmocka_unit_test(test_thread_ramp),
        cmocka_unit_test(test_a_ramp_longer_than_the_run),
        cmocka_unit_test(test_no_more_work),
        cmocka_unit_test(test_a_loop_of_its_own),
        cmocka_unit_test(test_a_workload_may_have_no_hooks),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_rate_and_backlog),
        cmocka_unit_test(test_no_start_is_lost),
        cmocka_unit_test(test_no_backlog_at_the_event_limit),
        cmocka_unit_test(test_the_seed_decides),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_reports_at_the_end),
        cmocka_unit_test(test_an_interval_longer_than_the_run),
        cmocka_unit_test(test_missed_intervals),
        cmocka_unit_test(test_tiny_interval),
        WITH_SIGNALS(test_a_signal_ends_the_run),
        WITH_SIGNALS(test_a_signal_wakes_waiting_workers),
        WITH_SIGNALS(test_a_signal_in_the_warm_up),
        WITH_SIGNALS(test_a_report_on_demand),
        WITH_SIGNALS(test_a_report_on_demand_in_the_warm_up),
        WITH_SIGNALS(test_a_signal_before_the_start),
        cmocka_unit_test(test_a_step_fails),
        cmocka_unit_test(test_a_failure_without_a_word_is_one),
        cmocka_unit_test(test_a_failure_in_the_last_event),
        cmocka_unit_test(test_begin_fails),
        cmocka_unit_test(test_finish_fails),
        cmocka_unit_test(test_open_fails),
        cmocka_unit_test(test_stack_too_large),
        cmocka_unit_test(test_too_many_parts),
        cmocka_unit_test(test_too_many_latencies),
        cmocka_unit_test(test_hard_stop_names_the_worker),
        cmocka_unit_test(test_forced_shutdown),
        cmocka_unit_test(test_forced_shutdown_not_needed),
        cmocka_unit_test(test_a_late_event_is_waited_for),
        WITH_SIGNALS(test_a_second_signal_does_not_wait),
        cmocka_unit_test(test_slow_open),
        cmocka_unit_test(test_open_fails_while_another_hangs),
        cmocka_unit_test(test_order_of_parts),
        cmocka_unit_test(test_what_was_not_begun_is_not_ended),
        cmocka_unit_test(test_two_runs_at_once),
        cmocka_unit_test(test_counter_names),
        cmocka_unit_test(test_latency_names),
        cmocka_unit_test(test_names_from_many_threads),
        cmocka_unit_test(test_limit_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
