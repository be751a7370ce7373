#include "unit.h"

#include "stats/bins.h"

#include <math.h>

/* What sysbench 1.0.20 prints for new(1000, 1, 10) with these values. */
static void test_lines_of_sysbench(void **state)
{
    static const double values[] = {1, 2, 0, 10, 100, 5.001};
    struct err e = {0};
    struct buf out = {0};
    struct bins *b = bins_new(1000, 1, 10, &e);
    (void)state;
    assert_non_null(b);
    bins_text(b, &out);
    assert_string_equal(buf_text(&out), ""); /* empty: nothing at all */
    for (size_t i = 0; i < LENGTH(values); i++)
        bins_add(b, values[i]);
    bins_text(b, &out);
    assert_string_equal(buf_text(&out),
                        "       value  ------------- distribution ------------- count\n"
                        "       1.000 |**************************************** 2\n"
                        "       2.001 |********************                     1\n"
                        "       4.997 |********************                     1\n"
                        "      10.000 |**************************************** 2\n");
    buf_release(&out);
    bins_free(b);
}

static void test_values_beyond_the_ends(void **state)
{
    static const double low[] = {-1, 0, -INFINITY, NAN, 1e-300}, high[] = {11, 1e300, INFINITY};
    struct err e = {0};
    struct bins *b = bins_new(2, 1, 10, &e);
    (void)state;
    assert_non_null(b);
    for (size_t i = 0; i < LENGTH(low); i++)
        bins_add(b, low[i]);
    for (size_t i = 0; i < LENGTH(high); i++)
        bins_add(b, high[i]);
    assert_int_equal(b->count[0], LENGTH(low));
    assert_int_equal(b->count[1], LENGTH(high));
    bins_free(b);
}

static void test_impossible_ones_are_refused(void **state)
{
    static const struct {
        size_t size;
        double low, high;
        const char *word;
    } bad[] = {{0, 1, 10, "at least 2"},        {1, 1, 10, "at least 2"},
               {SIZE_MAX, 1, 10, "at least 2"}, {10, 0, 10, "log scale"},
               {10, -1, 10, "log scale"},       {10, 10, 10, "log scale"},
               {10, 10, 1, "log scale"},        {10, NAN, 1, "log scale"},
               {10, 1, NAN, "log scale"},       {10, 1, INFINITY, "log scale"}};
    (void)state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct err e = {0};
        assert_null(bins_new(bad[i].size, bad[i].low, bad[i].high, &e));
        assert_err(&e, ERR_FAILED, bad[i].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_sysbench),
        cmocka_unit_test(test_values_beyond_the_ends),
        cmocka_unit_test(test_impossible_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
