#include "option/cmdline.h"

#include "base/units.h"
#include "option/config_file.h"
#include "option/legacy.h"
#include "option/pasted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- settings --------------------------------------------------------------------- */

static void setting_release(struct setting *s)
{
    free(s->name);
    free(s->value);
    free(s->shown);
}

int cmdline_add(struct cmdline *c, const char *name, size_t size, const char *value,
                const char *shown, struct err *e)
{
    struct setting *s = realloc(c->setting, (c->count + 1) * sizeof *s);
    if (!s)
        return err_set(e, "out of memory for options");
    c->setting = s;
    s += c->count;
    *s = (struct setting){
        .name = strndup(name, size), .value = value ? strdup(value) : NULL, .shown = strdup(shown)};
    if (!s->name || !s->shown || (value && !s->value)) {
        setting_release(s);
        return err_set(e, "out of memory for options");
    }
    c->count++; /* whole: others look at all that there are, also after an error */
    return 0;
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
    c->test_by_option++;
    return 0;
}

static bool is_secret(const char *name, size_t size)
{
    return is_option(name, size, "mysql-password") || is_option(name, size, "pgsql-password");
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
        return config_file_read(c, value, e);
    if (is_option(name, size, "test") && value)
        return take_test(c, value, e);
    if (cmdline_add(c, name, size, value, arg, e) != 0)
        return -1;
    if (value && is_secret(name, size))
        hide(&c->setting[c->count - 1], typed);
    return 0;
}

static const char *const commands[] = {"run", "prepare", "cleanup", "help", NULL};

static bool is_command(const char *word)
{
    for (const char *const *c = commands; *c; c++)
        if (strcmp(*c, word) == 0)
            return true;
    return false;
}

/* Is this argument an option to which the word behind it may belong: one without
 * a value, or with a blank behind the '='? */
static bool lacks_value(const char *arg)
{
    const char *equals = strchr(arg, '=');
    return strncmp(arg, "--", 2) == 0 && arg[2] && (!equals || !equals[1]);
}

static int blame_blank(const char *option, const char *word, struct err *e)
{
    const char *value = word + (*word == '=');
    int n = (int)strcspn(option, "=");
    return err_set(e, "'%s %s': a value follows its option with '=', without a blank: %.*s=%s",
                   option, word, n, option, *value ? value : "VALUE");
}

/* There is a word too many, which need not be the one that is wrong. */
static int blame_word(const struct cmdline *c, const char *word, struct err *e)
{
    for (int i = 1; i + 1 < c->argc; i++)
        if (lacks_value(c->argv[i]) && c->argv[i + 1][0] != '-' && !is_command(c->argv[i + 1]))
            return blame_blank(c->argv[i], c->argv[i + 1], e);
    return err_set(e, "there is one word too many: '%s' (after the test '%s' and the command '%s')",
                   word, c->test, c->command);
}

/* A name and a value without dashes in front, and no file. */
static bool lacks_dashes(const char *word)
{
    const char *equals = strchr(word, '=');
    return equals && equals > word && strcspn(word, "./") > (size_t)(equals - word) &&
           access(word, F_OK) != 0;
}

static int take_word(struct cmdline *c, const char *word, struct err *e)
{
    char **place = !c->test ? &c->test : !c->command ? &c->command : NULL;
    if (word[0] == '-' && word[1] != '\0')
        return err_set(e, "'%s' has one dash only; an option begins with two: -%s", word, word);
    if (lacks_dashes(word))
        return err_set(e, "'%s' has no dashes; an option begins with two: --%s", word, word);
    if (!place)
        return blame_word(c, word, e);
    *place = strdup(word);
    return *place ? 0 : err_set(e, "out of memory");
}

/* A word behind an option that needs a value and has none. */
static int check_blank(const char *before, const char *word, struct err *e)
{
    struct general_options g;
    size_t row;
    int rc = 0;
    if (!lacks_value(before) || is_command(word))
        return 0;
    if (*word == '=')
        return blame_blank(before, word, e);
    if (strchr(before, '=') || general_init(&g, e) != 0)
        return 0;
    struct optset *s = general_find(&g, before + 2, &row);
    if (legacy_needs_value(before + 2) || (s && s->rows[row].type != OPT_BOOL))
        rc = blame_blank(before, word, e);
    general_release(&g);
    return rc;
}

static int take_one(struct cmdline *c, int i, const char *arg, struct err *e)
{
    if (strncmp(arg, "--", 2) == 0)
        return take_option(c, arg, c->argv[i], e);
    return check_blank(i > 1 ? c->argv[i - 1] : "", arg, e) == 0 ? take_word(c, arg, e) : -1;
}

/* Nobody wants to see a password. */
static void note_pasted(struct cmdline *c, const char *typed, const struct strlist *read,
                        const char *found)
{
    for (size_t i = 0; i < read->count; i++) {
        const char *equals = strchr(read->item[i], '=');
        if (equals && is_secret(read->item[i] + 2, (size_t)(equals - read->item[i] - 2)))
            typed = "an argument";
    }
    if (read->count == 0)
        buf_printf(&c->notes,
                   "an argument is %s and was left out; nothing may stand behind a backslash at "
                   "the end of a line, or what follows becomes a command of its own\n",
                   found);
    else if (*typed != 'a')
        buf_printf(&c->notes, "'%s' was typed with %s; read as", typed, found);
    else
        buf_printf(&c->notes, "%s was typed with %s, which was mended", typed, found);
    for (size_t i = 0; i < read->count && *typed != 'a'; i++)
        buf_printf(&c->notes, " '%s'", read->item[i]);
    buf_puts(&c->notes, read->count ? "\n" : "");
}

static int take_argument(struct cmdline *c, int i, struct err *e)
{
    struct strlist args;
    struct buf found = {0};
    int rc = pasted_arguments(c->argv[i], &args, &found, e);
    if (rc == 0 && found.size)
        note_pasted(c, c->argv[i], &args, buf_text(&found));
    for (size_t k = 0; rc == 0 && k < args.count; k++)
        rc = take_one(c, i, args.item[k], e);
    strlist_release(&args);
    buf_release(&found);
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
    for (size_t i = 0; i < c->count; i++)
        setting_release(&c->setting[i]);
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

/* To 0.4 all that was not `on` was off, `yes` and `1` included. */
static void note_off(struct cmdline *c, const struct setting *s, const struct option *o)
{
    if (o->type == OPT_BOOL && s->value && strcmp(s->value, "on") != 0 &&
        strcmp(s->value, "off") != 0)
        buf_printf(&c->notes, "%s is off: only 'on' switches on in sysbench 0.4\n", s->shown);
}

int cmdline_give(struct cmdline *c, struct setting *s, struct optset *set, size_t row,
                 enum opt_manner manner, struct err *e)
{
    struct err cause = {0};
    s->used = true;
    if (manner == OPT_OLD)
        note_off(c, s, &set->rows[row]);
    if (optset_set(set, row, s->value, OPT_BY_USER, manner, &cause) == 0)
        return 0;
    c->malformed = !well_formed(&set->rows[row], s->value ? s->value : "");
    return wrong_value(s, &set->rows[row], &cause, e);
}

enum opt_manner cmdline_manner(const struct general *g)
{
    static const enum opt_manner manners[] = {
        [COMPAT_NATIVE] = OPT_STRICT, [COMPAT_1_0] = OPT_LENIENT, [COMPAT_0_4] = OPT_OLD};
    return manners[g->compat];
}

/* A switch that belongs to no set, or is not to change in its own. */
static int read_switch(const char *text, enum opt_manner manner, bool *on)
{
    static const struct option row[] = {{"switch", "", NULL, .type = OPT_BOOL}, {0}};
    struct optset one = {.rows = row, .count = 1, .values = on, .origin = (unsigned char[]){0}};
    return optset_set(&one, 0, text, OPT_BY_USER, manner, NULL);
}

/* In the manner of sysbench a switch with another value than on or off is left
 * for the second look, when it is known what may stand there. */
static bool waits(const struct setting *s, const struct option *o, const struct general *g)
{
    bool value;
    return o->type == OPT_BOOL && g->compat != COMPAT_NATIVE &&
           read_switch(s->value, cmdline_manner(g), &value) != 0;
}

bool cmdline_asks(const struct cmdline *c, const char *name, int compat)
{
    const struct general form = {.compat = compat};
    bool on = false;
    for (size_t i = 0; i < c->count; i++)
        if (opt_same_name(c->setting[i].name, name))
            read_switch(c->setting[i].value, cmdline_manner(&form), &on);
    return on;
}

/* The last one counts, and what stood before it is not even read, but for the
 * values of switches. */
static bool replaced(struct cmdline *c, size_t i, const struct option *o)
{
    for (size_t k = i + 1; o->type != OPT_BOOL && k < c->count; k++)
        if (opt_same_name(c->setting[k].name, c->setting[i].name))
            return c->setting[i].used = true;
    return false;
}

int cmdline_general(struct cmdline *c, struct general_options *g, struct err *e)
{
    if (g->values.compat == COMPAT_0_4 && legacy_defaults(g, e) != 0)
        return -1;
    if (c->test_by_option && c->test && g->values.compat != COMPAT_0_4)
        buf_printf(&c->notes, "--test=%s is now written as the first word: %s\n", c->test, c->test);
    for (size_t i = 0; i < c->count; i++) {
        struct setting *s = &c->setting[i];
        size_t row;
        struct optset *set = general_find(g, s->name, &row);
        if (!set || replaced(c, i, &set->rows[row]) || waits(s, &set->rows[row], &g->values))
            continue;
        if (cmdline_give(c, s, set, row, cmdline_manner(&g->values), e) != 0)
            return -1;
    }
    return legacy_give(c, g, e);
}

/* A name that is nearly this one: of the test, a general or an old one. */
static const char *nearest(const char *name, struct optset *const *sets, size_t n,
                           const struct general_options *g)
{
    const struct optset *all[GENERAL_SETS + 17];
    size_t count = 0;
    for (size_t i = 0; i < n && count < 16; i++)
        all[count++] = sets[i];
    for (size_t i = 0; i < GENERAL_SETS; i++)
        all[count++] = &g->set[i];
    all[count++] = &legacy_names;
    return opt_nearest(all, count, name);
}

static int unknown(struct cmdline *c, const struct setting *s, const char *near, struct err *e)
{
    c->malformed = true;
    if (opt_same_name(s->name, "test"))
        return err_set(e, "%s: the name of the test is missing: --test=NAME, or the name alone",
                       s->shown);
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
        return cmdline_give(c, s, set, row, cmdline_manner(&g->values), e);
    const char *near = nearest(s->name, sets, n, g);
    if (open && near)
        buf_printf(&c->notes,
                   "%s is left to the script, which declares no options; --%s is another\n",
                   s->shown, near);
    return open ? 0 : unknown(c, s, near, e);
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
        if (row >= 0 && replaced(c, i, &sets[k]->rows[row]))
            continue;
        if (row >= 0)
            rc = cmdline_give(c, s, sets[k], (size_t)row, cmdline_manner(&g->values), e);
        else if (!s->used)
            rc = give_other(c, s, sets, n, g, open, e);
        if (rc != 0)
            return -1;
    }
    return 0;
}
