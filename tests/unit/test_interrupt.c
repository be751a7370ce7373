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
    struct part p;
    struct log l;
    struct err e = {0};
    void *folder = NULL;
    (void)state;
    assert_int_equal(tree_make(&folder), 0);
    assert_int_equal(part_init(&p, &fileio_workload, &e), 0);
    log_init(&l);
    l.out = l.serious = open("/dev/null", O_WRONLY | O_CLOEXEC);
    SET(&p, "file-dir", folder, "file-num", "1", "file-total-size", "64K");
    assert_int_equal(files_prepare(p.options, false, &l, &e), 0);
    SET(&p, "file-num", "2", "file-total-size", "256K");
    interrupt_set(SIGTERM);
    assert_int_equal(files_prepare(p.options, false, &l, &e), -1);
    interrupt_set(0);
    assert_err(&e, ERR_FAILED, "interrupted by SIGTERM", "removed again");
    assert_int_equal(set_size(folder, "test_file.0"), 65536);
    assert_int_equal(set_size(folder, "test_file.1"), -1);
    close(l.out);
    log_release(&l);
    part_release(&p);
    assert_int_equal(tree_remove(&folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_signal_is_kept),
        cmocka_unit_test(prepare_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
