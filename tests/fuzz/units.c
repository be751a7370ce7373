/* Numbers, sizes and durations, as options and option files bring them. */
#include "fuzz.h"

#include "base/units.h"
#include "option/option.h"

#include <math.h>

/* What was read as a size is written so that it is read as the same. */
static void sizes(const char *text)
{
    uint64_t bytes = 0, again = 0;
    char shown[64], exact[64];
    if (units_parse_size(text, &bytes) != NULL)
        return;
    claim(units_parse_size(units_exact_size(bytes, exact, sizeof exact), &again) == NULL);
    claim(again == bytes);
    claim(strlen(units_size(bytes, shown, sizeof shown)) > 0);
}

static void numbers(const char *text)
{
    int64_t n = 0, again = 0;
    double d = 0;
    char shown[64];
    if (units_parse_int(text, &n) == NULL) {
        snprintf(shown, sizeof shown, "%lld", (long long)n);
        claim(units_parse_int(shown, &again) == NULL && again == n);
    }
    if (units_parse_double(text, &d) == NULL)
        claim(isfinite(d));
    if (units_parse_seconds(text, &d) == NULL)
        claim(isfinite(d));
}

static void lists(const char *text)
{
    struct err e = {0};
    struct strlist l;
    int rc = strlist_split(&l, text, &e);
    fuzz_claim_error(rc, &e);
    for (size_t i = 0; rc == 0 && i < l.count; i++)
        claim(*l.item[i] != '\0' && !strchr(l.item[i], ','));
    strlist_release(&l);
}

struct values {
    bool flag;
    int64_t number;
    uint64_t size;
    double real, seconds;
    char *text;
    struct strlist list;
    int choice;
    unsigned flags;
};
static const char *const words[] = {"one", "two", "three", NULL};
static const struct option rows[] = {
    {"flag", "", "off", OPT_ROW_BOOL(struct values, flag)},
    {"number", "", "5", OPT_ROW_INT(struct values, number), .min = -10, .max = 1e6},
    {"size", "", "1K", OPT_ROW_SIZE(struct values, size), .min = 1, .max = 9e18},
    {"real", "", "1.5", OPT_ROW_DOUBLE(struct values, real), .min = 0, .max = 1e18},
    {"seconds", "", "1", OPT_ROW_SECONDS(struct values, seconds), .min = 0, .max = 1e9},
    {"text", "", "", OPT_ROW_STRING(struct values, text)},
    {"list", "", "a,b", OPT_ROW_LIST(struct values, list)},
    {"choice", "", "one", OPT_ROW_CHOICE(struct values, choice), .choices = words},
    {"flags", "", "", OPT_ROW_FLAGS(struct values, flags), .choices = words},
    {0},
};

/* The text of a value that was accepted is accepted, and stays as it is. */
static void round_trip(struct optset *s, size_t row, enum opt_manner manner, const char *text)
{
    struct err e = {0};
    struct buf first = {0}, second = {0};
    int rc = optset_set(s, row, text, OPT_BY_USER, manner, &e);
    fuzz_claim_error(rc, &e);
    optset_text(s, row, &first);
    if (rc == 0 && first.size > 0) {
        rc = optset_set(s, row, buf_text(&first), OPT_BY_USER, manner, &e);
        claim(rc == 0);
        optset_text(s, row, &second);
        claim(strcmp(buf_text(&first), buf_text(&second)) == 0);
    }
    buf_release(&first);
    buf_release(&second);
}

static void options(const char *text)
{
    for (int manner = OPT_STRICT; manner <= OPT_OLD; manner++) {
        struct values v = {0};
        struct optset s;
        struct err e = {0};
        claim(optset_init(&s, "test", rows, &v, &e) == 0);
        for (size_t i = 0; i < s.count; i++)
            round_trip(&s, i, (enum opt_manner)manner, text);
        optset_release(&s);
    }
    opt_distance(text, "threads");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    sizes(text);
    numbers(text);
    lists(text);
    options(text);
    free(text);
    return 0;
}
