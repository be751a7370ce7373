#include "unit.h"

#include "base/clock.h"

static void test_by_hand(void **state)
{
    _Atomic uint64_t hand = 5;
    struct clock c;
    (void)state;
    clock_init_by_hand(&c, &hand);
    assert_int_equal(clock_now(&c), 5);
    hand = 17 * NS_PER_S;
    assert_int_equal(clock_now(&c), 17 * NS_PER_S);
    assert_string_equal(clock_name(&c), "hand");
    clock_calibrate(&c, NS_PER_S); /* must not wait for a clock that stands */
    assert_int_equal(c.source, CLOCK_BY_HAND);
    assert_int_equal(clock_now(&c), 17 * NS_PER_S);
}

static void test_system_before_calibration(void **state)
{
    struct clock c;
    (void)state;
    clock_init(&c);
    uint64_t before = clock_system_ns(), now = clock_now(&c), after = clock_system_ns();
    assert_in_range(now, before, after);
    assert_string_equal(clock_name(&c), "clock_gettime");
}

/* Whatever the source is, it must agree with the system's clock: a reading
 * between two of that one lies between them, but for the calibration's error. */
static void test_agrees_with_the_system(void **state)
{
    struct clock c;
    (void)state;
    clock_init(&c);
    uint64_t began = clock_system_ns();
    clock_calibrate(&c, 5 * NS_PER_MS);
    for (uint64_t last = 0, now = began; now - began < 60 * NS_PER_MS;) {
        uint64_t before = clock_system_ns(), shown = clock_now(&c);
        now = clock_system_ns();
        uint64_t off = (now - began) / 1000 + 1000;
        assert_true(shown >= last);
        assert_in_range(shown, before - off, now + off);
        last = shown;
    }
}

static void test_calibration(void **state)
{
    struct clock c;
    (void)state;
    clock_init(&c);
    uint64_t began = clock_system_ns();
    clock_calibrate(&c, 2 * NS_PER_MS);
    if (c.why) { /* this machine has no usable counter: then the reason is there */
        assert_int_equal(c.source, CLOCK_BY_SYSTEM);
        assert_true(strlen(c.why) > 10);
        assert_string_equal(clock_name(&c), "clock_gettime");
        assert_true(c.cycles_per_s == 0);
        return;
    }
    assert_true(clock_system_ns() - began >= NS_PER_MS);
    assert_int_equal(c.source, CLOCK_BY_CYCLES);
    assert_string_not_equal(clock_name(&c), "clock_gettime");
    assert_true(c.cycles_per_s > 1e6);
    struct clock again = c;
    clock_calibrate(&c, NS_PER_MS); /* once is enough: readings must not jump */
    assert_int_equal(again.mult, c.mult);
    assert_int_equal(again.base_ns, c.base_ns);
}

/* A week on the counter: the product needs more than 64 bits. */
static void test_far_from_the_base(void **state)
{
    struct clock c;
    (void)state;
    clock_init(&c);
    clock_calibrate(&c, NS_PER_MS);
    if (c.source != CLOCK_BY_CYCLES)
        skip();
    uint64_t week = 7 * 86400 * NS_PER_S, cycles = (uint64_t)(7 * 86400 * c.cycles_per_s);
    uint64_t now = clock_now(&c);
    c.base_cycles -= cycles;
    assert_between((double)(clock_now(&c) - now), (double)week - 1e9, (double)week + 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_system_before_calibration),
        cmocka_unit_test(test_agrees_with_the_system),
        cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_far_from_the_base),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
