#include "unit.h"

#include "base/buf.h"

static void test_empty(void **state)
{
    struct buf b = {0};
    (void)state;
    assert_string_equal(buf_text(&b), "");
    buf_clear(&b);
    buf_puts(&b, "");
    assert_string_equal(buf_text(&b), "");
    buf_release(&b);
    assert_null(b.text);
}

static void test_appends(void **state)
{
    struct buf b = {0};
    (void)state;
    buf_puts(&b, "one");
    buf_putc(&b, ' ');
    buf_add(&b, "two-three", 3);
    buf_printf(&b, " %d/%s", 3, "four");
    assert_string_equal(buf_text(&b), "one two 3/four");
    assert_int_equal(b.size, strlen("one two 3/four"));
    buf_clear(&b);
    assert_string_equal(buf_text(&b), "");
    buf_puts(&b, "again");
    assert_string_equal(buf_text(&b), "again");
    assert_false(b.failed);
    buf_release(&b);
}

/* Each append is made at each fill level, so every growth is met. */
static void test_grows_at_any_size(void **state)
{
    static char expected[5000];
    (void)state;
    for (size_t first = 240; first < 270; first++) {
        struct buf b = {0};
        memset(expected, 'a', sizeof expected);
        for (size_t i = 0; i < first; i++)
            buf_putc(&b, 'a');
        buf_printf(&b, "%0*d", 4000, 7);
        memset(expected + first, '0', 3999);
        memcpy(expected + first + 3999, "7", 2);
        assert_int_equal(b.size, first + 4000);
        assert_string_equal(buf_text(&b), expected);
        buf_release(&b);
    }
}

static void test_bytes_with_zeros(void **state)
{
    struct buf b = {0};
    (void)state;
    buf_add(&b, "a\0b", 3);
    assert_int_equal(b.size, 3);
    assert_memory_equal(b.text, "a\0b", 4);
    buf_release(&b);
}

/* What was added before memory ran out stays; nothing is added behind the gap. */
static void test_failure_is_remembered(void **state)
{
    struct buf b = {0};
    (void)state;
    buf_puts(&b, "kept");
    b.failed = true;
    buf_puts(&b, "lost");
    buf_printf(&b, "%s", "lost");
    assert_string_equal(buf_text(&b), "kept");
    assert_true(b.failed);
    buf_release(&b);
    assert_false(b.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_appends),
        cmocka_unit_test(test_grows_at_any_size),
        cmocka_unit_test(test_bytes_with_zeros),
        cmocka_unit_test(test_failure_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
