#include "script/script.h"

#include "script/abi.h"
#include "script/find.h"
#include "script/here.h"
#include "script/library.h"
#include "script/state.h"

#include <errno.h>
#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *script_engine(void)
{
    return LUAJIT_VERSION;
}

/* Some systems forbid memory that was written to become executable; LuaJIT
 * would end the program there, so it is asked beforehand. */
bool script_engine_compiles(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *m = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return false;
    bool allowed = mprotect(m, page, PROT_READ | PROT_EXEC) == 0;
    munmap(m, page);
    return allowed;
}

/* abi.h without the lines of the preprocessor and without comments, for every
 * state reads it. */
static char *cdef_text(void)
{
    struct buf out = {0};
    const char *at = sb_embedded("engine/script/abi.h");
    for (; at && *at;) {
        const char *end = at + strcspn(at, "\n");
        bool comment = strncmp(at, "/*", 2) == 0;
        if (comment && (end = strstr(at, "*/")) == NULL)
            break;
        if (!comment && *at != '#' && *at != '\n')
            buf_add(&out, at, (size_t)(end - at) + 1);
        at = end + (comment ? 2 : *end == '\n');
    }
    return out.text;
}

static int load_main(struct script *s, lua_State *L, void *arg, struct err *e)
{
    const char *name = arg;
    size_t size = 0;
    luaL_openlibs(L);
    const char *path = getenv("LUA_PATH");
    if (!path) {
        lua_getglobal(L, "package");
        lua_pushfstring(L, "./?.lua;%s",
                        "/usr/local/share/lua/5.1/?.lua;/usr/share/lua/5.1/?.lua;"
                        "/usr/share/sysbench/?.lua");
        lua_setfield(L, -2, "path");
        lua_pop(L, 1);
    }
    char *found = NULL,
         *text = name ? find_text(s, L, name, &found, &size, e) : find_stdin(&size, e);
    char shown[512];
    snprintf(shown, sizeof shown, "%s%s", name ? "@" : "=", found ? found : name ? name : "stdin");
    if (text)
        s->main_chunk = chunk_new(L, text, size, shown, e);
    free(found);
    free(text);
    return s->main_chunk ? 0 : -1;
}

/* The state is only for compiling. */
static int load_chunk(struct script *s, const char *name, struct err *e)
{
    lua_State *L = luaL_newstate();
    if (!L)
        return err_set(e, "no memory for a Lua state");
    int rc = state_section(s, L, load_main, (void *)name, e);
    lua_close(L);
    return rc;
}

static int load_hooks(struct script *s, struct err *e)
{
    const char *path = s->general->values.hooks;
    if (!path || !*path)
        return 0;
    if (!find_is_file(path))
        return err_sys(e, errno, "option --hooks: '%s' cannot be read.", path);
    lua_State *L = luaL_newstate();
    size_t size;
    char name[512], *text = read_script(path, &size);
    snprintf(name, sizeof name, "@%s", path);
    s->hook_chunk = text && L ? chunk_new(L, text, size, name, e) : NULL;
    free(text);
    if (L)
        lua_close(L);
    return s->hook_chunk ? 0 : err_set(e, "option --hooks: '%s' cannot be loaded", path);
}

static bool has_hook(lua_State *L, const char *name)
{
    bool there = false;
    lua_getglobal(L, "sysbench");
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, "hooks");
        if (lua_istable(L, -1)) {
            lua_getfield(L, -1, name);
            there = lua_isfunction(L, -1);
        }
    }
    lua_settop(L, 0);
    return there;
}

/* What the top level left behind: a returned primitive is the scenario. */
static int look_at_result(struct script *s, lua_State *L, void *arg, struct err *e)
{
    (void)arg;
    s->scenario_part = -1;
    state_push_result(L);
    if (lua_istable(L, 1)) {
        lua_getfield(L, 1, "part");
        if (lua_isnumber(L, -1))
            s->scenario_part = (int)lua_tointeger(L, -1);
    }
    lua_settop(L, 0);
    s->has_event = state_defines(L, "event");
    if (s->has_event)
        s->scenario_part = -1;
    state_push_engine(L, "has_thread_hooks");
    if (state_call(s, L, NULL, 0, 1, e) != 0)
        return -1;
    s->has_thread_hooks = lua_toboolean(L, -1);
    s->has_intermediate = has_hook(L, "report_intermediate");
    s->has_cumulative = has_hook(L, "report_cumulative");
    return 0;
}

/*
 * Outside of runs sysbench draws the same numbers in each process, whatever
 * --rand-seed says, and so does unique(), everywhere. In the native form the
 * seed counts; without one the data that prepare makes still are the same each
 * time, but unique() is not, since that is what it is for.
 */
static void seed_script(struct script *s)
{
    const struct general *g = &s->general->values;
    int64_t seed = g->compat == COMPAT_NATIVE ? g->rand_seed : 0;
    rng_seeder_init(&s->seeds, seed ? (unsigned)seed : 1);
    rng_init(&s->rng, &s->seeds);
    uint32_t offset = rng_seeder_next(&s->seeds), index = rng_seeder_next(&s->seeds);
    if (g->compat == COMPAT_NATIVE && seed == 0) {
        uint64_t now = clock_system_ns();
        index ^= (uint32_t)(now ^ now >> 32) ^ (uint32_t)getpid() << 16;
    }
    unique_init(&s->unique, index, offset);
}

/* For those that a script draws at its top level this is done before its
 * options are known. */
static void set_dist(struct script *s)
{
    static const enum dist_kind kinds[] = {[RAND_UNIFORM] = DIST_UNIFORM,
                                           [RAND_GAUSSIAN] = DIST_GAUSSIAN,
                                           [RAND_SPECIAL] = DIST_SPECIAL,
                                           [RAND_PARETO] = DIST_PARETO,
                                           [RAND_ZIPFIAN] = DIST_ZIPFIAN};
    const struct general *g = &s->general->values;
    dist_init(&s->dist, &(struct dist_options){.kind = kinds[g->rand_type],
                                               .iterations = (unsigned)g->rand_spec_iter,
                                               .special_pct = (unsigned)g->rand_spec_pct,
                                               .special_res = (unsigned)g->rand_spec_res,
                                               .pareto_h = g->rand_pareto_h,
                                               .zipfian_theta = g->rand_zipfian_exp});
}

int script_open(struct script *s, const char *name, struct general_options *g, struct cmdline *c,
                struct log *l, struct err *e)
{
    const char *slash = name ? strrchr(name, '/') : NULL;
    *s = (struct script){.general = g, .cmdline = c, .log = l, .scenario_part = -1};
    pthread_mutex_init(&s->library_lock, NULL);
    s->path = name ? strdup(name) : NULL;
    s->shown = strdup(!name ? "<stdin>" : slash ? slash + 1 : name);
    s->cdef = cdef_text();
    s->without_jit = !script_engine_compiles();
    shared_init(&s->shared);
    seed_script(s);
    set_dist(s);
    if (!s->shown || !s->cdef || (name && !s->path))
        return err_set(e, "out of memory for the script");
    if (load_chunk(s, name, e) != 0 || load_hooks(s, e) != 0)
        return -1;
    here = (struct here){.script = s, .rng = &s->rng};
    s->loading = true;
    s->L = state_new(s, 0, e);
    s->loading = false;
    return s->L ? state_section(s, s->L, look_at_result, NULL, e) : -1;
}

void script_close(struct script *s)
{
    script_end_run(s);
    state_close(s->L);
    optset_release(&s->options);
    for (size_t i = 0; i < s->row_count; i++) {
        free((char *)s->rows[i].name);
        free((char *)s->rows[i].help);
        free((char *)s->rows[i].fallback);
    }
    free(s->rows);
    free(s->own.options);
    for (unsigned i = 0; i < s->part_count; i++)
        part_release(&s->part[i]);
    while (s->library) {
        struct chunk *next = s->library->next;
        chunk_free(s->library);
        s->library = next;
    }
    chunk_free(s->main_chunk);
    chunk_free(s->hook_chunk);
    pthread_mutex_destroy(&s->library_lock);
    shared_release(&s->shared);
    free(s->path);
    free(s->shown);
    free(s->folder);
    free(s->cdef);
    *s = (struct script){0};
}

int script_export(struct script *s, struct err *e)
{
    set_dist(s);
    return state_section(s, s->L, state_export_options, NULL, e);
}
