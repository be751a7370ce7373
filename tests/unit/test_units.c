#include "unit.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

#define K (UINT64_C(1) << 10)
#define M (UINT64_C(1) << 20)
#define G (UINT64_C(1) << 30)
#define T (UINT64_C(1) << 40)

static void test_good_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"007", 7},
        {"4096", 4096},
        {"1K", K},
        {"1k", K},
        {"16K", 16 * K},
        {"8M", 8 * M},
        {"8MB", 8 * M},
        {"8MiB", 8 * M},
        {"8mib", 8 * M},
        {"8mb", 8 * M},
        {"2G", 2 * G},
        {"1T", T},
        {"10B", 10},
        {"10b", 10},
        {"1.5G", 3 * G / 2},
        {"0.5K", 512},
        {"1.25M", 5 * M / 4},
        {"2.0", 2},
        {"18446744073709551615", UINT64_MAX},
        {"16777215T", 16777215 * T},
        {"18014398509481983K", UINT64_MAX - 1023},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint64_t bytes = 1;
        const char *why = units_parse_size(cases[i].text, &bytes);
        if (why || bytes != cases[i].bytes)
            fail_msg("'%s' gives %llu: %s", cases[i].text, (unsigned long long)bytes, why);
    }
}

static void test_bad_sizes(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "not a size"},
        {"K", "not a size"},
        {"abc", "not a size"},
        {" 1", "not a size"},
        {"+1", "not a size"},
        {".5K", "not a size"},
        {"-", "not a size"},
        {"-5", "negative"},
        {"-5K", "negative"},
        {"10X", "suffix"},
        {"1 M", "suffix"},
        {"1M ", "suffix"},
        {"10KK", "suffix"},
        {"8Mi", "suffix"},
        {"8MBs", "suffix"},
        {"8iB", "suffix"},
        {"1e3", "suffix"},
        {"0x10", "suffix"},
        {"1,5M", "suffix"},
        {"1.5.5M", "suffix"},
        {"1.5", "whole number of bytes"},
        {"0.3K", "whole number of bytes"},
        {"18446744073709551616", "out of range"},
        {"99999999999999999999999", "out of range"},
        {"18014398509481984K", "out of range"},
        {"16777216T", "out of range"},
        {"16777216.0T", "out of range"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint64_t bytes = 77;
        const char *why = units_parse_size(cases[i].text, &bytes);
        if (!why || !strstr(why, cases[i].why) || bytes != 77)
            fail_msg("'%s' gives %llu: %s", cases[i].text, (unsigned long long)bytes, why);
    }
}

static void test_seconds(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* negative zero: refused */
    } cases[] = {
        {"0", 0},        {"10", 10},     {"1.5", 1.5},    {"10s", 10},      {"500ms", 0.5},
        {"20us", 20e-6}, {"2m", 120},    {"1h", 3600},    {"1e1", 10},      {"-1", -1},
        {"0.25h", 900},  {".5", 0.5},    {"", -0.0},      {"s", -0.0},      {"ms", -0.0},
        {"10 s", -0.0},  {"10S", -0.0},  {"10sec", -0.0}, {" 10", -0.0},    {"10d", -0.0},
        {"inf", -0.0},   {"nan", -0.0},  {"0x10", -0.0},  {"1e999", -0.0},  {"+inf", -0.0},
        {"-nan", -0.0},  {"1..5", -0.0}, {"1m30s", -0.0}, {"1e308h", -0.0}, {"-1e307m", -0.0},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double seconds = 77;
        const char *why = units_parse_seconds(cases[i].text, &seconds);
        bool refused = __builtin_signbit(cases[i].seconds) && cases[i].seconds == 0;
        if (refused ? !why || seconds != 77 : why || fabs(seconds - cases[i].seconds) > 1e-15)
            fail_msg("'%s' gives %.17g: %s", cases[i].text, seconds, why);
    }
}

static void test_ints(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
        const char *why;
    } cases[] = {
        {"0", 0, NULL},
        {"-5", -5, NULL},
        {"+5", 5, NULL},
        {"010", 10, NULL},
        {"9223372036854775807", INT64_MAX, NULL},
        {"-9223372036854775808", INT64_MIN, NULL},
        {"9223372036854775808", 0, "out of range"},
        {"-9223372036854775809", 0, "out of range"},
        {"", 0, "whole number"},
        {" 1", 0, "whole number"},
        {"1 ", 0, "whole number"},
        {"1.0", 0, "whole number"},
        {"0x10", 0, "whole number"},
        {"10K", 0, "whole number"},
        {"-", 0, "whole number"},
        {"1e3", 0, "whole number"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t n = 77;
        const char *why = units_parse_int(cases[i].text, &n);
        bool good = cases[i].why ? why && strstr(why, cases[i].why) && n == 77
                                 : !why && n == cases[i].value;
        if (!good)
            fail_msg("'%s' gives %lld: %s", cases[i].text, (long long)n, why);
    }
}

static void test_doubles(void **state)
{
    static const char *const bad[] = {"",    "abc",  "1x",    " 1", "1 ",  "0x1p3", "inf",
                                      "nan", "-inf", "1e999", "1e", "1,5", "--1",   "e5"};
    static const char *const good[] = {"0", "-1.5", "1e-3", "+2", ".5", "5.", "1E6"};
    (void)state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        double n = 0;
        if (!units_parse_double(bad[i], &n))
            fail_msg("'%s' is taken for %.17g", bad[i], n);
    }
    for (size_t i = 0; i < LENGTH(good); i++) {
        double n = 77;
        if (units_parse_double(good[i], &n) || n != strtod(good[i], NULL))
            fail_msg("'%s' gives %.17g", good[i], n);
    }
}

static void test_sizes_as_sysbench_prints_them(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0"},       {100, "100"},         {1023, "1023"},
        {K, "1Ki"},     {16 * K, "16Ki"},     {250000, "244.14Ki"},
        {8 * M, "8Mi"}, {2 * G, "2Gi"},       {3 * G / 2, "1.5Gi"},
        {5 * T, "5Ti"}, {5000 * T, "5000Ti"}, {1536, "1.5Ki"},
    };
    char out[32];
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(units_size(cases[i].bytes, out, sizeof out), cases[i].text);
}

/* Whatever is printed exactly is read back as the same number. */
static void test_exact_sizes(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0"},
        {1, "1"},
        {1536, "1536"},
        {16 * K, "16K"},
        {2 * G, "2G"},
        {3 * G / 2, "1536M"},
        {4 * T, "4T"},
        {4096 * T, "4096T"},
        {UINT64_MAX, "18446744073709551615"},
    };
    char out[32];
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(units_exact_size(cases[i].bytes, out, sizeof out), cases[i].text);
    for (int shift = 0; shift < 64; shift++) {
        for (uint64_t factor = 1; factor <= 3; factor += 2) {
            uint64_t bytes = factor << shift, back = 0;
            assert_null(units_parse_size(units_exact_size(bytes, out, sizeof out), &back));
            assert_int_equal(back, bytes);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_sizes),  cmocka_unit_test(test_bad_sizes),
        cmocka_unit_test(test_seconds),     cmocka_unit_test(test_ints),
        cmocka_unit_test(test_doubles),     cmocka_unit_test(test_sizes_as_sysbench_prints_them),
        cmocka_unit_test(test_exact_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
