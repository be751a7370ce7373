#include "option/cmdline.h"
#include "option/legacy.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 32

struct mode_options {
    int64_t depth;
    bool fast;
};

static const struct option mode_rows[] = {
    {"depth", "a number of the test", "3", OPT_ROW_INT(struct mode_options, depth), .min = 1,
     .max = 100},
    {"fast", "a switch of the test", "off", OPT_ROW_BOOL(struct mode_options, fast)},
    {0},
};

struct fixture {
    struct cmdline line;
    struct general_options g;
    struct mode_options mode;
    struct optset set;
    char *argv[MOST];
    int argc;
    struct err err;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (general_init(&f->g, &f->err) != 0)
        return -1;
    return optset_init(&f->set, "mode", mode_rows, &f->mode, &f->err);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cmdline_release(&f->line);
    general_release(&f->g);
    optset_release(&f->set);
    for (int i = 0; i < f->argc; i++)
        free(f->argv[i]);
    free(f);
    return 0;
}

static void begin_anew(struct fixture *f)
{
    cmdline_release(&f->line);
    while (f->argc > 0)
        free(f->argv[--f->argc]);
    err_clear(&f->err);
}

/* Splits the words, which are copied, for secrets are blanked in place. */
static int parse(struct fixture *f, ...)
{
    va_list ap;
    const char *word = "sbench";
    va_start(ap, f);
    for (; word; word = va_arg(ap, const char *))
        f->argv[f->argc++] = strdup(word);
    va_end(ap);
    return cmdline_parse(&f->line, f->argc, f->argv, &f->err);
}

static int give(struct fixture *f, int compat)
{
    struct optset *sets[] = {&f->set};
    f->g.values.compat = compat;
    if (cmdline_general(&f->line, &f->g, &f->err) != 0)
        return -1;
    return cmdline_rest(&f->line, sets, 1, &f->g, false, &f->err);
}

static void assert_notes(struct fixture *f, const char *part)
{
    if (!strstr(buf_text(&f->line.notes), part))
        fail_msg("'%s' is not in the notes: %s", part, buf_text(&f->line.notes));
}

/* --- words ------------------------------------------------------------------------- */

static void test_words_and_options_in_any_order(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--depth=4", "cpu", "--threads=2", "run", "--fast", (char *)NULL), 0);
    assert_string_equal(f->line.test, "cpu");
    assert_string_equal(f->line.command, "run");
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_int_equal(f->mode.depth, 4);
    assert_int_equal(f->g.values.threads, 2);
    assert_true(f->mode.fast);
}

static void test_a_third_word(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "cpu", "run", "more", (char *)NULL), -1);
    assert_err(&f->err, ERR_FAILED, "more");
}

static void test_one_dash(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "cpu", "-threads=2", "run", (char *)NULL), -1);
    assert_err(&f->err, ERR_FAILED, "'-threads=2'", "--threads=2");
}

static void test_a_lone_dash_is_a_word(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "-", (char *)NULL), 0);
    assert_string_equal(f->line.test, "-");
}

static void test_a_blank_instead_of_equals(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--threads", "4", "cpu", "run", (char *)NULL), -1);
    assert_err(&f->err, ERR_FAILED, "--threads=4");
}

/* Not the word that happens to be too many, but what made it so. */
static void test_the_word_to_blame(void **state)
{
    static const struct {
        const char *word[4], *told;
    } cases[] = {{{"cpu", "--depth", "4", "run"}, "--depth=4"},
                 {{"cpu", "--depth=", "4", "run"}, "--depth=4"},
                 {{"cpu", "--threads", "=4", "run"}, "--threads=4"},
                 {{"--debug", "on", "cpu", "run"}, "--debug=on"},
                 {{"cpu", "threads=4", "run", NULL}, "--threads=4"}};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *const *w = cases[i].word;
        begin_anew(f);
        assert_int_equal(parse(f, w[0], w[1], w[2], w[3], (char *)NULL), -1);
        assert_err(&f->err, ERR_FAILED, cases[i].told);
        assert_null(strstr(f->err.text, "'run'"));
    }
}

static void test_a_switch_takes_no_word(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--debug", "cpu", "run", (char *)NULL), 0);
    assert_string_equal(f->line.test, "cpu");
}

static void test_the_last_one_counts(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "cpu", "run", "--depth=4", "--depth=5", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_int_equal(f->mode.depth, 5);
}

static void test_value_with_equals_and_names_with_underscores(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--mysql_user=a=b", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_string_equal(f->g.values.mysql_user, "a=b");
}

static void test_typographic_dashes(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "\u2014test=cpu", "\u2013threads=2",
                           "\u2212\u2212report\u2010interval=3", "run", (char *)NULL),
                     0);
    assert_string_equal(f->line.test, "cpu");
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_int_equal(f->g.values.threads, 2);
    assert_true(f->g.values.report_interval == 3);
    assert_notes(f, "--report-interval=3");
}

static void test_secrets_are_blanked(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        parse(f, "--mysql-password=hush", "--pgsql_password=hush", "cpu", (char *)NULL), 0);
    assert_string_equal(f->argv[1], "--mysql-password=xxxx");
    assert_string_equal(f->argv[2], "--pgsql_password=xxxx");
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_string_equal(f->g.values.mysql_password, "hush");
    assert_string_equal(f->g.values.pgsql_password, "hush");
}

/* --- old names ----------------------------------------------------------------------- */

/* Nor does a note on what was mended show them. */
static void test_secrets_are_not_in_notes(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "\u2014mysql-password=hush", (char *)NULL), 0);
    assert_notes(f, "typographic dash");
    assert_null(strstr(buf_text(&f->line.notes), "hush"));
    assert_null(strstr(f->argv[1], "hush"));
}

static void test_test_as_an_option(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "memory", "--test=cpu", "run", (char *)NULL), 0);
    assert_string_equal(f->line.test, "cpu");
    assert_string_equal(f->line.command, "run");
    assert_true(f->line.test_by_option);
}

static void test_an_empty_test_is_none(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--test=", "cpu", "run", (char *)NULL), 0);
    assert_string_equal(f->line.test, "cpu");
}

static void test_old_names_win(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--max-requests=3", "--num-threads=4", "--threads=2", "--events=9",
                           "--tx-rate=7", "--max-time=8", (char *)NULL),
                     0);
    assert_int_equal(give(f, COMPAT_1_0), 0);
    assert_int_equal(f->g.values.threads, 4);
    assert_int_equal(f->g.values.events, 3);
    assert_true(f->g.values.rate == 7);
    assert_true(f->g.values.time == 8);
    const char *said = buf_text(&f->line.warnings);
    const char *threads = strstr(said, "--num-threads"), *events = strstr(said, "--max-requests");
    const char *seconds = strstr(said, "--max-time"), *rate = strstr(said, "--tx-rate");
    assert_true(threads && events && seconds && rate);
    assert_true(threads < events && events < seconds && seconds < rate);
}

static void test_old_defaults_are_idle_in_1_0(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        parse(f, "--num-threads=1", "--threads=3", "--max-time=0", "--max-requests=", (char *)NULL),
        0);
    assert_int_equal(give(f, COMPAT_1_0), 0);
    assert_int_equal(f->g.values.threads, 3);
    assert_true(f->g.values.time == 10);
    assert_string_equal(buf_text(&f->line.warnings), "");
}

static void test_old_zero_counts_natively(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--max-time=0", "--max-requests=0", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_true(f->g.values.time == 0);
    assert_notes(f, "--max-time is now --time");
}

static void test_requests_were_the_only_limit(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--max-requests=5", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_true(f->g.values.time == 0);
    assert_notes(f, "without a time limit");
}

static void test_a_wrong_value_of_an_old_name(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--num-threads=abc", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_1_0), -1);
    assert_err(&f->err, ERR_FAILED, "num-threads", "abc");
    assert_true(f->line.malformed);
    assert_string_equal(buf_text(&f->line.warnings), "");
}

static void test_names_without_effect(void **state)
{
    static const char *const names[] = {"init-rng", "rand-init", "tx-jitter", "batch",
                                        "batch-delay"};
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--init-rng=on", "--rand-init", "--tx-jitter=3", "--batch",
                           "--batch-delay=9", (char *)NULL),
                     0);
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    for (size_t i = 0; i < LENGTH(names); i++)
        assert_notes(f, names[i]);
}

static void test_defaults_of_0_4(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--file-num=3", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_0_4), -1); /* no option of this test or of any named below */
    static const struct option other[] = {{"file-num", "n", "1", .type = OPT_INT}, {0}};
    err_clear(&f->err);
    legacy_ignore(&f->line, other, "fileio");
    assert_int_equal(give(f, COMPAT_0_4), 0);
    assert_notes(f, "--file-num");
    assert_int_equal(f->g.values.events, 10000);
    assert_true(f->g.values.time == 0);
    assert_int_equal(f->g.values.verbosity, 4);
    assert_int_equal(f->g.values.thread_stack_size, 32768);
    assert_int_equal(f->g.values.rand_seed, 1);
}

static void test_init_rng_of_0_4(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--init-rng", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_0_4), 0);
    assert_int_equal(f->g.values.rand_seed, 0);
    assert_true(f->g.values.init_rng);
}

static void test_switches_of_0_4(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--debug=yes", "--validate=1", "--histogram=on", "--fast=true",
                           "--help=", (char *)NULL),
                     0);
    assert_int_equal(give(f, COMPAT_0_4), 0);
    assert_false(f->g.values.debug || f->g.values.validate || f->mode.fast || f->g.values.help);
    assert_true(f->g.values.histogram);
    assert_notes(f, "--debug=yes is off");
    assert_notes(f, "--fast=true is off");
}

static void test_batch_of_0_4(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--batch", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_0_4), 0);
    assert_true(f->g.values.batch);
    assert_true(f->g.values.report_interval == 300);
}

static void test_batch_delay_of_0_4(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--batch=on", "--batch-delay=2", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_0_4), 0);
    assert_true(f->g.values.report_interval == 2);
}

/* Only --batch makes lines. */
static void test_a_delay_alone(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--batch-delay=2", "--batch=off", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_0_4), 0);
    assert_false(f->g.values.batch);
    assert_true(f->g.values.report_interval == 0);
}

/* Without effect, but wrong all the same. */
static void test_wrong_values_without_effect(void **state)
{
    static const char *const wrong[] = {"--init-rng=maybe", "--tx-jitter=x", "--batch-delay=0"};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        begin_anew(f);
        assert_int_equal(parse(f, wrong[i], (char *)NULL), 0);
        assert_int_equal(give(f, COMPAT_NATIVE), -1);
        assert_err(&f->err, ERR_FAILED, "--", strchr(wrong[i], '=') + 1);
    }
}

/* --- what is not known ------------------------------------------------------------------ */

static void test_a_near_name_is_suggested(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--dpeth=4", (char *)NULL), 0);
    assert_int_equal(give(f, COMPAT_NATIVE), -1);
    assert_err(&f->err, ERR_FAILED, "--dpeth=4", "--depth");
    assert_true(f->line.malformed);
}

static void test_an_open_script_takes_any_name(void **state)
{
    struct fixture *f = *state;
    struct optset *sets[] = {&f->set};
    assert_int_equal(parse(f, "--whatever=4", (char *)NULL), 0);
    assert_int_equal(cmdline_general(&f->line, &f->g, &f->err), 0);
    assert_int_equal(cmdline_rest(&f->line, sets, 1, &f->g, true, &f->err), 0);
    assert_string_equal(buf_text(&f->line.notes), "");
    begin_anew(f);
    assert_int_equal(parse(f, "--thread=4", (char *)NULL), 0);
    assert_int_equal(cmdline_rest(&f->line, sets, 1, &f->g, true, &f->err), 0);
    assert_notes(f, "--threads"); /* which may have been meant */
    assert_false(f->line.setting[0].used);
}

/* A wrong switch is found at once, or where sysbench finds it. */
static void test_a_wrong_switch(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--validate=yes", (char *)NULL), 0);
    f->g.values.compat = COMPAT_1_0;
    assert_int_equal(cmdline_general(&f->line, &f->g, &f->err), 0);
    assert_int_equal(give(f, COMPAT_1_0), -1);
    assert_err(&f->err, ERR_FAILED, "--validate", "yes");
    err_clear(&f->err);
    f->g.values.compat = COMPAT_NATIVE;
    assert_int_equal(cmdline_general(&f->line, &f->g, &f->err), -1);
    assert_err(&f->err, ERR_FAILED, "--validate", "yes");
}

static void test_where_an_error_goes(void **state)
{
    static const struct {
        const char *option;
        bool malformed;
    } cases[] = {
        {"--threads=abc", true},       {"--threads=0", false}, {"--threads=99999999999", true},
        {"--time=abc", true},          {"--rate=abc", true},   {"--thread-stack-size=0", false},
        {"--rand-type=nothing", false}};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        cmdline_release(&f->line);
        err_clear(&f->err);
        while (f->argc > 0)
            free(f->argv[--f->argc]);
        assert_int_equal(parse(f, cases[i].option, (char *)NULL), 0);
        assert_int_equal(give(f, COMPAT_1_0), -1);
        if (f->line.malformed != cases[i].malformed)
            fail_msg("%s: malformed is %d", cases[i].option, f->line.malformed);
    }
}

static void test_compat_by_name_and_option(void **state)
{
    static const struct {
        const char *program, *option;
        int compat;
    } cases[] = {{"sbench", "--threads=1", COMPAT_NATIVE},
                 {"/usr/bin/sysbench", "--threads=1", COMPAT_1_0},
                 {"sysbench-old", "--threads=1", COMPAT_NATIVE},
                 {"sbench", "--compat=0.4", COMPAT_0_4},
                 {"sysbench", "--compat=native", COMPAT_NATIVE}};
    struct fixture *f = *state;
    int compat;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        cmdline_release(&f->line);
        while (f->argc > 0)
            free(f->argv[--f->argc]);
        assert_int_equal(parse(f, cases[i].option, (char *)NULL), 0);
        assert_int_equal(cmdline_compat(&f->line, cases[i].program, &compat, &f->err), 0);
        assert_int_equal(compat, cases[i].compat);
    }
}

/* --- files of options ---------------------------------------------------------------------- */

static int parse_file(struct fixture *f, const char *text)
{
    char path[] = "/tmp/test_cmdline.XXXXXX", option[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    snprintf(option, sizeof option, "--config-file=%s", path);
    int rc = parse(f, option, (char *)NULL);
    unlink(path);
    return rc;
}

static void test_file_of_options(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse_file(f, "# a comment\n\nthreads = 4 # behind\n--events=5\ndepth=7\r\n"
                                   "debug=off\nmysql-user='a b'\nmysql-host=x, y\n"),
                     0);
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_int_equal(f->g.values.threads, 4);
    assert_int_equal(f->g.values.events, 5);
    assert_int_equal(f->mode.depth, 7);
    assert_false(f->g.values.debug);
    assert_string_equal(f->g.values.mysql_user, "a b");
    assert_int_equal(f->g.values.mysql_host.count, 2);
}

/* As editors of other systems and web pages leave them. */
static void test_pasted_file(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        parse_file(f, "\ufeff# caf\u00e9 \u2013\r\nthreads\u00a0= 4\r\n\u2013\u2013events=5\r\n"
                      "mysql-user=\u201ca b\u201d\r\n"),
        0);
    assert_int_equal(give(f, COMPAT_NATIVE), 0);
    assert_int_equal(f->g.values.threads, 4);
    assert_int_equal(f->g.values.events, 5);
    assert_string_equal(f->g.values.mysql_user, "a b");
    assert_notes(f, ":2:");
    assert_null(strstr(buf_text(&f->line.notes), ":1:"));
}

static void test_file_with_a_wrong_line(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse_file(f, "threads=2\nnothing\n"), -1);
    assert_err(&f->err, ERR_FAILED, ":2:", "nothing");
}

static void test_file_with_an_open_quote(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse_file(f, "mysql-user='abc\n"), -1);
    assert_err(&f->err, ERR_FAILED, ":1:", "mysql-user", "quote");
}

static void test_file_with_a_wrong_value(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse_file(f, "events=2\nthreads=abc\n"), 0);
    assert_int_equal(give(f, COMPAT_NATIVE), -1);
    assert_err(&f->err, ERR_FAILED, ":2:", "threads", "abc");
}

static void test_file_with_an_unknown_name(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse_file(f, "deptth=2\n"), 0);
    assert_int_equal(give(f, COMPAT_NATIVE), -1);
    assert_err(&f->err, ERR_FAILED, ":1:", "deptth", "--depth");
}

static void test_file_that_is_missing(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--config-file=/nonexistent/file", (char *)NULL), -1);
    assert_err(&f->err, ERR_FAILED, "--config-file", "/nonexistent/file", "No such file");
}

static void test_file_without_name(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "--config-file", (char *)NULL), -1);
    assert_err(&f->err, ERR_FAILED, "--config-file");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_words_and_options_in_any_order),
        TEST(test_a_third_word),
        TEST(test_one_dash),
        TEST(test_a_lone_dash_is_a_word),
        TEST(test_a_blank_instead_of_equals),
        TEST(test_the_word_to_blame),
        TEST(test_a_switch_takes_no_word),
        TEST(test_the_last_one_counts),
        TEST(test_value_with_equals_and_names_with_underscores),
        TEST(test_typographic_dashes),
        TEST(test_secrets_are_blanked),
        TEST(test_secrets_are_not_in_notes),
        TEST(test_test_as_an_option),
        TEST(test_an_empty_test_is_none),
        TEST(test_old_names_win),
        TEST(test_old_defaults_are_idle_in_1_0),
        TEST(test_old_zero_counts_natively),
        TEST(test_requests_were_the_only_limit),
        TEST(test_a_wrong_value_of_an_old_name),
        TEST(test_names_without_effect),
        TEST(test_defaults_of_0_4),
        TEST(test_init_rng_of_0_4),
        TEST(test_switches_of_0_4),
        TEST(test_batch_of_0_4),
        TEST(test_batch_delay_of_0_4),
        TEST(test_a_delay_alone),
        TEST(test_wrong_values_without_effect),
        TEST(test_a_near_name_is_suggested),
        TEST(test_an_open_script_takes_any_name),
        TEST(test_a_wrong_switch),
        TEST(test_where_an_error_goes),
        TEST(test_compat_by_name_and_option),
        TEST(test_file_of_options),
        TEST(test_pasted_file),
        TEST(test_file_with_a_wrong_line),
        TEST(test_file_with_an_open_quote),
        TEST(test_file_with_a_wrong_value),
        TEST(test_file_with_an_unknown_name),
        TEST(test_file_that_is_missing),
        TEST(test_file_without_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
