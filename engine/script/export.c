#include "script/export.h"

#include "script/state.h"

#include <lauxlib.h>
#include <string.h>

/* --- values ------------------------------------------------------------------- */

static void push_list(lua_State *L, const char *text)
{
    int n = 0;
    lua_newtable(L);
    while (*text) {
        size_t size = strcspn(text, ",");
        if (size > 0) {
            lua_pushlstring(L, text, size);
            lua_rawseti(L, -2, ++n);
        }
        text += size + (text[size] == ',');
    }
}

static void push_text_option(lua_State *L, const struct optset *set, size_t i, bool list)
{
    struct buf text = {0};
    const struct option *o = &set->rows[i];
    if (o->secret)
        buf_puts(&text, *(char **)optset_value(set, i) ? *(char **)optset_value(set, i) : "");
    else
        optset_text(set, i, &text);
    if (text.failed) {
        buf_release(&text);
        luaL_error(L, "out of memory for the option --%s", o->name);
    }
    if (list)
        push_list(L, buf_text(&text));
    else
        lua_pushlstring(L, buf_text(&text), text.size);
    buf_release(&text);
}

static void push_value(lua_State *L, const struct optset *set, size_t i)
{
    const void *v = optset_value(set, i);
    const struct option *o = &set->rows[i];
    switch (o->type) {
    case OPT_BOOL:
        lua_pushboolean(L, *(const bool *)v);
        break;
    case OPT_INT:
        lua_pushnumber(L, (lua_Number) * (const int64_t *)v);
        break;
    case OPT_SIZE:
        lua_pushnumber(L, (lua_Number) * (const uint64_t *)v);
        break;
    case OPT_DOUBLE:
    case OPT_SECONDS:
        lua_pushnumber(L, *(const double *)v);
        break;
    case OPT_FILE:
        lua_pushnil(L);
        break;
    default:
        push_text_option(L, set, i,
                         o->type == OPT_LIST || o->type == OPT_FLAGS ||
                             opt_same_name(o->name, "report-checkpoints"));
    }
}

/* --- where they are -------------------------------------------------------------- */

/* One percentile is a number, as scripts know it. */
static bool push_percentile(lua_State *L, const struct general *g, const char *name)
{
    if (g->percentile_count > 1 || !opt_same_name(name, "percentile"))
        return false;
    lua_pushnumber(L, g->percentile_count ? g->percentiles[0] : 0);
    return true;
}

static bool was_given(const struct script *s, const char *name)
{
    for (size_t i = 0; i < s->cmdline->count; i++)
        if (opt_same_name(s->cmdline->setting[i].name, name))
            return true;
    return false;
}

/* An old name that was used holds what the new one does, else its own default. */
static const char *const old_names[] = {"num_threads", "max_requests", "max_time", "tx_rate"};

static bool push_old(lua_State *L, const struct script *s, const char *name)
{
    const struct general *g = &s->general->values;
    const double values[] = {(double)g->threads, (double)g->events, g->time, g->rate};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (!opt_same_name(name, old_names[i]))
            continue;
        lua_pushnumber(L, was_given(s, name) ? values[i] : i == 0);
        return true;
    }
    return false;
}

/* What nobody knows, for a script that takes anything; the last one wins. */
static bool push_unknown(lua_State *L, const struct script *s, const char *name)
{
    for (size_t i = s->takes_unknown ? s->cmdline->count : 0; i > 0; i--) {
        const struct setting *o = &s->cmdline->setting[i - 1];
        if (o->used || !opt_same_name(o->name, name))
            continue;
        lua_pushstring(L, o->value ? o->value : "");
        return true;
    }
    return false;
}

static bool push_from(lua_State *L, const struct optset *set, const char *name)
{
    int row = optset_find(set, name);
    if (row >= 0)
        push_value(L, set, (size_t)row);
    return row >= 0;
}

/* The script's own options come first, then those of its primitives. */
static bool push_named(lua_State *L, struct script *s, const char *name)
{
    struct optset *sets[PARTS_MAX + 1];
    const struct general *g = &s->general->values;
    size_t n = script_sets(s, sets, PARTS_MAX + 1);
    for (size_t i = 0; i < n; i++)
        if (push_from(L, sets[i], name))
            return true;
    if (push_percentile(L, g, name) || push_old(L, s, name))
        return true;
    for (size_t i = 0; i < GENERAL_SETS; i++)
        if (push_from(L, &s->general->set[i], name))
            return true;
    return push_unknown(L, s, name);
}

int export_option(lua_State *L)
{
    return push_named(L, script_of(L), luaL_checkstring(L, 1));
}

static void set_named(lua_State *L, struct script *s, const char *name)
{
    char key[128];
    size_t n = 0;
    for (; n < sizeof key - 1 && name[n]; n++)
        key[n] = name[n] == '-' ? '_' : name[n];
    key[n] = '\0';
    if (push_named(L, s, name))
        lua_setfield(L, -2, key);
}

static void set_all(lua_State *L, struct script *s, const struct optset *set)
{
    for (size_t i = 0; i < set->count; i++)
        set_named(L, s, set->rows[i].name);
}

int export_options(lua_State *L)
{
    struct script *s = script_of(L);
    struct optset *sets[PARTS_MAX + 1];
    size_t n = script_sets(s, sets, PARTS_MAX + 1);
    lua_newtable(L);
    for (size_t i = 0; i < GENERAL_SETS; i++)
        set_all(L, s, &s->general->set[i]);
    for (size_t i = 0; i < n; i++)
        set_all(L, s, sets[i]);
    for (size_t i = 0; i < sizeof old_names / sizeof old_names[0]; i++)
        set_named(L, s, old_names[i]);
    for (size_t i = 0; s->takes_unknown && i < s->cmdline->count; i++)
        if (!s->cmdline->setting[i].used)
            set_named(L, s, s->cmdline->setting[i].name);
    return 1;
}
