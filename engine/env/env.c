#include "env/env.h"

#include "env/facts.h"
#include "env/processor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct err *e)
{
    return err_set(e, "no memory is left for the description of the machine");
}

static void fact_release(struct fact *f)
{
    free(f->key);
    free(f->value);
    free(f->source);
}

void env_release(struct env *env)
{
    for (size_t i = 0; i < env->count; i++)
        fact_release(&env->fact[i]);
    free(env->fact);
    *env = (struct env){0};
}

const struct fact *env_get(const struct env *env, const char *key)
{
    for (size_t i = 0; i < env->count; i++)
        if (strcmp(env->fact[i].key, key) == 0)
            return &env->fact[i];
    return NULL;
}

const char *env_value(const struct env *env, const char *key)
{
    const struct fact *f = env_get(env, key);
    return f ? f->value : NULL;
}

double env_number(const struct env *env, const char *key, double otherwise)
{
    const struct fact *f = env_get(env, key);
    return f && f->value && f->number ? strtod(f->value, NULL) : otherwise;
}

static bool reads_as_number(const char *text)
{
    char *end;
    if (!text || !text[0] || text[strspn(text, "0123456789.eE+-")] != '\0')
        return false;
    double n = strtod(text, &end);
    return *end == '\0' && isfinite(n);
}

/* Room for one more fact, or the place of that key. NULL without memory. */
static struct fact *place_for(struct env *env, const char *key)
{
    struct fact *known = (struct fact *)env_get(env, key);
    if (known)
        return known;
    if (env->count == env->room) {
        size_t room = env->room ? env->room * 2 : 64;
        struct fact *fact = realloc(env->fact, room * sizeof *fact);
        if (!fact)
            return NULL;
        env->fact = fact;
        env->room = room;
    }
    env->fact[env->count] = (struct fact){0};
    return &env->fact[env->count];
}

static int put(struct env *env, const struct fact *new, struct err *e)
{
    struct fact *at = place_for(env, new->key);
    struct fact copy = *new;
    copy.key = strdup(new->key);
    copy.source = strdup(new->source ? new->source : "");
    copy.value = new->value ? strdup(new->value) : NULL;
    if (!at || !copy.key || !copy.source || (new->value && !copy.value)) {
        fact_release(&copy);
        return no_memory(e);
    }
    if (at->key)
        fact_release(at);
    else
        env->count++;
    *at = copy;
    return 0;
}

int env_put(struct env *env, const char *key, const char *value, const char *source, struct err *e)
{
    const struct fact_row *row = fact_row_find(key);
    struct fact f = {.key = (char *)key,
                     .value = (char *)value,
                     .source = (char *)source,
                     .status = value ? FACT_OK : FACT_MISSING,
                     .number = (!row || row->flags & ROW_NUMBER) && reads_as_number(value)};
    return put(env, &f, e);
}

/* The same text gives the same mark, so machines can still be told apart. */
static void redact(const char *key, struct buf *value)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *s = key; *s; s++)
        hash = (hash ^ (unsigned char)*s) * 16777619u;
    for (size_t i = 0; i < value->size; i++)
        hash = (hash ^ (unsigned char)value->text[i]) * 16777619u;
    buf_clear(value);
    buf_printf(value, "#%08x", hash);
}

static int add_row(struct env *env, const struct fact_row *row, struct reader *r, unsigned flags,
                   struct err *e)
{
    struct fact f = {.key = (char *)row->key, .source = r->source, .status = FACT_MISSING};
    if (row->flags & ROW_SLOW && !(flags & ENV_SLOW))
        return 0;
    buf_clear(&r->value);
    snprintf(r->source, sizeof r->source, "%s", row->from ? row->from : "");
    if (row->read)
        f.status = row->read(r, row->from);
    if (f.status == FACT_OK && row->flags & ROW_REDACT && !(flags & ENV_REVEAL))
        redact(row->key, &r->value);
    if (r->value.failed)
        return no_memory(e);
    if (f.status == FACT_OK)
        f.value = (char *)buf_text(&r->value);
    f.number = row->flags & ROW_NUMBER && reads_as_number(f.value);
    return put(env, &f, e);
}

int env_collect_at(struct env *env, const char *root, unsigned flags, struct err *e)
{
    struct reader *r = malloc(sizeof *r);
    int rc = 0;
    *env = (struct env){0};
    if (!r)
        return no_memory(e);
    reader_init(r, root);
    for (size_t i = 0; rc == 0 && i < fact_row_count; i++)
        rc = add_row(env, &fact_rows[i], r, flags, e);
    reader_release(r);
    free(r);
    if (rc != 0)
        env_release(env);
    return rc;
}

int env_collect(struct env *env, struct err *e)
{
    return env_collect_at(env, "", 0, e);
}

enum fact_class env_class(const char *key)
{
    const struct fact_row *row = fact_row_find(key);
    return row ? row->class : FACT_INFORMATIONAL;
}

const char *env_class_name(enum fact_class c)
{
    static const char *const names[] = {"factor", "must match", "informational"};
    return names[c];
}

const char *env_status_name(enum fact_status s)
{
    static const char *const names[] = {"ok", "missing", "permission"};
    return names[s];
}

/* Whole numbers stay exact up to 64 bits. */
static void put_value(struct json *j, const char *key, const struct fact *f)
{
    if (f->value && f->number && f->value[strspn(f->value, "0123456789")] == '\0')
        json_uint(j, key, strtoull(f->value, NULL, 10));
    else if (f->value && f->number)
        json_double(j, key, strtod(f->value, NULL));
    else
        json_text(j, key, f->value);
}

void env_json(const struct env *env, struct json *j)
{
    json_open(j, "env", '{');
    for (size_t i = 0; i < env->count; i++) {
        const struct fact *f = &env->fact[i];
        json_open(j, f->key, '{');
        put_value(j, "value", f);
        json_text(j, "source", f->source);
        json_text(j, "status", env_status_name(f->status));
        json_close(j, '}');
    }
    json_close(j, '}');
}

void env_json_state(const struct env *env, const char *key, struct json *j)
{
    json_open(j, key, '{');
    for (size_t i = 0; i < env->count; i++) {
        const struct fact_row *row = fact_row_find(env->fact[i].key);
        if (row && row->flags & ROW_STATE)
            put_value(j, row->key, &env->fact[i]);
    }
    json_close(j, '}');
}

static const char *shown(const struct fact *f)
{
    static const char *const instead[] = {"", "not available", "not permitted"};
    return f->status == FACT_OK ? f->value : instead[f->status];
}

void env_text(const struct env *env, struct buf *out)
{
    size_t width = 0;
    for (size_t i = 0; i < env->count; i++) {
        size_t n = strlen(env->fact[i].key);
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < env->count; i++) {
        const struct fact *f = &env->fact[i];
        buf_printf(out, "%-*s  %-40s  [%s]\n", (int)width, f->key, shown(f), f->source);
    }
}

void env_csv_field(struct buf *out, const char *text)
{
    buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            buf_putc(out, '"');
        buf_putc(out, *text);
    }
    buf_putc(out, '"');
}

void env_csv(const struct env *env, struct buf *out)
{
    buf_puts(out, "key,value,source,status,class\n");
    for (size_t i = 0; i < env->count; i++) {
        const struct fact *f = &env->fact[i];
        env_csv_field(out, f->key);
        buf_putc(out, ',');
        env_csv_field(out, f->value ? f->value : "");
        buf_putc(out, ',');
        env_csv_field(out, f->source);
        buf_printf(out, ",%s,%s\n", env_status_name(f->status), env_class_name(env_class(f->key)));
    }
}

uint64_t env_cache_size(int level)
{
    return processor_cache("", level);
}

uint64_t env_cache_last(int *level)
{
    for (*level = 4; *level > 0; --*level) {
        uint64_t bytes = env_cache_size(*level);
        if (bytes > 0)
            return bytes;
    }
    return 0;
}
