#include "unit.h"

#include <errno.h>

static void test_first_error_wins(void **state)
{
    struct err e = {0};
    (void)state;
    assert_int_equal(err_set(&e, "option --%s: bad", "threads"), -1);
    assert_int_equal(err_unable(&e, "second"), -1);
    assert_int_equal(err_sys(&e, ENOENT, "third"), -1);
    assert_int_equal(e.status, ERR_FAILED);
    assert_string_equal(e.text, "option --threads: bad");
    err_clear(&e);
    assert_int_equal(e.status, ERR_NONE);
    assert_string_equal(e.text, "");
    err_unable(&e, "no %s here", "f2fs");
    assert_int_equal(e.status, ERR_UNABLE);
    assert_string_equal(e.text, "no f2fs here");
}

static void test_errno_is_told(void **state)
{
    struct err e = {0};
    (void)state;
    assert_int_equal(err_sys(&e, ENOENT, "cannot open %s.", "/x"), -1);
    assert_int_equal(e.status, ERR_FAILED);
    assert_string_equal(e.text, "cannot open /x. errno = 2 (No such file or directory)");
    err_clear(&e);
    err_sys(&e, 99999, "odd.");
    assert_string_equal(e.text, "odd. errno = 99999 (unknown error)");
}

static void test_long_text_is_cut(void **state)
{
    struct err e = {0};
    char big[3000];
    (void)state;
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    err_sys(&e, EIO, "%s", big);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    err_clear(&e);
    big[sizeof e.text - 5] = '\0'; /* the reason does not fit behind it */
    err_sys(&e, EIO, "%s", big);
    assert_int_equal(strlen(e.text), sizeof e.text - 1);
    assert_string_equal(e.text + sizeof e.text - 5, " err");
}

static void test_nobody_asks(void **state)
{
    (void)state;
    assert_int_equal(err_set(NULL, "lost"), -1);
    assert_int_equal(err_sys(NULL, EIO, "lost"), -1);
    assert_int_equal(err_unable(NULL, "lost"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_error_wins),
        cmocka_unit_test(test_errno_is_told),
        cmocka_unit_test(test_long_text_is_cut),
        cmocka_unit_test(test_nobody_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
