/* Workers driven by hand: no threads, and time passes when the test says so. */
#include "bench.h"

#include <pthread.h>
#include <unistd.h>

static const struct workload nothing = {.name = "nothing"};

/* What run_go does when everybody is ready. */
static void start(struct bench *b)
{
    const struct general *g = &b->g.values;
    struct run *r = &b->run;
    bench_begin(b, 1);
    r->start_ns = b->hand + (uint64_t)(g->warmup_time * 1e9);
    r->end_ns = g->time > 0 ? r->start_ns + (uint64_t)(g->time * 1e9) : UINT64_MAX;
    if (r->pacer)
        pacer_start(r->pacer, b->hand);
    for (unsigned i = 0; i < r->worker_count; i++) {
        r->workers[i].border_ns = r->workers[i].warm_stats ? r->start_ns : r->end_ns;
        r->workers[i].now_ns = b->hand;
    }
}

static struct bench *started(const char *threads, const char *time, const char *events)
{
    struct bench *b = bench_by_hand(&nothing);
    bench_set(b, "threads", threads);
    bench_set(b, "time", time);
    bench_set(b, "events", events);
    start(b);
    return b;
}

/* One event of that length, if the worker may. */
static bool event(struct bench *b, unsigned worker, uint64_t ns)
{
    struct worker *w = &b->run.workers[worker];
    if (!worker_next(w))
        return false;
    b->hand += ns;
    worker_done(w);
    return true;
}

static uint64_t events(struct bench *b)
{
    return snapshot_events(run_totals(&b->run));
}

static uint64_t warm_events(struct bench *b)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < b->run.worker_count; i++)
        n += stats_events(&b->run.warm_pool.stats[i]);
    return n;
}

/* --- events ---------------------------------------------------------------------- */

static void test_end_of_one_is_start_of_the_next(void **state)
{
    struct bench *b = started("1", "10", "0");
    struct worker *w = b->run.workers;
    (void)state;
    assert_true(w->simple);
    assert_true(worker_next(w));
    assert_int_equal(w->began_ns, 100 * SECOND);
    b->hand += 5 * MS;
    worker_done(w);
    b->hand += 3 * MS; /* time between events is nobody's: it falls to the next one */
    assert_true(worker_next(w));
    assert_int_equal(w->began_ns, 100 * SECOND + 5 * MS);
    worker_done(w);
    const struct tally *t = &run_totals(&b->run)->tally[LAT_EVENT];
    assert_int_equal(t->count, 2);
    assert_int_equal(t->sum_ns, 8 * MS);
    assert_int_equal(t->min_ns, 3 * MS);
    assert_int_equal(t->max_ns, 5 * MS);
    bench_free(b);
}

static void test_a_clock_that_steps_back_counts_nothing(void **state)
{
    struct bench *b = started("1", "10", "0");
    struct worker *w = b->run.workers;
    (void)state;
    assert_true(worker_next(w));
    b->hand -= 10;
    worker_done(w);
    assert_int_equal(run_totals(&b->run)->tally[LAT_EVENT].max_ns, 0);
    assert_int_equal(worker_record(w, 1, b->hand + 7), b->hand);
    assert_int_equal(run_totals(&b->run)->tally[1].max_ns, 0);
    assert_int_equal(run_totals(&b->run)->tally[1].count, 1);
    bench_free(b);
}

static void test_operations_inside_of_an_event(void **state)
{
    struct bench *b = started("1", "10", "0");
    struct worker *w = b->run.workers;
    (void)state;
    assert_true(worker_next(w));
    uint64_t from = w->now_ns;
    b->hand += 2 * MS;
    from = worker_record(w, 1, from);
    b->hand += 3 * MS;
    from = worker_record(w, 1, from);
    worker_done(w);
    assert_int_equal(from, b->hand);
    assert_int_equal(run_totals(&b->run)->tally[1].count, 2);
    assert_int_equal(run_totals(&b->run)->tally[1].sum_ns, 5 * MS);
    assert_int_equal(run_totals(&b->run)->tally[LAT_EVENT].sum_ns, 5 * MS);
    bench_free(b);
}

/* --- limits ---------------------------------------------------------------------- */

/* The limit is looked at before an event and never cuts one. */
static void test_time_limit(void **state)
{
    struct bench *b = started("1", "1", "0");
    int n = 0;
    (void)state;
    while (event(b, 0, 300 * MS))
        n++;
    assert_int_equal(n, 4);
    assert_int_equal(events(b), 4);
    assert_string_equal(run_limit_name(&b->run), "time");
    assert_true(run_complete(&b->run));
    assert_false(event(b, 0, 1)); /* asked again it says no again */
    bench_free(b);
}

static void test_no_time_limit(void **state)
{
    struct bench *b = started("1", "0", "0");
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_true(event(b, 0, 1000000 * SECOND));
    bench_free(b);
}

/* Whoever asks first gets the next one; together they are exactly as many. */
static void test_event_limit_over_workers(void **state)
{
    struct bench *b = started("3", "0", "100");
    unsigned n[3] = {0}, refused = 0;
    (void)state;
    for (unsigned i = 0; refused < 3; i++) {
        unsigned who = i % 4 == 3 ? 0 : i % 4; /* the first is twice as fast */
        bool ran = event(b, who, MS);
        n[who] += ran;
        refused += !ran;
    }
    assert_int_equal(n[0] + n[1] + n[2], 100);
    assert_int_equal(n[0], 50);
    assert_int_equal(events(b), 100);
    assert_string_equal(run_limit_name(&b->run), "events");
    bench_free(b);
}

static void test_the_first_limit_is_the_one(void **state)
{
    struct bench *b = started("1", "1", "2");
    (void)state;
    assert_true(event(b, 0, 400 * MS));
    assert_true(event(b, 0, 400 * MS));
    assert_false(event(b, 0, 400 * MS));
    assert_string_equal(run_limit_name(&b->run), "events");
    b->hand += 10 * SECOND;
    assert_false(event(b, 0, 1));
    run_set_limit(&b->run, LIMIT_TIME);
    assert_string_equal(run_limit_name(&b->run), "events");
    bench_free(b);
}

static void test_stop(void **state)
{
    struct bench *b = started("2", "10", "0");
    (void)state;
    assert_true(event(b, 0, MS));
    b->run.stop = 1;
    assert_false(event(b, 0, MS));
    assert_false(event(b, 1, MS));
    assert_int_equal(events(b), 1);
    assert_int_equal(b->run.limit, LIMIT_NONE); /* whoever stops the run says why */
    bench_free(b);
}

static void test_going_on(void **state)
{
    struct bench *b = started("1", "1", "0");
    struct worker *w = b->run.workers;
    (void)state;
    assert_true(worker_next(w));
    b->hand += 999 * MS;
    assert_true(worker_may_go_on(w));
    b->hand += MS;
    assert_false(worker_may_go_on(w));
    assert_string_equal(run_limit_name(&b->run), "time");
    bench_free(b);
    b = started("1", "0", "0");
    w = b->run.workers;
    assert_true(worker_next(w));
    b->hand += 1000 * SECOND;
    assert_true(worker_may_go_on(w));
    b->run.stop = 1;
    assert_false(worker_may_go_on(w));
    assert_int_equal(b->run.limit, LIMIT_NONE);
    bench_free(b);
}

/* --- warm-up ------------------------------------------------------------------------ */

static struct bench *warming(const char *threads, const char *event_limit)
{
    struct bench *b = bench_by_hand(&nothing);
    bench_set(b, "threads", threads);
    bench_set(b, "warmup-time", "1");
    bench_set(b, "time", "1");
    bench_set(b, "events", event_limit);
    start(b);
    return b;
}

/* Events of 300 ms: three lie in the warm-up, the fourth straddles its end and
 * counts, as do those that begin at 1.2, 1.5 and 1.8 s. */
static void test_warm_up(void **state)
{
    struct bench *b = warming("1", "0");
    struct worker *w = b->run.workers;
    int n = 0;
    (void)state;
    for (; n < 3; n++) {
        assert_true(event(b, 0, 300 * MS));
        stats_count(w->into, CNT_READ, 1);
    }
    assert_int_equal(events(b), 0);
    assert_int_equal(warm_events(b), 3);
    assert_int_equal(run_totals(&b->run)->counter[CNT_READ], 0);
    while (event(b, 0, 300 * MS)) {
        stats_count(w->into, CNT_READ, 1);
        n++;
    }
    assert_int_equal(n, 7);
    assert_int_equal(warm_events(b), 3);
    assert_int_equal(events(b), 4);
    assert_int_equal(run_totals(&b->run)->counter[CNT_READ], 4);
    assert_int_equal(run_totals(&b->run)->tally[LAT_EVENT].min_ns, 300 * MS);
    assert_string_equal(run_limit_name(&b->run), "time");
    bench_free(b);
}

static void test_an_event_over_everything(void **state)
{
    struct bench *b = warming("1", "0");
    (void)state;
    assert_true(event(b, 0, 10 * SECOND));
    assert_false(event(b, 0, 1));
    assert_int_equal(warm_events(b), 0);
    assert_int_equal(events(b), 1);
    bench_free(b);
}

/* In the warm-up the limit of events is lifted; afterwards it is exact, those
 * that straddle included. */
static void test_warm_up_and_event_limit(void **state)
{
    struct bench *b = warming("3", "10");
    (void)state;
    for (int i = 0; i < 60; i++)
        assert_true(event(b, (unsigned)i % 3, MS));
    assert_int_equal(events(b), 0);
    assert_int_equal(b->run.tickets, 0);
    for (unsigned i = 0; i < 3; i++)
        assert_true(worker_next(&b->run.workers[i]));
    b->hand = b->run.start_ns + MS;
    for (unsigned i = 0; i < 3; i++)
        worker_done(&b->run.workers[i]);
    assert_int_equal(events(b), 3);
    for (unsigned i = 0, refused = 0; refused < 3; i++)
        refused += !event(b, i % 3, MS);
    assert_int_equal(events(b), 10);
    assert_int_equal(warm_events(b), 60);
    assert_string_equal(run_limit_name(&b->run), "events");
    bench_free(b);
}

/* More events straddle than may be counted. */
static void test_fewer_events_than_workers(void **state)
{
    struct bench *b = warming("3", "2");
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_true(worker_next(&b->run.workers[i]));
    b->hand = b->run.start_ns + MS;
    for (unsigned i = 0; i < 3; i++)
        worker_done(&b->run.workers[i]);
    for (unsigned i = 0; i < 3; i++)
        assert_false(event(b, i, MS));
    assert_int_equal(events(b), 2);
    assert_int_equal(warm_events(b), 1);
    bench_free(b);
}

/* --- with a rate ------------------------------------------------------------------------ */

static struct bench *paced(const char *rate, const char *time, const char *drain)
{
    struct bench *b = bench_by_hand(&nothing);
    bench_set(b, "rate", rate);
    bench_set(b, "rate-pace", "fixed");
    bench_set(b, "rate-drain", drain);
    bench_set(b, "time", time);
    start(b);
    return b;
}

/* Ten a second are planned, each takes 250 ms: from the plan they wait longer
 * and longer. */
static void test_latency_counts_from_the_plan(void **state)
{
    struct bench *b = paced("10", "10", "off");
    struct worker *w = b->run.workers;
    (void)state;
    assert_false(w->simple);
    b->hand += 100 * MS;
    for (uint64_t i = 0; i < 4; i++) {
        assert_true(worker_next(w));
        assert_int_equal(w->began_ns, 100 * SECOND + (i + 1) * 100 * MS);
        assert_int_equal(w->served_ns, b->hand);
        b->hand += 250 * MS;
        worker_done(w);
        assert_int_equal(w->served_ns, 0);
    }
    const struct snapshot *s = run_totals(&b->run);
    const struct tally *all = &s->tally[LAT_EVENT], *service = &s->tally[b->run.service_latency];
    assert_int_equal(all->count, 4);
    assert_int_equal(all->min_ns, 250 * MS);
    assert_int_equal(all->max_ns, 700 * MS); /* begun 450 ms late */
    assert_int_equal(service->count, 4);
    assert_int_equal(service->sum_ns, 1000 * MS);
    assert_int_equal(service->max_ns, 250 * MS);
    assert_int_equal(pacer_backlog(b->run.pacer, b->hand), 7);
    bench_free(b);
}

/* A loop with a queue keeps a start and does other things until then. */
static void test_a_start_is_taken_before_it_is_due(void **state)
{
    struct bench *b = paced("10", "0.25", "off");
    struct worker *w = b->run.workers;
    uint64_t at, now = b->hand;
    (void)state;
    for (uint64_t i = 1; i <= 2; i++) {
        assert_true(worker_plan(w, &at));
        assert_int_equal(at, now + i * 100 * MS);
        assert_int_equal(worker_due(w, at), at);
        assert_int_equal(w->served_ns, 0);
        b->hand = at + MS;
        w->now_ns = at + MS;
        assert_true(worker_begin(w, at));
        assert_int_equal(w->began_ns, at);
        worker_done(w);
    }
    assert_true(worker_plan(w, &at));
    assert_int_equal(worker_due(w, at), now + 250 * MS);
    b->hand = now + 250 * MS;
    w->now_ns = now + 250 * MS;
    assert_false(worker_begin(w, at));
    assert_string_equal(run_limit_name(&b->run), "time");
    assert_int_equal(events(b), 2);
    bench_free(b);
}

/* Six of ten planned starts were late at the limit: left where they are … */
static void test_without_drain_late_events_are_left(void **state)
{
    struct bench *b = paced("10", "1", "off");
    (void)state;
    b->hand += 100 * MS;
    for (int i = 0; i < 4; i++)
        assert_true(event(b, 0, 250 * MS));
    assert_false(event(b, 0, 250 * MS));
    assert_int_equal(events(b), 4);
    assert_string_equal(run_limit_name(&b->run), "time");
    bench_free(b);
}

/* … or run, all that were planned within the time and no more. */
static void test_drain(void **state)
{
    struct bench *b = paced("10", "1.05", "on");
    int n = 0;
    (void)state;
    b->hand += 100 * MS;
    while (event(b, 0, 250 * MS))
        n++;
    assert_int_equal(n, 10);
    assert_int_equal(events(b), 10);
    assert_string_equal(run_limit_name(&b->run), "time");
    bench_free(b);
}

/* Ten a second are planned, each takes 250 ms, none may be later than 200 ms:
 * those that would be are dropped, and nothing piles up. */
static void test_drop(void **state)
{
    struct bench *b = bench_by_hand(&nothing);
    uint64_t n = 0;
    (void)state;
    bench_set(b, "rate", "10");
    bench_set(b, "rate-pace", "fixed");
    bench_set(b, "rate-drop", "200ms");
    bench_set(b, "time", "10.05");
    start(b);
    b->hand += 100 * MS;
    while (event(b, 0, 250 * MS))
        n++;
    const struct snapshot *s = run_totals(&b->run);
    assert_int_equal(snapshot_events(s), n);
    assert_in_range(n, 39, 41);
    assert_true(s->tally[LAT_EVENT].max_ns <= 450 * MS);
    assert_in_range(n + s->counter[b->run.dropped_counter], 97, 100); /* some are left */
    assert_in_range(s->counter[b->run.late_counter], n / 2, n); /* all that were not on time */
    assert_string_equal(b->run.names.counter[b->run.late_counter], "late");
    bench_free(b);
}

/* Moves the clock on while the worker waits; stops the run at `stop_at`. */
struct mover {
    struct bench *bench;
    uint64_t stop_at;
    _Atomic bool over;
};

static void *move_on(void *arg)
{
    struct mover *m = arg;
    while (!m->over) {
        if (atomic_fetch_add(&m->bench->hand, MS) + MS >= m->stop_at)
            m->bench->run.stop = 1;
        usleep(100);
    }
    return NULL;
}

static void test_waiting_for_the_plan(void **state)
{
    struct bench *b = paced("20", "10", "off");
    struct worker *w = b->run.workers;
    struct mover m = {b, UINT64_MAX, false};
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, move_on, &m), 0);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_true(worker_next(w));
        assert_int_equal(w->began_ns, 100 * SECOND + i * 50 * MS);
        assert_true(w->now_ns >= w->began_ns); /* never early */
        worker_done(w);
    }
    m.over = true;
    pthread_join(thread, NULL);
    bench_free(b);
}

/* Ten a second are planned, the warm-up's take a second each and so pile up: the
 * measurement begins with its own starts, none of which waits. */
static void test_the_backlog_of_the_warm_up_is_left_behind(void **state)
{
    struct bench *b = bench_by_hand(&nothing);
    (void)state;
    bench_set(b, "rate", "10");
    bench_set(b, "rate-pace", "fixed");
    bench_set(b, "warmup-time", "4.05");
    bench_set(b, "time", "2");
    start(b);
    b->hand += 100 * MS;
    while (b->hand < b->run.start_ns)
        assert_true(event(b, 0, SECOND));
    uint64_t late_in_warm_up = events(b); /* the one that straddles the border */
    while (event(b, 0, 0) && events(b) < 9)
        b->hand += 100 * MS;
    const struct snapshot *s = run_totals(&b->run);
    assert_in_range(late_in_warm_up, 0, 1);
    assert_int_equal(s->counter[b->run.dropped_counter], 0);
    assert_true(s->tally[b->run.service_latency].max_ns <= SECOND);
    /* from the border on nobody waits longer than the event that straddled it */
    assert_true(s->tally[LAT_EVENT].min_ns < 100 * MS);
    assert_true(pacer_backlog(b->run.pacer, b->hand) <= 12);
    bench_free(b);
}

/* The warm-up ends while the worker waits for its next start: the limit of
 * events holds for that one, too. */
static void test_the_warm_up_ends_while_waiting(void **state)
{
    struct bench *b = bench_by_hand(&nothing);
    struct mover m = {b, UINT64_MAX, false};
    pthread_t thread;
    (void)state;
    bench_set(b, "rate", "20");
    bench_set(b, "rate-pace", "fixed");
    bench_set(b, "warmup-time", "0.12");
    bench_set(b, "events", "3");
    start(b);
    assert_int_equal(pthread_create(&thread, NULL, move_on, &m), 0);
    while (worker_next(b->run.workers))
        worker_done(b->run.workers);
    m.over = true;
    pthread_join(thread, NULL);
    assert_in_range(warm_events(b), 0, 2); /* planned at 50 and 100 ms */
    assert_int_equal(events(b), 3);
    assert_string_equal(run_limit_name(&b->run), "events");
    bench_free(b);
}

/* The next start lies an hour ahead; a stop reaches the sleeper all the same. */
static void test_stop_while_waiting(void **state)
{
    struct bench *b = paced("0.0002777", "0", "off");
    struct mover m = {b, 100 * SECOND + 20 * MS, false};
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, move_on, &m), 0);
    assert_false(worker_next(b->run.workers));
    m.over = true;
    pthread_join(thread, NULL);
    assert_int_equal(events(b), 0);
    bench_free(b);
}

/* Moves the time limit to where the clock will soon be, as --until-steady does. */
static void *limit_soon(void *arg)
{
    struct mover *m = arg;
    usleep(10000); /* most likely the worker is asleep by then */
    m->bench->run.end_ns = m->bench->hand + MS;
    return move_on(arg);
}

static void test_the_limit_moves_while_waiting(void **state)
{
    struct bench *b = paced("0.0002777", "7200", "off");
    struct mover m = {b, UINT64_MAX, false};
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, limit_soon, &m), 0);
    assert_false(worker_next(b->run.workers));
    m.over = true;
    pthread_join(thread, NULL);
    assert_string_equal(run_limit_name(&b->run), "time");
    assert_true(b->hand < 3600 * SECOND); /* not first when the start was due */
    bench_free(b);
}

/* The next start lies behind the time limit: the worker leaves at the limit. */
static void test_no_further_start_before_the_limit(void **state)
{
    struct bench *b = paced("0.0002777", "0.1", "on");
    struct mover m = {b, UINT64_MAX, false};
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, move_on, &m), 0);
    assert_false(worker_next(b->run.workers));
    m.over = true;
    pthread_join(thread, NULL);
    assert_true(b->run.workers[0].now_ns >= b->run.end_ns);
    assert_string_equal(run_limit_name(&b->run), "time");
    bench_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_of_one_is_start_of_the_next),
        cmocka_unit_test(test_a_clock_that_steps_back_counts_nothing),
        cmocka_unit_test(test_operations_inside_of_an_event),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_no_time_limit),
        cmocka_unit_test(test_event_limit_over_workers),
        cmocka_unit_test(test_the_first_limit_is_the_one),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_going_on),
        cmocka_unit_test(test_warm_up),
        cmocka_unit_test(test_an_event_over_everything),
        cmocka_unit_test(test_warm_up_and_event_limit),
        cmocka_unit_test(test_fewer_events_than_workers),
        cmocka_unit_test(test_latency_counts_from_the_plan),
        cmocka_unit_test(test_a_start_is_taken_before_it_is_due),
        cmocka_unit_test(test_without_drain_late_events_are_left),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_waiting_for_the_plan),
        cmocka_unit_test(test_the_backlog_of_the_warm_up_is_left_behind),
        cmocka_unit_test(test_the_warm_up_ends_while_waiting),
        cmocka_unit_test(test_stop_while_waiting),
        cmocka_unit_test(test_the_limit_moves_while_waiting),
        cmocka_unit_test(test_no_further_start_before_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
