/* What the writer writes is read back by a library of someone else. */
#include "unit.h"

#include "base/json.h"

#include <float.h>
#include <math.h>

#include <jansson.h>

static json_t *read_back(const struct buf *b)
{
    json_error_t why;
    json_t *root = json_loads(buf_text(b), JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
    assert_false(b->failed);
    if (!root)
        fail_msg("line %d: %s in\n%s", why.line, why.text, buf_text(b));
    return root;
}

static void test_layout(void **state)
{
    struct buf b = {0};
    struct json j;
    (void)state;
    json_init(&j, &b);
    json_open(&j, NULL, '{');
    json_text(&j, "name", "x");
    json_open(&j, "empty", '{');
    json_close(&j, '}');
    json_open(&j, "list", '[');
    json_uint(&j, NULL, 1);
    json_bool(&j, NULL, true);
    json_close(&j, ']');
    json_none(&j, "none");
    json_close(&j, '}');
    assert_string_equal(buf_text(&b), "{\n"
                                      "  \"name\": \"x\",\n"
                                      "  \"empty\": {},\n"
                                      "  \"list\": [\n"
                                      "    1,\n"
                                      "    true\n"
                                      "  ],\n"
                                      "  \"none\": null\n"
                                      "}\n");
    json_decref(read_back(&b));
    buf_release(&b);
}

static void test_types(void **state)
{
    struct buf b = {0};
    struct json j;
    (void)state;
    json_init(&j, &b);
    json_open(&j, NULL, '{');
    json_int(&j, "low", INT64_MIN);
    json_uint(&j, "high", INT64_MAX);
    json_bool(&j, "yes", true);
    json_bool(&j, "no", false);
    json_none(&j, "nothing");
    json_text(&j, "unset", NULL);
    json_open(&j, "nested", '[');
    json_open(&j, NULL, '[');
    json_close(&j, ']');
    json_open(&j, NULL, '{');
    json_double(&j, "half", 0.5);
    json_close(&j, '}');
    json_close(&j, ']');
    json_close(&j, '}');
    json_t *root = read_back(&b), *nested = json_object_get(root, "nested");
    assert_true(json_integer_value(json_object_get(root, "low")) == INT64_MIN);
    assert_true(json_integer_value(json_object_get(root, "high")) == INT64_MAX);
    assert_true(json_is_true(json_object_get(root, "yes")));
    assert_true(json_is_false(json_object_get(root, "no")));
    assert_true(json_is_null(json_object_get(root, "nothing")));
    assert_true(json_is_null(json_object_get(root, "unset")));
    assert_int_equal(json_array_size(nested), 2);
    assert_int_equal(json_array_size(json_array_get(nested, 0)), 0);
    assert_true(json_real_value(json_object_get(json_array_get(nested, 1), "half")) == 0.5);
    json_decref(root);
    buf_release(&b);
}

/* More than the reader's integers hold: looked at as text. */
static void test_largest_number(void **state)
{
    struct buf b = {0};
    struct json j;
    (void)state;
    json_init(&j, &b);
    json_open(&j, NULL, '[');
    json_uint(&j, NULL, UINT64_MAX);
    json_close(&j, ']');
    assert_non_null(strstr(buf_text(&b), "18446744073709551615\n"));
    buf_release(&b);
}

/* Writes s as value and as key, expects `expected` from the reader. */
static void assert_text(const char *s, const char *expected)
{
    struct buf b = {0};
    struct json j;
    json_init(&j, &b);
    json_open(&j, NULL, '{');
    json_text(&j, "value", s);
    json_text(&j, s, "key");
    json_close(&j, '}');
    json_t *root = read_back(&b);
    assert_string_equal(json_string_value(json_object_get(root, "value")), expected);
    assert_string_equal(json_string_value(json_object_get(root, expected)), "key");
    json_decref(root);
    buf_release(&b);
}

static void test_escapes(void **state)
{
    char all[0x80] = "";
    (void)state;
    assert_text("", "");
    assert_text("plain", "plain");
    assert_text("a\"b\\c\nd\re\tf", "a\"b\\c\nd\re\tf");
    assert_text("/dev/mmcblk0p1", "/dev/mmcblk0p1");
    for (int i = 1; i < 0x80; i++)
        all[i - 1] = (char)i;
    assert_text(all, all);
}

static void test_utf8(void **state)
{
    (void)state;
    assert_text("ÄÖ 日本 😀", "ÄÖ 日本 😀");
    /* the first and the last of each length, and those around the surrogates */
    assert_text("\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf");
    assert_text("\xe0\xa0\x80\xed\x9f\xbf", "\xe0\xa0\x80\xed\x9f\xbf");
    assert_text("\xee\x80\x80\xef\xbf\xbf", "\xee\x80\x80\xef\xbf\xbf");
    assert_text("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

#define BAD "\xef\xbf\xbd"

static void test_bytes_that_are_no_utf8(void **state)
{
    (void)state;
    assert_text("a\xff"
                "b",
                "a" BAD "b");
    assert_text("\x80", BAD);
    assert_text("end\xc3", "end" BAD);
    assert_text("end\xe2\x82", "end" BAD BAD);
    assert_text("\xe2\x82X", BAD BAD "X");
    assert_text("\xf0\x9f\x98X", BAD BAD BAD "X");
    assert_text("\xc0\xaf", BAD BAD);                 /* overlong */
    assert_text("\xe0\x9f\xbf", BAD BAD BAD);         /* overlong */
    assert_text("\xf0\x8f\xbf\xbf", BAD BAD BAD BAD); /* overlong */
    assert_text("\xed\xa0\x80", BAD BAD BAD);         /* a surrogate */
    assert_text("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* beyond U+10FFFF */
    assert_text("\xf8\x88\x80\x80\x80", BAD BAD BAD BAD BAD);
}

/* Any two bytes, and any byte behind a good start, give readable JSON. */
static void test_any_bytes(void **state)
{
    struct buf b = {0};
    struct json j;
    (void)state;
    json_init(&j, &b);
    json_open(&j, NULL, '[');
    for (int x = 1; x < 256; x++) {
        for (int y = 1; y < 256; y++) {
            json_text(&j, NULL, (char[]){(char)x, (char)y, 0});
            json_text(&j, NULL, (char[]){'\xf1', (char)x, (char)y, '\x80', 0});
        }
    }
    json_close(&j, ']');
    json_decref(read_back(&b));
    buf_release(&b);
}

static void test_doubles_keep_all_their_bits(void **state)
{
    static const double values[] = {
        0,        1,       -1,     0.1,      1.0 / 3,  1e300,     -2.5e-300,
        DBL_MIN,  DBL_MAX, 5e-324, 123456.7, 1e15 + 1, 1e17 + 16, 4503599627370497.5,
        0.1 + 0.2};
    struct buf b = {0};
    struct json j;
    (void)state;
    json_init(&j, &b);
    json_open(&j, NULL, '[');
    for (size_t i = 0; i < LENGTH(values); i++)
        json_double(&j, NULL, values[i]);
    json_close(&j, ']');
    json_t *root = read_back(&b);
    for (size_t i = 0; i < LENGTH(values); i++)
        assert_true(json_number_value(json_array_get(root, i)) == values[i]);
    assert_non_null(strstr(buf_text(&b), " 0.1,")); /* and no more digits than it needs */
    json_decref(root);
    buf_release(&b);
}

static void test_what_is_no_number(void **state)
{
    struct buf b = {0};
    struct json j;
    (void)state;
    json_init(&j, &b);
    json_open(&j, NULL, '{');
    json_double(&j, "nan", NAN);
    json_double(&j, "inf", INFINITY);
    json_double(&j, "minf", -INFINITY);
    json_close(&j, '}');
    json_t *root = read_back(&b);
    assert_true(json_is_null(json_object_get(root, "nan")));
    assert_true(json_is_null(json_object_get(root, "inf")));
    assert_true(json_is_null(json_object_get(root, "minf")));
    json_decref(root);
    buf_release(&b);
}

/* What was made apart lies where it belongs, with commas round it. */
static void test_splice(void **state)
{
    struct buf whole = {0}, apart = {0};
    struct json j, k;
    (void)state;
    json_init(&k, &apart);
    k.depth = 1;
    json_open(&k, "b", '{');
    json_uint(&k, "x", 1);
    json_close(&k, '}');
    json_init(&j, &whole);
    json_open(&j, NULL, '{');
    json_uint(&j, "a", 1);
    json_splice(&j, &apart);
    json_uint(&j, "c", 2);
    json_close(&j, '}');
    assert_string_equal(buf_text(&whole), "{\n"
                                          "  \"a\": 1,\n"
                                          "  \"b\": {\n"
                                          "    \"x\": 1\n"
                                          "  },\n"
                                          "  \"c\": 2\n"
                                          "}\n");
    apart.failed = true; /* is not forgotten */
    json_splice(&j, &apart);
    assert_true(whole.failed);
    buf_release(&whole);
    buf_release(&apart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_splice),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_largest_number),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_bytes_that_are_no_utf8),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_doubles_keep_all_their_bits),
        cmocka_unit_test(test_what_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
