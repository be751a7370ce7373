#include "unit.h"

#include "base/dist.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static const struct dist_options usual = {.kind = DIST_SPECIAL,
                                          .iterations = 12,
                                          .special_pct = 1,
                                          .special_res = 75,
                                          .pareto_h = 0.2,
                                          .zipfian_theta = 0.8};

static struct rng seeded(unsigned seed)
{
    struct rng_seeder s;
    struct rng r;
    rng_seeder_init(&s, seed);
    rng_init(&r, &s);
    return r;
}

/* Printed by sysbench 1.0.20 with --rand-seed=42 --threads=1: one event that draws
 * in this order. */
static void test_vectors_of_sysbench(void **state)
{
    static const struct {
        enum dist_kind kind;
        uint32_t a, b, value;
    } draws[] = {
        {DIST_UNIFORM, 1, 1000000, 703958},
        {DIST_UNIFORM, 0, UINT32_MAX, 0},
        {DIST_UNIFORM, 5, 4, 5},
        {DIST_GAUSSIAN, 1, 1000000, 632810},
        {DIST_GAUSSIAN, 0, UINT32_MAX, 0},
        {DIST_GAUSSIAN, 5, 4, 5},
        {DIST_SPECIAL, 1, 1000000, 502682},
        {DIST_SPECIAL, 0, UINT32_MAX, 2147152010u},
        {DIST_SPECIAL, 5, 5, 5},
        {DIST_SPECIAL, 1, 3, 2},
        {DIST_PARETO, 1, 1000000, 3093},
        {DIST_PARETO, 0, UINT32_MAX, 0},
        {DIST_PARETO, 5, 4, 5},
        {DIST_SPECIAL, 1, 1000000, 498515},
    };
    char text[] = "##-@@@";
    struct rng r = seeded(42);
    struct dist d;
    (void)state;
    dist_init(&d, &usual);
    assert_int_equal(rng_next(&r), UINT64_C(6678695823595818893));
    for (size_t i = 0; i < LENGTH(draws); i++)
        assert_int_equal(dist_narrow(&d, draws[i].kind, &r, draws[i].a, draws[i].b),
                         draws[i].value);
    dist_string(&r, text, sizeof text - 1, text);
    assert_string_equal(text, "25-wtm");
}

/* Where 32 bits are enough both widths draw the same. */
static void test_wide_equals_narrow(void **state)
{
    static const uint32_t ranges[][2] = {
        {1, 1000000}, {0, UINT32_MAX - 1}, {7, 7}, {3000000000u, 4294967290u}, {0, 1}};
    struct dist d;
    (void)state;
    dist_init(&d, &usual);
    for (int kind = 0; kind < DIST_KINDS; kind++)
        for (size_t i = 0; i < LENGTH(ranges); i++) {
            struct rng narrow = seeded(7), wide = seeded(7);
            for (int k = 0; k < 2000; k++)
                assert_int_equal(dist_narrow(&d, kind, &narrow, ranges[i][0], ranges[i][1]),
                                 dist_wide(&d, kind, &wide, ranges[i][0], ranges[i][1]));
        }
}

static void test_wide_ranges(void **state)
{
    const double most = 9007199254740992.0; /* 2^53 */
    const double ranges[][2] = {{-5, 5},       {0, UINT32_MAX},  {1, 1099511627776.0},
                                {-most, most}, {most - 1, most}, {-1.9, 0.9}};
    struct rng r = seeded(3);
    struct dist d;
    (void)state;
    dist_init(&d, &usual);
    for (int kind = 0; kind < DIST_KINDS; kind++)
        for (size_t i = 0; i < LENGTH(ranges); i++)
            for (int k = 0; k < 2000; k++) {
                double v = dist_wide(&d, kind, &r, ranges[i][0], ranges[i][1]);
                assert_true(v >= trunc(ranges[i][0]) && v <= trunc(ranges[i][1]));
                assert_true(v == floor(v));
            }
    assert_true(dist_wide(&d, DIST_UNIFORM, &r, 9, 8) == 9);
    assert_true(dist_wide(&d, DIST_SPECIAL, &r, 9, 2) == 9);
}

/* Each rank comes as often as its weight says, within 5 standard deviations. */
static void check_zipf(double theta, unsigned n)
{
    const unsigned draws = 100000;
    struct dist_options o = usual;
    struct rng r = seeded(11);
    struct dist d;
    double weights = 0;
    unsigned *seen = calloc(n + 1, sizeof *seen);
    assert_non_null(seen);
    o.zipfian_theta = theta;
    dist_init(&d, &o);
    for (unsigned i = 0; i < draws; i++)
        seen[dist_narrow(&d, DIST_ZIPFIAN, &r, 1, n)]++;
    for (unsigned k = 1; k <= n; k++)
        weights += pow(k, -theta);
    for (unsigned k = 1; k <= n; k++) {
        double p = pow(k, -theta) / weights, mean = p * draws;
        assert_true(fabs(seen[k] - mean) <= 5 * sqrt(mean * (1 - p)) + 1e-9);
    }
    free(seen);
}

static void test_zipf(void **state)
{
    static const double thetas[] = {0, 0.5, 0.8, 1, 1.0000001, 2, 5};
    (void)state;
    for (size_t i = 0; i < LENGTH(thetas); i++) {
        check_zipf(thetas[i], 1);
        check_zipf(thetas[i], 20);
    }
}

static void test_varstring(void **state)
{
    struct rng r = seeded(5);
    char out[8];
    unsigned seen[8] = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint32_t n = dist_varstring(&r, out, 2, 5);
        assert_in_range(n, 2, 5);
        seen[n]++;
        for (uint32_t k = 0; k < n; k++)
            assert_in_range(out[k], '0', 'z');
    }
    for (unsigned n = 2; n <= 5; n++)
        assert_true(seen[n] > 150);
}

/* The first numbers of every process of sysbench 1.0.20, whose seeds are the 6th
 * and 5th numbers of the C library. */
static void test_unique_of_sysbench(void **state)
{
    static const uint32_t values[] = {2672933100u, 2916245674u, 2834291422u, 4086920756u};
    struct rng_seeder s;
    struct rng r;
    struct unique u;
    (void)state;
    rng_seeder_init(&s, 1);
    rng_init(&r, &s);
    uint32_t offset = rng_seeder_next(&s);
    unique_init(&u, rng_seeder_next(&s), offset);
    for (size_t i = 0; i < LENGTH(values); i++)
        assert_int_equal(unique_next(&u), values[i]);
}

#define PER_THREAD 50000
struct drawer {
    struct unique *u;
    uint32_t value[PER_THREAD];
};

static void *draw(void *arg)
{
    struct drawer *d = arg;
    for (int i = 0; i < PER_THREAD; i++)
        d->value[i] = unique_next(d->u);
    return NULL;
}

static int order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void test_unique_over_threads(void **state)
{
    enum { THREADS = 3 };
    static struct drawer d[THREADS];
    static uint32_t all[THREADS * PER_THREAD];
    pthread_t t[THREADS];
    struct unique u;
    (void)state;
    unique_init(&u, 0xfffffff0u, 12345); /* the index wraps on the way */
    for (int i = 0; i < THREADS; i++) {
        d[i].u = &u;
        assert_int_equal(pthread_create(&t[i], NULL, draw, &d[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        memcpy(all + i * PER_THREAD, d[i].value, sizeof d[i].value);
    }
    qsort(all, LENGTH(all), sizeof all[0], order);
    for (size_t i = 1; i < LENGTH(all); i++)
        assert_true(all[i - 1] < all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors_of_sysbench), cmocka_unit_test(test_wide_equals_narrow),
        cmocka_unit_test(test_wide_ranges),         cmocka_unit_test(test_zipf),
        cmocka_unit_test(test_varstring),           cmocka_unit_test(test_unique_of_sysbench),
        cmocka_unit_test(test_unique_over_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
