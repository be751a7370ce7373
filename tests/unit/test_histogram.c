#include "unit.h"

#include "base/rng.h"
#include "stats/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct hist_grid grid;

static int make_grid(void **state)
{
    (void)state;
    hist_grid_init(&grid);
    return 0;
}

/* Values of every magnitude: so many low bits of a random number. */
static uint64_t any_value(struct rng *r, unsigned bits)
{
    return bits ? rng_next(r) >> (64 - bits) : 0;
}

static struct rng seeded(void)
{
    struct rng_seeder s;
    struct rng r;
    rng_seeder_init(&s, 4711);
    rng_init(&r, &s);
    return r;
}

static bool is_used(unsigned bucket)
{
    return bucket % 2 == 0 || grid.split[bucket / 2] != UINT64_MAX;
}

/* The used buckets follow each other from 0 to the end without gap or overlap. */
static void test_buckets_cover_everything(void **state)
{
    uint64_t expected = 0;
    (void)state;
    for (unsigned i = 0; i < HIST_N; i++) {
        if (!is_used(i))
            continue;
        assert_int_equal(hist_low(&grid, i), expected);
        assert_true(hist_high(&grid, i) >= hist_low(&grid, i));
        expected = hist_high(&grid, i) + 1;
    }
    assert_int_equal(expected, 0); /* the last one ends at UINT64_MAX */
}

static void test_bounds_fit_the_bucket(void **state)
{
    (void)state;
    for (unsigned i = 0; i + 2 < HIST_N; i++) {
        if (!is_used(i))
            continue;
        assert_int_equal(hist_bucket(&grid, hist_low(&grid, i)), i);
        assert_int_equal(hist_bucket(&grid, hist_high(&grid, i)), i);
    }
    assert_true(hist_bucket(&grid, UINT64_MAX) < HIST_N);
    assert_int_equal(hist_plain(UINT64_MAX), HIST_PLAIN - 1);
    assert_int_equal(hist_plain((UINT64_C(1) << (HIST_TOP_BIT + 1)) - 1), HIST_PLAIN - 1);
}

static void test_any_value_lies_in_its_bucket(void **state)
{
    struct rng r = seeded();
    (void)state;
    for (unsigned i = 0; i < 400000; i++) {
        uint64_t ns = any_value(&r, i % 65);
        unsigned bucket = hist_bucket(&grid, ns);
        assert_true(bucket < HIST_N);
        if (ns < hist_low(&grid, bucket) || ns > hist_high(&grid, bucket))
            fail_msg("%llu is not in its bucket %u", (unsigned long long)ns, bucket);
    }
}

static void test_order_is_kept(void **state)
{
    struct rng r = seeded();
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t a = any_value(&r, i % 65), b = i % 3 ? any_value(&r, i % 65) : a;
        b += a == b && b != UINT64_MAX; /* now and then the next one */
        if (a <= b)
            assert_true(hist_bucket(&grid, a) <= hist_bucket(&grid, b));
        else
            assert_true(hist_bucket(&grid, a) >= hist_bucket(&grid, b));
    }
}

/* The promise of the header: the middle of a bucket is within 0.8 % of all. */
static void test_error_of_the_middle(void **state)
{
    uint64_t end = UINT64_C(1) << (HIST_TOP_BIT + 1);
    (void)state;
    for (unsigned i = 0; i < HIST_N; i++) {
        double low = (double)hist_low(&grid, i), high = (double)hist_high(&grid, i);
        if (!is_used(i) || hist_high(&grid, i) >= end)
            continue;
        double middle = low + (high - low) / 2;
        if (high - middle > 0.008 * high || middle - low > 0.008 * low)
            fail_msg("bucket %u: %.17g to %.17g is too wide", i, low, high);
    }
}

/* sysbench's formula, written a second time. */
static unsigned sysbench_bin(double ms)
{
    double i =
        ms <= 0 ? 0 : floor((log(ms) - log(0.001)) * 1023 / (log(100000) - log(0.001)) + 0.5);
    return i < 0 ? 0 : i > 1023 ? 1023 : (unsigned)i;
}

static void test_grid_of_sysbench(void **state)
{
    (void)state;
    assert_between(hist_bin_ms(0), 0.001 - 1e-12, 0.001 + 1e-12);
    assert_between(hist_bin_ms(1023), 100000 - 1e-6, 100000 + 1e-6);
    assert_between(hist_bin_ms(512) / hist_bin_ms(511), 1.0181, 1.0182);
    assert_int_equal(hist_bin_of_ms(-1), 0);
    assert_int_equal(hist_bin_of_ms(0), 0);
    assert_int_equal(hist_bin_of_ms(1e-9), 0);
    assert_int_equal(hist_bin_of_ms(1e9), 1023);
    for (unsigned i = 0; i < SYSBENCH_BINS; i++) {
        assert_int_equal(hist_bin_of_ms(hist_bin_ms(i)), i);
        assert_int_equal(sysbench_bin(hist_bin_ms(i)), i);
    }
}

/* The reason for the halves: counting by bucket loses nothing of sysbench's
 * own grid, for any value. */
static void test_bins_are_exact(void **state)
{
    struct rng r = seeded();
    (void)state;
    for (unsigned i = 0; i < 400000; i++) {
        uint64_t ns = any_value(&r, i % 50);
        unsigned bin = grid.bin[hist_bucket(&grid, ns)];
        if (bin != hist_bin_of_ms((double)ns / 1e6) || bin != sysbench_bin((double)ns / 1e6))
            fail_msg("%llu ns: %u instead of %u", (unsigned long long)ns, bin,
                     sysbench_bin((double)ns / 1e6));
    }
}

static void test_bins_are_exact_at_the_borders(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SYSBENCH_BINS - 1; i++) {
        uint64_t border = (uint64_t)(sqrt(hist_bin_ms(i) * hist_bin_ms(i + 1)) * 1e6);
        for (uint64_t ns = border - 3; ns <= border + 3; ns++)
            assert_int_equal(grid.bin[hist_bucket(&grid, ns)], sysbench_bin((double)ns / 1e6));
    }
}

static void test_recording(void **state)
{
    struct latency *l = aligned_alloc(64, sizeof *l);
    _Atomic uint64_t *bucket = calloc(HIST_N, sizeof *bucket);
    struct rng r = seeded();
    uint64_t sum = 0, min = UINT64_MAX, max = 0, counted = 0;
    (void)state;
    assert_non_null(l);
    assert_non_null(bucket);
    memset(l, 0, sizeof *l);
    latency_init(l, &grid, bucket);
    assert_int_equal(l->count, 0);
    assert_int_equal(l->min_ns, UINT64_MAX);
    assert_int_equal(l->max_ns, 0);
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t ns = any_value(&r, 10 + i % 40);
        unsigned bucket = hist_bucket(&grid, ns);
        uint64_t before = latency_in(l, bucket);
        latency_record(l, ns);
        assert_int_equal(latency_in(l, bucket), before + 1); /* although it is stored later */
        sum += ns;
        min = ns < min ? ns : min;
        max = ns > max ? ns : max;
    }
    for (unsigned i = 0; i < HIST_N; i++)
        counted += latency_in(l, i);
    assert_int_equal(l->count, 10000);
    assert_int_equal(counted, 10000);
    assert_int_equal(l->sum_ns, sum);
    assert_int_equal(l->min_ns, min);
    assert_int_equal(l->max_ns, max);
    free(bucket);
    free(l);
}

static void test_extreme_values_are_recorded(void **state)
{
    struct latency *l = aligned_alloc(64, sizeof *l);
    _Atomic uint64_t *bucket = calloc(HIST_N, sizeof *bucket);
    (void)state;
    assert_non_null(l);
    assert_non_null(bucket);
    memset(l, 0, sizeof *l);
    latency_init(l, &grid, bucket);
    latency_record(l, 0);
    latency_record(l, UINT64_MAX);
    assert_int_equal(l->min_ns, 0);
    assert_int_equal(l->max_ns, UINT64_MAX);
    assert_int_equal(latency_in(l, hist_bucket(&grid, 0)), 1);
    assert_int_equal(latency_in(l, hist_bucket(&grid, UINT64_MAX)), 1);
    free(bucket);
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buckets_cover_everything),
        cmocka_unit_test(test_bounds_fit_the_bucket),
        cmocka_unit_test(test_any_value_lies_in_its_bucket),
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_error_of_the_middle),
        cmocka_unit_test(test_grid_of_sysbench),
        cmocka_unit_test(test_bins_are_exact),
        cmocka_unit_test(test_bins_are_exact_at_the_borders),
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_extreme_values_are_recorded),
    };
    return cmocka_run_group_tests(tests, make_grid, NULL);
}
