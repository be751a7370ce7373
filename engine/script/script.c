#include "script/script.h"

#include "base/interrupt.h"
#include "primitive/list.h"
#include "script/abi.h"
#include "script/embedded.h"
#include "script/here.h"
#include "script/state.h"

#include <errno.h>
#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- finding the file ------------------------------------------------------------- */

bool script_is_bundled(const char *name)
{
    char path[256];
    size_t size;
    snprintf(path, sizeof path, "%s.lua", name);
    char *text = strchr(name, '/') || strchr(name, '.') ? NULL : library_text(path, &size);
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

static bool is_file(const char *path)
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
    unsigned d = opt_distance(n->name, name);
    (void)summary;
    if (d >= n->best || d >= strlen(n->name))
        return;
    n->best = d;
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
    struct nearest near = {.name = name, .best = 3};
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
            text = is_file(*found) ? read_script(*found, size) : NULL;
            if (!text)
                free(*found);
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

static char *read_stdin(size_t *size, struct err *e)
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

/* Text of the scenario. The built-in tests win over files of their name; other
 * bundled ones give way to a file. */
static char *find_text(struct script *s, lua_State *L, const char *name, size_t *size,
                       struct err *e)
{
    char path[256], *found = NULL, *text = NULL;
    snprintf(path, sizeof path, "%s.lua", name);
    bool plain = !strchr(name, '/') && !strchr(name, '.');
    if (plain && primitive_find(name))
        text = library_text(path, size);
    if (!text && is_file(name)) {
        text = read_script(name, size);
        if (!text) {
            err_sys(e, errno, "the script '%s' cannot be read.", name);
            return NULL;
        }
        set_folder(s, name);
    }
    if (!text && plain)
        text = library_text(path, size);
    if (!text && (text = search_path(L, name, &found, size)) != NULL) {
        set_folder(s, found);
        free(found);
    }
    if (!text)
        not_found(name, e);
    return text;
}

/* --- opening ------------------------------------------------------------------------- */

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
    char *text = name ? find_text(s, L, name, &size, e) : read_stdin(&size, e);
    char shown[512];
    snprintf(shown, sizeof shown, "%s%s", name ? "@" : "=", name ? name : "stdin");
    if (text)
        s->main_chunk = chunk_new(L, text, size, shown, e);
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
    if (!is_file(path))
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

/* In a section. Without metamethods: what is not there must not be looked for
 * elsewhere. */
static bool is_function(lua_State *L, const char *name)
{
    lua_pushstring(L, name);
    lua_rawget(L, LUA_GLOBALSINDEX);
    bool yes = lua_isfunction(L, -1);
    lua_pop(L, 1);
    return yes;
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
    s->has_event = is_function(L, "event");
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

void script_end_run(struct script *s)
{
    state_close(s->reporter);
    state_close(s->checkpointer);
    s->reporter = s->checkpointer = NULL;
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

/* --- options ------------------------------------------------------------------------------ */

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

int script_export(struct script *s, struct err *e)
{
    set_dist(s);
    return state_section(s, s->L, state_export_options, NULL, e);
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

/* --- commands ------------------------------------------------------------------------------- */

static int defines(struct script *s, lua_State *L, void *function, struct err *e)
{
    (void)s;
    (void)e;
    return is_function(L, function);
}

bool script_defines(struct script *s, const char *function)
{
    return state_section(s, s->L, defines, (void *)function, NULL) > 0;
}

static int call_function(struct script *s, lua_State *L, void *function, struct err *e)
{
    if (!is_function(L, function))
        return 0;
    lua_getglobal(L, function);
    return state_call(s, L, function, 0, 0, e);
}

int script_call(struct script *s, const char *function, struct err *e)
{
    return state_section(s, s->L, call_function, (void *)function, e);
}

static int command_kind(struct script *s, lua_State *L, void *name, struct err *e)
{
    state_push_engine(L, "command_kind");
    lua_pushstring(L, name);
    return state_call(s, L, NULL, 1, 1, e) == 0 ? (int)lua_tointeger(L, -1) : -1;
}

enum command_kind script_command_kind(struct script *s, const char *name)
{
    struct err e = {0};
    int kind = state_section(s, s->L, command_kind, (void *)name, &e);
    if (kind < 0)
        log_put(s->log, LOG_FATAL, "%s", e.text);
    return kind > 0 ? (enum command_kind)kind : COMMAND_NONE;
}

static int call_command(struct script *s, lua_State *L, void *arg, struct err *e)
{
    const char *name = arg;
    state_push_engine(L, "call_command");
    lua_pushstring(L, name);
    if (state_call(s, L, "sysbench.cmdline.call_command", 1, 1, e) != 0)
        return -1;
    if (!lua_isboolean(L, -1) || lua_toboolean(L, -1))
        return 0;
    /* sysbench leaves the telling to the script */
    if (!general_as_sysbench(&s->general->values))
        return err_set(e, "the command '%s' returned false: it failed, status 1", name);
    e->status = ERR_FAILED;
    return -1;
}

struct helper {
    struct script *script;
    const char *command;
    int tid;
    struct rng rng;
    struct err err;
    pthread_t thread;
};

static void *helper_main(void *arg)
{
    struct helper *h = arg;
    here = (struct here){.script = h->script, .rng = &h->rng};
    lua_State *L = state_new(h->script, h->tid, &h->err);
    if (L && state_section(h->script, L, state_export_options, NULL, &h->err) == 0)
        state_section(h->script, L, call_command, (void *)h->command, &h->err);
    state_close(L);
    return NULL;
}

static int run_helpers(struct script *s, struct helper *helper, unsigned n, const char *name,
                       struct err *e)
{
    unsigned started = 0;
    int rc = 0;
    for (; started < n && rc == 0; started += rc == 0) {
        struct helper *h = &helper[started];
        *h = (struct helper){.script = s, .command = name, .tid = (int)started};
        rng_init(&h->rng, &s->seeds);
        rc = pthread_create(&h->thread, NULL, helper_main, h);
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(helper[i].thread, NULL);
        if (helper[i].err.text[0])
            log_put(s->log, LOG_FATAL, "%s", helper[i].err.text);
    }
    if (rc != 0)
        return err_sys(e, rc, "only %u of %u threads could be started.", started, n);
    for (unsigned i = 0; i < n; i++)
        if (helper[i].err.status && general_as_sysbench(&s->general->values) == false)
            return err_set(e, "the command '%s' failed in thread %u", name, i);
    return 0;
}

int script_command(struct script *s, const char *name, enum command_kind kind, struct err *e)
{
    unsigned n = (unsigned)s->general->values.threads;
    if (kind != COMMAND_PARALLEL || n < 2)
        return state_section(s, s->L, call_command, (void *)name, e);
    log_put(s->log, LOG_NOTICE, "Initializing worker threads...\n");
    struct helper *helper = calloc(n, sizeof *helper);
    int rc = helper ? run_helpers(s, helper, n, name, e) : err_set(e, "out of memory");
    free(helper);
    return rc;
}

/* --- the Lua side of a run ---------------------------------------------------------------------
 */

static int begin_thread(struct script *s, lua_State *L, void *arg, struct err *e)
{
    struct worker *w = arg;
    if (state_export_options(s, L, NULL, e) != 0)
        return -1;
    if (!is_function(L, "thread_init"))
        return 0;
    lua_getglobal(L, "thread_init");
    lua_pushinteger(L, (int)w->id);
    return state_call(s, L, "thread_init", 1, 0, e);
}

static int open_lua(struct worker *w, struct part *p)
{
    struct script *s = p->self;
    here = (struct here){.script = s, .worker = w, .rng = &w->rng};
    lua_State *L = state_new(s, (int)w->id, &w->err);
    if (!L)
        return -1;
    w->state[p->index] = L;
    return state_section(s, L, begin_thread, w, &w->err);
}

static int run_thread(struct script *s, lua_State *L, void *arg, struct err *e)
{
    struct worker *w = arg;
    state_push_engine(L, "run_thread");
    lua_pushinteger(L, (int)w->id);
    return state_call(s, L, "thread_run", 1, 0, e);
}

static int loop_lua(struct worker *w, struct part *p)
{
    return state_section(p->self, w->state[p->index], run_thread, w, &w->err);
}

static int end_thread(struct script *s, lua_State *L, void *arg, struct err *e)
{
    struct worker *w = arg;
    if (!is_function(L, "thread_done"))
        return 0;
    lua_getglobal(L, "thread_done");
    lua_pushinteger(L, (int)w->id);
    return state_call(s, L, "thread_done", 1, 0, e);
}

static void done_lua(struct worker *w, struct part *p)
{
    struct script *s = p->self;
    struct err e = {0};
    if (state_section(s, w->state[p->index], end_thread, w, &e) == 0)
        return;
    /* sysbench 1.0 prints it and goes on as if nothing had happened. */
    log_put(s->log, LOG_FATAL, "%s", e.text);
    if (!general_as_sysbench(&s->general->values))
        s->hook_failed = true;
}

static void close_lua(struct worker *w, struct part *p)
{
    state_close(w->state[p->index]);
    w->state[p->index] = NULL;
}

static const struct workload script_workload = {
    .name = "script",
    .summary = "events in Lua",
    .open = open_lua,
    .loop = loop_lua,
    .done = done_lua,
    .close = close_lua,
};

int script_parts(struct script *s, struct err *e)
{
    s->in_run_count = 0;
    s->own.workload = &script_workload;
    s->own.self = s;
    if (s->scenario_part >= 0)
        s->in_run[s->in_run_count++] = &s->part[s->scenario_part];
    else if (!s->has_event)
        return err_set(e, "the script '%s' defines no function event(), so there is nothing to run",
                       s->path ? s->path : "<stdin>");
    if (s->has_event || s->has_thread_hooks)
        s->in_run[s->in_run_count++] = &s->own;
    for (unsigned i = 0; i < s->part_count; i++) {
        if ((int)i == s->scenario_part)
            continue;
        if (s->in_run_count == PARTS_MAX)
            return err_set(e, "a scenario may use at most %d primitives", PARTS_MAX - 1);
        s->in_run[s->in_run_count++] = &s->part[i];
    }
    for (unsigned i = 0; i < s->in_run_count; i++)
        s->in_run[i]->index = i;
    return 0;
}

static lua_State *background_state(struct script *s, struct err *e)
{
    lua_State *L = state_new(s, (int)s->general->values.threads, e);
    if (L && state_section(s, L, state_export_options, NULL, e) == 0)
        return L;
    state_close(L);
    return NULL;
}

int script_begin_run(struct script *s, struct run *r, struct err *e)
{
    const struct general *g = &s->general->values;
    s->run = r;
    if (g->report_interval > 0 && !(s->reporter = background_state(s, e)))
        return -1;
    if (g->checkpoint_count > 0 && !(s->checkpointer = background_state(s, e)))
        return -1;
    return 0;
}

/* --- report hooks --------------------------------------------------------------------------------
 */

static void push_stat(lua_State *L, const struct hook_stat *s)
{
    const struct {
        const char *name;
        double value;
        int only; /* 0: always, 1: intermediate, 2: cumulative */
    } all[] = {
        {"threads_running", s->threads_running, 0},
        {"time_interval", s->time_interval, 0},
        {"time_total", s->time_total, 0},
        {"latency_pct", s->latency_pct, 0},
        {"events", (double)s->events, 0},
        {"reads", (double)s->reads, 0},
        {"writes", (double)s->writes, 0},
        {"other", (double)s->other, 0},
        {"errors", (double)s->errors, 0},
        {"reconnects", (double)s->reconnects, 0},
        {"queue_length", (double)s->queue_length, 1},
        {"concurrency", (double)s->concurrency, 1},
        {"latency_min", s->latency_min, 2},
        {"latency_max", s->latency_max, 2},
        {"latency_avg", s->latency_avg, 2},
        {"latency_sum", s->latency_sum, 2},
    };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].only && all[i].only != (s->cumulative ? 2 : 1))
            continue;
        lua_pushnumber(L, all[i].value);
        lua_setfield(L, -2, all[i].name);
    }
}

struct hook_call {
    const char *name;
    const struct hook_stat *stat;
};

static int enter_hook(struct script *s, lua_State *L, void *arg, struct err *e)
{
    const struct hook_call *c = arg;
    lua_getglobal(L, "sysbench");
    lua_getfield(L, -1, "hooks");
    lua_getfield(L, -1, c->name);
    lua_replace(L, 1);
    lua_settop(L, 1);
    push_stat(L, c->stat);
    return state_call(s, L, c->name, 1, 0, e);
}

/* While a run goes on a signal is noted only, which a function of a script never sees. */
static int section_of_run(struct script *s, lua_State *L, section_fn *run, void *arg, struct err *e)
{
    interrupt_impatient(true);
    int rc = state_section(s, L, run, arg, e);
    interrupt_impatient(false);
    return rc;
}

static void call_hook(struct script *s, lua_State *L, const char *name,
                      const struct hook_stat *stat)
{
    struct err e = {0};
    if (section_of_run(s, L, enter_hook, &(struct hook_call){name, stat}, &e) == 0)
        return;
    log_put(s->log, LOG_FATAL, "%s", e.text);
    if (!general_as_sysbench(&s->general->values))
        s->hook_failed = true;
}

static void intermediate_hook(void *self, const struct hook_stat *stat)
{
    struct script *s = self;
    call_hook(s, s->reporter ? s->reporter : s->L, "report_intermediate", stat);
}

static void cumulative_hook(void *self, const struct hook_stat *stat, bool checkpoint)
{
    struct script *s = self;
    call_hook(s, checkpoint && s->checkpointer ? s->checkpointer : s->L, "report_cumulative", stat);
}

void script_hooks(struct script *s, struct report_hooks *hooks)
{
    *hooks = (struct report_hooks){.self = s};
    if (s->has_intermediate)
        hooks->intermediate = intermediate_hook;
    if (s->has_cumulative)
        hooks->cumulative = cumulative_hook;
}

/* --- figures of a script's own -------------------------------------------------------------------
 */

static void push_number(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

/* counters by name, and latencies with count and milliseconds. */
static void push_named(lua_State *L, const struct figures *f)
{
    const struct run_names *n = &f->run->names;
    lua_newtable(L);
    for (unsigned c = 0; c < n->counters; c++)
        push_number(L, n->counter[c], (double)f->in->counter[c]);
    lua_setfield(L, -2, "counters");
    lua_newtable(L);
    for (unsigned k = 0; k < n->latencies && k < f->in->latencies; k++) {
        const struct tally *t = &f->in->tally[k];
        lua_newtable(L);
        push_number(L, "count", (double)t->count);
        push_number(L, "min_ms", (double)t->min_ns / 1e6);
        push_number(L, "avg_ms", tally_mean_ms(t));
        push_number(L, "max_ms", (double)t->max_ns / 1e6);
        push_number(L, "sum_ms", (double)t->sum_ns / 1e6);
        lua_setfield(L, -2, n->latency[k]);
    }
    lua_setfield(L, -2, "latencies");
}

static void emit_metric(lua_State *L, metric_fn *emit, void *to)
{
    lua_getfield(L, -1, "name");
    lua_getfield(L, -2, "unit");
    lua_getfield(L, -3, "lower");
    lua_getfield(L, -4, "value");
    emit(to, lua_tostring(L, -4), lua_tostring(L, -3), lua_toboolean(L, -2), lua_tonumber(L, -1));
    lua_pop(L, 4);
}

struct metrics_call {
    const struct figures *figures;
    const struct hook_stat *stat;
    metric_fn *emit;
    void *to;
};

static int emit_metrics(struct script *s, lua_State *L, void *arg, struct err *e)
{
    const struct metrics_call *c = arg;
    state_push_engine(L, "metrics");
    if (!lua_isfunction(L, -1))
        return 0;
    push_stat(L, c->stat);
    push_named(L, c->figures);
    if (state_call(s, L, "sysbench.metric", 1, 1, e) != 0)
        return -1;
    for (int i = 1; i <= (int)lua_objlen(L, -1); i++) {
        lua_rawgeti(L, -1, i);
        emit_metric(L, c->emit, c->to);
        lua_pop(L, 1);
    }
    return 0;
}

void script_metrics(struct script *s, const struct figures *f, const struct hook_stat *stat,
                    metric_fn *emit, void *to)
{
    struct err e = {0};
    struct metrics_call call = {.figures = f, .stat = stat, .emit = emit, .to = to};
    if (section_of_run(s, s->L, emit_metrics, &call, &e) == 0)
        return;
    log_put(s->log, LOG_FATAL, "%s", e.text);
    s->hook_failed = true;
}
