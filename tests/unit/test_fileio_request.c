/* The order of requests, against what sysbench 1.0.20 was seen to do. */
#include "unit.h"

#include "primitive/fileio/options.h"
#include "primitive/fileio/request.h"

#include <stdio.h>

#define KIB 1024u

static struct stream_plan plan_of(int mode)
{
    return (struct stream_plan){.mode = mode,
                                .files = 2,
                                .size = 16 * KIB,
                                .block = 16 * KIB,
                                .file_size = 512 * KIB,
                                .rw_ratio = 1.5};
}

static void begin(struct stream *s, const struct stream_plan *plan)
{
    struct err e = {0};
    assert_int_equal(stream_init(s, plan, &e), 0);
}

static void seed(struct rng *r)
{
    struct rng_seeder seeds;
    rng_seeder_init(&seeds, 7);
    rng_init(r, &seeds);
}

/* "R W F0 F1": the kinds of the next n requests, flushes with their file. */
static const char *kinds(struct stream *s, int n)
{
    static char text[256];
    struct rng rng;
    struct request q;
    size_t at = 0;
    seed(&rng);
    for (int i = 0; i < n && stream_take(s, &rng, &q); i++) {
        const char *blank = i ? " " : "";
        at += (size_t)(q.kind == REQUEST_FSYNC
                           ? snprintf(text + at, sizeof text - at, "%sF%u", blank, q.file)
                           : snprintf(text + at, sizeof text - at, "%s%c", blank,
                                      q.kind == REQUEST_READ ? 'R' : 'W'));
    }
    text[at] = '\0';
    return text;
}

static void mixed_order(void **state)
{
    struct stream s;
    struct stream_plan plan = plan_of(MODE_RNDRW);
    (void)state;
    plan.fsync_freq = 5;
    begin(&s, &plan);
    assert_string_equal(kinds(&s, 12), "R W R W R F0 F1 R W R W R");
    stream_release(&s);
}

static void rewrite_order(void **state)
{
    struct stream s;
    struct stream_plan plan = plan_of(MODE_SEQREWR);
    (void)state;
    plan.fsync_freq = 3;
    begin(&s, &plan);
    assert_string_equal(kinds(&s, 9), "W W W F0 F1 W W W F0");
    stream_release(&s);
}

static void reads_are_not_flushed(void **state)
{
    static const int modes[] = {MODE_SEQRD, MODE_RNDRD};
    (void)state;
    for (size_t i = 0; i < LENGTH(modes); i++) {
        struct stream s;
        struct stream_plan plan = plan_of(modes[i]);
        plan.fsync_freq = 2;
        begin(&s, &plan);
        assert_string_equal(kinds(&s, 6), "R R R R R R");
        stream_release(&s);
    }
}

static void ratios(void **state)
{
    static const struct {
        double ratio;
        const char *order;
    } cases[] = {{0, "W W W W W W"}, {1, "W R W R W R"}, {3, "R R W R R R"}, {1e9, "R R R R R R"}};
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct stream s;
        struct stream_plan plan = plan_of(MODE_RNDRW);
        plan.rw_ratio = cases[i].ratio;
        begin(&s, &plan);
        assert_string_equal(kinds(&s, 6), cases[i].order);
        stream_release(&s);
    }
}

/* Seed 7, one draw between two requests for the histogram, as seen there. */
static void random_places(void **state)
{
    static const struct {
        uint32_t file;
        uint64_t offset;
    } seen[] = {{1, 32768}, {0, 425984}, {0, 98304}, {1, 262144}, {0, 163840}};
    struct stream s;
    struct stream_plan plan = plan_of(MODE_RNDRW);
    struct rng rng;
    struct request q;
    (void)state;
    begin(&s, &plan);
    seed(&rng);
    for (size_t i = 0; i < LENGTH(seen); i++) {
        assert_true(stream_take(&s, &rng, &q));
        assert_int_equal(q.file, seen[i].file);
        assert_int_equal(q.offset, seen[i].offset);
        assert_int_equal(q.size, 16 * KIB);
        rng_next(&rng);
    }
    stream_release(&s);
}

/* Files that end within a block: the last request is shorter, none is longer
 * and none lies in a file that does not exist. */
static void uneven_files(void **state)
{
    static const int modes[] = {MODE_SEQRD, MODE_RNDRD};
    (void)state;
    for (size_t i = 0; i < LENGTH(modes); i++) {
        struct stream s;
        struct stream_plan plan = plan_of(modes[i]);
        struct rng rng;
        struct request q;
        plan.files = 3;
        plan.file_size = 50000;
        begin(&s, &plan);
        seed(&rng);
        for (int n = 0; n < 2000; n++) {
            assert_true(stream_take(&s, &rng, &q));
            assert_true(q.file < 3 && q.size > 0 && q.offset + q.size <= 50000);
        }
        stream_release(&s);
    }
}

static void sequential_places(void **state)
{
    struct stream s;
    struct stream_plan plan = plan_of(MODE_SEQRD);
    struct rng rng;
    struct request q;
    (void)state;
    plan.size = 3 * 16 * KIB; /* three blocks in one request; 512 KiB end within the 11th */
    begin(&s, &plan);
    seed(&rng);
    for (uint32_t n = 0; n < 25; n++) {
        uint32_t i = n % 11;
        assert_true(stream_take(&s, &rng, &q));
        assert_int_equal(q.file, n / 11 % 2);
        assert_int_equal(q.offset, i * 48 * KIB);
        assert_int_equal(q.size, i == 10 ? 32 * KIB : 48 * KIB);
    }
    assert_between(stream_passes(&s), 1.14, 1.15);
    stream_release(&s);
}

static void one_pass_ends(void **state)
{
    struct stream s;
    struct stream_plan plan = plan_of(MODE_SEQWR);
    struct rng rng;
    struct request q;
    int n = 0;
    (void)state;
    plan.one_pass = true;
    begin(&s, &plan);
    seed(&rng);
    while (stream_take(&s, &rng, &q))
        n++;
    assert_int_equal(n, 64);
    assert_false(stream_take(&s, &rng, &q));
    assert_between(stream_passes(&s), 1, 1);
    stream_release(&s);
}

static void offsets_beyond_32_bits(void **state)
{
    struct stream s;
    struct stream_plan plan = plan_of(MODE_RNDRD);
    struct rng rng;
    struct request q;
    uint64_t highest = 0;
    (void)state;
    plan.files = 1;
    plan.file_size = UINT64_C(1) << 43;
    begin(&s, &plan);
    seed(&rng);
    for (int i = 0; i < 200; i++) {
        assert_true(stream_take(&s, &rng, &q));
        assert_int_equal(q.offset % (16 * KIB), 0);
        highest = q.offset > highest ? q.offset : highest;
    }
    assert_true(highest > UINT64_C(1) << 42);
    stream_release(&s);
}

static void no_block_twice_in_flight(void **state)
{
    static const int modes[] = {MODE_RNDRW, MODE_SEQWR};
    (void)state;
    for (size_t m = 0; m < LENGTH(modes); m++) {
        struct stream s;
        struct stream_plan plan = plan_of(modes[m]);
        struct rng rng;
        struct request q[32];
        plan.exclusive = 32;
        begin(&s, &plan);
        seed(&rng);
        for (int i = 0; i < 32; i++) {
            assert_true(stream_take(&s, &rng, &q[i]));
            for (int k = 0; k < i; k++)
                assert_false(q[k].file == q[i].file && q[k].offset == q[i].offset);
        }
        assert_false(stream_claim(&s, &q[5]));
        stream_give_back(&s, &q[5]);
        assert_true(stream_claim(&s, &q[5]));
        stream_release(&s);
    }
}

static void too_few_blocks(void **state)
{
    struct stream s;
    struct stream_plan plan = plan_of(MODE_RNDWR);
    struct err e = {0};
    (void)state;
    plan.exclusive = 33;
    assert_int_equal(stream_init(&s, &plan, &e), -1);
    assert_err(&e, ERR_FAILED, "--validate", "33", "--threads");
    stream_release(&s);
}

static void chosen_places_count(void **state)
{
    struct stream s;
    struct stream_plan plan = plan_of(MODE_NONE);
    struct rng rng;
    struct request q = {.kind = REQUEST_READ};
    (void)state;
    begin(&s, &plan);
    seed(&rng);
    assert_true(stream_claim(&s, &q));
    assert_false(stream_has_written(&s));
    stream_place(&s, &rng, REQUEST_WRITE, &q);
    assert_int_equal(q.kind, REQUEST_WRITE);
    assert_int_equal(q.file, 1);
    assert_int_equal(q.offset, 32768);
    assert_true(stream_has_written(&s));
    stream_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_order),
        cmocka_unit_test(rewrite_order),
        cmocka_unit_test(reads_are_not_flushed),
        cmocka_unit_test(ratios),
        cmocka_unit_test(random_places),
        cmocka_unit_test(uneven_files),
        cmocka_unit_test(sequential_places),
        cmocka_unit_test(one_pass_ends),
        cmocka_unit_test(offsets_beyond_32_bits),
        cmocka_unit_test(no_block_twice_in_flight),
        cmocka_unit_test(too_few_blocks),
        cmocka_unit_test(chosen_places_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
