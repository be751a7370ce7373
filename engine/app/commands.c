#include "app/app.h"

#include "base/interrupt.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

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

static const char *extra_flaw(void *self)
{
    struct app *a = self;
    return a->script.hook_failed ? "a function of the script failed, as the messages say" : NULL;
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
        return 128 + a->caught->caught;
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
    p->extra = (struct report_extra){.self = a,
                                     .json = extra_json,
                                     .metrics = extra_metrics,
                                     .notes = extra_notes,
                                     .flaw = extra_flaw};
    script_hooks(&a->script, &p->hooks);
    report_observe(p);
}

static int pin_worker(void *self, uint32_t worker, struct err *e)
{
    struct app *a = self;
    int cpu = affinity_pick(&a->affinity, worker);
    return cpu < 0 ? 0 : affinity_apply(cpu, e);
}

/* As in sysbench: not if the threads could not be started. */
static void call_done(struct app *a, const struct run *r)
{
    struct err e = {0};
    if (!r->start_ns || a->gave_up || script_call(&a->script, "done", &e) == 0)
        return;
    fatal(a, &e);
    a->script.hook_failed |= !general_as_sysbench(a->general);
}

/* done() of the script comes after the report, as in sysbench. A document says
 * whether all went well, so it comes after done(), unless it is a partial one
 * anyway; a signal leaves done() its time then, for the result waits for it. */
static void finish(struct app *a, struct report *p, const struct err *failed)
{
    bool done_first = a->general->output_format != FORMAT_TEXT && run_complete(p->run);
    struct err unwritten = {0};
    if (done_first) {
        interrupt_impatient(true);
        call_done(a, p->run);
        interrupt_impatient(false);
    }
    if (report_final(p, failed, &unwritten) != 0) {
        fatal(a, &unwritten);
        a->log.failed = true;
    }
    interrupt_heed(-1);
    if (!done_first)
        call_done(a, p->run);
}

/* The run itself and what ends it. */
static int measure(struct app *a, struct run *r, struct report *p)
{
    const struct optset *sets[GENERAL_SETS + PARTS_MAX + 1];
    struct err e = {0};
    set_up_report(a, p, sets);
    report_mode_lines(p);
    r->signal = a->caught;
    r->pin = pin_worker;
    r->pin_self = a;
    int rc = script_begin_run(&a->script, &e);
    interrupt_heed(1);
    if (rc == 0)
        rc = run_go(r, &e);
    script_end_run(&a->script);
    if (rc != 0)
        fatal(a, &e);
    if (r->failed > 0 && general_as_sysbench(a->general))
        log_put(&a->log, LOG_FATAL, "Thread initialization failed!");
    a->gave_up = r->hung_count > 0;
    finish(a, p, rc ? &e : NULL);
    return exit_status(a, r, rc, &e);
}

/* As in sysbench, what is missing comes with the table of what there is. */
static int refuse_run(struct app *a, const struct err *e)
{
    struct buf table = {0};
    int status = fatal(a, e);
    if (!e->of_options)
        return status;
    buf_putc(&table, '\n');
    test_options(a, &table);
    print_buf(&table);
    return status;
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
        return refuse_run(a, &e);
    if (run_init(&r, a->general, &a->log, &a->clock, s->in_run, s->in_run_count,
                 s->has_event ? SCRIPT_LATENCIES : 0, &e) != 0) {
        run_release(&r);
        return fatal(a, &e);
    }
    int status =
        report_init(&p, &r, &a->log, s->shown, &e) == 0 ? measure(a, &r, &p) : fatal(a, &e);
    if (a->gave_up)
        return status;
    report_release(&p);
    run_release(&r);
    return status;
}

static const struct {
    const char *name;
    int (*run)(struct app *a);
} standard[] = {{"help", test_help},
                {"prepare", prepare_command},
                {"cleanup", cleanup_command},
                {"run", run_scenario}};

static int unknown_command(struct app *a)
{
    const char *command = a->cmdline.command, *near = NULL;
    unsigned best = 3;
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++)
        if (opt_is_nearer(command, standard[i].name, &best))
            near = standard[i].name;
    fprintf(stderr, "Unknown command: %s%s%s%s\n", command, near ? " (did you mean " : "",
            near ? near : "", near ? "?)" : "");
    return ERR_FAILED;
}

int command_step(struct app *a)
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
