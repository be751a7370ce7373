/* The flag that a signal handler sets for work outside of a run. */
#include "fileio_set.h"

#include "base/interrupt.h"

#include <signal.h>

static void the_last_signal_is_kept(void **state)
{
    (void)state;
    assert_int_equal(interrupt_caught(), 0);
    interrupt_set(SIGINT);
    interrupt_set(SIGTERM);
    assert_int_equal(interrupt_caught(), SIGTERM);
    interrupt_set(0);
    assert_int_equal(interrupt_caught(), 0);
}

/* A prepare that finds the flag set takes back what it extended and made. */
static void prepare_stops(void **state)
{
    struct set_test *t = *state;
    const struct fileio_options *o = t->part.options;
    SET(&t->part, "file-num", "1", "file-total-size", "64K");
    assert_int_equal(files_prepare(o, false, &t->log, &t->err), 0);
    SET(&t->part, "file-num", "2", "file-total-size", "256K");
    interrupt_set(SIGTERM);
    assert_int_equal(files_prepare(o, false, &t->log, &t->err), -1);
    interrupt_set(0);
    assert_err(&t->err, ERR_FAILED, "interrupted by SIGTERM", "removed again");
    assert_int_equal(set_size(t->folder, "test_file.0"), 65536);
    assert_int_equal(set_size(t->folder, "test_file.1"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_signal_is_kept),
        cmocka_unit_test_setup_teardown(prepare_stops, set_begin, set_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
