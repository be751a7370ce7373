#include "unit.h"

#include "run/pacer.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#define ZERO UINT64_C(5000000000) /* where the run's clock stands at the start */
#define SECOND UINT64_C(1000000000)

static void make(struct pacer *p, double rate, enum rate_pace pace)
{
    struct rng_seeder seeds;
    rng_seeder_init(&seeds, 99);
    pacer_init(p, rate, 0, pace, &seeds);
    pacer_start(p, ZERO);
}

/* Takes every start up to until_ns and says how many there were. */
static uint64_t take_until(struct pacer *p, uint64_t until_ns)
{
    uint64_t n = 0, last = 0;
    for (;; n++) {
        uint64_t at = pacer_take(p);
        assert_true(at >= last);
        last = at;
        if (at > until_ns)
            return n;
    }
}

static void test_fixed_pace_is_exact(void **state)
{
    static const unsigned rates[] = {1, 2, 4, 10, 1000, 50000};
    (void)state;
    for (size_t i = 0; i < LENGTH(rates); i++) {
        struct pacer p;
        make(&p, rates[i], PACE_FIXED);
        for (uint64_t n = 1; n <= 3 * rates[i]; n++)
            assert_int_equal(pacer_take(&p), ZERO + n * SECOND / rates[i]);
        assert_int_equal(p.taken, 3 * rates[i]);
        pacer_release(&p);
    }
}

static void test_fractional_rate(void **state)
{
    struct pacer p;
    (void)state;
    make(&p, 0.5, PACE_FIXED);
    assert_int_equal(pacer_take(&p), ZERO + 2 * SECOND);
    assert_int_equal(pacer_take(&p), ZERO + 4 * SECOND);
    pacer_release(&p);
}

/* N starts are expected, with a standard deviation of sqrt(N). */
static void test_poisson_count(void **state)
{
    static const double rates[] = {50, 1000, 20000};
    (void)state;
    for (size_t i = 0; i < LENGTH(rates); i++) {
        struct pacer p;
        double expected = rates[i] * 10;
        make(&p, rates[i], PACE_POISSON);
        assert_between((double)take_until(&p, ZERO + 10 * SECOND), expected - 5 * sqrt(expected),
                       expected + 5 * sqrt(expected));
        pacer_release(&p);
    }
}

/* Of exponential gaps the mean is the standard deviation, and 1/e of them are
 * longer than the mean. */
static void test_poisson_gaps(void **state)
{
    enum { N = 100000 };
    struct pacer p;
    double sum = 0, squares = 0, longer = 0;
    uint64_t last = ZERO;
    (void)state;
    make(&p, 1000, PACE_POISSON);
    for (int i = 0; i < N; i++) {
        uint64_t at = pacer_take(&p);
        double gap = (double)(at - last) / 1e6;
        last = at;
        sum += gap;
        squares += gap * gap;
        longer += gap > 1;
    }
    double mean = sum / N, deviation = sqrt(squares / N - mean * mean);
    assert_between(mean, 0.98, 1.02);
    assert_between(deviation, 0.97, 1.03);
    assert_between(longer / N, exp(-1) - 0.01, exp(-1) + 0.01);
    pacer_release(&p);
}

static void test_the_plan_follows_the_seed(void **state)
{
    struct pacer a, b;
    struct rng_seeder other;
    (void)state;
    make(&a, 100, PACE_POISSON);
    make(&b, 100, PACE_POISSON);
    for (int i = 0; i < 50; i++)
        assert_int_equal(pacer_take(&a), pacer_take(&b));
    pacer_release(&b);
    rng_seeder_init(&other, 100);
    pacer_init(&b, 100, 0, PACE_POISSON, &other);
    pacer_start(&b, ZERO);
    assert_int_not_equal(pacer_take(&a), pacer_take(&b));
    pacer_release(&a);
    pacer_release(&b);
}

/* The number said to be behind is the one that taking one by one gives, at any
 * moment and however many were taken before. */
static void test_backlog(void **state)
{
    struct rng_seeder seeds;
    struct rng r;
    (void)state;
    rng_seeder_init(&seeds, 3);
    rng_init(&r, &seeds);
    for (int round = 0; round < 300; round++) {
        struct pacer p;
        uint64_t now = ZERO + rng_below(&r, 2 * SECOND);
        make(&p, 1 + rng_double(&r) * 2000, round % 2 ? PACE_FIXED : PACE_POISSON);
        for (uint64_t i = rng_below(&r, 500); i > 0; i--)
            pacer_take(&p);
        uint64_t taken = p.taken, backlog = pacer_backlog(&p, now);
        assert_int_equal(p.taken, taken); /* looking takes nothing */
        assert_int_equal(backlog, take_until(&p, now));
        pacer_release(&p);
    }
}

/* Just before, at and after each start. */
static void test_backlog_at_a_start(void **state)
{
    for (int pace = PACE_POISSON; pace <= PACE_FIXED; pace++) {
        struct pacer p, twin;
        (void)state;
        make(&p, 3000, pace);
        make(&twin, 3000, pace);
        for (int i = 0; i < 200; i++) {
            uint64_t at = pacer_take(&twin);
            assert_int_equal(pacer_backlog(&p, at - 1), 0);
            assert_int_equal(pacer_backlog(&p, at), 1);
            assert_int_equal(pacer_take(&p), at);
        }
        pacer_release(&p);
        pacer_release(&twin);
    }
}

/* Half of the starts of a full rate fall into the climb, a quarter of these
 * into its first half; after it the distance is that of the rate. */
static void test_the_rate_climbs(void **state)
{
    struct rng_seeder seeds;
    struct pacer p;
    (void)state;
    rng_seeder_init(&seeds, 1);
    pacer_init(&p, 1000, 4, PACE_FIXED, &seeds);
    pacer_start(&p, ZERO);
    assert_between((double)pacer_backlog(&p, ZERO + 2 * SECOND), 499, 501);
    assert_between((double)take_until(&p, ZERO + 4 * SECOND), 1999, 2001);
    uint64_t one = pacer_take(&p);
    assert_between((double)(pacer_take(&p) - one), 999999, 1000001);
    pacer_release(&p);
}

static void test_no_backlog_before_the_start(void **state)
{
    struct pacer p;
    (void)state;
    make(&p, 1000, PACE_FIXED);
    assert_int_equal(pacer_backlog(&p, ZERO), 0);
    assert_int_equal(pacer_backlog(&p, 0), 0);
    pacer_release(&p);
}

/* So far behind that it is not counted one by one any more. */
static void test_huge_backlog(void **state)
{
    struct pacer p;
    (void)state;
    make(&p, 1e9, PACE_FIXED);
    assert_int_equal(pacer_backlog(&p, ZERO + 3600 * SECOND), 3600 * SECOND);
    pacer_release(&p);
    make(&p, 1e9, PACE_POISSON);
    assert_between((double)pacer_backlog(&p, ZERO + 100 * SECOND), 0.999e11, 1.001e11);
    pacer_release(&p);
}

#define THREADS 4
#define EACH 20000

struct taker {
    struct pacer *pacer;
    uint64_t at[EACH];
};

static void *take_many(void *arg)
{
    struct taker *t = arg;
    for (int i = 0; i < EACH; i++)
        t->at[i] = pacer_take(t->pacer);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Several threads together take exactly the plan that one would take. */
static void test_threads_share_one_plan(void **state)
{
    struct taker *t = calloc(THREADS, sizeof *t);
    uint64_t *all = malloc(THREADS * EACH * sizeof *all);
    struct pacer p, alone;
    pthread_t thread[THREADS];
    (void)state;
    make(&p, 5000, PACE_POISSON);
    make(&alone, 5000, PACE_POISSON);
    for (int i = 0; i < THREADS; i++) {
        t[i].pacer = &p;
        assert_int_equal(pthread_create(&thread[i], NULL, take_many, &t[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        memcpy(all + i * EACH, t[i].at, sizeof t[i].at);
        for (int k = 1; k < EACH; k++)
            assert_true(t[i].at[k] >= t[i].at[k - 1]);
    }
    qsort(all, THREADS * EACH, sizeof *all, by_value);
    for (int i = 0; i < THREADS * EACH; i++)
        assert_int_equal(all[i], pacer_take(&alone));
    assert_int_equal(p.taken, THREADS * EACH);
    pacer_release(&p);
    pacer_release(&alone);
    free(all);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_pace_is_exact),
        cmocka_unit_test(test_fractional_rate),
        cmocka_unit_test(test_poisson_count),
        cmocka_unit_test(test_poisson_gaps),
        cmocka_unit_test(test_the_plan_follows_the_seed),
        cmocka_unit_test(test_backlog),
        cmocka_unit_test(test_backlog_at_a_start),
        cmocka_unit_test(test_the_rate_climbs),
        cmocka_unit_test(test_no_backlog_before_the_start),
        cmocka_unit_test(test_huge_backlog),
        cmocka_unit_test(test_threads_share_one_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
