/*
 * Arguments -> scenario -> command -> exit status. The steps are a table, each
 * one short; the first that has an answer ends the program. This is the only
 * place that exits.
 */
#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/units.h"
#include "env/affinity.h"
#include "env/env.h"
#include "env/env_command.h"
#include "option/cmdline.h"
#include "option/legacy.h"
#include "primitive/list.h"
#include "report/report.h"
#include "script/options_command.h"
#include "script/script.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define DONE (-1) /* a step has nothing to say; go on */

struct app {
    struct cmdline cmdline;
    struct general_options options;
    struct general *general;
    struct log log;
    struct script script;
    bool script_open;
    int result_fd;         /* where JSON and CSV go; standard output is for them alone */
    bool gave_up;          /* threads still run: end without touching their memory */
    struct outfile output; /* of --output in text; fd -1: none */
    struct clock clock;
    struct env env;
    struct affinity affinity;
};

/* --- signals ------------------------------------------------------------------------ */

static struct run_signal caught = {.wake_fd = -1};

static void on_signal(int number)
{
    uint64_t one = 1;
    int saved = errno;
    if (number == SIGALRM) {
        interrupt_end_program(interrupt_caught());
    } else if (number == SIGUSR1) {
        caught.report = 1;
    } else if (!interrupt_heeded()) {
        interrupt_end_program(number);
    } else {
        interrupt_set(number);
        caught.caught = number;
        caught.times = caught.times + 1;
    }
    ssize_t told = write(caught.wake_fd, &one, sizeof one);
    (void)told; /* the flags are seen at the next look anyway */
    errno = saved;
}

static int catch_signals(struct err *e)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1, SIGALRM};
    struct sigaction how = {.sa_handler = on_signal};
    caught.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (caught.wake_fd < 0)
        return err_sys(e, errno, "cannot make an eventfd.");
    sigemptyset(&how.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &how, NULL);
    return 0;
}

/* --- saying things -------------------------------------------------------------------- */

/* What the command line itself is to blame for; sysbench says it the same way. */
static int usage_error(const struct err *e)
{
    fprintf(stderr, "%s\n", e->text);
    return e->status ? (int)e->status : ERR_FAILED;
}

static int fatal(struct app *a, const struct err *e)
{
    if (*e->text) /* a command may fail without a word, having told already */
        log_put(&a->log, LOG_FATAL, "%s", e->text);
    return e->status ? (int)e->status : ERR_FAILED;
}

static const char *word_bits(void)
{
    return sizeof(void *) == 8 ? "64-bit" : "32-bit";
}

static const char *compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

static void print_version(struct app *a)
{
    if (a->general->compat == COMPAT_1_0)
        printf("sysbench 1.0.20\n");
    else if (a->general->compat == COMPAT_0_4)
        printf("sysbench 0.4.12\n");
    else
        printf("sbench %s (speaks sysbench 1.0.20; %s build by %s)\n", SBENCH_VERSION, word_bits(),
               compiler());
}

static void print_banner(struct app *a)
{
    static const char *const banners[] = {
        [COMPAT_NATIVE] = "sbench " SBENCH_VERSION " (speaks sysbench 1.0.20, using LuaJIT 2.1)\n",
        [COMPAT_1_0] = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n",
        [COMPAT_0_4] = "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n"};
    log_put(&a->log, LOG_NOTICE, "%s", banners[a->general->compat]);
}

/* The warnings of sysbench, once: on standard output, but for the one on --test. */
static void say_warnings(struct app *a)
{
    if (a->general->compat != COMPAT_1_0)
        return;
    if (a->cmdline.test_by_option)
        fputs("WARNING: --test is deprecated, the test is named by the first word without it\n",
              stderr);
    fputs(buf_text(&a->cmdline.warnings), stdout);
    a->cmdline.test_by_option = false;
    buf_clear(&a->cmdline.warnings);
}

/* What is wrong with options: sysbench says it on standard error if the line
 * itself is not to be understood, and as FATAL where the values do not fit. */
static int option_error(struct app *a, const struct err *e)
{
    bool plain = a->general->compat == COMPAT_NATIVE || a->cmdline.malformed;
    if (!plain)
        a->log.serious = STDOUT_FILENO;
    say_warnings(a);
    return plain ? usage_error(e) : fatal(a, e);
}

/* Old spellings and pasted dashes: what was understood. */
static void say_notes(struct app *a)
{
    const char *at = buf_text(&a->cmdline.notes);
    say_warnings(a);
    for (; *at && !a->general->quiet_notes && a->general->compat != COMPAT_1_0;) {
        size_t n = strcspn(at, "\n");
        fprintf(stderr, "note: %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    if (a->general->events == 0 && a->general->time == 0 && a->general->compat != COMPAT_0_4)
        fprintf(general_as_sysbench(a->general) ? stdout : stderr,
                "WARNING: Both event and time limits are disabled, running an endless test\n");
    fflush(stdout);
}

/* --- help ------------------------------------------------------------------------------- */

static const char *program_of(const struct app *a)
{
    return a->general->compat == COMPAT_NATIVE ? "sbench" : "sysbench";
}

static void put_bundled(void *to, const char *name, const char *summary)
{
    if (!primitive_find(name))
        buf_printf(to, "  %s - %s\n", name, summary);
}

/* One group of options; in the forms of sysbench two of them share a heading. */
static void help_group(const struct app *a, const struct optset *s, struct buf *out)
{
    bool database = strcmp(s->title, "General database options") == 0;
    bool untitled =
        strcmp(s->title, "Statistics and output") == 0 && general_as_sysbench(a->general);
    if (!untitled)
        buf_printf(out, "%s:\n%s", s->title, database ? "\n" : "");
    optset_help(s, out);
    if (s == &a->options.set[0])
        legacy_help((enum compat)a->general->compat, out);
    buf_putc(out, '\n');
    if (database)
        buf_puts(out, "\nCompiled-in database drivers:\n\n");
}

/* What the parsers of sysbench's own scripts look for stays in its order. */
static void general_help(struct app *a, struct buf *out)
{
    const char *program = program_of(a);
    buf_printf(out, "Usage:\n  %s [options]... [testname] [command]\n\n", program);
    buf_puts(out, "Commands implemented by most tests: prepare run cleanup help\n\n");
    for (size_t i = 0; i < GENERAL_SETS; i++)
        help_group(a, &a->options.set[i], out);
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

static int print_buf(struct buf *out)
{
    int rc = out->failed ? -1 : log_write_all(STDOUT_FILENO, buf_text(out), out->size);
    if (rc != 0)
        fprintf(stderr, "the answer cannot be written: %s\n",
                out->failed ? "out of memory" : strerror(errno));
    buf_release(out);
    return rc ? ERR_FAILED : 0;
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

static int test_help(struct app *a)
{
    struct err e = {0};
    struct buf out = {0};
    struct optset *sets[PARTS_MAX + 1];
    size_t n = script_sets(&a->script, sets, PARTS_MAX + 1);
    if (script_defines(&a->script, "help")) {
        if (script_call(&a->script, "help", &e) == 0)
            return 0;
        fatal(a, &e);
        return general_as_sysbench(a->general) ? 0 : ERR_FAILED;
    }
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "%s options:\n", sets[i]->title);
        optset_help(sets[i], &out);
        buf_putc(&out, '\n');
    }
    if (!general_as_sysbench(a->general)) {
        commands_line(a, &out);
    } else if (n == 0) {
        fprintf(stderr, "No help available for test '%s'.\n", a->script.shown);
        return ERR_FAILED;
    }
    return print_buf(&out);
}

/* --- commands without a scenario ----------------------------------------------------------- */

static void list_bundled(void *to, const char *name, const char *summary)
{
    if (!primitive_find(name))
        buf_printf(to, "  %-12s %s\n", name, summary);
}

static int list_command(struct app *a)
{
    struct buf out = {0};
    (void)a;
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

/* What env/ cannot know: it does not know Lua. */
static int put_engine(struct env *env, bool compiles, struct err *e)
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
static const struct {
    const char *name;
    int (*run)(struct app *a);
} tools[] = {{"list", list_command}, {"env", env_tool}, {"options", options_tool}};

static int tool_step(struct app *a, int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof tools / sizeof tools[0]; i++) {
        if (strcmp(argv[1], tools[i].name) != 0 || access(argv[1], F_OK) == 0)
            continue;
        a->cmdline.argc = argc;
        a->cmdline.argv = argv;
        return tools[i].run(a);
    }
    return DONE;
}

/* --- standard commands ------------------------------------------------------------------------ */

static struct part *scenario(struct app *a)
{
    return a->script.scenario_part >= 0 ? &a->script.part[a->script.scenario_part] : NULL;
}

static int not_implemented(struct app *a, const char *command)
{
    fprintf(stderr, "'%s' test does not implement the '%s' command.\n", a->script.shown, command);
    return ERR_FAILED;
}

/* prepare and cleanup: the script's own function, or the primitive's. */
static int files_command(struct app *a, const char *command,
                         int (*own)(struct part *, const struct general *, struct log *,
                                    struct err *))
{
    struct err e = {0};
    int rc;
    if (script_defines(&a->script, command))
        rc = script_call(&a->script, command, &e);
    else if (own)
        rc = own(scenario(a), a->general, &a->log, &e);
    else
        return not_implemented(a, command);
    if (rc == 0)
        return 0;
    int status = fatal(a, &e);
    return interrupt_caught() ? 128 + interrupt_caught() : status;
}

static int prepare_command(struct app *a)
{
    struct part *p = scenario(a);
    return files_command(a, "prepare", p ? p->workload->prepare : NULL);
}

static int cleanup_command(struct app *a)
{
    struct part *p = scenario(a);
    return files_command(a, "cleanup", p ? p->workload->cleanup : NULL);
}

static int check_parts(struct app *a, struct err *e)
{
    struct script *s = &a->script;
    for (unsigned i = 0; i < s->in_run_count; i++) {
        struct part *p = s->in_run[i];
        if (p->workload->check && p->workload->check(p, a->general, e) != 0)
            return -1;
    }
    return 0;
}

static void extra_json(void *self, struct json *j)
{
    struct app *a = self;
    env_json(&a->env, j);
}

static void extra_metrics(void *self, const struct figures *f, const struct hook_stat *s,
                          metric_fn *emit, void *to)
{
    struct app *a = self;
    script_metrics(&a->script, f, s, emit, to);
}

static void extra_notes(void *self, note_fn *note, void *to)
{
    struct app *a = self;
    env_notes(&a->env, (unsigned)a->general->threads, note, to);
    if (a->script.without_jit)
        note(to, "interpreter",
             "this system forbids machine code made at run time, so Lua was "
             "interpreted: events in Lua are slower than with the compiler");
}

static int exit_status(struct app *a, const struct run *r, int rc, const struct err *e)
{
    if (rc != 0)
        return e->status ? (int)e->status : ERR_FAILED;
    if (atomic_load(&r->limit) == LIMIT_SIGNAL)
        return 128 + caught.caught;
    if (r->hung_count > 0)
        return ERR_FORCED;
    return a->script.hook_failed || a->log.failed ? ERR_FAILED : 0;
}

static void set_up_report(struct app *a, struct report *p, const struct optset **sets)
{
    struct optset *own[PARTS_MAX + 1];
    size_t n = script_sets(&a->script, own, PARTS_MAX + 1), k = 0;
    for (size_t i = 0; i < GENERAL_SETS; i++)
        sets[k++] = &a->options.set[i];
    for (size_t i = 0; i < n; i++)
        sets[k++] = own[i];
    p->sets = sets;
    p->set_count = k;
    p->result_fd = a->result_fd;
    p->extra = (struct report_extra){
        .self = a, .json = extra_json, .metrics = extra_metrics, .notes = extra_notes};
    script_hooks(&a->script, &p->hooks);
    report_observe(p);
}

static int pin_worker(void *self, uint32_t worker, struct err *e)
{
    struct app *a = self;
    int cpu = affinity_pick(&a->affinity, worker);
    return cpu < 0 ? 0 : affinity_apply(cpu, e);
}

/* The run itself, between what init() and done() of the script do. */
static int measure(struct app *a, struct run *r, struct report *p)
{
    const struct optset *sets[GENERAL_SETS + PARTS_MAX + 1];
    struct err e = {0}, unwritten = {0};
    set_up_report(a, p, sets);
    report_mode_lines(p);
    r->signal = &caught;
    r->pin = pin_worker;
    r->pin_self = a;
    int rc = script_begin_run(&a->script, r, &e);
    interrupt_heed(1);
    if (rc == 0)
        rc = run_go(r, &e);
    script_end_run(&a->script);
    if (rc != 0)
        fatal(a, &e);
    if (r->failed > 0 && general_as_sysbench(a->general))
        log_put(&a->log, LOG_FATAL, "Thread initialization failed!");
    if (report_final(p, rc ? &e : NULL, &unwritten) != 0) {
        fatal(a, &unwritten);
        a->log.failed = true;
    }
    interrupt_heed(-1);
    a->gave_up = r->hung_count > 0;
    return exit_status(a, r, rc, &e);
}

static int run_scenario(struct app *a)
{
    struct err e = {0};
    struct script *s = &a->script;
    struct run r;
    struct report p;
    if (script_call(s, "init", &e) != 0 || script_parts(s, &e) != 0 || check_parts(a, &e) != 0 ||
        affinity_init(&a->affinity, a->general->cpu_list, &e) != 0 ||
        env_collect(&a->env, &e) != 0 || put_engine(&a->env, !s->without_jit, &e) != 0)
        return fatal(a, &e);
    if (run_init(&r, a->general, &a->log, &a->clock, s->in_run, s->in_run_count,
                 s->has_event ? SCRIPT_LATENCIES : 0, &e) != 0) {
        run_release(&r);
        return fatal(a, &e);
    }
    int status =
        report_init(&p, &r, &a->log, s->shown, &e) == 0 ? measure(a, &r, &p) : fatal(a, &e);
    if (a->gave_up)
        return status;
    s->run = NULL;
    report_release(&p);
    /* As in sysbench: not if the threads could not be started. */
    if (r.start_ns && script_call(s, "done", &e) != 0) {
        fatal(a, &e);
        if (status == 0 && !general_as_sysbench(a->general))
            status = ERR_FAILED;
    }
    run_release(&r);
    return status;
}

static int help_command(struct app *a)
{
    return test_help(a);
}

static const struct {
    const char *name;
    int (*run)(struct app *a);
} standard[] = {{"help", help_command},
                {"prepare", prepare_command},
                {"cleanup", cleanup_command},
                {"run", run_scenario}};

static int unknown_command(struct app *a)
{
    const char *command = a->cmdline.command, *near = NULL;
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++)
        if (opt_distance(command, standard[i].name) <= 2)
            near = standard[i].name;
    fprintf(stderr, "Unknown command: %s%s%s%s\n", command, near ? " (did you mean " : "",
            near ? near : "", near ? "?)" : "");
    return ERR_FAILED;
}

static int command_step(struct app *a)
{
    struct err e = {0};
    const char *command = a->cmdline.command;
    enum command_kind kind = script_command_kind(&a->script, command);
    if (kind != COMMAND_NONE)
        return script_command(&a->script, command, kind, &e) == 0 ? 0 : fatal(a, &e);
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++)
        if (strcmp(standard[i].name, command) == 0)
            return standard[i].run(a);
    return unknown_command(a);
}

/* --- steps ---------------------------------------------------------------------------------------
 */

/* In 0.4 `version` was a command. */
static bool wants_old_version(const struct app *a)
{
    const char *word = a->cmdline.command ? a->cmdline.command : a->cmdline.test;
    return a->general->compat == COMPAT_0_4 && word && strcmp(word, "version") == 0;
}

/* 0.4 took the options of every test with each of them. */
static void ignore_other_tests(struct app *a)
{
    const char *test = a->cmdline.test ? a->cmdline.test : "";
    for (const struct workload *const *w = primitive_list; *w; w++)
        if (*w != primitive_find(test))
            legacy_ignore(&a->cmdline, (*w)->options, (*w)->name);
}

static int general_step(struct app *a)
{
    struct err e = {0};
    int compat;
    if (cmdline_compat(&a->cmdline, a->cmdline.argv[0], &compat, &e) != 0 ||
        general_init(&a->options, &e) != 0)
        return usage_error(&e);
    a->general->compat = compat;
    if (cmdline_general(&a->cmdline, &a->options, &e) != 0)
        return option_error(a, &e);
    if (a->general->compat == COMPAT_0_4)
        ignore_other_tests(a);
    if (a->general->help) {
        struct buf out = {0};
        general_help(a, &out);
        int status = print_buf(&out);
        return a->general->compat == COMPAT_0_4 ? ERR_FAILED : status; /* as it did */
    }
    if (a->general->version || wants_old_version(a)) {
        print_version(a);
        return 0;
    }
    return general_finish(&a->options, &e) == 0 ? DONE : option_error(a, &e);
}

/* In the forms for programs, standard output is the document's alone: whatever
 * a script prints goes where messages go. */
static int output_step(struct app *a)
{
    struct err e = {0};
    const struct general *g = a->general;
    a->log.verbosity = (int)g->verbosity;
    a->log.loud_report = g->compat == COMPAT_NATIVE;
    if (g->compat != COMPAT_NATIVE)
        a->log.serious = STDOUT_FILENO;
    if (g->output_format != FORMAT_TEXT) {
        a->log.serious = STDERR_FILENO;
        a->result_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        if (a->result_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
            err_sys(&e, errno, "standard output cannot be set aside for the result.");
            return usage_error(&e);
        }
        a->log.result = a->result_fd;
    } else if (g->output && *g->output) {
        struct err cause = {0};
        if (outfile_open(&a->output, g->output, &cause) != 0) {
            err_set(&e, "option --output: %s", cause.text);
            return usage_error(&e);
        }
        a->log.out = a->log.result = a->output.fd;
    }
    say_notes(a);
    return DONE;
}

static int terminal_step(struct app *a)
{
    struct buf out = {0};
    bool from_stdin = !a->cmdline.test || strcmp(a->cmdline.test, "-") == 0;
    bool no_scripts = a->general->compat == COMPAT_0_4; /* 0.4 had none */
    if (a->cmdline.test || !from_stdin || (!no_scripts && !isatty(STDIN_FILENO)))
        return DONE;
    general_help(a, &out);
    print_buf(&out);
    fprintf(stderr, no_scripts
                        ? "No test was named: --test=NAME does that.\n"
                        : "No test was named. A script on standard input is run with '-' as its "
                          "name.\n");
    return ERR_FAILED;
}

static int open_step(struct app *a)
{
    struct err e = {0};
    const char *test = a->cmdline.test;
    bool from_stdin = !test || strcmp(test, "-") == 0;
    print_banner(a);
    if (!from_stdin && !a->cmdline.command && primitive_find(test)) {
        fprintf(stderr,
                "The '%s' test requires a command argument. See '%s %s help' (usually: "
                "%s run)\n",
                test, program_of(a), test, test);
        return ERR_FAILED;
    }
    a->script_open = true;
    if (script_open(&a->script, from_stdin ? NULL : test, &a->options, &a->cmdline, &a->log, &e) !=
        0)
        return fatal(a, &e);
    return from_stdin || !a->cmdline.command ? 0 : DONE;
}

static int options_step(struct app *a)
{
    struct err e = {0};
    struct script *s = &a->script;
    struct optset *sets[PARTS_MAX + 1];
    if (script_declared(s, &e) != 0)
        return fatal(a, &e);
    size_t n = script_sets(s, sets, PARTS_MAX + 1);
    bool open = !s->declares_options && s->scenario_part < 0 && s->part_count == 0;
    if (cmdline_rest(&a->cmdline, sets, n, &a->options, open, &e) != 0)
        return option_error(a, &e);
    s->takes_unknown = open;
    if (script_apply_defaults(s, &e) != 0 || general_finish(&a->options, &e) != 0 ||
        script_export(s, &e) != 0 || script_validate(s, &e) != 0)
        return fatal(a, &e);
    return DONE;
}

static int run_app(struct app *a, int argc, char **argv)
{
    static int (*const steps[])(struct app *) = {general_step, output_step,  terminal_step,
                                                 open_step,    options_step, command_step};
    struct err e = {0};
    int status = tool_step(a, argc, argv);
    if (status != DONE)
        return status;
    clock_init(&a->clock); /* so early, for its calibration needs a stretch of time */
    if (cmdline_parse(&a->cmdline, argc, argv, &e) != 0)
        return usage_error(&e);
    if (catch_signals(&e) != 0)
        return usage_error(&e);
    for (size_t i = 0; status == DONE && i < sizeof steps / sizeof steps[0]; i++)
        status = steps[i](a);
    return status == DONE ? 0 : status;
}

/* A report takes its place also when it is a partial one; an error has none. */
static int end_output(struct app *a, int status)
{
    struct err e = {0};
    bool report = status != ERR_FAILED && status != ERR_UNABLE;
    if (a->output.fd < 0)
        return status;
    if (!report)
        outfile_discard(&a->output);
    else if (outfile_commit(&a->output, &e) != 0)
        return usage_error(&e);
    return status;
}

int main(int argc, char **argv)
{
    struct app a = {.result_fd = STDOUT_FILENO, .output = {.fd = -1}};
    a.general = &a.options.values;
    setvbuf(stdout, NULL, _IONBF, 0);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, which is told */
    log_init(&a.log);
    int status = run_app(&a, argc, argv);
    if (a.log.failed && status == 0)
        status = ERR_FAILED;
    status = end_output(&a, status);
    if (a.gave_up)
        _exit(status);
    if (a.script_open)
        script_close(&a.script);
    affinity_release(&a.affinity);
    env_release(&a.env);
    general_release(&a.options);
    cmdline_release(&a.cmdline);
    log_release(&a.log);
    return status;
}
