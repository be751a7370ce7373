#include "option/cmdline.h"

#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- old spellings ------------------------------------------------------------ */

struct old_name {
    const char *name;
    const char *now; /* NULL: without effect today */
    const char *why; /* what to say then */
    int64_t least;   /* sysbench 1.0 honours only larger values */
};

/* In the order in which sysbench 1.0 warns of them. */
static const struct old_name old_names[] = {
    {"num-threads", "threads", NULL, 1},
    {"max-requests", "events", NULL, 0},
    {"max-time", "time", NULL, 0},
    {"tx-rate", "rate", NULL, 0},
    {"seed-rng", "rand-seed", NULL, 0},
    {"init-rng", NULL, "the generator is always seeded: from the time, or with --rand-seed", 0},
    {"rand-init", NULL, "the generator is always seeded: from the time, or with --rand-seed", 0},
    {"tx-jitter", NULL, "--rate has random gaps; --rate-pace=fixed makes them even", 0},
    {"batch", NULL, "--report-interval prints intermediate figures today", 0},
    {"batch-delay", NULL, "--report-interval=SECONDS prints intermediate figures today", 0},
};

static const struct old_name *find_old(const char *name)
{
    for (size_t i = 0; i < sizeof old_names / sizeof old_names[0]; i++)
        if (opt_same_name(old_names[i].name, name))
            return &old_names[i];
    return NULL;
}

/* Their lines in the general help, in the order and columns that they had there. */
void cmdline_old_help(struct buf *out)
{
    static const struct {
        const char *name, *fallback;
    } rows[] = {{"tx-rate", "0"}, {"max-requests", "0"}, {"max-time", "0"}, {"num-threads", "1"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        buf_printf(out, "  --%s=N%*sold name of --%s [%s]\n", rows[i].name,
                   28 - (int)strlen(rows[i].name), "", find_old(rows[i].name)->now,
                   rows[i].fallback);
}

/* --- dashes --------------------------------------------------------------------- */

/* Length of a dash that is not the ASCII one: U+2010 to U+2015 and U+2212. */
static size_t typographic_dash(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    if (u[0] == 0xe2 && u[1] == 0x80 && u[2] >= 0x90 && u[2] <= 0x95)
        return 3;
    return u[0] == 0xe2 && u[1] == 0x88 && u[2] == 0x92 ? 3 : 0;
}

/* Puts ASCII dashes in the place of others, up to the `=`. Whether there were
 * any. What stood in front of the name becomes two dashes. */
static bool plain_dashes(const char *arg, struct buf *out)
{
    bool found = false;
    const char *at = arg;
    for (size_t n; *at == '-' || typographic_dash(at); at += n) {
        n = typographic_dash(at) ? typographic_dash(at) : 1;
        found |= n > 1;
    }
    if (found)
        buf_puts(out, "--");
    else
        at = arg;
    for (size_t n; *at && *at != '='; at += n) {
        n = typographic_dash(at);
        found |= n > 0;
        buf_putc(out, n ? '-' : *at);
        n = n ? n : 1;
    }
    buf_puts(out, at);
    return found;
}

/* --- settings --------------------------------------------------------------------- */

static int add_setting(struct cmdline *c, const char *name, size_t size, const char *value,
                       const char *shown, struct err *e)
{
    struct setting *s = realloc(c->setting, (c->count + 1) * sizeof *s);
    if (!s)
        return err_set(e, "out of memory for options");
    c->setting = s;
    s += c->count++;
    *s = (struct setting){
        .name = strndup(name, size), .value = value ? strdup(value) : NULL, .shown = strdup(shown)};
    if (!s->name || !s->shown || (value && !s->value))
        return err_set(e, "out of memory for options");
    return 0;
}

/* --- files of options --------------------------------------------------------------- */

/* The items of a value: blanks and commas separate, quotes join, # comments. */
static int config_value(const char *text, struct buf *out)
{
    const char *comma = "";
    while (*text) {
        text += strspn(text, " \t,\r\n");
        if (*text == '#' || *text == '\0')
            break;
        buf_puts(out, comma);
        comma = ",";
        while (*text && !strchr(" \t,\r\n", *text)) {
            char quote = *text;
            if (quote != '"' && quote != '\'') {
                buf_putc(out, *text++);
                continue;
            }
            const char *end = strchr(++text, quote);
            if (!end)
                return -1;
            buf_add(out, text, (size_t)(end - text));
            text = end + 1;
        }
    }
    return 0;
}

static int config_line(struct cmdline *c, const char *path, unsigned number, char *line,
                       struct err *e)
{
    char shown[600];
    char *name = line + strspn(line, " \t\r\n");
    char *equals = strchr(name, '=');
    struct buf value = {0};
    if (*name == '#' || *name == '\0')
        return 0;
    name += strncmp(name, "--", 2) == 0 ? 2 : 0;
    if (!equals)
        return err_set(e, "%s:%u: '%.*s' is not NAME=VALUE", path, number,
                       (int)strcspn(name, "\r\n"), name);
    size_t size = (size_t)(equals - name);
    while (size > 0 && isspace((unsigned char)name[size - 1]))
        size--;
    snprintf(shown, sizeof shown, "%s:%u: %.*s", path, number, (int)size, name);
    int rc = config_value(equals + 1, &value);
    if (rc != 0)
        err_set(e, "%s: the value has a quote that is not closed", shown);
    else if (value.failed)
        rc = err_set(e, "%s: out of memory for the value", shown);
    else
        rc = add_setting(c, name, size, buf_text(&value), shown, e);
    buf_release(&value);
    return rc;
}

static int read_config(struct cmdline *c, const char *path, struct err *e)
{
    char *line = NULL;
    size_t room = 0;
    int rc = 0;
    if (!path || !*path)
        return err_set(e, "option --config-file needs the name of a file: --config-file=FILE");
    FILE *f = fopen(path, "re");
    if (!f)
        return err_sys(e, errno, "option --config-file: '%s' cannot be read.", path);
    for (unsigned n = 1; rc == 0 && getline(&line, &room, f) >= 0; n++)
        rc = config_line(c, path, n, line, e);
    if (rc == 0 && !feof(f)) /* an error of reading, or no memory for a line */
        rc = err_sys(e, errno, "option --config-file: '%s' cannot be read.", path);
    free(line);
    fclose(f);
    return rc;
}

/* --- arguments ------------------------------------------------------------------------ */

static bool is_option(const char *name, size_t size, const char *wanted)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(size < 63 ? size : 63), name);
    return opt_same_name(text, wanted);
}

/* --test=NAME names the test, in the place of a word in front of it; without a
 * name the next word does. */
static int take_test(struct cmdline *c, const char *name, struct err *e)
{
    free(c->test);
    c->test = *name ? strdup(name) : NULL;
    if (*name && !c->test)
        return err_set(e, "out of memory");
    c->test_by_option = true;
    return 0;
}

/* Everybody may read the argument list of a process. */
static void hide(struct setting *s, char *typed)
{
    char *value = strchr(typed, '=') + 1;
    memset(value, 'x', strlen(value));
    *strchr(s->shown, '=') = '\0';
}

static int take_option(struct cmdline *c, const char *arg, char *typed, struct err *e)
{
    const char *name = arg + 2, *equals = strchr(name, '=');
    size_t size = equals ? (size_t)(equals - name) : strlen(name);
    const char *value = equals ? equals + 1 : NULL;
    if (is_option(name, size, "config-file"))
        return read_config(c, value, e);
    if (is_option(name, size, "test") && value)
        return take_test(c, value, e);
    if (add_setting(c, name, size, value, typed, e) != 0)
        return -1;
    if (value &&
        (is_option(name, size, "mysql-password") || is_option(name, size, "pgsql-password")))
        hide(&c->setting[c->count - 1], typed);
    return 0;
}

/* `before` is the argument in front if it was an option without a value: then
 * this word may well be what was meant for it. */
static int take_word(struct cmdline *c, const char *word, const char *before, struct err *e)
{
    if (word[0] == '-' && word[1] != '\0')
        return err_set(e, "'%s' has one dash only; an option begins with two: -%s", word, word);
    if (!c->test) {
        c->test = strdup(word);
        return c->test ? 0 : err_set(e, "out of memory");
    }
    if (!c->command) {
        c->command = strdup(word);
        return c->command ? 0 : err_set(e, "out of memory");
    }
    if (before)
        return err_set(e, "'%s %s': a value follows its option with '=', without a blank: %s=%s",
                       before, word, before, word);
    return err_set(e, "there is one word too many: '%s' (after the test '%s' and the command '%s')",
                   word, c->test, c->command);
}

static const char *const commands[] = {"run", "prepare", "cleanup", "help", NULL};

static bool is_command(const char *word)
{
    for (const char *const *c = commands; *c; c++)
        if (strcmp(*c, word) == 0)
            return true;
    return false;
}

/* An option that needs a value, without one, and a word behind it. */
static int check_blank(const char *before, const char *word, struct err *e)
{
    struct general_options g;
    size_t row;
    int rc = 0;
    if (!before || is_command(word) || general_init(&g, e) != 0)
        return 0;
    struct optset *s = general_find(&g, before + 2, &row);
    const struct old_name *old = find_old(before + 2);
    if (old ? old->now != NULL : s && s->rows[row].type != OPT_BOOL)
        rc = err_set(e, "'%s %s': a value follows its option with '=', without a blank: %s=%s",
                     before, word, before, word);
    general_release(&g);
    return rc;
}

static int take_argument(struct cmdline *c, int i, struct err *e)
{
    struct buf plain = {0};
    char *typed = c->argv[i];
    bool mended = plain_dashes(typed, &plain);
    const char *arg = buf_text(&plain);
    const char *before =
        i > 1 && strncmp(c->argv[i - 1], "--", 2) == 0 && !strchr(c->argv[i - 1], '=')
            ? c->argv[i - 1]
            : NULL;
    int rc;
    if (mended && strncmp(arg, "--", 2) == 0)
        buf_printf(&c->notes, "'%s' was typed with a typographic dash; read as '%s'\n", typed, arg);
    if (plain.failed)
        rc = err_set(e, "out of memory for the argument '%s'", typed);
    else if (strncmp(arg, "--", 2) == 0)
        rc = take_option(c, arg, typed, e);
    else if ((rc = check_blank(before, arg, e)) == 0)
        rc = take_word(c, arg, before, e);
    buf_release(&plain);
    return rc;
}

int cmdline_parse(struct cmdline *c, int argc, char **argv, struct err *e)
{
    *c = (struct cmdline){.argc = argc, .argv = argv};
    for (int i = 1; i < argc; i++)
        if (take_argument(c, i, e) != 0)
            return -1;
    return 0;
}

void cmdline_release(struct cmdline *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->setting[i].name);
        free(c->setting[i].value);
        free(c->setting[i].shown);
    }
    free(c->setting);
    free(c->test);
    free(c->command);
    buf_release(&c->notes);
    buf_release(&c->warnings);
    *c = (struct cmdline){0};
}

/* --- giving them away ------------------------------------------------------------------- */

int cmdline_compat(const struct cmdline *c, const char *program, int *compat, struct err *e)
{
    const char *name = strrchr(program, '/');
    struct general_options g;
    int rc = general_init(&g, e);
    size_t row = 0;
    struct optset *s = general_find(&g, "compat", &row);
    *compat = strcmp(name ? name + 1 : program, "sysbench") == 0 ? COMPAT_1_0 : COMPAT_NATIVE;
    for (size_t i = 0; rc == 0 && i < c->count; i++) {
        if (!opt_same_name(c->setting[i].name, "compat"))
            continue;
        rc = optset_set(s, row, c->setting[i].value, OPT_BY_USER, OPT_STRICT, e);
        *compat = g.values.compat;
    }
    general_release(&g);
    return rc;
}

/* What the other defaults of 0.4.12 were: its random numbers were the same in
 * each run, unless --init-rng was given. */
static int set_old_defaults(struct general_options *g, struct err *e)
{
    static const char *const defaults[][2] = {{"events", "10000"},
                                              {"time", "0"},
                                              {"verbosity", "4"},
                                              {"thread-stack-size", "32K"},
                                              {"rand-seed", "1"}};
    size_t row;
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        struct optset *s = general_find(g, defaults[i][0], &row);
        if (optset_set(s, row, defaults[i][1], OPT_BY_DEFAULT, OPT_STRICT, e) != 0)
            return -1;
    }
    return 0;
}

/* Where it stood matters for what came out of a file, and the name that was
 * typed for an old one. */
static int wrong_value(const struct setting *s, const struct option *o, const struct err *cause,
                       struct err *e)
{
    bool from_file = strncmp(s->shown, "--", 2) != 0 && strchr(s->shown, ':');
    if (from_file || !opt_same_name(s->name, o->name))
        return err_set(e, "%s: %s", s->shown, cause->text);
    return err_set(e, "%s", cause->text);
}

/* Is the text what sysbench 1.0 would read as a value of this type? */
static bool well_formed(const struct option *o, const char *text)
{
    int64_t n;
    if (o->type == OPT_BOOL)
        return false;
    if ((o->type != OPT_INT && !o->was_whole) || !*text)
        return true;
    return !units_parse_int(text, &n) && n >= INT32_MIN && n <= INT32_MAX;
}

static int give(struct cmdline *c, struct setting *s, struct optset *set, size_t row,
                enum opt_manner manner, struct err *e)
{
    struct err cause = {0};
    s->used = true;
    if (optset_set(set, row, s->value, OPT_BY_USER, manner, &cause) == 0)
        return 0;
    c->malformed = !well_formed(&set->rows[row], s->value ? s->value : "");
    return wrong_value(s, &set->rows[row], &cause, e);
}

static enum opt_manner manner_of(const struct general *g)
{
    return g->compat == COMPAT_NATIVE ? OPT_STRICT : OPT_LENIENT;
}

/* sysbench 1.0 takes no notice of an old name with the old default. */
static bool is_idle(const struct old_name *old, const struct setting *s, const struct general *g)
{
    int64_t n = 0;
    if (g->compat != COMPAT_1_0 || (s->value && *s->value && units_parse_int(s->value, &n)))
        return false;
    return n >= 0 && n <= old->least;
}

/* On, as in 0.4.12, with `on` or without a value. */
static int give_init_rng(const struct setting *s, struct general_options *g, struct err *e)
{
    size_t row;
    struct optset *set = general_find(g, "rand-seed", &row);
    g->values.init_rng = !s->value || strcmp(s->value, "on") == 0;
    return g->values.init_rng ? optset_set(set, row, "0", OPT_BY_SCRIPT, OPT_STRICT, e) : 0;
}

static int give_old(struct cmdline *c, struct setting *s, const struct old_name *old,
                    struct general_options *g, struct err *e)
{
    size_t row;
    if (g->values.compat == COMPAT_0_4 && strcmp(old->name, "init-rng") == 0)
        return give_init_rng(s, g, e);
    if (!old->now) {
        buf_printf(&c->notes, "--%s has no effect: %s\n", old->name, old->why);
        return 0;
    }
    if (is_idle(old, s, &g->values))
        return 0;
    struct optset *set = general_find(g, old->now, &row);
    int rc = give(c, s, set, row, manner_of(&g->values), e);
    if (!c->malformed)
        buf_printf(&c->warnings, "WARNING: --%s is deprecated, use --%s instead\n", old->name,
                   old->now);
    if (g->values.compat != COMPAT_0_4)
        buf_printf(&c->notes, "--%s is now --%s\n", old->name, old->now);
    return rc;
}

/* Old spellings win over the new ones, wherever they stand. */
static int give_old_names(struct cmdline *c, struct general_options *g, struct err *e)
{
    for (size_t k = 0; k < sizeof old_names / sizeof old_names[0]; k++) {
        struct setting *last = NULL;
        for (size_t i = 0; i < c->count; i++) {
            if (!opt_same_name(c->setting[i].name, old_names[k].name))
                continue;
            last = &c->setting[i];
            last->used = true;
        }
        if (last && give_old(c, last, &old_names[k], g, e) != 0)
            return -1;
    }
    return 0;
}

static bool any_given(const struct cmdline *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (opt_same_name(c->setting[i].name, name))
            return true;
    return false;
}

/* A number of requests of the 0.4 days was the whole limit: there was no time
 * limit beside it unless one was given. */
static int old_limits(struct cmdline *c, struct general_options *g, struct err *e)
{
    size_t row;
    struct optset *s = general_find(g, "time", &row);
    if (g->values.compat != COMPAT_NATIVE || !any_given(c, "max-requests") ||
        g->values.events == 0 || any_given(c, "time") || any_given(c, "max-time"))
        return 0;
    buf_puts(&c->notes,
             "--max-requests without --max-time runs without a time limit, as in sysbench "
             "0.4\n");
    return optset_set(s, row, "0", OPT_BY_SCRIPT, OPT_STRICT, e);
}

/* In the manner of sysbench a switch with another value than on or off is left
 * for the second look, when it is known what may stand there. */
static bool waits(const struct setting *s, const struct optset *set, size_t row,
                  const struct general *g)
{
    bool value = false;
    struct option o = set->rows[row];
    struct optset one = {.rows = &o, .count = 1, .values = &value, .origin = (unsigned char[]){0}};
    if (o.type != OPT_BOOL || g->compat == COMPAT_NATIVE)
        return false;
    o.at = 0;
    return optset_set(&one, 0, s->value, OPT_BY_USER, OPT_LENIENT, NULL) != 0;
}

int cmdline_general(struct cmdline *c, struct general_options *g, struct err *e)
{
    if (g->values.compat == COMPAT_0_4 && set_old_defaults(g, e) != 0)
        return -1;
    if (c->test_by_option && c->test && g->values.compat != COMPAT_0_4)
        buf_printf(&c->notes, "--test=%s is now written as the first word: %s\n", c->test, c->test);
    for (size_t i = 0; i < c->count; i++) {
        struct setting *s = &c->setting[i];
        size_t row;
        struct optset *set = general_find(g, s->name, &row);
        if (!set || waits(s, set, row, &g->values))
            continue;
        if (give(c, s, set, row, manner_of(&g->values), e) != 0)
            return -1;
    }
    return give_old_names(c, g, e) == 0 ? old_limits(c, g, e) : -1;
}

void cmdline_ignore(struct cmdline *c, const struct option *rows, const char *owner)
{
    struct optset s = {.rows = rows};
    while (rows && rows[s.count].name)
        s.count++;
    for (size_t i = 0; i < c->count; i++) {
        if (c->setting[i].used || optset_find(&s, c->setting[i].name) < 0)
            continue;
        c->setting[i].used = true;
        buf_printf(&c->notes, "--%s has no effect here: it is an option of %s\n",
                   c->setting[i].name, owner);
    }
}

static int unknown(struct cmdline *c, const struct setting *s, struct optset *const *sets, size_t n,
                   const struct general_options *g, struct err *e)
{
    const struct optset *all[GENERAL_SETS + 16];
    size_t count = 0;
    for (size_t i = 0; i < n && count < 16; i++)
        all[count++] = sets[i];
    for (size_t i = 0; i < GENERAL_SETS; i++)
        all[count++] = &g->set[i];
    const char *near = opt_nearest(all, count, s->name);
    c->malformed = true;
    return err_set(e, "unknown option: %s%s%s%s", s->shown, near ? " (did you mean --" : "",
                   near ? near : "",
                   near ? "?)" : "; 'help' as the command lists the options of a test");
}

/* An option that is none of the test: a general one whose value waited, one
 * that the script takes as it comes, or a mistake. */
static int give_other(struct cmdline *c, struct setting *s, struct optset *const *sets, size_t n,
                      struct general_options *g, bool open, struct err *e)
{
    size_t row;
    struct optset *set = general_find(g, s->name, &row);
    if (set)
        return give(c, s, set, row, manner_of(&g->values), e);
    return open ? 0 : unknown(c, s, sets, n, g, e);
}

int cmdline_rest(struct cmdline *c, struct optset *const *sets, size_t n, struct general_options *g,
                 bool open, struct err *e)
{
    for (size_t i = 0; i < c->count; i++) {
        struct setting *s = &c->setting[i];
        int row = -1, rc = 0;
        size_t k = 0;
        while (k < n && (row = optset_find(sets[k], s->name)) < 0)
            k++;
        if (row >= 0)
            rc = give(c, s, sets[k], (size_t)row, manner_of(&g->values), e);
        else if (!s->used)
            rc = give_other(c, s, sets, n, g, open, e);
        if (rc != 0)
            return -1;
    }
    return 0;
}
