#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fs/child.h"
#include "fs/interrupt.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int run(const char *script, double limit_s, int *status, struct err *e)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct child_order o = {.argv = argv, .limit_s = limit_s, .grace_s = 0.3, .capture = true};
    return child_run(&o, status, e);
}

static void test_status_comes_back(void **state)
{
    struct err e = {0};
    int status = -1;
    (void)state;
    assert_int_equal(run("exit 7", 10, &status, &e), 0);
    assert_int_equal(status, 7);
    assert_int_equal(run("kill -TERM $$", 10, &status, &e), 0);
    assert_int_equal(status, 128 + SIGTERM);
    assert_no_err(&e);
}

static void test_failure_shows_what_was_said(void **state)
{
    const char *argv[] = {"sh", "-c", "echo first; echo the reason >&2; exit 3", NULL};
    struct err e = {0};
    (void)state;
    assert_int_equal(child_must(argv, 10, &e), -1);
    assert_err(&e, ERR_FAILED, "sh", "status 3", "the reason");
}

static void test_missing_program_names_its_package(void **state)
{
    const char *argv[] = {"no-such-program-here", NULL};
    struct err e = {0}, e2 = {0};
    char path[256];
    (void)state;
    assert_int_equal(child_must(argv, 10, &e), -1);
    assert_err(&e, ERR_UNABLE, "no-such-program-here", "apt-get install");
    setenv("PATH", "/nowhere", 1);
    int rc = child_find("mkfs.f2fs", path, sizeof path, &e2);
    setenv("PATH", "/usr/bin:/bin", 1);
    if (rc != 0)
        assert_err(&e2, ERR_UNABLE, "f2fs-tools");
    else
        assert_non_null(strstr(path, "sbin/mkfs.f2fs")); /* found without being in PATH */
}

static void test_limit_ends_the_whole_group(void **state)
{
    struct err e = {0};
    int status = -1;
    double began = now_s();
    (void)state;
    /* the inner sleep must go too, and neither may outlast the grace time */
    assert_int_equal(run("trap '' TERM; sleep 60 & sleep 60; wait", 0.2, &status, &e), -1);
    assert_err(&e, ERR_FAILED, "sh", "was stopped");
    assert_between(now_s() - began, 0.2, 50);
}

static void test_output_goes_to_files(void **state)
{
    const char *argv[] = {"sh", "-c", "echo out; echo err >&2", NULL};
    char out[] = "/tmp/sbench-unit-XXXXXX", err[] = "/tmp/sbench-unit-XXXXXX", text[16] = "";
    struct err e = {0};
    int status = -1;
    (void)state;
    close(mkstemp(out));
    close(mkstemp(err));
    struct child_order o = {.argv = argv, .output = out, .errors = err};
    int rc = child_run(&o, &status, &e);
    FILE *f = fopen(err, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    unlink(out);
    unlink(err);
    assert_int_equal(rc, 0);
    assert_string_equal(text, "err\n");
}

static void test_signal_is_passed_on_and_told(void **state)
{
    struct interrupt saved;
    struct err e = {0};
    int status = -1, ready[2];
    char script[128];
    (void)state;
    interrupt_begin(&saved);
    /* The child is ready when it says so: from then on the signal may come. */
    assert_int_equal(pipe(ready), 0);
    snprintf(script, sizeof script,
             "trap 'exit 9' INT; echo >/proc/%d/fd/%d; while :; do sleep 0.05; done", getpid(),
             ready[1]);
    pid_t parent = getpid(), sender = fork();
    if (sender == 0) {
        char line;
        close(ready[1]);
        _exit(read(ready[0], &line, 1) != 1 || kill(parent, SIGINT) != 0);
    }
    int rc = run(script, 50, &status, &e);
    close(ready[0]);
    close(ready[1]);
    int seen = interrupt_seen();
    interrupt_end(&saved);
    waitpid(sender, NULL, 0);
    assert_int_equal(rc, -1);
    assert_int_equal(seen, SIGINT);
    assert_int_equal(status, 9);
    assert_err(&e, ERR_FAILED, "SIGINT");
}

static void ours(int number)
{
    (void)number;
}

static void test_handlers_are_put_back(void **state)
{
    struct sigaction before = {.sa_handler = ours}, now;
    struct interrupt saved;
    (void)state;
    sigaction(SIGTERM, &before, NULL);
    interrupt_begin(&saved);
    assert_int_equal(interrupt_check(NULL), 0);
    raise(SIGTERM);
    assert_int_equal(interrupt_seen(), SIGTERM);
    assert_int_equal(interrupt_check(NULL), -1);
    interrupt_end(&saved);
    sigaction(SIGTERM, NULL, &now);
    assert_ptr_equal(now.sa_handler, ours);
    signal(SIGTERM, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_comes_back),
        cmocka_unit_test(test_failure_shows_what_was_said),
        cmocka_unit_test(test_missing_program_names_its_package),
        cmocka_unit_test(test_limit_ends_the_whole_group),
        cmocka_unit_test(test_output_goes_to_files),
        cmocka_unit_test(test_signal_is_passed_on_and_told),
        cmocka_unit_test(test_handlers_are_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
