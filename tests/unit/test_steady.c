#include "unit.h"

#include "run/steady.h"

#include <math.h>

/* Adds the rates and says at which of them, from 1, it was steady first; 0 if
 * it never was. */
static unsigned steady_at(struct steady *s, double level, const double *rates, size_t n)
{
    unsigned at = 0;
    *s = (struct steady){.level = level};
    for (size_t i = 0; i < n; i++)
        if (steady_add(s, rates[i]) && !at)
            at = (unsigned)i + 1;
    return at;
}

#define STEADY_AT(s, level, ...)                                                                   \
    steady_at((s), (level), (const double[]){__VA_ARGS__},                                         \
              sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void test_needs_all_windows(void **state)
{
    struct steady s;
    (void)state;
    assert_int_equal(STEADY_AT(&s, 5, 100, 100, 100, 100), 0);
    assert_int_equal(STEADY_AT(&s, 5, 100, 100, 100, 100, 100), 5);
    assert_true(s.reached);
    assert_true(s.spread == 0 && s.slope == 0);
}

static void test_the_first_rates_drop_out(void **state)
{
    struct steady s;
    (void)state;
    assert_int_equal(STEADY_AT(&s, 5, 900, 500, 300, 101, 99, 100, 102, 98), 8);
}

/* One value too far from the mean of 100. */
static void test_spread(void **state)
{
    struct steady s;
    (void)state;
    assert_int_equal(STEADY_AT(&s, 5, 100, 98, 104, 98, 100), 5);
    assert_between(s.spread, 4 - 1e-9, 4 + 1e-9);
    assert_int_equal(STEADY_AT(&s, 5, 100, 97, 106, 97, 100), 0);
    assert_between(s.spread, 6 - 1e-9, 6 + 1e-9);
}

/* Each value is near the mean, but all together they climb or fall: by 2 % a
 * window, which is 10 % over the five. */
static void test_slope(void **state)
{
    struct steady s;
    (void)state;
    assert_int_equal(STEADY_AT(&s, 5, 96, 98, 100, 102, 104), 0);
    assert_between(s.spread, 4 - 1e-9, 4 + 1e-9);
    assert_between(s.slope, 10 - 1e-9, 10 + 1e-9);
    assert_int_equal(STEADY_AT(&s, 5, 104, 102, 100, 98, 96), 0);
    assert_between(s.slope, -10 - 1e-9, -10 + 1e-9);
    assert_int_equal(STEADY_AT(&s, 10.1, 104, 102, 100, 98, 96), 5);
}

/* The slope is that of the order in time, wherever the ring begins. */
static void test_order_in_the_ring(void **state)
{
    struct steady s;
    (void)state;
    for (int ahead = 0; ahead < 7; ahead++) {
        s = (struct steady){.level = 5};
        for (int i = 0; i < ahead; i++)
            steady_add(&s, 1);
        for (int i = 0; i < STEADY_WINDOWS; i++)
            steady_add(&s, 96 + 2 * i);
        assert_between(s.slope, 10 - 1e-9, 10 + 1e-9);
    }
}

/* Steadily nothing is no result. */
static void test_nothing_is_not_steady(void **state)
{
    struct steady s;
    (void)state;
    assert_int_equal(STEADY_AT(&s, 5, 0, 0, 0, 0, 0, 0), 0);
    assert_false(s.reached);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_needs_all_windows),
        cmocka_unit_test(test_the_first_rates_drop_out),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_order_in_the_ring),
        cmocka_unit_test(test_nothing_is_not_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
