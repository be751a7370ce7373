#include "unit.h"

#include "option/option.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const colours[] = {"red", "green", "blue", NULL};

struct values {
    bool flag, other_flag;
    int64_t count, seed, unlimited;
    uint64_t size;
    double ratio, free;
    double seconds, signed_seconds;
    char *text, *word, *password;
    struct strlist list;
    int colour;
    unsigned colours;
};

#define V struct values
static const struct option rows[] = {
    {"flag", "a switch", "off", OPT_ROW_BOOL(V, flag)},
    {"other-flag", "a switch that is on", "on", OPT_ROW_BOOL(V, other_flag)},
    {"count", "a number", "7", OPT_ROW_INT(V, count), .min = 1, .max = 100},
    {"seed", "a number with a sign", "0", OPT_ROW_INT(V, seed), .min = -2147483648.0,
     .max = 4294967295.0},
    {"unlimited", "a number where 0 is no limit", "5", OPT_ROW_INT(V, unlimited), .min = 0,
     .max = 9e18, .negative_is_none = true},
    {"size", "bytes", "16K", OPT_ROW_SIZE(V, size), .min = 1, .max = 1e12},
    {"ratio", "a fraction", "1.5", OPT_ROW_DOUBLE(V, ratio), .min = 0, .max = 10},
    {"free", "a number without bounds", "-3", OPT_ROW_DOUBLE(V, free)},
    {"seconds", "a time", "500ms", OPT_ROW_SECONDS(V, seconds), .min = 0, .max = 3e9,
     .negative_is_none = true},
    {"signed-seconds", "a time or -1", "-1", OPT_ROW_SECONDS(V, signed_seconds), .min = -1,
     .max = 3e9},
    {"text", "any text", "hello", OPT_ROW_STRING(V, text)},
    {"word", "a text out of several", NULL, OPT_ROW_STRING(V, word), .choices = colours},
    {"password", "a secret", "pw", OPT_ROW_STRING(V, password), .secret = true},
    {"list", "items", "a,b", OPT_ROW_LIST(V, list), .shown_as = "=[ITEM,...]"},
    {"colour", "a choice", "green", OPT_ROW_CHOICE(V, colour), .choices = colours,
     .also = "rot=red,blau=blue"},
    {"colours", "several choices", "red,blue", OPT_ROW_FLAGS(V, colours), .choices = colours,
     .also = "rot=red"},
    {"file", "a file of options", NULL, .type = OPT_FILE},
    {0},
};

struct fixture {
    struct values values;
    struct optset set;
    struct err err;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return optset_init(&f->set, "test options", rows, &f->values, &f->err);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    optset_release(&f->set);
    free(f);
    return 0;
}

static size_t row(const struct fixture *f, const char *name)
{
    int i = optset_find(&f->set, name);
    if (i < 0)
        fail_msg("no row %s", name);
    return (size_t)i;
}

static int set_as(struct fixture *f, const char *name, const char *text, enum opt_manner manner)
{
    err_clear(&f->err);
    return optset_set(&f->set, row(f, name), text, OPT_BY_USER, manner, &f->err);
}

static int set(struct fixture *f, const char *name, const char *text)
{
    return set_as(f, name, text, OPT_STRICT);
}

#define assert_set(f, name, text)                                                                  \
    do {                                                                                           \
        set((f), (name), (text));                                                                  \
        assert_no_err(&(f)->err);                                                                  \
    } while (0)
#define assert_refused(f, name, text, ...)                                                         \
    do {                                                                                           \
        assert_int_equal(set((f), (name), (text)), -1);                                            \
        assert_err(&(f)->err, ERR_FAILED, "--" name, text, __VA_ARGS__);                           \
    } while (0)

/* --- the types --------------------------------------------------------------------- */

static void test_defaults(void **state)
{
    struct fixture *f = *state;
    struct values *v = &f->values;
    assert_false(v->flag);
    assert_true(v->other_flag);
    assert_int_equal(v->count, 7);
    assert_int_equal(v->size, 16384);
    assert_true(v->ratio == 1.5 && v->free == -3);
    assert_true(v->seconds == 0.5 && v->signed_seconds == -1);
    assert_string_equal(v->text, "hello");
    assert_null(v->word);
    assert_int_equal(v->list.count, 2);
    assert_string_equal(v->list.item[1], "b");
    assert_int_equal(v->colour, 1);
    assert_int_equal(v->colours, 5);
    for (size_t i = 0; i < f->set.count; i++)
        assert_int_equal(f->set.origin[i], OPT_BY_DEFAULT);
}

static void test_bool(void **state)
{
    static const char *const on[] = {NULL, "on", "true", "1"};
    static const char *const off[] = {"off", "false", "0"};
    static const char *const bad[] = {"", "yes", "no", "On", "TRUE", "2", "on ", "truee", "of"};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(on); i++) {
        f->values.flag = false;
        assert_set(f, "flag", on[i]);
        assert_true(f->values.flag);
    }
    for (size_t i = 0; i < LENGTH(off); i++) {
        f->values.flag = true;
        assert_set(f, "flag", off[i]);
        assert_false(f->values.flag);
    }
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_int_equal(set(f, "flag", bad[i]), -1);
        assert_err(&f->err, ERR_FAILED, "--flag", bad[i], "on or off");
        assert_false(f->values.flag);
    }
}

static void test_int(void **state)
{
    struct fixture *f = *state;
    assert_set(f, "count", "1");
    assert_int_equal(f->values.count, 1);
    assert_set(f, "count", "100");
    assert_int_equal(f->values.count, 100);
    assert_refused(f, "count", "0", "from 1 to 100");
    assert_refused(f, "count", "101", "from 1 to 100");
    assert_refused(f, "count", "-5", "from 1 to 100");
    assert_refused(f, "count", "5x", "whole number");
    assert_refused(f, "count", "5.0", "whole number");
    assert_refused(f, "count", "", "empty");
    assert_refused(f, "count", "99999999999999999999", "out of range");
    assert_int_equal(set(f, "count", NULL), -1);
    assert_int_equal(f->values.count, 100); /* what was refused changed nothing */
    assert_set(f, "seed", "-5");
    assert_int_equal(f->values.seed, -5);
    assert_set(f, "unlimited", "5000000000000");
    assert_int_equal(f->values.unlimited, INT64_C(5000000000000));
    assert_refused(f, "unlimited", "-1", "0 or more");
}

static void test_size(void **state)
{
    struct fixture *f = *state;
    assert_set(f, "size", "1.5G");
    assert_int_equal(f->values.size, 3 << 29);
    assert_set(f, "size", "8MB");
    assert_int_equal(f->values.size, 8 << 20);
    assert_refused(f, "size", "0", "out of range");
    assert_refused(f, "size", "2T", "out of range");
    assert_refused(f, "size", "10X", "suffix");
    assert_refused(f, "size", "-5", "negative");
    assert_refused(f, "size", "", "empty");
    assert_refused(f, "size", "1.5", "whole number of bytes");
    assert_int_equal(f->values.size, 8 << 20);
}

static void test_double(void **state)
{
    struct fixture *f = *state;
    assert_set(f, "ratio", "0.25");
    assert_true(f->values.ratio == 0.25);
    assert_refused(f, "ratio", "10.1", "from 0 to 10");
    assert_refused(f, "ratio", "-0.1", "from 0 to 10");
    assert_refused(f, "ratio", "nan", "not a number");
    assert_refused(f, "ratio", "1e", "not a number");
    assert_refused(f, "ratio", "", "not a number");
    assert_true(f->values.ratio == 0.25);
    assert_set(f, "free", "-1e300");
    assert_true(f->values.free == -1e300);
    assert_refused(f, "free", "inf", "not a number");
}

static void test_seconds(void **state)
{
    struct fixture *f = *state;
    assert_set(f, "seconds", "2m");
    assert_true(f->values.seconds == 120);
    assert_refused(f, "seconds", "-1", "out of range");
    assert_refused(f, "seconds", "1e10", "out of range");
    assert_refused(f, "seconds", "1 day", "number of seconds");
    assert_refused(f, "seconds", "", "empty");
    assert_true(f->values.seconds == 120);
    assert_refused(f, "signed-seconds", "-2", "from -1");
}

static void test_string(void **state)
{
    struct fixture *f = *state;
    assert_set(f, "text", "a=b, c");
    assert_string_equal(f->values.text, "a=b, c");
    assert_set(f, "text", "");
    assert_string_equal(f->values.text, "");
    assert_set(f, "text", NULL);
    assert_string_equal(f->values.text, "");
    assert_set(f, "word", "blue");
    assert_string_equal(f->values.word, "blue");
    assert_refused(f, "word", "black", "red, green, blue");
    assert_string_equal(f->values.word, "blue");
}

static void test_list(void **state)
{
    struct fixture *f = *state;
    assert_set(f, "list", "x,,y z,"); /* empty items drop out, blanks stay */
    assert_int_equal(f->values.list.count, 2);
    assert_string_equal(f->values.list.item[0], "x");
    assert_string_equal(f->values.list.item[1], "y z");
    assert_set(f, "list", "new"); /* replaced, not appended */
    assert_int_equal(f->values.list.count, 1);
    assert_set(f, "list", "");
    assert_int_equal(f->values.list.count, 0);
}

static void test_choice(void **state)
{
    struct fixture *f = *state;
    assert_set(f, "colour", "blue");
    assert_int_equal(f->values.colour, 2);
    assert_set(f, "colour", "rot");
    assert_int_equal(f->values.colour, 0);
    assert_set(f, "colour", "blau");
    assert_int_equal(f->values.colour, 2);
    assert_refused(f, "colour", "black", "red, green, blue");
    assert_refused(f, "colour", "bl", "red, green, blue");
    assert_refused(f, "colour", "bluee", "red, green, blue");
    assert_refused(f, "colour", "rot=red", "red, green, blue");
    assert_refused(f, "colour", "", "red, green, blue");
    assert_int_equal(f->values.colour, 2);
}

static void test_flags(void **state)
{
    struct fixture *f = *state;
    assert_set(f, "colours", "green");
    assert_int_equal(f->values.colours, 2);
    assert_set(f, "colours", "blue,,rot,blue,");
    assert_int_equal(f->values.colours, 5);
    assert_set(f, "colours", "");
    assert_int_equal(f->values.colours, 0);
    assert_refused(f, "colours", "red,black", "red, green, blue");
    assert_int_equal(f->values.colours, 0);
}

static void test_file(void **state)
{
    struct fixture *f = *state;
    assert_refused(f, "file", "x.conf", "command line");
}

/* --- the lenient manner ---------------------------------------------------------------- */

static void lenient(struct fixture *f, const char *name, const char *text)
{
    set_as(f, name, text, OPT_LENIENT);
    if (f->err.status != ERR_NONE)
        fail_msg("--%s=%s: %s", name, text, f->err.text);
}

static void test_lenient_numbers(void **state)
{
    struct fixture *f = *state;
    lenient(f, "unlimited", "-1");
    assert_int_equal(f->values.unlimited, 0);
    lenient(f, "unlimited", "3");
    lenient(f, "unlimited", "");
    assert_int_equal(f->values.unlimited, 0);
    lenient(f, "seconds", "-1");
    assert_true(f->values.seconds == 0);
    lenient(f, "seed", "-5"); /* a sign that means something is kept */
    assert_int_equal(f->values.seed, -5);
    lenient(f, "signed-seconds", "-1");
    assert_true(f->values.signed_seconds == -1);
    lenient(f, "free", "1.5abc");
    assert_true(f->values.free == 1.5);
    lenient(f, "free", "abc");
    assert_true(f->values.free == 0);
}

/* In 0.4 `on`, or the name alone, was on, and all else was off. */
static void test_old_switches(void **state)
{
    static const struct {
        const char *text;
        bool on;
    } cases[] = {{NULL, true}, {"on", true},   {"1", false},   {"true", false},
                 {"", false},  {"yes", false}, {"off", false}, {"ON", false}};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(set_as(f, "flag", cases[i].text, OPT_OLD), 0);
        assert_int_equal(f->values.flag, cases[i].on);
    }
}

static void test_lenient_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"16K", 16384}, {"16Kxyz", 16384}, {"4m!", 4 << 20}, {"7", 7},
                 {"10X", 0},     {"-1", 0},         {"abc", 0},       {"", 0},
                 {"1 M", 0},     {"1\x01", 0},      {"1,5M", 0}};
    static const struct option bytes[] = {{"bytes", "any", "1", .type = OPT_SIZE, .at = 0}, {0}};
    struct err e = {0};
    struct optset s;
    uint64_t value = 0;
    (void)state;
    assert_int_equal(optset_init(&s, "t", bytes, &value, &e), 0);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(optset_set(&s, 0, cases[i].text, OPT_BY_USER, OPT_LENIENT, &e), 0);
        if (value != cases[i].bytes)
            fail_msg("'%s' gives %llu", cases[i].text, (unsigned long long)value);
    }
    optset_release(&s);
}

/* Lenient does not mean that anything goes: bounds and words hold. */
static void test_lenient_still_refuses(void **state)
{
    static const char *const cases[][2] = {{"count", "0"},     {"count", "-1"},  {"count", "1x"},
                                           {"unlimited", "x"}, {"size", "abc"},  {"flag", "yes"},
                                           {"colour", "pink"}, {"seconds", "x"}, {"ratio", "-1"}};
    struct fixture *f = *state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(set_as(f, cases[i][0], cases[i][1], OPT_LENIENT), -1);
        assert_err(&f->err, ERR_FAILED, cases[i][0], cases[i][1]);
    }
}

/* --- sets -------------------------------------------------------------------------- */

static int set_by(struct fixture *f, const char *text, enum opt_origin origin)
{
    err_clear(&f->err);
    return optset_set(&f->set, row(f, "count"), text, origin, OPT_STRICT, &f->err);
}

static void test_origins(void **state)
{
    struct fixture *f = *state;
    assert_false(optset_given(&f->set, "count"));
    assert_int_equal(set_by(f, "10", OPT_BY_SCRIPT), 0);
    assert_int_equal(f->values.count, 10);
    assert_false(optset_given(&f->set, "count"));
    assert_int_equal(set_by(f, "11", OPT_BY_SCRIPT), 0); /* the last of equals wins */
    assert_int_equal(f->values.count, 11);
    assert_int_equal(set_by(f, "20", OPT_BY_USER), 0);
    assert_int_equal(f->values.count, 20);
    assert_true(optset_given(&f->set, "count"));
    assert_int_equal(set_by(f, "30", OPT_BY_SCRIPT), 0);
    assert_int_equal(set_by(f, "30", OPT_BY_DEFAULT), 0);
    assert_int_equal(f->values.count, 20);
    assert_int_equal(set_by(f, "21", OPT_BY_USER), 0);
    assert_int_equal(f->values.count, 21);
}

static void test_a_refused_value_leaves_the_origin(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(set_by(f, "1000", OPT_BY_USER), -1);
    assert_false(optset_given(&f->set, "count"));
    assert_int_equal(set_by(f, "12", OPT_BY_SCRIPT), 0);
    assert_int_equal(f->values.count, 12);
}

static void test_names(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(optset_find(&f->set, "other-flag"), optset_find(&f->set, "other_flag"));
    assert_true(optset_find(&f->set, "other_flag") >= 0);
    assert_int_equal(optset_find(&f->set, "other-fla"), -1); /* no abbreviations */
    assert_int_equal(optset_find(&f->set, "other-flags"), -1);
    assert_int_equal(optset_find(&f->set, "Count"), -1);
    assert_int_equal(optset_find(&f->set, ""), -1);
    assert_false(optset_given(&f->set, "unknown"));
    assert_true(opt_same_name("a-b_c", "a_b-c"));
    assert_false(opt_same_name("a", "a-"));
    assert_false(opt_same_name("a-", "a"));
    assert_true(opt_same_name("", ""));
}

static void test_distance(void **state)
{
    static const struct {
        const char *a, *b;
        unsigned d;
    } cases[] = {{"", "", 0},         {"", "abc", 3},           {"threads", "threads", 0},
                 {"a-b", "a_b", 0},   {"thread", "threads", 1}, {"treads", "threads", 1},
                 {"tihs", "this", 1}, {"kitten", "sitting", 3}, {"time", "tme", 1},
                 {"abc", "xyz", 3},   {"evnets", "events", 1},  {"NUM-Threads", "num_threads", 0}};
    char long_name[200];
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_int_equal(opt_distance(cases[i].a, cases[i].b), cases[i].d);
        assert_int_equal(opt_distance(cases[i].b, cases[i].a), cases[i].d);
    }
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_true(opt_distance(long_name, "x") > 50); /* and stays within its memory */
    assert_int_equal(opt_distance(long_name, long_name), 0);
}

static void test_nearest(void **state)
{
    static const struct option more[] = {{"max-prime", "h", "off", .type = OPT_BOOL}, {0}};
    struct fixture *f = *state;
    struct err e = {0};
    struct optset second;
    bool value = false;
    assert_int_equal(optset_init(&second, "t", more, &value, &e), 0);
    const struct optset *sets[] = {&f->set, &second};
    assert_string_equal(opt_nearest(sets, 2, "cuont"), "count");
    assert_string_equal(opt_nearest(sets, 2, "colors"), "colours");
    assert_string_equal(opt_nearest(sets, 2, "other_flg"), "other-flag");
    assert_string_equal(opt_nearest(sets, 2, "max-pirme"), "max-prime");
    assert_null(opt_nearest(sets, 1, "max-pirme"));
    assert_null(opt_nearest(sets, 2, "zzzzz"));
    assert_null(opt_nearest(sets, 2, ""));
    assert_null(opt_nearest(NULL, 0, "count"));
    optset_release(&second);
}

static void test_text_reads_back(void **state)
{
    static const char *const values[][2] = {
        {"flag", "on"},     {"flag", "off"},         {"count", "42"},
        {"seed", "-5"},     {"size", "1536M"},       {"size", "1000"},
        {"ratio", "0.1"},   {"seconds", "0.25"},     {"text", "some text"},
        {"text", ""},       {"list", "p,q"},         {"list", ""},
        {"colour", "red"},  {"colours", "red,blue"}, {"colours", ""},
        {"free", "-1e+300"}};
    struct fixture *f = *state;
    struct buf b = {0};
    for (size_t i = 0; i < LENGTH(values); i++) {
        assert_set(f, values[i][0], values[i][1]);
        buf_clear(&b);
        optset_text(&f->set, row(f, values[i][0]), &b);
        assert_string_equal(buf_text(&b), values[i][1]);
    }
    assert_set(f, "colour", "rot"); /* an old spelling is shown as the new one */
    buf_clear(&b);
    optset_text(&f->set, row(f, "colour"), &b);
    assert_string_equal(buf_text(&b), "red");
    buf_release(&b);
}

static void test_secrets_are_not_shown(void **state)
{
    struct fixture *f = *state;
    struct buf b = {0};
    assert_set(f, "password", "hush");
    assert_string_equal(f->values.password, "hush");
    optset_text(&f->set, row(f, "password"), &b);
    assert_string_equal(buf_text(&b), "");
    buf_release(&b);
}

static void test_help(void **state)
{
    static const struct option few[] = {
        {"threads", "worker threads", "1", .type = OPT_INT, .at = 0},
        {"cpu", "which", NULL, .type = OPT_INT, .at = 8},
        {"debug", "say more", "off", .type = OPT_BOOL, .at = 16, .shown_as = "=B"},
        {0},
    };
    struct {
        int64_t threads, cpu;
        bool debug;
    } v = {0};
    struct err e = {0};
    struct optset s;
    struct buf b = {0};
    (void)state;
    assert_int_equal(optset_init(&s, "t", few, &v, &e), 0);
    optset_help(&s, &b);
    assert_string_equal(buf_text(&b), "  --threads=N worker threads [1]\n"
                                      "  --cpu=N     which\n"
                                      "  --debug=B   say more [off]\n");
    buf_release(&b);
    optset_release(&s);
}

static void test_suffixes_of_sysbench(void **state)
{
    static const char *const expected[] = {
        [OPT_BOOL] = "[=on|off]", [OPT_INT] = "=N",         [OPT_SIZE] = "=SIZE",
        [OPT_DOUBLE] = "=N",      [OPT_STRING] = "=STRING", [OPT_LIST] = "=[LIST,...]",
        [OPT_SECONDS] = "=N",     [OPT_FILE] = "=FILENAME"};
    (void)state;
    for (size_t i = 0; i < LENGTH(expected); i++)
        if (expected[i])
            assert_string_equal(opt_suffix(&(struct option){.type = (enum opt_type)i}),
                                expected[i]);
}

static void test_a_bad_default_is_found(void **state)
{
    static const struct option bad[] = {{"n", "h", "seven", .type = OPT_INT}, {0}};
    struct err e = {0};
    struct optset s;
    int64_t value = 0;
    (void)state;
    assert_int_equal(optset_init(&s, "t", bad, &value, &e), -1);
    assert_err(&e, ERR_FAILED, "--n", "seven");
    optset_release(&s);
}

static void test_no_rows(void **state)
{
    struct err e = {0};
    struct optset s;
    (void)state;
    assert_int_equal(optset_init(&s, "t", NULL, NULL, &e), 0);
    assert_int_equal(s.count, 0);
    assert_int_equal(optset_find(&s, "x"), -1);
    optset_release(&s);
}

static void test_split(void **state)
{
    struct strlist l;
    struct err e = {0};
    (void)state;
    assert_int_equal(strlist_split(&l, ",a,,bc,", &e), 0);
    assert_int_equal(l.count, 2);
    assert_string_equal(l.item[0], "a");
    assert_string_equal(l.item[1], "bc");
    strlist_release(&l);
    assert_int_equal(l.count, 0);
    assert_null(l.item);
    assert_int_equal(strlist_split(&l, "", &e), 0);
    assert_int_equal(l.count, 0);
    strlist_release(&l);
}

int main(void)
{
#define ON_SET(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ON_SET(test_defaults),
        ON_SET(test_bool),
        ON_SET(test_int),
        ON_SET(test_size),
        ON_SET(test_double),
        ON_SET(test_seconds),
        ON_SET(test_string),
        ON_SET(test_list),
        ON_SET(test_choice),
        ON_SET(test_flags),
        ON_SET(test_file),
        ON_SET(test_lenient_numbers),
        ON_SET(test_old_switches),
        cmocka_unit_test(test_lenient_sizes),
        ON_SET(test_lenient_still_refuses),
        ON_SET(test_origins),
        ON_SET(test_a_refused_value_leaves_the_origin),
        ON_SET(test_names),
        cmocka_unit_test(test_distance),
        ON_SET(test_nearest),
        ON_SET(test_text_reads_back),
        ON_SET(test_secrets_are_not_shown),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_suffixes_of_sysbench),
        cmocka_unit_test(test_a_bad_default_is_found),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
