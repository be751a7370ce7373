/* Options that a script declares: reading, defaults, checks, and how it sees them. */
#include "script/script.h"

#include "script/state.h"

#include <stdlib.h>
#include <string.h>

/* One value of a script's option; the row says which member it is. */
union script_value {
    bool boolean;
    int64_t integer;
    uint64_t size;
    double number;
    char *string;
    struct strlist list;
};

static char *field(lua_State *L, const char *name, bool *failed)
{
    lua_getfield(L, -1, name);
    const char *text = lua_tostring(L, -1);
    char *copy = text ? strdup(text) : NULL;
    *failed |= text && !copy;
    lua_pop(L, 1);
    return copy;
}

/* False: no memory. */
static bool read_row(lua_State *L, struct option *row, size_t i)
{
    bool failed = false;
    static const enum opt_type types[] = {OPT_STRING, OPT_BOOL,   OPT_INT,  OPT_SIZE,
                                          OPT_DOUBLE, OPT_STRING, OPT_LIST, OPT_STRING};
    lua_getfield(L, -1, "type");
    int type = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    row->type = type >= 0 && type < 8 ? types[type] : OPT_STRING;
    row->shown_as = type == 7 ? "=FILENAME" : NULL;
    row->at = i * sizeof(union script_value);
    row->fallback = field(L, "default", &failed);
    row->help = field(L, "help", &failed);
    row->name = field(L, "name", &failed);
    return !failed;
}

/* Asks the Lua side for its checked list of declarations. */
static int read_rows(struct script *s, lua_State *L, void *arg, struct err *e)
{
    (void)arg;
    state_push_engine(L, "option_rows");
    if (state_call(s, L, "sysbench.cmdline.read_cmdline_options", 0, 1, e) != 0)
        return -1;
    s->declares_options = lua_istable(L, -1);
    size_t n = s->declares_options ? lua_objlen(L, -1) : 0;
    s->rows = calloc(n + 1, sizeof *s->rows);
    s->own.options = calloc(n + 1, sizeof(union script_value));
    if (!s->rows || !s->own.options)
        return err_set(e, "out of memory for the options of the script");
    for (s->row_count = 0; s->row_count < n;) {
        lua_rawgeti(L, -1, (int)s->row_count + 1);
        bool whole = read_row(L, &s->rows[s->row_count], s->row_count);
        s->row_count++;
        if (!whole)
            return err_set(e, "out of memory for the options of the script");
        lua_pop(L, 1);
    }
    return 0;
}

/* In sysbench a switch is on where there is no word for its state. */
static void switch_on_undecided(const struct script *s)
{
    for (size_t i = 0; i < s->options.count; i++)
        if (s->rows[i].type == OPT_BOOL && !s->rows[i].fallback)
            *(bool *)optset_value(&s->options, i) = true;
}

int script_declared(struct script *s, struct err *e)
{
    if (state_section(s, s->L, read_rows, NULL, e) != 0)
        return -1;
    if (optset_init(&s->options, s->shown, s->rows, s->own.options, e) == 0) {
        if (general_as_sysbench(&s->general->values))
            switch_on_undecided(s);
        return 0;
    }
    struct err cause = *e;
    err_clear(e);
    return err_set(e, "the script's default does not fit its declaration: %s", cause.text);
}

size_t script_sets(struct script *s, struct optset **sets, size_t room)
{
    size_t n = 0;
    if (s->declares_options && n < room)
        sets[n++] = &s->options;
    for (unsigned i = 0; i < s->part_count && n < room; i++)
        if (s->part[i].set.count > 0)
            sets[n++] = &s->part[i].set;
    return n;
}

int script_apply_defaults(struct script *s, struct err *e)
{
    /* sysbench shows them in sysbench.opt and goes by its own. */
    if (general_as_sysbench(&s->general->values))
        return 0;
    for (size_t i = 0; i < s->options.count; i++) {
        const struct option *o = &s->options.rows[i];
        size_t row;
        struct optset *g = general_find(s->general, o->name, &row);
        struct buf text = {0};
        if (!g || g->origin[row] == OPT_BY_USER || !o->fallback)
            continue;
        optset_text(&s->options, i, &text);
        int rc = text.failed ? err_set(e, "out of memory for the option --%s", o->name)
                             : optset_set(g, row, buf_text(&text), OPT_BY_SCRIPT, OPT_STRICT, e);
        buf_release(&text);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* Of what the user has given; defaults are the script's own affair. */
static int validate_one(struct script *s, lua_State *L, size_t i, struct err *e)
{
    struct buf text = {0};
    optset_text(&s->options, i, &text);
    state_push_engine(L, "validate_option");
    lua_pushstring(L, s->options.rows[i].name);
    lua_pushstring(L, buf_text(&text));
    buf_release(&text);
    if (state_call(s, L, "validate", 2, 1, e) != 0)
        return -1;
    const char *refused = lua_tostring(L, -1);
    int rc = refused ? err_set(e, "%s", refused) : 0;
    lua_pop(L, 1);
    return rc;
}

static int validate(struct script *s, lua_State *L, void *arg, struct err *e)
{
    (void)arg;
    for (size_t i = 0; i < s->options.count; i++)
        if (optset_given(&s->options, s->options.rows[i].name) && validate_one(s, L, i, e) != 0)
            return -1;
    return 0;
}

int script_validate(struct script *s, struct err *e)
{
    return state_section(s, s->L, validate, NULL, e);
}
