#include "option/option.h"

#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 64

/* --- lists of strings ---------------------------------------------------- */

void strlist_release(struct strlist *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->item[i]);
    free(l->item);
    *l = (struct strlist){0};
}

int strlist_add(struct strlist *l, const char *text, size_t size, struct err *e)
{
    char **item = realloc(l->item, (l->count + 1) * sizeof *item);
    char *copy = strndup(text, size);
    if (item)
        l->item = item;
    if (!item || !copy) {
        free(copy);
        return err_set(e, "out of memory for a list of values");
    }
    l->item[l->count++] = copy;
    return 0;
}

int strlist_split(struct strlist *l, const char *text, struct err *e)
{
    *l = (struct strlist){0};
    while (*text) {
        size_t n = strcspn(text, ",");
        if (n > 0 && strlist_add(l, text, n, e) != 0) {
            strlist_release(l);
            return -1;
        }
        text += n + (text[n] == ',');
    }
    return 0;
}

/* --- names --------------------------------------------------------------- */

static char folded(char c)
{
    return c == '-' ? '_' : c;
}

static bool alike(char a, char b)
{
    return tolower((unsigned char)folded(a)) == tolower((unsigned char)folded(b));
}

bool opt_same_name(const char *a, const char *b)
{
    while (*a && folded(*a) == folded(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

int optset_find(const struct optset *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (opt_same_name(s->rows[i].name, name))
            return (int)i;
    return -1;
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

unsigned opt_distance(const char *a, const char *b)
{
    unsigned row[3][MAX_NAME + 1];
    size_t n = strnlen(b, MAX_NAME), m = strnlen(a, MAX_NAME);
    for (size_t j = 0; j <= n; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            bool same = alike(a[i - 1], b[j - 1]);
            now[j] = least(now[j - 1] + 1, last[j] + 1, last[j - 1] + !same);
            if (i > 1 && j > 1 && alike(a[i - 1], b[j - 2]) && alike(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1, now[j]);
        }
    }
    return row[m % 3][n];
}

bool opt_is_nearer(const char *typed, const char *name, unsigned *best)
{
    unsigned d = opt_distance(typed, name);
    if (d >= *best)
        return false;
    *best = d;
    return true;
}

const char *opt_nearest(const struct optset *const *sets, size_t n, const char *name)
{
    const char *nearest = NULL;
    unsigned best = (unsigned)strlen(name) / 3 + 1; /* a third of the letters may be wrong */
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < sets[k]->count; i++)
            if (opt_is_nearer(name, sets[k]->rows[i].name, &best))
                nearest = sets[k]->rows[i].name;
    return nearest;
}

/* --- values -------------------------------------------------------------- */

struct reading {
    const struct option *row;
    const char *text; /* never NULL */
    void *to;
    enum opt_manner manner;
    struct err *err;
};

static int refuse(const struct reading *r, const char *why)
{
    return err_set(r->err, "option --%s: the value '%s' %s", r->row->name, r->text, why);
}

static int out_of_bounds(const struct reading *r, double value)
{
    const struct option *o = r->row;
    if ((o->min == 0 && o->max == 0) || (value >= o->min && (o->max <= o->min || value <= o->max)))
        return 0;
    if (o->max > o->min && o->max < 9e15)
        return err_set(
            r->err, "option --%s: the value '%s' is out of range, it must be from %.15g to %.15g",
            o->name, r->text, o->min, o->max);
    return err_set(r->err, "option --%s: the value '%s' is out of range, it must be %.15g or more",
                   o->name, r->text, o->min);
}

static int read_bool(const struct reading *r)
{
    static const char *const words[] = {"off", "on", "false", "true", "0", "1"};
    int known = r->manner == OPT_OLD ? 2 : 6;
    for (int i = 0; i < known; i++) {
        if (strcmp(r->text, words[i]) == 0) {
            *(bool *)r->to = i & 1;
            return 0;
        }
    }
    if (r->manner == OPT_OLD) {
        *(bool *)r->to = false;
        return 0;
    }
    return refuse(r, "is not on or off");
}

/* sysbench stores such numbers unsigned: -1 events or seconds are more than
 * anyone waits for, which is "no limit". */
static bool is_no_limit(const struct reading *r, double value)
{
    return value < 0 && r->row->negative_is_none && r->manner != OPT_STRICT;
}

static int read_int(const struct reading *r)
{
    int64_t n = 0;
    const char *text = r->text + (r->manner != OPT_STRICT ? strspn(r->text, " \t") : 0);
    const char *why = *r->text ? units_parse_int(text, &n) : NULL;
    if (!*r->text && r->manner == OPT_STRICT)
        why = "is empty, a whole number is needed";
    if (why)
        return refuse(r, why);
    if (is_no_limit(r, (double)n))
        n = 0;
    if (out_of_bounds(r, (double)n) != 0)
        return -1;
    *(int64_t *)r->to = n;
    return 0;
}

/* The size that sysbench 1.0 would see: digits, one letter, the rest ignored,
 * everything else 0. */
static uint64_t lenient_size(const char *text)
{
    static const char letters[] = "KMGT";
    char *end;
    if (*text < '0' || *text > '9')
        return 0;
    uint64_t n = strtoull(text, &end, 10);
    if (*end == '\0')
        return n;
    const char *at = isalpha((unsigned char)*end) ? strchr(letters, *end & ~0x20) : NULL;
    return at ? n << 10 * (at - letters + 1) : 0;
}

static int read_size(const struct reading *r)
{
    uint64_t n = 0;
    const char *why = units_parse_size(r->text, &n);
    if (why && r->manner != OPT_STRICT) {
        n = lenient_size(r->text);
        why = NULL;
    }
    if (!*r->text && r->manner == OPT_STRICT)
        why = "is empty, a size such as 16K is needed";
    if (why)
        return refuse(r, why);
    if (out_of_bounds(r, (double)n) != 0)
        return -1;
    *(uint64_t *)r->to = n;
    return 0;
}

static int read_double(const struct reading *r)
{
    double n = 0;
    const char *why = units_parse_double(r->text, &n);
    if (why && r->manner != OPT_STRICT && (!r->row->was_whole || !*r->text)) {
        n = strtod(r->text, NULL);
        why = NULL;
    }
    if (why)
        return refuse(r, why);
    if (out_of_bounds(r, n) != 0)
        return -1;
    *(double *)r->to = n;
    return 0;
}

static int read_seconds(const struct reading *r)
{
    double n = 0;
    const char *why = *r->text ? units_parse_seconds(r->text, &n) : NULL;
    if (!*r->text && r->manner == OPT_STRICT)
        why = "is empty, a number of seconds is needed";
    if (why)
        return refuse(r, why);
    if (is_no_limit(r, n))
        n = 0;
    if (out_of_bounds(r, n) != 0)
        return -1;
    *(double *)r->to = n;
    return 0;
}

static int read_list(const struct reading *r)
{
    struct strlist list;
    if (strlist_split(&list, r->text, r->err) != 0)
        return -1;
    strlist_release(r->to);
    *(struct strlist *)r->to = list;
    return 0;
}

/* "old=new,old=new": the new word for an old spelling of size n, or NULL. */
static const char *translated(const char *also, const char *word, size_t n, size_t *size)
{
    while (also && *also) {
        size_t left = strcspn(also, "="), right = strcspn(also + left + 1, ",");
        if (left == n && strncmp(also, word, n) == 0) {
            *size = right;
            return also + left + 1;
        }
        also += left + 1 + right;
        also += *also == ',';
    }
    return NULL;
}

static int choice_index(const struct option *o, const char *word, size_t n)
{
    size_t size = n;
    const char *new_word = translated(o->also, word, n, &size);
    if (new_word)
        word = new_word;
    for (int i = 0; o->choices[i]; i++)
        if (strlen(o->choices[i]) == size && strncmp(o->choices[i], word, size) == 0)
            return i;
    return -1;
}

static int refuse_choice(const struct reading *r)
{
    struct buf all = {0};
    for (int i = 0; r->row->choices[i]; i++)
        buf_printf(&all, "%s%s", i ? ", " : "", r->row->choices[i]);
    err_set(r->err, "option --%s: the value '%s' is not one of: %s", r->row->name, r->text,
            buf_text(&all));
    buf_release(&all);
    return -1;
}

static int read_string(const struct reading *r)
{
    if (r->row->choices && choice_index(r->row, r->text, strlen(r->text)) < 0)
        return refuse_choice(r);
    char *copy = strdup(r->text);
    if (!copy)
        return err_set(r->err, "option --%s: out of memory", r->row->name);
    free(*(char **)r->to);
    *(char **)r->to = copy;
    return 0;
}

static int read_choice(const struct reading *r)
{
    int i = choice_index(r->row, r->text, strlen(r->text));
    if (i < 0)
        return refuse_choice(r);
    *(int *)r->to = i;
    return 0;
}

static int read_flags(const struct reading *r)
{
    unsigned mask = 0;
    for (const char *at = r->text; *at;) {
        size_t n = strcspn(at, ",");
        int i = n > 0 ? choice_index(r->row, at, n) : -2;
        if (i == -1)
            return refuse_choice(r);
        if (i >= 0)
            mask |= 1u << i;
        at += n + (at[n] == ',');
    }
    *(unsigned *)r->to = mask;
    return 0;
}

static int read_file(const struct reading *r)
{
    return refuse(r, "can only stand on the command line");
}

/* --- values as text ------------------------------------------------------ */

static void show_bool(const struct option *o, const void *v, struct buf *out)
{
    (void)o;
    buf_puts(out, *(const bool *)v ? "on" : "off");
}

static void show_int(const struct option *o, const void *v, struct buf *out)
{
    (void)o;
    buf_printf(out, "%lld", (long long)*(const int64_t *)v);
}

static void show_size(const struct option *o, const void *v, struct buf *out)
{
    char text[32];
    (void)o;
    buf_puts(out, units_exact_size(*(const uint64_t *)v, text, sizeof text));
}

static void show_double(const struct option *o, const void *v, struct buf *out)
{
    (void)o;
    buf_printf(out, "%.14g", *(const double *)v);
}

static void show_string(const struct option *o, const void *v, struct buf *out)
{
    (void)o;
    if (*(char *const *)v)
        buf_puts(out, *(char *const *)v);
}

static void show_list(const struct option *o, const void *v, struct buf *out)
{
    const struct strlist *l = v;
    (void)o;
    for (size_t i = 0; i < l->count; i++)
        buf_printf(out, "%s%s", i ? "," : "", l->item[i]);
}

static void show_choice(const struct option *o, const void *v, struct buf *out)
{
    buf_puts(out, o->choices[*(const int *)v]);
}

static void show_flags(const struct option *o, const void *v, struct buf *out)
{
    const char *comma = "";
    for (int i = 0; o->choices[i]; i++) {
        if (!(*(const unsigned *)v & 1u << i))
            continue;
        buf_printf(out, "%s%s", comma, o->choices[i]);
        comma = ",";
    }
}

static void show_nothing(const struct option *o, const void *v, struct buf *out)
{
    (void)o;
    (void)v;
    (void)out;
}

/* All that differs between the types, in one place. */
static const struct {
    const char *suffix;
    int (*read)(const struct reading *);
    void (*show)(const struct option *, const void *, struct buf *);
} types[] = {
    [OPT_BOOL] = {"[=on|off]", read_bool, show_bool},
    [OPT_INT] = {"=N", read_int, show_int},
    [OPT_SIZE] = {"=SIZE", read_size, show_size},
    [OPT_DOUBLE] = {"=N", read_double, show_double},
    [OPT_SECONDS] = {"=N", read_seconds, show_double},
    [OPT_STRING] = {"=STRING", read_string, show_string},
    [OPT_LIST] = {"=[LIST,...]", read_list, show_list},
    [OPT_CHOICE] = {"=STRING", read_choice, show_choice},
    [OPT_FLAGS] = {"=[LIST,...]", read_flags, show_flags},
    [OPT_FILE] = {"=FILENAME", read_file, show_nothing},
};

/* --- sets ---------------------------------------------------------------- */

int optset_set(struct optset *s, size_t i, const char *text, enum opt_origin origin,
               enum opt_manner manner, struct err *e)
{
    const struct option *o = &s->rows[i];
    bool bare_switch = o->type == OPT_BOOL && !text; /* without a value it is on */
    struct reading r = {.row = o,
                        .text = bare_switch ? "on"
                                : text      ? text
                                            : "",
                        .to = optset_value(s, i),
                        .manner = manner,
                        .err = e};
    if (s->origin[i] > origin)
        return 0;
    if (o->not_empty && manner == OPT_STRICT && r.text[strspn(r.text, ", ")] == '\0')
        return refuse(&r, "is empty; leave the option out or give it a value");
    if (types[o->type].read(&r) != 0)
        return -1;
    s->origin[i] = (unsigned char)origin;
    return 0;
}

static int set_default(struct optset *s, size_t i, struct err *e)
{
    const struct option *o = &s->rows[i];
    if (!o->fallback || o->type == OPT_FILE)
        return 0;
    struct reading r = {.row = o, .text = o->fallback, .to = optset_value(s, i), .err = e};
    return types[o->type].read(&r);
}

int optset_init(struct optset *s, const char *title, const struct option *rows, void *values,
                struct err *e)
{
    *s = (struct optset){.title = title, .rows = rows, .values = values};
    while (rows && rows[s->count].name)
        s->count++;
    s->origin = calloc(s->count + 1, 1);
    if (!s->origin)
        return err_set(e, "out of memory for options");
    for (size_t i = 0; i < s->count; i++)
        if (set_default(s, i, e) != 0)
            return -1;
    return 0;
}

void optset_release(struct optset *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->rows[i].type == OPT_STRING) {
            free(*(char **)optset_value(s, i));
            *(char **)optset_value(s, i) = NULL;
        } else if (s->rows[i].type == OPT_LIST) {
            strlist_release(optset_value(s, i));
        }
    }
    free(s->origin);
    *s = (struct optset){0};
}

bool optset_given(const struct optset *s, const char *name)
{
    int i = optset_find(s, name);
    return i >= 0 && s->origin[i] == OPT_BY_USER;
}

void optset_text(const struct optset *s, size_t i, struct buf *out)
{
    bool none = s->rows[i].type == OPT_CHOICE && !s->rows[i].fallback &&
                s->origin[i] == OPT_BY_DEFAULT; /* not the first choice */
    if (!s->rows[i].secret && !none)
        types[s->rows[i].type].show(&s->rows[i], optset_value(s, i), out);
}

/* --- help ---------------------------------------------------------------- */

const char *opt_suffix(const struct option *o)
{
    return o->shown_as ? o->shown_as : types[o->type].suffix;
}

static int name_width(const struct option *o)
{
    return (int)(strlen(o->name) + strlen(opt_suffix(o)));
}

static void put_fallback(const struct optset *s, size_t i, struct buf *out)
{
    const char *fallback = s->rows[i].fallback;
    bool other = s->origin[i] == OPT_BY_FORM || s->origin[i] == OPT_BY_SCRIPT;
    if (!fallback && !other)
        return;
    buf_puts(out, " [");
    if (other)
        optset_text(s, i, out);
    else
        buf_puts(out, fallback);
    buf_putc(out, ']');
}

void optset_help(const struct optset *s, struct buf *out)
{
    int widest = 0;
    for (size_t i = 0; i < s->count; i++)
        if (name_width(&s->rows[i]) > widest)
            widest = name_width(&s->rows[i]);
    for (size_t i = 0; i < s->count; i++) {
        const struct option *o = &s->rows[i];
        buf_printf(out, "  --%s%s%*s%s", o->name, opt_suffix(o), widest - name_width(o) + 1, "",
                   o->help);
        put_fallback(s, i, out);
        buf_putc(out, '\n');
    }
}
