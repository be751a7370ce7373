/* steady: the two criteria on series whose answer is known. */
#include "unit.h"

#include "run/steady.h"

static unsigned windows_until(struct steady *s, const double *rate, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (steady_add(s, rate[i]))
            return i + 1;
    return 0;
}

static void test_constant_rate_needs_all_windows(void **state)
{
    struct steady s = {.level = 1};
    double rate[] = {100, 100, 100, 100, 100, 100};
    (void)state;
    assert_int_equal(windows_until(&s, rate, 6), STEADY_WINDOWS);
    assert_true(s.reached);
}

static void test_jump_is_forgotten_when_it_has_left_the_windows(void **state)
{
    struct steady s = {.level = 5};
    double rate[] = {10, 50, 100, 101, 99, 100, 100, 100};
    (void)state;
    assert_int_equal(windows_until(&s, rate, 8), 7);
}

static void test_trend_within_the_spread_is_no_steady_state(void **state)
{
    /* every value within 5 % of the mean, but falling 2 % a window */
    struct steady s = {.level = 5};
    double rate[] = {104, 102, 100, 98, 96};
    (void)state;
    assert_int_equal(windows_until(&s, rate, 5), 0);
    assert_true(s.spread <= 5);
    assert_true(s.slope < -5);
}

static void test_no_events_are_not_steady(void **state)
{
    struct steady s = {.level = 50};
    double rate[] = {0, 0, 0, 0, 0, 0, 0};
    (void)state;
    assert_int_equal(windows_until(&s, rate, 7), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_rate_needs_all_windows),
        cmocka_unit_test(test_jump_is_forgotten_when_it_has_left_the_windows),
        cmocka_unit_test(test_trend_within_the_spread_is_no_steady_state),
        cmocka_unit_test(test_no_events_are_not_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
