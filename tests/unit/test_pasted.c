#include "option/pasted.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What comes of an argument, joined with '|', and what is said of it. */
static void assert_read(const char *arg, const char *read, const char *said)
{
    struct strlist args;
    struct buf joined = {0}, found = {0};
    struct err e = {0};
    assert_int_equal(pasted_arguments(arg, &args, &found, &e), 0);
    for (size_t i = 0; i < args.count; i++)
        buf_printf(&joined, "%s%s", i ? "|" : "", args.item[i]);
    if (strcmp(buf_text(&joined), read) != 0)
        fail_msg("'%s' is read as '%s', not as '%s'", arg, buf_text(&joined), read);
    if (strcmp(buf_text(&found), said) != 0)
        fail_msg("of '%s' is said '%s', not '%s'", arg, buf_text(&found), said);
    strlist_release(&args);
    buf_release(&joined);
    buf_release(&found);
}

#define DASH "a typographic dash"
#define BLANK "a stray blank or line end"
#define QUOTES "typographic quotes"
#define NOTHING_SEEN "an invisible character"

static void test_plain_ones_stay(void **state)
{
    static const char *const plain[] = {
        "cpu",     "--threads=2",     "-",         "--",           "--a=b c",         "a\\b",
        "--x=a\\", "--pw=ends with ", "--x='cpu'", "\xc3\xa4.lua", "--x=\xe2\x82\xac"};
    (void)state;
    for (size_t i = 0; i < LENGTH(plain); i++)
        assert_read(plain[i], plain[i], "");
}

static void test_dashes(void **state)
{
    (void)state;
    assert_read("\u2013threads=2", "--threads=2", DASH);
    assert_read("\u2014test=cpu", "--test=cpu", DASH);
    assert_read("\u2013-time=1", "--time=1", DASH);
    assert_read("\u2212\u2212report\u2010interval=3", "--report-interval=3", DASH);
    assert_read("--report\u2011interval=3", "--report-interval=3", DASH);
    assert_read("--title=a\u2013b", "--title=a\u2013b", ""); /* of a value it is a part */
}

static void test_blanks_that_do_not_separate(void **state)
{
    (void)state;
    assert_read("cpu\u00a0run", "cpu|run", BLANK);
    assert_read("cpu\u00a0--threads=2\u00a0run", "cpu|--threads=2|run", BLANK);
    assert_read("--threads=2\u00a0\u2014time=1", "--threads=2|--time=1", DASH " and " BLANK);
    assert_read("\u3000run", "run", BLANK);
    assert_read("--threads=\u00a02\u202f", "--threads=2", BLANK);
    assert_read("--title=a\u00a0b", "--title=a\u00a0b", "");
}

static void test_line_ends(void **state)
{
    (void)state;
    assert_read("run\r", "run", BLANK);
    assert_read("--threads=2\r", "--threads=2", BLANK);
    assert_read(" run", "run", BLANK);
    assert_read(" --threads=2", "--threads=2", BLANK);
    assert_read(" ", "", BLANK);
    assert_read("\r", "", BLANK);
    assert_read("\\", "", "nothing but a backslash");
}

static void test_quotes(void **state)
{
    (void)state;
    assert_read("\u201ccpu\u201d", "cpu", QUOTES);
    assert_read("\u2018cpu\u2019", "cpu", QUOTES);
    assert_read("\u00abcpu\u00bb", "cpu", QUOTES);
    assert_read("\u201c--threads=2\u201d", "--threads=2", QUOTES);
    assert_read("--rand-type=\u201cuniform\u201d", "--rand-type=uniform", QUOTES);
    assert_read("--title=it\u2019s", "--title=it\u2019s", "");
    assert_read("--title=\u201ca", "--title=\u201ca", "");
}

static void test_invisible_ones(void **state)
{
    (void)state;
    assert_read("\ufeffcpu", "cpu", NOTHING_SEEN);
    assert_read("run\u200b", "run", NOTHING_SEEN);
    assert_read("--thr\u00adeads=2", "--threads=2", NOTHING_SEEN);
}

/* Cut sequences and lone bytes must not be read past their end. */
static void test_broken_encodings(void **state)
{
    static const char *const broken[] = {"\xe2", "\xe2\x80", "a\xe2",
                                         "\xc2", "\x80\x93", "--x=\xef\xbb"};
    (void)state;
    for (size_t i = 0; i < LENGTH(broken); i++)
        assert_read(broken[i], broken[i], "");
}

static void test_files_are_left_alone(void **state)
{
    char folder[] = "/tmp/pastedXXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a\u2013b", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    assert_read(path, path, "");
    unlink(path);
    rmdir(folder);
}

static void test_lines(void **state)
{
    static const struct {
        const char *line, *read;
        bool mended;
    } cases[] = {
        {"threads=2\n", "threads=2\n", false},
        {"\u2013\u2013threads\u00a0=\u00a02", "--threads = 2", true},
        {"mysql-user=\u201ca b\u201d", "mysql-user=\"a b\"", true},
        {"mysql-user=\"a \u2013 \u201cb\u201d\"", "mysql-user=\"a \u2013 \u201cb\u201d\"", false},
        {"mysql-user='it\u2019s'", "mysql-user='it\u2019s'", false},
        {"title=a\u2013b", "title=a\u2013b", false},
        {"# don\u2019t", "# don\u2019t", false},
        {"threads=2 # \u201ctwo\u201d", "threads=2 # \u201ctwo\u201d", false},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct buf out = {0};
        bool mended = pasted_line(cases[i].line, &out);
        assert_string_equal(buf_text(&out), cases[i].read);
        assert_int_equal(mended, cases[i].mended);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_ones_stay),
        cmocka_unit_test(test_dashes),
        cmocka_unit_test(test_blanks_that_do_not_separate),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_invisible_ones),
        cmocka_unit_test(test_broken_encodings),
        cmocka_unit_test(test_files_are_left_alone),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
