#include "script/state.h"

#include "script/embedded.h"
#include "script/export.h"
#include "script/here.h"
#include "script/print.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <luajit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_KEY "sbench.engine"
#define SCRIPT_KEY "sbench.script"
#define RESULT_KEY "sbench.result"

/* --- texts ----------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *size)
{
    char *text = NULL;
    FILE *f = fopen(path, "re");
    size_t room = 0, n = 0, got;
    if (!f)
        return NULL;
    do {
        room = room ? room * 2 : 8192;
        char *more = realloc(text, room + 1);
        if (!more) {
            free(text);
            fclose(f);
            errno = ENOMEM;
            return NULL;
        }
        text = more;
        n += got = fread(text + n, 1, room - n, f);
    } while (got > 0);
    int failed = ferror(f) ? errno : 0;
    fclose(f);
    if (failed) {
        free(text);
        errno = failed;
        return NULL;
    }
    text[n] = '\0';
    *size = n;
    return text;
}

char *read_script(const char *path, size_t *size)
{
    char *text = read_file(path, size);
    /* The line of #! becomes a comment, so that line numbers stay. */
    if (text && text[0] == '#') {
        char *end = strchr(text, '\n');
        memset(text, ' ', end ? (size_t)(end - text) : *size);
    }
    return text;
}

static const struct embedded *find_embedded(const char *path)
{
    for (const struct embedded *f = embedded_files; f->path; f++)
        if (strcmp(f->path, path) == 0)
            return f;
    return NULL;
}

static char *overriding_text(const char *path, size_t *size)
{
    const char *folder = getenv("SBENCH_LUA_PATH");
    char name[4096];
    if (!folder || !*folder)
        return NULL;
    snprintf(name, sizeof name, "%s/%s", folder, path);
    return read_script(name, size);
}

char *library_text(const char *path, size_t *size)
{
    char name[512];
    char *text = overriding_text(path, size);
    snprintf(name, sizeof name, "%s%s", strncmp(path, "fs/", 3) == 0 ? "" : "lua/", path);
    const struct embedded *f = text ? NULL : find_embedded(name);
    if (f && (text = malloc(f->size + 1)) != NULL) {
        memcpy(text, f->text, f->size + 1);
        *size = f->size;
    }
    return text;
}

/* --- chunks ------------------------------------------------------------------------ */

struct dump {
    struct buf out;
};

static int dump_write(lua_State *L, const void *data, size_t size, void *to)
{
    struct dump *d = to;
    (void)L;
    buf_add(&d->out, data, size);
    return d->out.failed;
}

void chunk_free(struct chunk *c)
{
    if (!c)
        return;
    free(c->name);
    free(c->code);
    free(c);
}

struct chunk *chunk_new(lua_State *L, const char *text, size_t size, const char *name,
                        struct err *e)
{
    struct dump d = {{0}};
    struct chunk *c = calloc(1, sizeof *c);
    if (luaL_loadbuffer(L, text, size, name) != 0) {
        err_set(e, "%s", lua_tostring(L, -1));
        lua_pop(L, 1);
        free(c);
        return NULL;
    }
    int top = lua_gettop(L), rc = lua_dump(L, dump_write, &d);
    lua_settop(L, top - 1);
    char *copy = strdup(name);
    if (!c || !copy || rc != 0) {
        err_set(e, "out of memory for the script");
        buf_release(&d.out);
        free(copy);
        free(c);
        return NULL;
    }
    *c = (struct chunk){.name = copy, .code = d.out.text, .size = d.out.size};
    return c;
}

static int push_chunk(lua_State *L, const struct chunk *c)
{
    return luaL_loadbuffer(L, c->code, c->size, c->name);
}

/* --- the library --------------------------------------------------------------------- */

static const struct chunk *find_chunk(const struct script *s, const char *name)
{
    const struct chunk *c = s->library;
    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    return c;
}

/* A module of the library, compiled by whichever state asks first. */
static const struct chunk *library_chunk(struct script *s, lua_State *L, const char *path,
                                         struct err *e)
{
    char name[512];
    size_t size;
    snprintf(name, sizeof name, "=%s", path);
    pthread_mutex_lock(&s->library_lock);
    const struct chunk *found = find_chunk(s, name);
    if (!found) {
        char *text = library_text(path, &size);
        struct chunk *c = text ? chunk_new(L, text, size, name, e) : NULL;
        free(text);
        if (c) {
            c->next = s->library;
            s->library = c;
        }
        found = c;
    }
    pthread_mutex_unlock(&s->library_lock);
    return found;
}

struct script *script_of(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, SCRIPT_KEY);
    struct script *s = *(struct script **)lua_touserdata(L, -1);
    lua_pop(L, 1);
    return s;
}

/* A searcher for package.loaders: modules that are part of the program. */
static int search_library(lua_State *L)
{
    const char *module = luaL_checkstring(L, 1);
    struct script *s = script_of(L);
    struct err e = {0};
    char path[256];
    int n = snprintf(path, sizeof path, "%s.lua", module);
    if (n < 0 || n >= (int)sizeof path)
        return 0;
    /* "fs.profiles.ext4-defaults" and "sysbench.rand": dots are folders. */
    for (char *dot = path; dot < path + strlen(module); dot++)
        if (*dot == '.')
            *dot = '/';
    const struct chunk *c = library_chunk(s, L, path, &e);
    if (!c && e.status)
        return luaL_error(L, "%s", e.text);
    if (!c)
        lua_pushfstring(L, "\n\tno embedded file '%s'", path);
    else if (push_chunk(L, c) != 0)
        return lua_error(L);
    return 1;
}

/* Bundled modules with a folder come before files of the user, so that a
 * folder called sysbench beside a script does not hide them. */
static void add_searcher(lua_State *L)
{
    lua_getglobal(L, "table");
    lua_getfield(L, -1, "insert");
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "loaders");
    lua_remove(L, -2);
    lua_pushinteger(L, 2);
    lua_pushcfunction(L, search_library);
    lua_call(L, 3, 0);
    lua_pop(L, 1);
}

/* --- search paths ------------------------------------------------------------------------ */

#define SHARE "/usr/share/sysbench"

static void default_path(const struct script *s, struct buf *out)
{
    const char *home = getenv("HOME");
    if (s->folder && strcmp(s->folder, ".") != 0)
        buf_printf(out, "%s/?.lua;%s/?/init.lua;", s->folder, s->folder);
    buf_puts(out, "./?.lua;./?/init.lua;./src/lua/?.lua;");
    if (home)
        buf_printf(out,
                   "%s/.luarocks/share/lua/5.1/?.lua;%s/.luarocks/share/lua/5.1/?/init.lua;"
                   "%s/.luarocks/share/lua/?.lua;%s/.luarocks/share/lua/?/init.lua;",
                   home, home, home, home);
    buf_puts(out, "/usr/local/share/lua/5.1/?.lua;/usr/share/lua/5.1/?.lua;" SHARE "/?.lua;");
}

static void default_cpath(const struct script *s, struct buf *out)
{
    const char *home = getenv("HOME");
    if (s->folder && strcmp(s->folder, ".") != 0)
        buf_printf(out, "%s/?.so;", s->folder);
    buf_puts(out, "./?.so;");
    if (home)
        buf_printf(out, "%s/.luarocks/lib/lua/5.1/?.so;%s/.luarocks/lib/lua/?.so;", home, home);
    buf_puts(out, "/usr/local/lib/lua/5.1/?.so;/usr/lib/lua/5.1/?.so;");
}

/* The variable replaces the default; ";;" in it stands for the default. */
static void set_path(const struct script *s, lua_State *L, const char *field, const char *variable,
                     void (*fallback)(const struct script *, struct buf *))
{
    const char *given = getenv(variable);
    struct buf usual = {0}, path = {0};
    fallback(s, &usual);
    const char *gap = given ? strstr(given, ";;") : NULL;
    if (gap)
        buf_printf(&path, "%.*s;%s%s", (int)(gap - given), given, buf_text(&usual), gap + 2);
    else
        buf_puts(&path, given ? given : buf_text(&usual));
    lua_getglobal(L, "package");
    lua_pushstring(L, buf_text(&path));
    lua_setfield(L, -2, field);
    lua_pop(L, 1);
    buf_release(&usual);
    buf_release(&path);
}

/* --- sections --------------------------------------------------------------------------------- */

struct section {
    struct script *script;
    section_fn *run;
    void *arg;
    struct err *err;
    int rc;
};

static int no_memory(struct err *e)
{
    return err_set(e, "not enough memory for Lua; use fewer --threads or less data in the script "
                      "(limits: free memory, 'ulimit -v', and the number of memory maps, sysctl "
                      "vm.max_map_count)");
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
    if (rc == LUA_ERRMEM)
        no_memory(e);
    else
        err_set(e, "%s", lua_isstring(L, -1) ? lua_tostring(L, -1) : "(not a string)");
    lua_pop(L, 1);
    return -1;
}

/* --- calls -------------------------------------------------------------------------------- */

void state_push_engine(lua_State *L, const char *member)
{
    lua_getfield(L, LUA_REGISTRYINDEX, ENGINE_KEY);
    if (lua_istable(L, -1))
        lua_getfield(L, -1, member);
    else
        lua_pushnil(L);
    lua_remove(L, -2);
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
    if (rc == LUA_ERRMEM || (text && strcmp(text, "not enough memory") == 0))
        no_memory(e);
    else if (take_failure(L, e))
        text = NULL;
    else if (name)
        err_set(e, "`%s' function failed: %s", name, text ? text : "(not a string)");
    else
        err_set(e, "%s", text ? text : "(not a string)");
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

/* --- a new state ---------------------------------------------------------------------------- */

static int run_library(struct script *s, lua_State *L, int tid, struct err *e)
{
    const struct chunk *c = library_chunk(s, L, "sysbench/init.lua", e);
    if (!c || push_chunk(L, c) != 0)
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
    if (push_chunk(L, s->main_chunk) != 0)
        return err_set(e, "%s", lua_tostring(L, -1));
    if (state_call(s, L, NULL, 0, 1, e) != 0)
        return -1;
    lua_setfield(L, LUA_REGISTRYINDEX, RESULT_KEY);
    if (!s->hook_chunk)
        return 0;
    if (push_chunk(L, s->hook_chunk) != 0)
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
    set_path(s, L, "path", "LUA_PATH", default_path);
    set_path(s, L, "cpath", "LUA_CPATH", default_cpath);
    add_searcher(L);
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
        no_memory(e);
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
