#include "script/state.h"

#include "script/export.h"
#include "script/here.h"
#include "script/library.h"
#include "script/print.h"

#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_KEY "sbench.engine"
#define SCRIPT_KEY "sbench.script"
#define RESULT_KEY "sbench.result"

struct script *script_of(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, SCRIPT_KEY);
    struct script *s = *(struct script **)lua_touserdata(L, -1);
    lua_pop(L, 1);
    return s;
}

/* --- sections ------------------------------------------------------------------------ */

struct section {
    struct script *script;
    section_fn *run;
    void *arg;
    struct err *err;
    int rc;
};

static const char no_memory[] =
    "not enough memory for Lua; use fewer --threads or less data in the script (limits: free "
    "memory, 'ulimit -v', and the number of memory maps, sysctl vm.max_map_count)";

/* name: the function that failed, or NULL. */
static void tell(struct err *e, const char *name, const char *text)
{
    text = text ? text : "(not a string)";
    if (name)
        err_set(e, "`%s' function failed: %s", name, text);
    else
        err_set(e, "%s", text);
}

/* Light userdata would be the way to pass it, but cannot hold each address. */
static int run_section(lua_State *L)
{
    struct section *now = here.section;
    lua_settop(L, 0);
    now->rc = now->run(now->script, L, now->arg, now->err);
    return 0;
}

int state_section(struct script *s, lua_State *L, section_fn *run, void *arg, struct err *e)
{
    struct section now = {.script = s, .run = run, .arg = arg, .err = e};
    here.section = &now;
    int rc = lua_cpcall(L, run_section, NULL);
    if (rc == 0)
        return now.rc;
    tell(e, NULL, rc == LUA_ERRMEM ? no_memory : lua_tostring(L, -1));
    lua_pop(L, 1);
    return -1;
}

/* --- calls --------------------------------------------------------------------------- */

void state_push_engine(lua_State *L, const char *member)
{
    lua_getfield(L, LUA_REGISTRYINDEX, ENGINE_KEY);
    if (lua_istable(L, -1))
        lua_getfield(L, -1, member);
    else
        lua_pushnil(L);
    lua_remove(L, -2);
}

bool state_defines(lua_State *L, const char *name)
{
    lua_pushstring(L, name);
    lua_rawget(L, LUA_GLOBALSINDEX);
    bool yes = lua_isfunction(L, -1);
    lua_pop(L, 1);
    return yes;
}

/* Turns whatever was thrown into a text, with a traceback where the layout of
 * sysbench leaves room for one. */
static int describe(lua_State *L)
{
    state_push_engine(L, "describe_error");
    if (!lua_isfunction(L, -1)) {
        lua_pop(L, 1);
        return 1;
    }
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

/* A table with an exit status and a text (sbench/failure.lua) is told as it is. */
static bool take_failure(lua_State *L, struct err *e)
{
    if (!lua_istable(L, -1))
        return false;
    lua_getfield(L, -1, "status");
    lua_getfield(L, -2, "text");
    int status = (int)lua_tointeger(L, -2);
    const char *text = lua_tostring(L, -1);
    if (status > 0 && text && err_set(e, "%s", text) != 0 && e)
        e->status = (enum err_status)status;
    lua_pop(L, 2);
    return status > 0;
}

int state_call(struct script *s, lua_State *L, const char *name, int nargs, int nresults,
               struct err *e)
{
    int at = lua_gettop(L) - nargs;
    (void)s;
    lua_pushcfunction(L, describe);
    lua_insert(L, at);
    int rc = lua_pcall(L, nargs, nresults, at);
    lua_remove(L, at);
    if (rc == 0)
        return 0;
    const char *text = lua_tostring(L, -1);
    /* The text is what a handler in Lua leaves of it. */
    bool memory = rc == LUA_ERRMEM || (text && strcmp(text, "not enough memory") == 0);
    if (memory || !take_failure(L, e))
        tell(e, name, memory ? no_memory : text);
    lua_pop(L, 1);
    return -1;
}

int state_export_options(struct script *s, lua_State *L, void *arg, struct err *e)
{
    (void)arg;
    state_push_engine(L, "set_options");
    lua_pushboolean(L, !s->declares_options);
    return state_call(s, L, "sysbench.opt", 1, 0, e);
}

/* --- a new state --------------------------------------------------------------------- */

static int run_library(struct script *s, lua_State *L, int tid, struct err *e)
{
    const struct chunk *c = library_chunk(s, L, "sysbench/init.lua", e);
    if (!c || chunk_push(L, c) != 0)
        return err_set(e, "the Lua library cannot be loaded: %s",
                       c ? lua_tostring(L, -1) : "sysbench/init.lua is missing");
    lua_newtable(L);
    lua_pushstring(L, s->cdef);
    lua_setfield(L, -2, "cdef");
    lua_pushinteger(L, tid);
    lua_setfield(L, -2, "tid");
    lua_pushboolean(L, s->general->values.compat != COMPAT_NATIVE);
    lua_setfield(L, -2, "as_sysbench");
    lua_pushboolean(L, s->without_jit);
    lua_setfield(L, -2, "without_jit");
    lua_pushstring(L, s->general->values.luajit_cmd);
    lua_setfield(L, -2, "luajit_cmd");
    lua_pushstring(L, s->path);
    lua_setfield(L, -2, "script_path");
    lua_pushstring(L, s->cmdline ? s->cmdline->command : NULL);
    lua_setfield(L, -2, "command");
    lua_pushcfunction(L, export_option);
    lua_setfield(L, -2, "option");
    lua_pushcfunction(L, export_options);
    lua_setfield(L, -2, "options");
    lua_newtable(L);
    for (int i = 0; s->cmdline && i < s->cmdline->argc; i++) {
        lua_pushstring(L, s->cmdline->argv[i]);
        lua_rawseti(L, -2, i);
    }
    lua_setfield(L, -2, "argv");
    if (state_call(s, L, NULL, 1, 1, e) != 0)
        return -1;
    lua_setfield(L, LUA_REGISTRYINDEX, ENGINE_KEY);
    return 0;
}

void state_push_result(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, RESULT_KEY);
}

/* Runs the file; what it returned is kept. */
static int run_script(struct script *s, lua_State *L, struct err *e)
{
    if (s->hook_chunk && !s->main_chunk)
        return 0;
    if (chunk_push(L, s->main_chunk) != 0)
        return err_set(e, "%s", lua_tostring(L, -1));
    if (state_call(s, L, NULL, 0, 1, e) != 0)
        return -1;
    lua_setfield(L, LUA_REGISTRYINDEX, RESULT_KEY);
    if (!s->hook_chunk)
        return 0;
    if (chunk_push(L, s->hook_chunk) != 0)
        return err_set(e, "%s", lua_tostring(L, -1));
    return state_call(s, L, NULL, 0, 0, e);
}

static int open_state(struct script *s, lua_State *L, void *arg, struct err *e)
{
    *(struct script **)lua_newuserdata(L, sizeof(struct script *)) = s;
    lua_setfield(L, LUA_REGISTRYINDEX, SCRIPT_KEY);
    /* To look for garbage in what has just been made would be a sixth of the work. */
    lua_gc(L, LUA_GCSTOP, 0);
    luaL_openlibs(L);
    print_open(L);
    library_set_paths(s, L);
    library_add_searcher(L);
    if (s->without_jit)
        luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
    if (run_library(s, L, *(int *)arg, e) != 0)
        return -1;
    lua_gc(L, LUA_GCRESTART, -1); /* when the memory has doubled, as from the beginning */
    return run_script(s, L, e);
}

lua_State *state_new(struct script *s, int tid, struct err *e)
{
    lua_State *L = luaL_newstate();
    if (!L) {
        tell(e, NULL, no_memory);
        return NULL;
    }
    if (state_section(s, L, open_state, &tid, e) == 0)
        return L;
    lua_close(L);
    return NULL;
}

void state_close(lua_State *L)
{
    if (L)
        lua_close(L);
}
