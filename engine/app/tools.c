#include "app/app.h"

#include "env/env_command.h"
#include "primitive/list.h"
#include "script/options_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void list_bundled(void *to, const char *name, const char *summary)
{
    if (!primitive_find(name))
        buf_printf(to, "  %-12s %s\n", name, summary);
}

static int list_command(struct app *a)
{
    struct buf out = {0};
    if (a->cmdline.argc > 2) {
        fprintf(stderr, "list: '%s' is not known; it takes no arguments\n", a->cmdline.argv[2]);
        return ERR_FAILED;
    }
    buf_puts(&out, "primitives, each with a scenario of its name:\n");
    for (const struct workload *const *w = primitive_list; *w; w++) {
        buf_printf(&out, "  %-12s %s\n", (*w)->name, (*w)->summary);
        if ((*w)->unavailable)
            buf_printf(&out, "  %-12s not in this build: %s\n", "", (*w)->unavailable);
        if ((*w)->list)
            (*w)->list(&out);
    }
    buf_puts(&out, "scenarios:\n");
    script_each_bundled(list_bundled, &out);
    buf_puts(&out, "'sbench NAME help' shows the options of each.\n");
    return print_buf(&out);
}

int put_engine(struct env *env, bool compiles, struct err *e)
{
    if (env_put(env, "luajit", script_engine(), "this build", e) != 0)
        return -1;
    return env_put(env, "luajit_compiler", compiles ? "on" : "off", "mprotect", e);
}

/* Options of `env`; everything else is a word of it. */
static int env_argument(struct app *a, const char *arg, struct env_command *c, struct err *e)
{
    size_t row;
    struct optset *s = general_find(&a->options, "output-format", &row);
    if (strncmp(arg, "--output-format=", 16) == 0)
        return optset_set(s, row, arg + 16, OPT_BY_USER, OPT_STRICT, e);
    if (strcmp(arg, "--redact=off") == 0)
        c->reveal = true;
    else if (strcmp(arg, "--redact") != 0 && strcmp(arg, "--redact=on") != 0)
        return err_set(e,
                       "unknown option of env: %s; there are --output-format=text|json|csv and "
                       "--redact=on|off",
                       arg);
    return 0;
}

static int env_tool(struct app *a)
{
    struct err e = {0};
    struct buf out = {0};
    struct env_command c = {0};
    struct env known = {0};
    const char **word = calloc((size_t)a->cmdline.argc, sizeof *word);
    if (!word) {
        err_set(&e, "out of memory");
        return usage_error(&e);
    }
    int rc = general_init(&a->options, &e);
    for (int i = 2; rc == 0 && i < a->cmdline.argc; i++) {
        const char *arg = a->cmdline.argv[i];
        if (strcmp(arg, "--diff") == 0)
            word[c.words++] = "diff";
        else if (arg[0] == '-')
            rc = env_argument(a, arg, &c, &e);
        else
            word[c.words++] = arg;
    }
    c.word = word;
    c.format = (enum output_format)a->general->output_format;
    if (rc == 0)
        rc = put_engine(&known, script_engine_compiles(), &e);
    c.known = &known;
    if (rc == 0)
        rc = env_command(&c, &out, &e);
    free(word);
    env_release(&known);
    if (rc == 0)
        return print_buf(&out);
    buf_release(&out);
    return usage_error(&e);
}

static int options_tool(struct app *a)
{
    struct err e = {0};
    struct buf out = {0};
    if (options_command(a->cmdline.argc - 2, a->cmdline.argv + 2, &a->log, &out, &e) == 0)
        return print_buf(&out);
    buf_release(&out);
    return usage_error(&e);
}

/* Words that are neither tests nor scripts; they have arguments of their own. */
static const struct tool {
    const char *name;
    int (*run)(struct app *a);
    const char *usage, *what;
} tools[] = {
    {"list", list_command, "", "What is built in and bundled: primitives and scenarios."},
    {"env", env_tool, " [diff A.json B.json] [--output-format=text|json|csv] [--redact=on|off]",
     "What is known of this machine, or how two such descriptions differ."},
    {"options", options_tool, " [--output-format=text|markdown|man]",
     "Every option of the program, its tests and its scenarios."},
};

/* A file of that name is a script. */
static const struct tool *find_tool(const char *word)
{
    struct stat st;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        if (strcmp(word, tools[i].name) == 0)
            return stat(word, &st) == 0 && S_ISREG(st.st_mode) ? NULL : &tools[i];
    return NULL;
}

static int tool_help(const struct tool *t)
{
    struct buf out = {0};
    buf_printf(&out, "Usage:\n  sbench %s%s\n\n%s\n", t->name, t->usage, t->what);
    return print_buf(&out);
}

int tool_step(struct app *a, int argc, char **argv)
{
    const struct tool *t = argc > 1 ? find_tool(argv[1]) : NULL;
    if (!t)
        return DONE;
    if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "help") == 0))
        return tool_help(t);
    a->cmdline.argc = argc;
    a->cmdline.argv = argv;
    return t->run(a);
}

int tool_too_late(const struct app *a)
{
    const struct tool *t = a->cmdline.test ? find_tool(a->cmdline.test) : NULL;
    if (!t)
        return DONE;
    fprintf(stderr, "'%s' is no test: it stands in front of all options: sbench %s%s\n", t->name,
            t->name, t->usage);
    return ERR_FAILED;
}
