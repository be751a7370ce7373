#include "unit.h"

#include "base/rng.h"

#include <math.h>

static struct rng seeded(unsigned seed)
{
    struct rng_seeder s;
    struct rng r;
    rng_seeder_init(&s, seed);
    rng_init(&r, &s);
    return r;
}

/* What sysbench 1.0.20 prints for --threads=1 --rand-seed=42 with an event that
 * prints uniform_uint64() and uniform(1, 1000000). With percentiles on it draws
 * one further number after each event. */
static void test_vector_of_sysbench(void **state)
{
    static const uint64_t events[][2] = {{UINT64_C(6678695823595818893), 703958},
                                         {UINT64_C(11277125147607730155), 264063},
                                         {UINT64_C(15551418961449211741), 606319}};
    struct rng r = seeded(42);
    (void)state;
    for (size_t i = 0; i < LENGTH(events); i++) {
        assert_int_equal(rng_next(&r), events[i][0]);
        assert_int_equal(1 + rng_below(&r, 1000000), events[i][1]);
        rng_next(&r);
    }
}

static void test_vector_without_percentiles(void **state)
{
    struct rng r = seeded(42);
    (void)state;
    assert_int_equal(rng_next(&r), UINT64_C(6678695823595818893));
    assert_int_equal(1 + rng_below(&r, 1000000), 703958);
    assert_int_equal(rng_next(&r), UINT64_C(13785426779914018964));
    assert_int_equal(1 + rng_below(&r, 1000000), 611335);
}

/* The C library starts as with srandom(1). */
static void test_vector_of_the_main_thread(void **state)
{
    struct rng r = seeded(1);
    (void)state;
    assert_int_equal(1 + rng_below(&r, 1000000), 811644);
}

/* The seeder gives what random() gives, from a state of its own: nothing that
 * the process does with random() moves it. */
static void test_seeder_is_private(void **state)
{
    struct rng_seeder s;
    uint32_t expected[100];
    (void)state;
    srandom(7);
    for (size_t i = 0; i < LENGTH(expected); i++)
        expected[i] = (uint32_t)random();
    rng_seeder_init(&s, 7);
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(rng_seeder_next(&s), expected[i]);
        random();
    }
}

static void test_seeds_differ(void **state)
{
    struct rng a = seeded(1), b = seeded(2);
    struct rng_seeder s;
    struct rng first, second;
    (void)state;
    assert_int_not_equal(rng_next(&a), rng_next(&b));
    rng_seeder_init(&s, 3);
    rng_init(&first, &s);
    rng_init(&second, &s);
    assert_int_not_equal(rng_next(&first), rng_next(&second));
}

static void test_double_is_even(void **state)
{
    enum { N = 200000 };
    struct rng r = seeded(5);
    double sum = 0, squares = 0;
    (void)state;
    for (int i = 0; i < N; i++) {
        double x = rng_double(&r);
        assert_true(x >= 0 && x < 1);
        sum += x;
        squares += x * x;
    }
    double mean = sum / N, variance = squares / N - mean * mean;
    assert_between(mean, 0.495, 0.505); /* seven standard errors and more */
    assert_between(variance, 1.0 / 12 - 0.002, 1.0 / 12 + 0.002);
}

static void test_double_at_its_ends(void **state)
{
    struct rng low = {{0, 0}}, high = {{UINT64_MAX, 0}};
    (void)state;
    assert_true(rng_double(&low) == 0);
    double x = rng_double(&high);
    assert_true(x < 1 && x > 1 - 1e-15);
}

static void test_below(void **state)
{
    static const uint64_t limits[] = {1, 2, 3, 10, 4096, 1000000007, UINT64_C(1) << 50};
    struct rng r = seeded(9);
    unsigned hits[10] = {0};
    (void)state;
    for (size_t k = 0; k < LENGTH(limits); k++)
        for (int i = 0; i < 1000; i++)
            assert_true(rng_below(&r, limits[k]) < limits[k]);
    for (int i = 0; i < 100000; i++)
        hits[rng_below(&r, 10)]++;
    for (int i = 0; i < 10; i++)
        assert_in_range(hits[i], 9400, 10600); /* six standard errors */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vector_of_sysbench),
        cmocka_unit_test(test_vector_without_percentiles),
        cmocka_unit_test(test_vector_of_the_main_thread),
        cmocka_unit_test(test_seeder_is_private),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_double_is_even),
        cmocka_unit_test(test_double_at_its_ends),
        cmocka_unit_test(test_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
