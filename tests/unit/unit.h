/* What every unit test includes: cmocka, with the headers that it needs before
 * it, and comparisons that print what they saw. */
#ifndef UNIT_H
#define UNIT_H

#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The error is there, of that class, and its text names each of the words. */
#define assert_err(e, class_, ...)                                                                 \
    unit_assert_err((e), (class_), (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)

static inline void unit_assert_err(const struct err *e, enum err_status status,
                                   const char *const *words, const char *file, int line)
{
    if (e->status != status) {
        print_error("status %d instead of %d, text '%s'\n", e->status, status, e->text);
        _fail(file, line);
    }
    for (; *words; words++) {
        if (strstr(e->text, *words))
            continue;
        print_error("'%s' is not in '%s'\n", *words, e->text);
        _fail(file, line);
    }
}

#define assert_no_err(e)                                                                           \
    do {                                                                                           \
        if ((e)->status != ERR_NONE)                                                               \
            fail_msg("unexpected error: %s", (e)->text);                                           \
    } while (0)

/* low <= x <= high, for numbers with fractions. */
#define assert_between(x, low, high) unit_assert_between((x), (low), (high), #x, __FILE__, __LINE__)

static inline void unit_assert_between(double x, double low, double high, const char *what,
                                       const char *file, int line)
{
    if (x >= low && x <= high)
        return;
    print_error("%s is %.17g, not in [%.17g, %.17g]\n", what, x, low, high);
    _fail(file, line);
}

#endif
