#include "unit.h"

#include "option/general.h"

#include <ctype.h>
#include <stdlib.h>

struct fixture {
    struct general_options g;
    struct err err;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return general_init(&f->g, &f->err);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    general_release(&f->g);
    free(f);
    return 0;
}

static int set(struct fixture *f, const char *name, const char *text)
{
    size_t row;
    struct optset *s = general_find(&f->g, name, &row);
    err_clear(&f->err);
    if (!s)
        fail_msg("no option --%s", name);
    return optset_set(s, row, text, OPT_BY_USER, OPT_STRICT, &f->err);
}

/* Sets one option and finishes: 0 or -1. */
static int finish_with(struct fixture *f, const char *name, const char *text)
{
    if (set(f, name, text) != 0)
        fail_msg("%s", f->err.text);
    return general_finish(&f->g, &f->err);
}

/* --- the table checks itself ------------------------------------------------------- */

#define each_row(f, o)                                                                             \
    for (int set_ = 0; set_ < GENERAL_SETS; set_++)                                                \
        /* NOLINTNEXTLINE(bugprone-macro-parentheses): o is the name of a variable */              \
        for (const struct option *o = (f)->g.set[set_].rows; (o)->name; (o)++)

static void test_names_are_unique(void **state)
{
    struct fixture *f = *state;
    each_row(f, a)
    {
        int found = 0;
        for (int k = 0; k < GENERAL_SETS; k++)
            for (const struct option *b = f->g.set[k].rows; b->name; b++)
                found += opt_same_name(a->name, b->name);
        if (found != 1)
            fail_msg("--%s is there %d times", a->name, found);
    }
}

static void test_names_are_spelled_alike(void **state)
{
    struct fixture *f = *state;
    each_row(f, o)
    {
        assert_true(islower((unsigned char)o->name[0]));
        for (const char *c = o->name; *c; c++)
            if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '-')
                fail_msg("--%s: '%c'", o->name, *c);
        assert_true(strlen(o->name) < 40);
    }
}

static void test_every_row_has_a_help_text(void **state)
{
    struct fixture *f = *state;
    each_row(f, o)
    {
        assert_non_null(o->help);
        if (strlen(o->help) < 8)
            fail_msg("--%s has no help text", o->name);
        assert_null(strchr(o->help, '\n'));
        assert_int_not_equal(o->help[strlen(o->help) - 1], '.');
    }
}

static void test_every_group_has_a_heading(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < GENERAL_SETS; i++) {
        assert_true(strlen(f->g.set[i].title) > 5);
        assert_true(f->g.set[i].count > 0);
    }
}

/* A default is text that a user could type, and the field has what it says. */
static void test_defaults_parse(void **state)
{
    struct fixture *f = *state;
    struct buf before = {0}, after = {0};
    for (int k = 0; k < GENERAL_SETS; k++) {
        struct optset *s = &f->g.set[k];
        for (size_t i = 0; i < s->count; i++) {
            const char *text = s->rows[i].fallback;
            if (!text || s->rows[i].secret)
                continue;
            buf_clear(&before);
            buf_clear(&after);
            optset_text(s, i, &before);
            if (optset_set(s, i, text, OPT_BY_USER, OPT_STRICT, &f->err) != 0)
                fail_msg("%s", f->err.text);
            optset_text(s, i, &after);
            assert_string_equal(buf_text(&after), buf_text(&before));
        }
    }
    buf_release(&before);
    buf_release(&after);
}

static void test_choices_and_bounds_make_sense(void **state)
{
    struct fixture *f = *state;
    each_row(f, o)
    {
        bool chooses = o->type == OPT_CHOICE || o->type == OPT_FLAGS;
        if (chooses)
            assert_true(o->choices && o->choices[0]);
        assert_true(o->max >= o->min || o->max == 0);
        for (int i = 0; chooses && o->choices[i]; i++)
            if (!strstr(o->help, o->choices[i]))
                fail_msg("the help of --%s does not name %s", o->name, o->choices[i]);
        if (o->type == OPT_FILE)
            assert_null(o->fallback);
    }
}

/* Two rows never write to one field. */
static void test_fields_are_unique(void **state)
{
    struct fixture *f = *state;
    each_row(f, a)
    {
        int found = 0;
        for (int k = 0; k < GENERAL_SETS; k++)
            for (const struct option *b = f->g.set[k].rows; b->name; b++)
                found += b->type != OPT_FILE && b->at == a->at;
        if (a->type != OPT_FILE && found != 1)
            fail_msg("the field of --%s has %d rows", a->name, found);
    }
}

/* --- what sysbench 1.0 has ------------------------------------------------------------ */

/* Name, suffix in the help and default are interface. */
static void test_options_of_sysbench(void **state)
{
    static const char *const known[][3] = {
        {"threads", "=N", "1"},
        {"events", "=N", "0"},
        {"time", "=N", "10"},
        {"warmup-time", "=N", "0"},
        {"forced-shutdown", "=STRING", "off"},
        {"thread-stack-size", "=SIZE", "64K"},
        {"thread-init-timeout", "=N", "30"},
        {"rate", "=N", "0"},
        {"report-interval", "=N", "0"},
        {"report-checkpoints", "=[LIST,...]", ""},
        {"debug", "[=on|off]", "off"},
        {"validate", "[=on|off]", "off"},
        {"help", "[=on|off]", "off"},
        {"version", "[=on|off]", "off"},
        {"config-file", "=FILENAME", NULL},
        {"luajit-cmd", "=STRING", NULL},
        {"rand-type", "=STRING", "special"},
        {"rand-spec-iter", "=N", "12"},
        {"rand-spec-pct", "=N", "1"},
        {"rand-spec-res", "=N", "75"},
        {"rand-seed", "=N", "0"},
        {"rand-pareto-h", "=N", "0.2"},
        {"rand-zipfian-exp", "=N", "0.8"},
        {"verbosity", "=N", "3"},
        {"histogram", "[=on|off]", "off"},
        {"db-ps-mode", "=STRING", "auto"},
        {"db-debug", "[=on|off]", "off"},
        {"mysql-host", "=[LIST,...]", "localhost"},
        {"mysql-port", "=[LIST,...]", "3306"},
        {"mysql-user", "=STRING", "sbtest"},
        {"mysql-password", "=STRING", ""},
        {"mysql-db", "=STRING", "sbtest"},
        {"mysql-ignore-errors", "=[LIST,...]", "1213,1020,1205"},
        {"pgsql-host", "=STRING", "localhost"},
        {"pgsql-port", "=N", "5432"},
        {"pgsql-user", "=STRING", "sbtest"},
        {"pgsql-db", "=STRING", "sbtest"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(known); i++) {
        size_t row;
        struct optset *s = general_find(&f->g, known[i][0], &row);
        assert_non_null(s);
        const struct option *o = &s->rows[row];
        assert_string_equal(opt_suffix(o), known[i][1]);
        if (known[i][2])
            assert_string_equal(o->fallback, known[i][2]);
        else
            assert_null(o->fallback);
    }
}

static void test_defaults(void **state)
{
    struct fixture *f = *state;
    const struct general *g = &f->g.values;
    assert_int_equal(general_finish(&f->g, &f->err), 0);
    assert_int_equal(g->threads, 1);
    assert_int_equal(g->events, 0);
    assert_true(g->time == 10 && g->warmup_time == 0 && g->hard_stop == -1);
    assert_int_equal(g->thread_stack_size, 65536);
    assert_int_equal(g->rand_type, RAND_SPECIAL);
    assert_int_equal(g->output_format, FORMAT_TEXT);
    assert_int_equal(g->compat, COMPAT_NATIVE);
    assert_false(general_as_sysbench(g));
    assert_int_equal(g->percentile_count, 1);
    assert_true(g->percentiles[0] == 95);
    assert_int_equal(g->checkpoint_count, 0);
    assert_true(g->forced_s < 0);
    assert_int_equal(g->verbosity, 3);
}

static void test_find(void **state)
{
    struct fixture *f = *state;
    size_t row = 99;
    assert_null(general_find(&f->g, "thread", &row));
    assert_null(general_find(&f->g, "", &row));
    assert_ptr_equal(general_find(&f->g, "rand_seed", &row), &f->g.set[1]);
    assert_string_equal(f->g.set[1].rows[row].name, "rand-seed");
}

static void test_choices(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(set(f, "compat", "0.4"), 0);
    assert_int_equal(f->g.values.compat, COMPAT_0_4);
    assert_true(general_as_sysbench(&f->g.values));
    assert_int_equal(set(f, "output-format", "csv"), 0);
    assert_int_equal(f->g.values.output_format, FORMAT_CSV);
    assert_int_equal(set(f, "rand-type", "zipfian"), 0);
    assert_int_equal(f->g.values.rand_type, RAND_ZIPFIAN);
    assert_int_equal(set(f, "rate-pace", "fixed"), 0);
    assert_int_equal(f->g.values.rate_pace, PACE_FIXED);
    assert_int_equal(set(f, "rand-type", "exponential"), -1);
    assert_err(&f->err, ERR_FAILED, "--rand-type", "exponential", "uniform", "pareto");
    assert_int_equal(set(f, "db-ps-mode", "maybe"), -1);
    assert_err(&f->err, ERR_FAILED, "--db-ps-mode", "auto, disable");
}

static void test_refused_values(void **state)
{
    static const char *const bad[][2] = {
        {"threads", "0"},         {"threads", "-1"},
        {"threads", "65536"},     {"events", "-1"},
        {"time", "-1"},           {"warmup-time", "-1"},
        {"hard-stop", "-2"},      {"thread-stack-size", "0"},
        {"rate", "-1"},           {"report-interval", "-1"},
        {"verbosity", "6"},       {"rand-spec-pct", "101"},
        {"rand-spec-res", "100"}, {"rand-zipfian-exp", "-1"},
        {"pgsql-port", "70000"},  {"time", "10 s"},
        {"threads", "two"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_int_equal(set(f, bad[i][0], bad[i][1]), -1);
        assert_err(&f->err, ERR_FAILED, bad[i][0], bad[i][1]);
    }
}

/* --- what general_finish reads ------------------------------------------------------ */

static void test_percentiles(void **state)
{
    struct fixture *f = *state;
    const struct general *g = &f->g.values;
    assert_int_equal(finish_with(f, "percentile", "50,95,99.9"), 0);
    assert_int_equal(g->percentile_count, 3);
    assert_true(g->percentiles[0] == 50 && g->percentiles[1] == 95 && g->percentiles[2] == 99.9);
    assert_int_equal(finish_with(f, "percentile", "0"), 0);
    assert_int_equal(g->percentile_count, 0);
    assert_int_equal(finish_with(f, "percentile", "100"), 0);
    assert_int_equal(g->percentile_count, 1);
    /* each once, in the order in which they were asked for */
    assert_int_equal(finish_with(f, "percentile", "99,50,99.0,050,99"), 0);
    assert_int_equal(g->percentile_count, 2);
    assert_true(g->percentiles[0] == 99 && g->percentiles[1] == 50);
    assert_int_equal(finish_with(f, "percentile", "0,0"), 0);
    assert_int_equal(g->percentile_count, 0);
}

static void test_bad_percentiles(void **state)
{
    static const char *const bad[] = {"101", "-1", "abc", "50,x", "50,101", "1 2", "nan"};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_int_equal(finish_with(f, "percentile", bad[i]), -1);
        assert_err(&f->err, ERR_FAILED, "--percentile", bad[i], "from 0 to 100");
    }
    assert_int_equal(finish_with(f, "percentile", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"), -1);
    assert_err(&f->err, ERR_FAILED, "--percentile", "'17'", "too many");
}

/* What is empty where it was to be something is an unset variable of a script. */
static void test_empty_texts(void **state)
{
    static const char *const names[] = {"percentile", "output", "hooks", "cpu-list", "luajit-cmd"};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(names); i++) {
        assert_int_equal(set(f, names[i], ""), -1);
        assert_err(&f->err, ERR_FAILED, names[i], "''", "empty");
    }
    assert_int_equal(set(f, "percentile", " , "), -1);
    assert_int_equal(set(f, "mysql-password", ""), 0);
    assert_int_equal(set(f, "report-checkpoints", ""), 0);
}

static void test_histogram_needs_a_percentile(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(set(f, "histogram", "on"), 0);
    assert_int_equal(finish_with(f, "percentile", "0"), -1);
    assert_err(&f->err, ERR_FAILED, "--histogram", "--percentile");
    assert_int_equal(finish_with(f, "percentile", "99"), 0);
}

static void test_checkpoints(void **state)
{
    struct fixture *f = *state;
    const struct general *g = &f->g.values;
    struct buf many = {0};
    assert_int_equal(finish_with(f, "report-checkpoints", "30,10,20.5"), 0);
    assert_int_equal(g->checkpoint_count, 3);
    assert_true(g->checkpoints[0] == 10 && g->checkpoints[1] == 20.5 && g->checkpoints[2] == 30);
    for (int i = 0; i < 256; i++)
        buf_printf(&many, "%d,", 256 - i);
    assert_int_equal(finish_with(f, "report-checkpoints", buf_text(&many)), 0);
    assert_int_equal(g->checkpoint_count, 256);
    assert_true(g->checkpoints[0] == 1 && g->checkpoints[255] == 256);
    buf_puts(&many, "300");
    assert_int_equal(finish_with(f, "report-checkpoints", buf_text(&many)), -1);
    assert_err(&f->err, ERR_FAILED, "--report-checkpoints", "too many");
    assert_int_equal(finish_with(f, "report-checkpoints", "-1"), -1);
    assert_int_equal(finish_with(f, "report-checkpoints", "2147483648"), -1);
    assert_int_equal(finish_with(f, "report-checkpoints", "soon"), -1);
    assert_err(&f->err, ERR_FAILED, "--report-checkpoints", "soon");
    buf_release(&many);
}

static void test_forced_shutdown(void **state)
{
    static const struct {
        const char *text, *time;
        double seconds;
    } good[] = {{"off", "10", -1}, {"OFF", "10", -1},    {"3", "10", 3}, {"0.5", "10", 0.5},
                {"50%", "10", 5},  {"0", "10", 0},       {"", "100", 5}, {"", "30.5", 1},
                {"5", "0", -1},    {"rubbish", "0", -1}, {"0%", "10", 0}};
    static const char *const bad[] = {"soon", "%", "5%%", "-1", "-5%", "5s", "1e300", "1e12%"};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(good); i++) {
        assert_int_equal(set(f, "time", good[i].time), 0);
        assert_int_equal(finish_with(f, "forced-shutdown", good[i].text), 0);
        if (f->g.values.forced_s != good[i].seconds)
            fail_msg("'%s' gives %.17g", good[i].text, f->g.values.forced_s);
    }
    assert_int_equal(set(f, "time", "10"), 0);
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_int_equal(finish_with(f, "forced-shutdown", bad[i]), -1);
        assert_err(&f->err, ERR_FAILED, "--forced-shutdown", bad[i]);
    }
}

static void test_report_interval(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* negative: refused */
    } cases[] = {{"0", 0},        {"0.001", 0.001}, {"1ms", 0.001}, {"10", 10},
                 {"0.9ms", -1.0}, {"1e-9", -1.0},   {"5us", -1.0},  {"1e-300", -1.0}};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int rc = finish_with(f, "report-interval", cases[i].text);
        if (cases[i].seconds < 0)
            assert_err(&f->err, ERR_FAILED, "--report-interval", "0.001");
        else if (rc != 0 || f->g.values.report_interval != cases[i].seconds)
            fail_msg("'%s' gives %.17g: %s", cases[i].text, f->g.values.report_interval,
                     f->err.text);
    }
}

static void test_debug_says_all(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(finish_with(f, "debug", "on"), 0);
    assert_int_equal(f->g.values.verbosity, 5);
}

int main(void)
{
#define ON_TABLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ON_TABLE(test_names_are_unique),
        ON_TABLE(test_names_are_spelled_alike),
        ON_TABLE(test_every_row_has_a_help_text),
        ON_TABLE(test_every_group_has_a_heading),
        ON_TABLE(test_defaults_parse),
        ON_TABLE(test_choices_and_bounds_make_sense),
        ON_TABLE(test_fields_are_unique),
        ON_TABLE(test_options_of_sysbench),
        ON_TABLE(test_defaults),
        ON_TABLE(test_find),
        ON_TABLE(test_choices),
        ON_TABLE(test_refused_values),
        ON_TABLE(test_percentiles),
        ON_TABLE(test_bad_percentiles),
        ON_TABLE(test_empty_texts),
        ON_TABLE(test_histogram_needs_a_percentile),
        ON_TABLE(test_checkpoints),
        ON_TABLE(test_forced_shutdown),
        ON_TABLE(test_report_interval),
        ON_TABLE(test_debug_says_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
