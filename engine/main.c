/*
 * Arguments -> scenario -> command -> exit status. The steps are a table, each
 * one short; the first that has an answer ends the program. This is the only
 * place that exits.
 */
#include "app/app.h"
#include "option/legacy.h"
#include "primitive/list.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    warn_of_test(a);
    if (cmdline_asks(&a->cmdline, "help", compat)) {
        struct buf out = {0};
        general_help(a, &out);
        int status = print_buf(&out);
        return compat == COMPAT_0_4 ? ERR_FAILED : status; /* as it did */
    }
    if (cmdline_asks(&a->cmdline, "version", compat) || wants_old_version(a)) {
        print_version(a);
        return 0;
    }
    if (cmdline_general(&a->cmdline, &a->options, &e) != 0)
        return option_error(a, &e);
    if (compat == COMPAT_0_4)
        ignore_other_tests(a);
    return general_finish(&a->options, &e) == 0 ? DONE : option_error(a, &e);
}

/* Text goes there as it comes, a document when it is whole; that it can is known
 * before the run in both cases. */
static int open_output(struct app *a, const struct general *g, struct err *e)
{
    struct err cause = {0};
    bool text = g->output_format == FORMAT_TEXT;
    int rc = text ? outfile_open(&a->output, g->output, &cause) : outfile_check(g->output, &cause);
    if (rc != 0)
        return err_set(e, "option --output: %s", cause.text);
    if (text)
        a->log.out = a->log.result = a->output.fd;
    return 0;
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
    }
    if (g->output && *g->output && open_output(a, g, &e) != 0)
        return usage_error(&e);
    say_notes(a);
    warn_endless(a);
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
    if (tool_too_late(a) != DONE)
        return ERR_FAILED;
    print_banner(a);
    /* A script may do its work when it is loaded, what comes with the program
     * does nothing without a command. */
    if (!from_stdin && !a->cmdline.command && script_is_bundled(test)) {
        fprintf(stderr,
                "The '%s' test requires a command argument, usually: %s %s run. See '%s %s help'\n",
                test, program_of(a), test, program_of(a), test);
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
    say_notes(a);
    return DONE;
}

/* Words that do not fit; what was said of --test up to there stays said. */
static int not_understood(struct app *a, const struct err *e)
{
    struct err unknown = {0};
    if (cmdline_compat(&a->cmdline, a->cmdline.argv[0], &a->general->compat, &unknown) == 0)
        warn_of_test(a);
    return usage_error(e);
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
        return not_understood(a, &e);
    if (signals_catch(&a->caught, &e) != 0)
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

/* A standard stream that the caller has closed would be the next file that is
 * opened, and a report would go into that. Results that cannot be written are an
 * error; that nobody wants the messages is none. */
static void hold_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    hold_streams();
    struct app a = {.result_fd = STDOUT_FILENO, .output = {.fd = -1}};
    a.general = &a.options.values;
    setvbuf(stdout, NULL, _IONBF, 0);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, which is told */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow (ulimit -f) */
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
