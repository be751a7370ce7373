#include "env/env_diff.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading ----------------------------------------------------------------- */

/* The whole document; NULL and the error in e. */
static json_t *load(const char *file, struct err *e)
{
    json_error_t why = {.text = ""};
    FILE *f = fopen(file, "re");
    int reason = errno;
    json_t *doc = f ? json_loadf(f, JSON_REJECT_DUPLICATES, &why) : NULL;
    if (f)
        fclose(f);
    if (!doc)
        err_set(e, "%s: %s; a file is needed that sbench wrote with --output-format=json", file,
                f ? why.text : strerror(reason));
    return doc;
}

/* A value as text, NULL for null and for what is no single value. */
static char *text_of(const json_t *value)
{
    if (json_is_string(value))
        return strdup(json_string_value(value));
    if (json_is_number(value) || json_is_boolean(value))
        return json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    return NULL;
}

/* The value of a fact: {"value": …} or, in other people's files, the value. */
static char *value_of(const json_t *env, const char *key)
{
    const json_t *fact = json_object_get(env, key);
    return text_of(json_is_object(fact) ? json_object_get(fact, "value") : fact);
}

/* --- comparing ---------------------------------------------------------------- */

static int no_memory(struct err *e)
{
    return err_set(e, "no memory is left to compare two environments");
}

static bool alike(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int add_difference(struct env_diff *d, const char *key, char *a, char *b, struct err *e)
{
    struct env_difference *item = realloc(d->item, (d->count + 1) * sizeof *item);
    if (item)
        d->item = item;
    char *copy = item ? strdup(key) : NULL;
    if (!copy) {
        free(a);
        free(b);
        return no_memory(e);
    }
    d->item[d->count++] = (struct env_difference){copy, env_class(key), a, b};
    return 0;
}

static int compare_key(struct env_diff *d, const json_t *env_a, const json_t *env_b,
                       const char *key, struct err *e)
{
    char *a = value_of(env_a, key), *b = value_of(env_b, key);
    if (!alike(a, b))
        return add_difference(d, key, a, b, e);
    if (a)
        d->same++;
    free(a);
    free(b);
    return 0;
}

/* Stable: within a class the order of the files stays. */
static void sort_by_class(struct env_diff *d)
{
    for (size_t i = 1; i < d->count; i++)
        for (size_t k = i; k > 0 && d->item[k].class < d->item[k - 1].class; k--) {
            struct env_difference swap = d->item[k];
            d->item[k] = d->item[k - 1];
            d->item[k - 1] = swap;
        }
}

static int compare(struct env_diff *d, json_t *a, json_t *b, struct err *e)
{
    const char *key;
    json_t *value;
    json_object_foreach(a, key, value) if (compare_key(d, a, b, key, e) != 0) return -1;
    json_object_foreach(b, key, value) if (!json_object_get(a, key) &&
                                           compare_key(d, a, b, key, e) != 0) return -1;
    sort_by_class(d);
    return 0;
}

static json_t *env_in(json_t *doc, const char *file, struct err *e)
{
    json_t *env = json_object_get(doc, "env");
    if (json_is_object(env))
        return env;
    err_set(e,
            "%s: there is no object \"env\" in it; write the file with 'sbench env' or a test run "
            "and --output-format=json",
            file);
    return NULL;
}

int env_diff_init(struct env_diff *d, const char *file_a, const char *file_b, struct err *e)
{
    int rc = -1;
    *d = (struct env_diff){.name_a = strdup(file_a), .name_b = strdup(file_b)};
    json_t *a = load(file_a, e), *b = a ? load(file_b, e) : NULL;
    json_t *env_a = b ? env_in(a, file_a, e) : NULL, *env_b = env_a ? env_in(b, file_b, e) : NULL;
    if (env_b)
        rc = d->name_a && d->name_b ? compare(d, env_a, env_b, e) : no_memory(e);
    json_decref(a);
    json_decref(b);
    if (rc != 0)
        env_diff_release(d);
    return rc;
}

void env_diff_release(struct env_diff *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->item[i].key);
        free(d->item[i].a);
        free(d->item[i].b);
    }
    free(d->item);
    free(d->name_a);
    free(d->name_b);
    *d = (struct env_diff){0};
}

size_t env_diff_count(const struct env_diff *d, enum fact_class c)
{
    size_t n = 0;
    for (size_t i = 0; i < d->count; i++)
        n += d->item[i].class == c;
    return n;
}

/* --- writing ------------------------------------------------------------------- */

static const char *shown(const char *value)
{
    return value ? value : "unknown";
}

static void put_class(const struct env_diff *d, enum fact_class c, struct buf *out)
{
    static const char *const titles[] = {
        [FACT_FACTOR] = "Factors: what the comparison may be about",
        [FACT_MUST_MATCH] = "Must match: these differences make the comparison unfair",
        [FACT_INFORMATIONAL] = "Informational: these differ from run to run",
    };
    if (env_diff_count(d, c) == 0)
        return;
    buf_printf(out, "\n%s\n", titles[c]);
    for (size_t i = 0; i < d->count; i++)
        if (d->item[i].class == c)
            buf_printf(out, "  %s\n    A: %s\n    B: %s\n", d->item[i].key, shown(d->item[i].a),
                       shown(d->item[i].b));
}

/* What the differences add up to. */
static const char *summary(const struct env_diff *d)
{
    if (env_diff_count(d, FACT_MUST_MATCH) > 0)
        return "Results of A and B are not comparable without more ado: see \"Must match\".";
    if (env_diff_count(d, FACT_FACTOR) > 1)
        return "Several factors differ: a difference in results cannot be put down to one of them.";
    if (env_diff_count(d, FACT_FACTOR) == 1)
        return "One factor differs: a difference in results is about that one.";
    return "Nothing that should matter differs.";
}

void env_diff_text(const struct env_diff *d, struct buf *out)
{
    buf_printf(out, "A: %s\nB: %s\n%zu facts are alike, %zu differ.\n", d->name_a, d->name_b,
               d->same, d->count);
    for (int c = FACT_FACTOR; c <= FACT_INFORMATIONAL; c++)
        put_class(d, (enum fact_class)c, out);
    buf_printf(out, "\n%s\n", summary(d));
}

void env_diff_json(const struct env_diff *d, struct buf *out)
{
    struct json j;
    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_text(&j, "schema", "sbench-env-diff/1");
    json_text(&j, "a", d->name_a);
    json_text(&j, "b", d->name_b);
    json_uint(&j, "same", d->same);
    json_bool(&j, "comparable", env_diff_count(d, FACT_MUST_MATCH) == 0);
    json_open(&j, "differences", '[');
    for (size_t i = 0; i < d->count; i++) {
        json_open(&j, NULL, '{');
        json_text(&j, "key", d->item[i].key);
        json_text(&j, "class", env_class_name(d->item[i].class));
        json_text(&j, "a", d->item[i].a);
        json_text(&j, "b", d->item[i].b);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

void env_diff_csv(const struct env_diff *d, struct buf *out)
{
    buf_puts(out, "key,class,a,b\n");
    for (size_t i = 0; i < d->count; i++) {
        env_csv_field(out, d->item[i].key);
        buf_printf(out, ",%s,", env_class_name(d->item[i].class));
        env_csv_field(out, d->item[i].a ? d->item[i].a : "");
        buf_putc(out, ',');
        env_csv_field(out, d->item[i].b ? d->item[i].b : "");
        buf_putc(out, '\n');
    }
}
