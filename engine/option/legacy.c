#include "option/legacy.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* ORDER OLD. In the order in which sysbench 1.0 warns of them. */
static const struct option old_rows[] = {
    {"num-threads", "", "1", .type = OPT_INT},
    {"max-requests", "", "10000", .type = OPT_INT},
    {"max-time", "", "0", .type = OPT_SECONDS},
    {"tx-rate", "", "0", .type = OPT_DOUBLE},
    {"seed-rng", "", NULL, .type = OPT_INT},
    {"init-rng", "seed the random numbers from the time", "off", .type = OPT_BOOL},
    {"rand-init", "", NULL, .type = OPT_BOOL},
    {"tx-jitter", "", NULL, .type = OPT_DOUBLE},
    {"batch", "print a line of latencies every --batch-delay", "off", .type = OPT_BOOL},
    {"batch-delay", "seconds between the lines of --batch", "300", .type = OPT_SECONDS, .min = 1e-3,
     .max = 3e9},
    {0},
};

/* ORDER OLD. */
static const struct old_name {
    const char *now; /* NULL: without effect today */
    const char *why; /* what to say then */
    int64_t least;   /* sysbench 1.0 honours only larger values */
} old_names[] = {
    {"threads", NULL, 1},
    {"events", NULL, 0},
    {"time", NULL, 0},
    {"rate", NULL, 0},
    {"rand-seed", NULL, 0},
    {NULL, "the generator is always seeded: from the time, or with --rand-seed", 0},
    {NULL, "the generator is always seeded: from the time, or with --rand-seed", 0},
    {NULL, "--rate has random gaps; --rate-pace=fixed makes them even", 0},
    {NULL, "--report-interval prints intermediate figures today", 0},
    {NULL, "--report-interval=SECONDS prints intermediate figures today", 0},
};

#define OLD_COUNT (sizeof old_names / sizeof old_names[0])
_Static_assert(sizeof old_rows / sizeof old_rows[0] == OLD_COUNT + 1, "ORDER OLD");

const struct optset legacy_names = {.title = "old names", .rows = old_rows, .count = OLD_COUNT};

bool legacy_needs_value(const char *name)
{
    int row = optset_find(&legacy_names, name);
    return row >= 0 && old_rows[row].type != OPT_BOOL;
}

/* In the order and columns that they have in the help of 1.0. */
static void help_1_0(struct buf *out)
{
    static const struct {
        const char *name, *fallback;
    } rows[] = {{"tx-rate", "0"}, {"max-requests", "0"}, {"max-time", "0"}, {"num-threads", "1"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int at = optset_find(&legacy_names, rows[i].name);
        buf_printf(out, "  --%s=N%*sold name of --%s [%s]\n", rows[i].name,
                   28 - (int)strlen(rows[i].name), "", old_names[at].now, rows[i].fallback);
    }
}

/* In 0.4 they were the names, and the others are the newer ones. */
static void help_0_4(struct buf *out)
{
    for (size_t i = 0; i < OLD_COUNT; i++) {
        const struct option *o = &old_rows[i];
        int gap = 30 - (int)(strlen(o->name) + strlen(opt_suffix(o)));
        if (!o->fallback)
            continue;
        buf_printf(out, "  --%s%s%*s", o->name, opt_suffix(o), gap, "");
        if (old_names[i].now)
            buf_printf(out, "the same as --%s", old_names[i].now);
        else
            buf_puts(out, o->help);
        buf_printf(out, " [%s]\n", o->fallback);
    }
}

void legacy_help(enum compat form, struct buf *out)
{
    if (form == COMPAT_0_4)
        help_0_4(out);
    else
        help_1_0(out);
}

/* Its random numbers were the same in each run, unless --init-rng was given. */
int legacy_defaults(struct general_options *g, struct err *e)
{
    static const char *const defaults[][2] = {{"events", "10000"},
                                              {"time", "0"},
                                              {"verbosity", "4"},
                                              {"thread-stack-size", "32K"},
                                              {"rand-seed", "1"}};
    size_t row;
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        struct optset *s = general_find(g, defaults[i][0], &row);
        if (optset_set(s, row, defaults[i][1], OPT_BY_FORM, OPT_STRICT, e) != 0)
            return -1;
    }
    return 0;
}

/* --- taking them ------------------------------------------------------------------ */

/* What 0.4 alone had; the fields are general ones. */
static const struct option own_rows[] = {
    {"init-rng", "", NULL, OPT_ROW_BOOL(struct general, init_rng)},
    {"batch", "", NULL, OPT_ROW_BOOL(struct general, batch)},
    {"batch-delay", "", "300", OPT_ROW_SECONDS(struct general, batch_delay), .min = 1e-3,
     .max = 3e9},
    {0},
};

/* sysbench 1.0 takes no notice of an old name with the old default. */
static bool is_idle(int64_t least, const struct setting *s, const struct general *g)
{
    int64_t n = 0;
    if (g->compat != COMPAT_1_0 || (s->value && *s->value && units_parse_int(s->value, &n)))
        return false;
    return n >= 0 && n <= least;
}

/* Without effect, but a wrong value of it is wrong all the same. */
static int give_idle(struct cmdline *c, struct setting *s, int old, enum opt_manner manner,
                     struct err *e)
{
    union {
        bool flag;
        int64_t integer;
        double number;
    } value;
    unsigned char origin = OPT_BY_DEFAULT;
    struct optset one = {.rows = &old_rows[old], .count = 1, .values = &value, .origin = &origin};
    buf_printf(&c->notes, "--%s has no effect: %s\n", old_rows[old].name, old_names[old].why);
    return cmdline_give(c, s, &one, 0, manner, e);
}

static int give_renamed(struct cmdline *c, struct setting *s, int old, struct general_options *g,
                        struct err *e)
{
    const char *name = old_rows[old].name, *now = old_names[old].now;
    size_t row;
    if (is_idle(old_names[old].least, s, &g->values))
        return 0;
    struct optset *set = general_find(g, now, &row);
    int rc = cmdline_give(c, s, set, row, cmdline_manner(&g->values), e);
    if (!c->malformed)
        buf_printf(&c->warnings, "WARNING: --%s is deprecated, use --%s instead\n", name, now);
    if (g->values.compat != COMPAT_0_4)
        buf_printf(&c->notes, "--%s is now --%s\n", name, now);
    return rc;
}

static int give_old(struct cmdline *c, struct setting *s, int old, struct general_options *g,
                    struct optset *own, struct err *e)
{
    enum opt_manner manner = cmdline_manner(&g->values);
    int row = g->values.compat == COMPAT_0_4 ? optset_find(own, old_rows[old].name) : -1;
    if (row >= 0)
        return cmdline_give(c, s, own, (size_t)row, manner, e);
    return old_names[old].now ? give_renamed(c, s, old, g, e) : give_idle(c, s, old, manner, e);
}

static int give_all(struct cmdline *c, struct general_options *g, struct optset *own, struct err *e)
{
    for (size_t k = 0; k < OLD_COUNT; k++) {
        struct setting *last = NULL;
        for (size_t i = 0; i < c->count; i++) {
            if (!opt_same_name(c->setting[i].name, old_rows[k].name))
                continue;
            last = &c->setting[i];
            last->used = true;
        }
        if (last && give_old(c, last, (int)k, g, own, e) != 0)
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

/* What --init-rng and --batch of 0.4 mean in today's options. */
static int take_own(struct general_options *g, struct err *e)
{
    char delay[32];
    size_t row;
    struct optset *s = general_find(g, "rand-seed", &row);
    if (g->values.init_rng && optset_set(s, row, "0", OPT_BY_SCRIPT, OPT_STRICT, e) != 0)
        return -1;
    if (!g->values.batch)
        return 0;
    s = general_find(g, "report-interval", &row);
    snprintf(delay, sizeof delay, "%.15g", g->values.batch_delay);
    return optset_set(s, row, delay, OPT_BY_SCRIPT, OPT_STRICT, e);
}

int legacy_give(struct cmdline *c, struct general_options *g, struct err *e)
{
    struct optset own;
    int rc = optset_init(&own, "0.4", own_rows, &g->values, e);
    if (rc == 0)
        rc = give_all(c, g, &own, e);
    optset_release(&own);
    if (rc == 0)
        rc = take_own(g, e);
    return rc == 0 ? old_limits(c, g, e) : -1;
}

void legacy_ignore(struct cmdline *c, const struct option *rows, const char *owner)
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
