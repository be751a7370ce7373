/* The line of --watch: what it is made of, and that it stays within the terminal. */
#include "unit.h"

#include "report/watch.h"

static void expect_curve(const double *value, unsigned n, const char *expected)
{
    struct buf b = {0};
    watch_curve(value, n, &b);
    assert_string_equal(buf_text(&b), expected);
    buf_release(&b);
}

static void test_the_highest_is_the_largest(void **state)
{
    (void)state;
    expect_curve((double[]){1, 2, 4}, 3, "\xe2\x96\x83\xe2\x96\x85\xe2\x96\x88");
    expect_curve((double[]){0, 0}, 2, "\xe2\x96\x81\xe2\x96\x81");
    expect_curve(NULL, 0, "");
}

static unsigned width(const struct buf *b)
{
    unsigned n = 0;
    for (const char *at = buf_text(b); *at; at++)
        n += (*at & 0xc0) != 0x80;
    return n;
}

/* The curve gives way first, then the end of the line; the beginning stays. */
static void test_it_fits_the_terminal(void **state)
{
    struct watch_view v = {.seen = WATCH_POINTS + 3};
    const char *head = "head ", *tail = "  p95 1  40 \xc2\xb0"
                                        "C";
    (void)state;
    for (unsigned i = 0; i < WATCH_POINTS; i++)
        v.rate[i] = i;
    for (unsigned columns = 1; columns < 100; columns++) {
        struct buf b = {0};
        watch_compose(&v, head, tail, columns, &b);
        unsigned all = 5 + WATCH_POINTS + 14;
        assert_true(width(&b) <= (columns > 1 ? columns - 1 : 1));
        assert_memory_equal(buf_text(&b), head, columns > 5 ? 5 : columns > 1 ? columns - 1 : 1);
        if (columns > all)
            assert_int_equal(width(&b), all);
        if (columns > 5 + 14) /* nothing but the curve is shorter */
            assert_string_equal(buf_text(&b) + b.size - strlen(tail), tail);
        assert_true((b.text[b.size - 1] & 0xc0) != 0xc0); /* no half character */
        buf_release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_highest_is_the_largest),
        cmocka_unit_test(test_it_fits_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
