#include "unit.h"

#include "base/rng.h"
#include "stats/snapshot.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#define BLOCKS 3
#define LATENCIES 2

/* What every test starts with: statistics of three workers, empty. */
struct fixture {
    struct hist_grid grid;
    struct stats_pool pool;
    struct snapshot a, b, c;
    struct rng rng;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct rng_seeder seeds;
    struct err e = {0};
    hist_grid_init(&f->grid);
    rng_seeder_init(&seeds, 1234);
    rng_init(&f->rng, &seeds);
    *state = f;
    return stats_pool_init(&f->pool, BLOCKS, LATENCIES, &f->grid, &e) |
           snapshot_init(&f->a, LATENCIES, &f->grid, &e) |
           snapshot_init(&f->b, LATENCIES, &f->grid, &e) |
           snapshot_init(&f->c, LATENCIES, &f->grid, &e);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    snapshot_release(&f->a);
    snapshot_release(&f->b);
    snapshot_release(&f->c);
    stats_pool_release(&f->pool);
    free(f);
    return 0;
}

static void record(struct fixture *f, unsigned block, unsigned latency, uint64_t ns)
{
    latency_record(f->pool.stats[block].latency[latency], ns);
}

/* From 100 ns to 100 s, evenly on a log scale. */
static uint64_t any_latency(struct rng *r)
{
    return (uint64_t)(100 * exp(rng_double(r) * log(1e9)));
}

/* --- the pool ------------------------------------------------------------------ */

static void test_pool(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct stats *s = &f->pool.stats[i];
        assert_int_equal(s->latencies, LATENCIES);
        assert_int_equal((uintptr_t)s % 64, 0);
        for (unsigned k = 0; k < LATENCIES; k++) {
            char *at = (char *)s->latency[k];
            assert_int_equal((uintptr_t)at % 64, 0); /* no line is shared by two writers */
            assert_true(at >= (char *)f->pool.map);
            assert_true(at + sizeof(struct latency) <= (char *)f->pool.map + f->pool.size);
        }
    }
    stats_count(&f->pool.stats[1], CNT_READ, 5);
    stats_count(&f->pool.stats[1], CNT_READ, 2);
    record(f, 1, LAT_EVENT, 9);
    assert_int_equal(f->pool.stats[1].counter[CNT_READ], 7);
    assert_int_equal(stats_events(&f->pool.stats[1]), 1);
    assert_int_equal(stats_events(&f->pool.stats[0]), 0);
}

static void test_pool_too_large(void **state)
{
    struct fixture *f = *state;
    struct stats_pool p;
    struct err e = {0};
    (void)f;
    assert_int_equal(stats_pool_init(&p, UINT32_MAX, LAT_N, &f->grid, &e), -1);
    assert_err(&e, ERR_FAILED, "memory", "--threads");
    stats_pool_release(&p);
}

/* --- snapshots ----------------------------------------------------------------- */

static void test_empty(void **state)
{
    struct fixture *f = *state;
    snapshot_take(&f->a, &f->pool, 17);
    assert_int_equal(f->a.at_ns, 17);
    assert_int_equal(snapshot_events(&f->a), 0);
    assert_int_equal(f->a.tally[0].min_ns, 0);
    assert_int_equal(f->a.tally[0].max_ns, 0);
    assert_true(tally_percentile(&f->a.tally[0], &f->grid, 95) == 0);
    assert_true(tally_mean_ms(&f->a.tally[0]) == 0);
    assert_between(tally_sysbench_percentile(&f->a.tally[0], &f->grid, 95), 0.00099, 0.00101);
    snapshot_sub(&f->c, &f->a, &f->a);
    assert_int_equal(snapshot_events(&f->c), 0);
    assert_int_equal(f->c.tally[0].min_ns, 0);
}

static void test_sum_over_workers(void **state)
{
    struct fixture *f = *state;
    record(f, 0, 0, 5000);
    record(f, 0, 0, 300);
    record(f, 2, 0, 700000);
    record(f, 1, 1, 42);
    stats_count(&f->pool.stats[0], CNT_WRITE, 1);
    stats_count(&f->pool.stats[1], CNT_WRITE, 10);
    stats_count(&f->pool.stats[2], CNT_WRITE, 100);
    stats_count(&f->pool.stats[2], CNT_N - 1, 9);
    snapshot_take(&f->a, &f->pool, 1);
    assert_int_equal(f->a.counter[CNT_WRITE], 111);
    assert_int_equal(f->a.counter[CNT_N - 1], 9);
    assert_int_equal(f->a.counter[CNT_TRX], 3);
    assert_int_equal(snapshot_events(&f->a), 3);
    assert_int_equal(f->a.tally[0].sum_ns, 705300);
    assert_int_equal(f->a.tally[0].min_ns, 300);
    assert_int_equal(f->a.tally[0].max_ns, 700000);
    assert_int_equal(f->a.tally[1].count, 1);
    assert_int_equal(f->a.tally[1].min_ns, 42);
    assert_between(tally_mean_ms(&f->a.tally[0]), 0.2351 - 1e-9, 0.2351 + 1e-9);
    /* Taken again it is the same, not twice as much. */
    snapshot_take(&f->a, &f->pool, 2);
    assert_int_equal(snapshot_events(&f->a), 3);
    assert_int_equal(f->a.counter[CNT_WRITE], 111);
}

static void test_interval(void **state)
{
    struct fixture *f = *state;
    record(f, 0, 0, 100);
    record(f, 1, 0, 9000000);
    stats_count(&f->pool.stats[0], CNT_ERROR, 4);
    snapshot_take(&f->a, &f->pool, 10);
    record(f, 0, 0, 20000);
    record(f, 2, 0, 30000);
    stats_count(&f->pool.stats[0], CNT_ERROR, 1);
    snapshot_take(&f->b, &f->pool, 20);
    snapshot_sub(&f->c, &f->b, &f->a);
    const struct tally *t = &f->c.tally[0];
    assert_int_equal(f->c.at_ns, 20);
    assert_int_equal(f->c.counter[CNT_ERROR], 1);
    assert_int_equal(f->c.counter[CNT_TRX], 2);
    assert_int_equal(t->count, 2);
    assert_int_equal(t->sum_ns, 50000);
    /* From the buckets: within their width, not those of the whole run. */
    assert_between((double)t->min_ns, 20000 * 0.984, 20000);
    assert_between((double)t->max_ns, 30000, 30000 * 1.016);
    assert_int_equal(f->c.tally[1].count, 0);
    assert_int_equal(f->c.tally[1].max_ns, 0);
}

/* The minimum of an interval is never below what the run saw, nor the maximum
 * above it. */
static void test_interval_stays_within_the_run(void **state)
{
    struct fixture *f = *state;
    record(f, 0, 0, 20001);
    snapshot_take(&f->a, &f->pool, 10);
    record(f, 0, 0, 20001);
    snapshot_take(&f->b, &f->pool, 20);
    snapshot_sub(&f->c, &f->b, &f->a);
    assert_int_equal(f->c.tally[0].min_ns, 20001);
    assert_int_equal(f->c.tally[0].max_ns, 20001);
}

static void test_interval_without_events(void **state)
{
    struct fixture *f = *state;
    record(f, 0, 0, 500);
    snapshot_take(&f->a, &f->pool, 10);
    snapshot_take(&f->b, &f->pool, 20);
    snapshot_sub(&f->c, &f->b, &f->a);
    assert_int_equal(f->c.tally[0].count, 0);
    assert_int_equal(f->c.tally[0].min_ns, 0);
    assert_int_equal(f->c.tally[0].max_ns, 0);
    assert_true(tally_percentile(&f->c.tally[0], &f->grid, 50) == 0);
}

static void assert_same_tally(const struct tally *a, const struct tally *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

/* Since nothing was counted before, the interval is the whole. */
static void test_first_interval_is_exact(void **state)
{
    struct fixture *f = *state;
    snapshot_take(&f->a, &f->pool, 0);
    for (int i = 0; i < 1000; i++)
        record(f, (unsigned)i % BLOCKS, 0, any_latency(&f->rng));
    snapshot_take(&f->b, &f->pool, 1);
    snapshot_sub(&f->c, &f->b, &f->a);
    assert_same_tally(&f->c.tally[0], &f->b.tally[0]);
}

/* Intervals add up to the whole; subtracting in place gives the same. */
static void test_intervals_add_up(void **state)
{
    struct fixture *f = *state;
    uint64_t events = 0, sum = 0, bucket[HIST_N] = {0};
    for (int round = 0; round < 5; round++) {
        snapshot_copy(&f->a, &f->b);
        for (int i = 0; i < 500; i++)
            record(f, (unsigned)i % BLOCKS, 0, any_latency(&f->rng));
        snapshot_take(&f->b, &f->pool, 1 + (uint64_t)round);
        snapshot_sub(&f->c, &f->b, &f->a);
        events += f->c.tally[0].count;
        sum += f->c.tally[0].sum_ns;
        for (unsigned i = 0; i < HIST_N; i++)
            bucket[i] += f->c.tally[0].bucket[i];
    }
    assert_int_equal(events, snapshot_events(&f->b));
    assert_int_equal(events, 2500);
    assert_int_equal(sum, f->b.tally[0].sum_ns);
    assert_memory_equal(bucket, f->b.tally[0].bucket, sizeof bucket);
    snapshot_sub(&f->b, &f->b, &f->a);
    assert_same_tally(&f->b.tally[0], &f->c.tally[0]);
}

static void test_copy(void **state)
{
    struct fixture *f = *state;
    record(f, 0, 1, 77);
    stats_count(&f->pool.stats[0], CNT_OTHER, 3);
    snapshot_take(&f->a, &f->pool, 9);
    snapshot_copy(&f->b, &f->a);
    assert_ptr_not_equal(f->b.tally, f->a.tally);
    assert_int_equal(f->b.at_ns, 9);
    assert_int_equal(f->b.counter[CNT_OTHER], 3);
    assert_same_tally(&f->b.tally[1], &f->a.tally[1]);
}

/* --- percentiles ---------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static const double ranks[] = {0, 0.01, 1, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};

/* Against the sorted values themselves. */
static void test_percentiles(void **state)
{
    struct fixture *f = *state;
    static const unsigned sizes[] = {1, 2, 3, 10, 99, 100, 101, 5000};
    static uint64_t values[5000];
    for (size_t k = 0; k < LENGTH(sizes); k++) {
        snapshot_take(&f->a, &f->pool, 0);
        for (unsigned i = 0; i < sizes[k]; i++)
            record(f, i % BLOCKS, 0, values[i] = any_latency(&f->rng));
        qsort(values, sizes[k], sizeof *values, by_value);
        snapshot_take(&f->b, &f->pool, 1);
        snapshot_sub(&f->c, &f->b, &f->a);
        const struct tally *t = &f->c.tally[0];
        double last = 0;
        for (size_t i = 0; i < LENGTH(ranks); i++) {
            double p = tally_percentile(t, &f->grid, ranks[i]);
            unsigned rank = (unsigned)ceil(sizes[k] * ranks[i] / 100);
            double exact = (double)values[rank ? rank - 1 : 0];
            assert_between(p, exact * 0.992, exact * 1.008);
            assert_between(p, (double)t->min_ns, (double)t->max_ns);
            assert_true(p >= last);
            last = p;
        }
    }
}

static void test_percentile_of_equal_values(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 10; i++)
        record(f, 0, 0, 123457);
    snapshot_take(&f->a, &f->pool, 1);
    for (size_t i = 0; i < LENGTH(ranks); i++)
        assert_true(tally_percentile(&f->a.tally[0], &f->grid, ranks[i]) == 123457);
}

/* Longer than the histogram reaches: then it is the maximum. */
static void test_percentile_beyond_the_range(void **state)
{
    struct fixture *f = *state;
    record(f, 0, 0, UINT64_C(1) << 60);
    snapshot_take(&f->a, &f->pool, 1);
    assert_true(tally_percentile(&f->a.tally[0], &f->grid, 50) == (double)(UINT64_C(1) << 60));
}

/* What sysbench 1.0 computes: bins of the values themselves, the first one at
 * which the running count reaches the rounded rank. */
static double direct_percentile(const uint64_t *ns, unsigned n, double p)
{
    unsigned bins[1024] = {0}, i = 0;
    double span = log(100000) - log(0.001);
    for (unsigned k = 0; k < n; k++) {
        double at = floor((log((double)ns[k] / 1e6) - log(0.001)) * 1023 / span + 0.5);
        bins[at < 0 ? 0 : at > 1023 ? 1023 : (unsigned)at]++;
    }
    double rank = floor(n * p / 100 + 0.5);
    for (unsigned seen = bins[0]; seen < rank; seen += bins[i])
        i++;
    return exp(i * span / 1023 + log(0.001));
}

static void test_percentile_of_sysbench(void **state)
{
    struct fixture *f = *state;
    static const unsigned sizes[] = {1, 2, 3, 10, 19, 100, 3000};
    static uint64_t values[3000];
    for (size_t k = 0; k < LENGTH(sizes); k++) {
        snapshot_take(&f->a, &f->pool, 0);
        for (unsigned i = 0; i < sizes[k]; i++)
            record(f, i % BLOCKS, 0, values[i] = any_latency(&f->rng));
        snapshot_take(&f->b, &f->pool, 1);
        snapshot_sub(&f->c, &f->b, &f->a);
        for (size_t i = 0; i < LENGTH(ranks); i++) {
            double expected = direct_percentile(values, sizes[k], ranks[i]);
            double p = tally_sysbench_percentile(&f->c.tally[0], &f->grid, ranks[i]);
            assert_between(p, expected * (1 - 1e-12), expected * (1 + 1e-12));
        }
    }
}

static void test_bins(void **state)
{
    struct fixture *f = *state;
    uint64_t bins[SYSBENCH_BINS], expected[SYSBENCH_BINS] = {0};
    for (int i = 0; i < 5000; i++) {
        uint64_t ns = any_latency(&f->rng);
        record(f, 0, 0, ns);
        expected[hist_bin_of_ms((double)ns / 1e6)]++;
    }
    snapshot_take(&f->a, &f->pool, 1);
    memset(bins, 0xff, sizeof bins); /* must be overwritten */
    tally_bins(&f->a.tally[0], &f->grid, bins);
    assert_memory_equal(bins, expected, sizeof bins);
}

/* --- reading while a worker writes ---------------------------------------------------- */

#define WRITTEN 300000

static void *write_many(void *arg)
{
    struct stats *s = arg;
    for (uint64_t i = 1; i <= WRITTEN; i++) {
        latency_record(s->latency[LAT_EVENT], 1 + i * 7919 % 1000000);
        stats_count(s, CNT_READ, 1);
    }
    return NULL;
}

static void test_reading_while_counting(void **state)
{
    struct fixture *f = *state;
    pthread_t thread[2];
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_many, &f->pool.stats[i]), 0);
    while (snapshot_events(&f->a) < 2 * WRITTEN) {
        snapshot_copy(&f->b, &f->a);
        snapshot_take(&f->a, &f->pool, 1);
        snapshot_sub(&f->c, &f->a, &f->b);
        const struct tally *t = &f->c.tally[0];
        uint64_t counted = 0;
        for (unsigned i = 0; i < HIST_N; i++) {
            assert_true(t->bucket[i] <= 2 * WRITTEN); /* none went backwards */
            counted += t->bucket[i];
        }
        assert_int_equal(counted, t->count);
        assert_true(t->count <= 2 * WRITTEN);
        assert_true(t->min_ns <= t->max_ns);
        assert_true(f->c.counter[CNT_READ] <= 2 * WRITTEN);
    }
    for (unsigned i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    snapshot_take(&f->a, &f->pool, 1);
    assert_int_equal(snapshot_events(&f->a), 2 * WRITTEN);
    assert_int_equal(f->a.counter[CNT_READ], 2 * WRITTEN);
}

#define MANY (10 * WRITTEN)

/* Values far apart, so that it takes a while to read what lies between them. */
static void *write_two_kinds(void *arg)
{
    struct stats *s = arg;
    for (uint64_t i = 1; i <= MANY; i++)
        latency_record(s->latency[LAT_EVENT], i % 2 ? 1 : 999999999);
    return NULL;
}

/* What was counted on the way is in count and sum, or in neither. */
static void test_the_sum_fits_the_count(void **state)
{
    struct fixture *f = *state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_two_kinds, &f->pool.stats[0]), 0);
    while (snapshot_events(&f->a) < MANY) {
        snapshot_take(&f->a, &f->pool, 1);
        const struct tally *t = &f->a.tally[0];
        assert_between((double)t->sum_ns / 5e8, (double)t->count - 4, (double)t->count + 4);
    }
    pthread_join(thread, NULL);
    assert_int_equal(f->a.tally[0].sum_ns, MANY / 2 * UINT64_C(1000000000));
}

int main(void)
{
#define ON_POOL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ON_POOL(test_pool),
        ON_POOL(test_pool_too_large),
        ON_POOL(test_empty),
        ON_POOL(test_sum_over_workers),
        ON_POOL(test_interval),
        ON_POOL(test_interval_stays_within_the_run),
        ON_POOL(test_interval_without_events),
        ON_POOL(test_first_interval_is_exact),
        ON_POOL(test_intervals_add_up),
        ON_POOL(test_copy),
        ON_POOL(test_percentiles),
        ON_POOL(test_percentile_of_equal_values),
        ON_POOL(test_percentile_beyond_the_range),
        ON_POOL(test_percentile_of_sysbench),
        ON_POOL(test_bins),
        ON_POOL(test_reading_while_counting),
        ON_POOL(test_the_sum_fits_the_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
