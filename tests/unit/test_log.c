/* The log writes to descriptors; here to pipes that the test reads. */
#include "unit.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct streams {
    struct log log;
    int out[2], serious[2]; /* pipes */
    char text[60000];       /* what was read last; less than a pipe holds */
};

static int set_up(void **state)
{
    static struct streams s;
    log_init(&s.log);
    if (pipe(s.out) != 0 || pipe(s.serious) != 0)
        return -1;
    fcntl(s.out[0], F_SETFL, O_NONBLOCK);
    fcntl(s.serious[0], F_SETFL, O_NONBLOCK);
    s.log.out = s.out[1];
    s.log.serious = s.serious[1];
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct streams *s = *state;
    for (int i = 0; i < 2; i++) {
        close(s->out[i]);
        close(s->serious[i]);
    }
    log_release(&s->log);
    return 0;
}

static const char *took(struct streams *s, int fd)
{
    ssize_t n = read(fd, s->text, sizeof s->text - 1);
    s->text[n > 0 ? n : 0] = '\0';
    return s->text;
}

#define assert_out(s, expected) assert_string_equal(took((s), (s)->out[0]), (expected))
#define assert_serious(s, expected) assert_string_equal(took((s), (s)->serious[0]), (expected))

static void test_defaults(void **state)
{
    struct log l;
    (void)state;
    log_init(&l);
    assert_int_equal(l.out, STDOUT_FILENO);
    assert_int_equal(l.serious, STDERR_FILENO);
    assert_int_equal(l.verbosity, LOG_NOTICE);
    assert_false(l.failed);
    log_release(&l);
}

static void test_prefixes_and_streams(void **state)
{
    struct streams *s = *state;
    s->log.verbosity = LOG_DEBUG;
    log_put(&s->log, LOG_FATAL, "f%d", 1);
    log_put(&s->log, LOG_ALERT, "a");
    log_put(&s->log, LOG_WARNING, "w");
    log_put(&s->log, LOG_NOTICE, "n");
    log_put(&s->log, LOG_INFO, "i");
    log_put(&s->log, LOG_DEBUG, "d");
    assert_serious(s, "FATAL: f1\nALERT: a\nWARNING: w\n");
    assert_out(s, "n\ni\nDEBUG: d\n");
}

/* The form of 1.0 has one stream for everything. */
static void test_one_stream_keeps_the_order(void **state)
{
    struct streams *s = *state;
    s->log.serious = s->out[1];
    log_put(&s->log, LOG_NOTICE, "one");
    log_put(&s->log, LOG_WARNING, "two");
    log_put(&s->log, LOG_NOTICE, "three\n");
    assert_out(s, "one\nWARNING: two\nthree\n\n");
    assert_serious(s, "");
}

static void test_verbosity(void **state)
{
    struct streams *s = *state;
    for (int v = LOG_FATAL; v <= LOG_DEBUG; v++) {
        s->log.verbosity = v;
        for (int level = LOG_FATAL; level <= LOG_DEBUG; level++) {
            log_put(&s->log, level, "%d at %d", level, v);
            bool shown = *took(s, level <= LOG_WARNING ? s->serious[0] : s->out[0]) != '\0';
            assert_int_equal(shown, level <= v);
        }
    }
}

static void test_repetitions(void **state)
{
    struct streams *s = *state;
    log_put(&s->log, LOG_NOTICE, "same");
    for (int i = 0; i < 3; i++)
        log_put(&s->log, LOG_NOTICE, "%s", "same");
    assert_out(s, "same\n");
    log_put(&s->log, LOG_NOTICE, "other");
    log_put(&s->log, LOG_NOTICE, "same");
    assert_out(s, "(last message repeated 3 times)\nother\nsame\n");
}

/* Only the text is compared, as in sysbench; the count goes where the message
 * behind it goes. */
static void test_repetitions_over_levels(void **state)
{
    struct streams *s = *state;
    log_put(&s->log, LOG_NOTICE, "text");
    log_put(&s->log, LOG_WARNING, "text");
    log_put(&s->log, LOG_WARNING, "next");
    assert_out(s, "text\n");
    assert_serious(s, "(last message repeated 1 times)\nWARNING: next\n");
}

static void test_a_hidden_message_is_none(void **state)
{
    struct streams *s = *state;
    log_put(&s->log, LOG_NOTICE, "a");
    log_put(&s->log, LOG_DEBUG, "hidden");
    log_put(&s->log, LOG_NOTICE, "a");
    log_put(&s->log, LOG_NOTICE, "b");
    assert_out(s, "a\n(last message repeated 1 times)\nb\n");
}

static void test_an_empty_line_may_be_first(void **state)
{
    struct streams *s = *state;
    log_put(&s->log, LOG_NOTICE, "%s", "");
    log_put(&s->log, LOG_NOTICE, "a");
    assert_out(s, "\na\n");
}

static void test_long_messages_are_cut(void **state)
{
    struct streams *s = *state;
    char big[5000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    log_put(&s->log, LOG_FATAL, "%s", big);
    const char *got = took(s, s->serious[0]);
    assert_int_equal(strncmp(got, "FATAL: xxx", 10), 0);
    assert_true(strlen(got) > 2000);
    assert_int_equal(got[strlen(got) - 1], '\n');
    log_put(&s->log, LOG_FATAL, "%s", big); /* a repetition even though it was cut */
    assert_serious(s, "");
}

static void test_reports(void **state)
{
    struct streams *s = *state;
    log_report(&s->log, LOG_NOTICE, "line\n");
    log_report(&s->log, LOG_NOTICE, "line\n");
    log_report(&s->log, LOG_NOTICE, "no newline");
    assert_out(s, "line\nline\nno newline");
    s->log.verbosity = LOG_FATAL;
    log_report(&s->log, LOG_NOTICE, "still\n"); /* what the program is for is shown */
    s->log.loud_report = false;
    log_report(&s->log, LOG_NOTICE, "gone\n");
    log_report(&s->log, LOG_FATAL, "level allows\n");
    assert_out(s, "still\nlevel allows\n");
    assert_serious(s, "");
}

static void test_a_failed_write_is_remembered(void **state)
{
    struct streams *s = *state;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    s->log.out = full;
    log_put(&s->log, LOG_NOTICE, "x");
    assert_true(s->log.failed);
    s->log.out = s->out[1];
    log_put(&s->log, LOG_NOTICE, "y");
    assert_true(s->log.failed); /* and not forgotten by a write that succeeds */
    s->log.failed = false;
    s->log.out = full;
    log_report(&s->log, LOG_NOTICE, "x");
    assert_true(s->log.failed);
    close(full);
}

static void test_write_all(void **state)
{
    struct streams *s = *state;
    assert_int_equal(log_write_all(s->out[1], "whole", 5), 0);
    assert_out(s, "whole");
    assert_int_equal(log_write_all(s->out[1], "", 0), 0);
    assert_int_equal(log_write_all(-1, "x", 1), -1);
    assert_int_equal(errno, EBADF);
}

static void no_op(int signal)
{
    (void)signal;
}

/* More than the pipe holds, interrupted again and again: the reader, a child,
 * must get every byte. */
static void test_write_all_through_interruptions(void **state)
{
    static char big[300000];
    struct sigaction act = {.sa_handler = no_op}, old;
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    int fds[2], back[2];
    size_t counted = 0;
    (void)state;
    assert_int_equal(pipe(fds) | pipe(back), 0);
    pid_t child = fork();
    if (child == 0) {
        char piece[4096];
        ssize_t n;
        close(fds[1]);
        alarm(20);
        while ((n = read(fds[0], piece, sizeof piece)) > 0) {
            counted += (size_t)n;
            usleep(500);
        }
        _exit(write(back[1], &counted, sizeof counted) != sizeof counted);
    }
    sigaction(SIGALRM, &act, &old);
    setitimer(ITIMER_REAL, &often, NULL);
    int rc = log_write_all(fds[1], big, sizeof big);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    close(fds[1]);
    assert_int_equal(read(back[0], &counted, sizeof counted), sizeof counted);
    close(fds[0]);
    close(back[0]);
    close(back[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(rc, 0);
    assert_int_equal(counted, sizeof big);
}

struct many {
    struct log *log;
    int id;
};

static void *put_many(void *arg)
{
    struct many *m = arg;
    for (int i = 0; i < 200; i++)
        log_put(m->log, LOG_NOTICE, "thread %d line %03d", m->id, i);
    return NULL;
}

/* Lines of several threads do not mix. */
static void test_threads(void **state)
{
    struct streams *s = *state;
    struct many m[4];
    pthread_t thread[4];
    unsigned next[4] = {0}, lines = 0;
    for (int i = 0; i < 4; i++) {
        m[i] = (struct many){&s->log, i};
        assert_int_equal(pthread_create(&thread[i], NULL, put_many, &m[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    took(s, s->out[0]);
    for (char *line = strtok(s->text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        unsigned id, n;
        assert_int_equal(sscanf(line, "thread %u line %u", &id, &n), 2);
        assert_in_range(id, 0, 3);
        assert_int_equal(n, next[id]++);
    }
    assert_int_equal(lines, 800);
}

int main(void)
{
#define WITH_PIPES(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        WITH_PIPES(test_prefixes_and_streams),
        WITH_PIPES(test_one_stream_keeps_the_order),
        WITH_PIPES(test_verbosity),
        WITH_PIPES(test_repetitions),
        WITH_PIPES(test_repetitions_over_levels),
        WITH_PIPES(test_a_hidden_message_is_none),
        WITH_PIPES(test_an_empty_line_may_be_first),
        WITH_PIPES(test_long_messages_are_cut),
        WITH_PIPES(test_reports),
        WITH_PIPES(test_a_failed_write_is_remembered),
        WITH_PIPES(test_write_all),
        cmocka_unit_test(test_write_all_through_interruptions),
        WITH_PIPES(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
