#include "app/app.h"

#include "option/legacy.h"
#include "primitive/list.h"

#include <stdio.h>
#include <string.h>

static void put_bundled(void *to, const char *name, const char *summary)
{
    if (!primitive_find(name))
        buf_printf(to, "  %s - %s\n", name, summary);
}

/* One group of options; in the forms of sysbench two of them share a heading. */
static void help_group(enum compat form, const struct optset *s, bool first, struct buf *out)
{
    bool database = strcmp(s->title, "General database options") == 0;
    bool untitled = strcmp(s->title, "Statistics and output") == 0 && form != COMPAT_NATIVE;
    if (!untitled)
        buf_printf(out, "%s:\n%s", s->title, database ? "\n" : "");
    optset_help(s, out);
    if (first)
        legacy_help(form, out);
    buf_putc(out, '\n');
    if (database)
        buf_puts(out, "\nCompiled-in database drivers:\n\n");
}

/* The table shows defaults, whatever else the command line has set. */
static void help_groups(enum compat form, struct buf *out)
{
    struct general_options g;
    struct err e = {0};
    if (general_init(&g, &e) != 0 || (form == COMPAT_0_4 && legacy_defaults(&g, &e) != 0))
        out->failed = true;
    for (size_t i = 0; i < GENERAL_SETS && !out->failed; i++)
        help_group(form, &g.set[i], i == 0, out);
    general_release(&g);
}

/* What the parsers of sysbench's own scripts look for stays in its order. */
void general_help(struct app *a, struct buf *out)
{
    const char *program = program_of(a);
    enum compat form = (enum compat)a->general->compat;
    buf_printf(out, "Usage:\n  %s %s\n\n", program,
               form == COMPAT_0_4
                   ? "[general-options]... --test=<test-name> [test-options]... command"
                   : "[options]... [testname] [command]");
    buf_printf(out, "Commands implemented by most tests: prepare run cleanup help%s\n\n",
               form == COMPAT_0_4 ? " version" : "");
    help_groups(form, out);
    buf_puts(out, "Compiled-in tests:\n");
    for (const struct workload *const *w = primitive_list; *w; w++)
        buf_printf(out, "  %s - %s\n", (*w)->name, (*w)->title);
    if (!general_as_sysbench(a->general)) {
        buf_puts(out, "\nBundled scenarios:\n");
        script_each_bundled(put_bundled, out);
    }
    buf_printf(
        out, "\n'%s TESTNAME help' lists the options of a test, '%s list' what else there is.\n\n",
        program, program);
}

/* Which standard commands the scenario has. */
static void commands_line(struct app *a, struct buf *out)
{
    static const char *const names[] = {"prepare", "run", "cleanup", "help"};
    struct script *s = &a->script;
    const struct workload *w = s->scenario_part >= 0 ? s->part[s->scenario_part].workload : NULL;
    bool has[] = {script_defines(s, "prepare") || (w && w->prepare),
                  s->has_event || w || script_command_kind(s, "run"),
                  script_defines(s, "cleanup") || (w && w->cleanup), true};
    buf_printf(out, "%s commands:", s->shown);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (has[i] || script_command_kind(s, names[i]))
            buf_printf(out, " %s", names[i]);
    buf_puts(out, "\n\n");
}

void test_options(struct app *a, struct buf *out)
{
    struct optset *sets[PARTS_MAX + 1];
    size_t n = script_sets(&a->script, sets, PARTS_MAX + 1);
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "%s options:\n", sets[i]->title);
        optset_help(sets[i], out);
        buf_putc(out, '\n');
    }
}

int test_help(struct app *a)
{
    struct err e = {0};
    struct buf out = {0};
    if (script_defines(&a->script, "help")) {
        if (script_call(&a->script, "help", &e) == 0)
            return 0;
        fatal(a, &e);
        return general_as_sysbench(a->general) ? 0 : ERR_FAILED;
    }
    test_options(a, &out);
    if (!general_as_sysbench(a->general)) {
        commands_line(a, &out);
    } else if (out.size == 0) {
        fprintf(stderr, "No help available for test '%s'.\n", a->script.shown);
        return ERR_FAILED;
    }
    return print_buf(&out);
}
