#include "script/library.h"

#include "script/embedded.h"
#include "script/state.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- texts --------------------------------------------------------------------------- */

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

/* --- chunks -------------------------------------------------------------------------- */

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

int chunk_push(lua_State *L, const struct chunk *c)
{
    return luaL_loadbuffer(L, c->code, c->size, c->name);
}

/* --- modules ------------------------------------------------------------------------- */

static const struct chunk *find_chunk(const struct script *s, const char *name)
{
    const struct chunk *c = s->library;
    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    return c;
}

/* A module of the library, compiled by whichever state asks first. */
const struct chunk *library_chunk(struct script *s, lua_State *L, const char *path, struct err *e)
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
    else if (chunk_push(L, c) != 0)
        return lua_error(L);
    return 1;
}

/* Bundled modules with a folder come before files of the user, so that a
 * folder called sysbench beside a script does not hide them. */
void library_add_searcher(lua_State *L)
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

/* --- search paths -------------------------------------------------------------------- */

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

void library_set_paths(const struct script *s, lua_State *L)
{
    set_path(s, L, "path", "LUA_PATH", default_path);
    set_path(s, L, "cpath", "LUA_CPATH", default_cpath);
}
