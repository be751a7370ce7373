#include "script/find.h"

#include "primitive/list.h"
#include "script/embedded.h"
#include "script/library.h"

#include <errno.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_plain(const char *name)
{
    return !strchr(name, '/') && !strchr(name, '.');
}

/* In the order of find_text(). */
bool script_is_bundled(const char *name)
{
    char path[256];
    size_t size;
    snprintf(path, sizeof path, "%s.lua", name);
    if (!is_plain(name) || (!primitive_find(name) && find_is_file(name)))
        return false;
    char *text = library_text(path, &size);
    free(text);
    return text != NULL;
}

/* The first comment line of a bundled file: what it is for. */
static void summary_of(const struct embedded *f, char *out, size_t room)
{
    const char *text = (const char *)f->text;
    text += strspn(text, "- ");
    size_t n = strcspn(text, "\n");
    snprintf(out, room, "%.*s", (int)n, text);
}

void script_each_bundled(void (*tell)(void *to, const char *name, const char *summary), void *to)
{
    for (const struct embedded *f = embedded_files; f->path; f++) {
        char name[128], summary[256];
        size_t n = strlen(f->path);
        if (strncmp(f->path, "lua/", 4) != 0 || strchr(f->path + 4, '/') || n < 9)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(n - 8), f->path + 4);
        summary_of(f, summary, sizeof summary);
        tell(to, name, summary);
    }
}

bool find_is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Old tests that are scripts now, or gone. */
static const struct {
    const char *name, *hint;
} gone[] = {
    {"oltp",
     "the test 'oltp' of sysbench 0.4 is a family of scripts since 1.0 (oltp_read_write, "
     "oltp_read_only, oltp_point_select …); they need a database driver, and none is built in "
     "yet"},
};

struct nearest {
    const char *name; /* what was typed */
    char found[128];
    unsigned best;
};

static void look_near(void *to, const char *name, const char *summary)
{
    struct nearest *n = to;
    (void)summary;
    if (opt_is_nearer(n->name, name, &n->best))
        snprintf(n->found, sizeof n->found, "%s", name);
}

static bool is_standard_command(const char *name)
{
    static const char *const words[] = {"run", "prepare", "cleanup", "help", "version"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    return false;
}

static int not_found(const char *name, struct err *e)
{
    struct nearest near = {.name = name, .best = strlen(name) < 3 ? (unsigned)strlen(name) : 3};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        if (strcmp(gone[i].name, name) == 0)
            return err_set(e, "Cannot find benchmark '%s': %s", name, gone[i].hint);
    if (is_standard_command(name))
        return err_set(e,
                       "Cannot find benchmark '%s': that is a command, and the name of a test "
                       "stands in front of it, as in 'cpu %s'; --help tells more",
                       name, name);
    for (const struct workload *const *w = primitive_list; *w; w++)
        look_near(&near, (*w)->name, NULL);
    script_each_bundled(look_near, &near);
    return err_set(e, "Cannot find benchmark '%s': no such built-in test, file or module%s%s%s",
                   name, *near.found ? " (did you mean " : "; 'list' shows what there is",
                   near.found, *near.found ? "?)" : "");
}

/* Tries the templates of package.path, as require would. */
static char *search_path(lua_State *L, const char *name, char **found, size_t *size)
{
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "path");
    const char *path = lua_tostring(L, -1);
    char *text = NULL;
    while (path && *path && !text) {
        size_t n = strcspn(path, ";");
        const char *mark = memchr(path, '?', n);
        if (mark && asprintf(found, "%.*s%s%.*s", (int)(mark - path), path, name,
                             (int)(path + n - mark - 1), mark + 1) >= 0) {
            text = find_is_file(*found) ? read_script(*found, size) : NULL;
            if (!text) {
                free(*found);
                *found = NULL;
            }
        }
        path += n + (path[n] == ';');
    }
    lua_pop(L, 2);
    return text;
}

static void set_folder(struct script *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    free(s->folder);
    s->folder = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
}

char *find_stdin(size_t *size, struct err *e)
{
    struct buf all = {0};
    char part[4096];
    ssize_t n;
    while ((n = read(STDIN_FILENO, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            buf_add(&all, part, (size_t)n);
    if (n < 0)
        err_sys(e, errno, "the script on standard input cannot be read.");
    else if (!all.text)
        buf_puts(&all, "");
    if (all.failed)
        err_set(e, "out of memory for the script");
    if (e->status)
        buf_release(&all);
    *size = all.size;
    return all.text;
}

char *find_text(struct script *s, lua_State *L, const char *name, char **found, size_t *size,
                struct err *e)
{
    char path[256], *text = NULL;
    snprintf(path, sizeof path, "%s.lua", name);
    if (is_plain(name) && primitive_find(name))
        text = library_text(path, size);
    if (!text && find_is_file(name)) {
        text = read_script(name, size);
        if (!text) {
            err_sys(e, errno, "the script '%s' cannot be read.", name);
            return NULL;
        }
        set_folder(s, name);
    }
    if (!text && is_plain(name))
        text = library_text(path, size);
    if (!text && (text = search_path(L, name, found, size)) != NULL)
        set_folder(s, *found);
    if (!text)
        not_found(name, e);
    return text;
}
