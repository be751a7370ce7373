#include "report/report.h"

#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int report_init(struct report *p, struct run *r, struct log *l, const char *test, struct err *e)
{
    *p = (struct report){.run = r,
                         .log = l,
                         .general = r->general,
                         .test = test,
                         .result_fd = STDOUT_FILENO,
                         .layout = r->general->compat == COMPAT_0_4 ? LAYOUT_0_4 : LAYOUT_1_0};
    p->events_before = calloc(r->worker_count, sizeof *p->events_before);
    p->sum_before = calloc(r->worker_count, sizeof *p->sum_before);
    if (!p->events_before || !p->sum_before)
        return err_set(e, "out of memory for the report");
    return 0;
}

void report_release(struct report *p)
{
    buf_release(&p->intervals);
    buf_release(&p->checkpoints);
    buf_release(&p->csv);
    free(p->events_before);
    free(p->sum_before);
}

const char *report_percent(double p, char *out, size_t room)
{
    snprintf(out, room, "%.15g", p);
    return out;
}

int report_second_digits(double step)
{
    return step == floor(step) ? 0 : step * 10 == floor(step * 10) ? 1 : 3;
}

struct hook_stat report_hook_stat(const struct report *p, const struct moment *m, bool cumulative)
{
    const struct snapshot *s = m->since;
    const struct tally *t = &s->tally[LAT_EVENT];
    struct figures f = result_figures(p->run, s, m->interval_s, m->total_s);
    return (struct hook_stat){
        .time_total = m->total_s,
        .time_interval = m->interval_s,
        .threads_running = m->running,
        .events = t->count,
        .reads = s->counter[CNT_READ],
        .writes = s->counter[CNT_WRITE],
        .other = s->counter[CNT_OTHER],
        .errors = s->counter[CNT_ERROR],
        .reconnects = s->counter[CNT_RECONNECT],
        .latency_pct = p->general->percentile_count
                           ? result_percentile_ms(&f, t, p->general->percentiles[0]) / 1e3
                           : 0,
        .latency_min = (double)t->min_ns / 1e9,
        .latency_max = (double)t->max_ns / 1e9,
        .latency_avg = tally_mean_ms(t) / 1e3,
        .latency_sum = (double)t->sum_ns / 1e9,
        .queue_length = m->queue,
        .concurrency = m->concurrency,
        .cumulative = cumulative,
    };
}

void report_own_metrics(const struct report *p, const struct figures *f, metric_fn *emit, void *to)
{
    struct moment m = {.total_s = f->total_s, .interval_s = f->seconds, .since = f->in};
    struct hook_stat s = report_hook_stat(p, &m, true);
    if (p->extra.metrics && p->run->ended_ns)
        p->extra.metrics(p->extra.self, f, &s, emit, to);
}

struct metric_list {
    metric_fn *emit;
    void *to;
    const char *part; /* NULL: the script itself, which comes first */
    struct buf taken; /* names, each between line feeds */
};

static bool is_taken(const struct metric_list *l, const char *name)
{
    char between[128]; /* names of primitives are short */
    snprintf(between, sizeof between, "\n%s\n", name);
    return l->taken.size && strstr(buf_text(&l->taken), between);
}

static void emit_once(void *to, const char *name, const char *unit, bool lower_is_better,
                      double value)
{
    struct metric_list *l = to;
    char full[128];
    if (l->part && is_taken(l, name)) {
        snprintf(full, sizeof full, "%s.%s", l->part, name);
        name = full;
    }
    buf_printf(&l->taken, "\n%s\n", name);
    l->emit(l->to, name, unit, lower_is_better, value);
}

bool report_metrics(const struct report *p, const struct figures *f, metric_fn *emit, void *to)
{
    struct metric_list l = {.emit = emit, .to = to};
    report_own_metrics(p, f, emit_once, &l);
    struct figures own = *f;
    for (unsigned i = 0; (own.part = result_part(f->run, &i)) != NULL;) {
        l.part = own.part->workload->name;
        for (const struct metric *m = own.part->workload->metrics; m && m->name; m++)
            emit_once(&l, m->name, m->unit, m->lower_is_better, m->value(&own));
    }
    bool whole = !l.taken.failed;
    buf_release(&l.taken);
    return whole;
}

const char *report_flaw(const struct report *p)
{
    return p->extra.flaw ? p->extra.flaw(p->extra.self) : NULL;
}

void report_mode_lines(struct report *p)
{
    text_mode_lines(p);
}

/* --- observing ------------------------------------------------------------------ */

static void on_starting(void *self, struct run *r)
{
    struct report *p = self;
    const struct general *g = p->general;
    (void)r;
    if (p->layout != LAYOUT_1_0)
        return;
    /* Threads of their own in sysbench; here the one that waits does it all. */
    if (g->report_interval > 0)
        log_put(p->log, LOG_DEBUG, "Reporting thread started");
    if (g->checkpoint_count > 0)
        log_put(p->log, LOG_DEBUG, "Checkpoints report thread started");
    if (g->rate > 0)
        log_put(p->log, LOG_DEBUG, "Event generating thread started");
    log_put(p->log, LOG_NOTICE, "Initializing worker threads...\n");
}

static void on_started(void *self, struct run *r)
{
    struct report *p = self;
    (void)r;
    watch_init(&p->watch, p->general, p->log->out);
    log_put(p->log, LOG_NOTICE,
            p->layout == LAYOUT_1_0 ? "Threads started!\n" : "Threads started!");
}

static void on_interval(void *self, struct run *r, const struct moment *m)
{
    struct report *p = self;
    struct hook_stat s = report_hook_stat(p, m, false);
    (void)r;
    if (p->hooks.intermediate && !m->early)
        p->hooks.intermediate(p->hooks.self, &s);
    else if (!m->early) /* the final report says it all */
        text_interval(p, m);
    json_interval(p, m, &p->intervals);
    csv_interval(p, m);
}

static void remember_workers(struct report *p)
{
    for (unsigned i = 0; i < p->run->worker_count; i++) {
        const struct latency *l = p->run->workers[i].main_stats->latency[LAT_EVENT];
        p->events_before[i] = atomic_load_explicit(&l->count, memory_order_relaxed);
        p->sum_before[i] = atomic_load_explicit(&l->sum_ns, memory_order_relaxed);
    }
}

static void on_checkpoint(void *self, struct run *r, const struct moment *m)
{
    struct report *p = self;
    struct hook_stat s = report_hook_stat(p, m, true);
    text_checkpoint(p, m);
    if (p->hooks.cumulative)
        p->hooks.cumulative(p->hooks.self, &s, true);
    json_interval(p, m, &p->checkpoints);
    if (!m->last) /* the final report counts from the one before it */
        remember_workers(p);
    (void)r;
}

void report_observe(struct report *p)
{
    p->run->observer = (struct run_observer){.self = p,
                                             .threads_starting = on_starting,
                                             .threads_started = on_started,
                                             .interval = on_interval,
                                             .checkpoint = on_checkpoint};
}

/* --- the end ---------------------------------------------------------------------- */

static int put_result(struct report *p, const struct buf *b, struct err *e)
{
    const char *path = p->general->output;
    if (b->failed)
        return err_set(e, "out of memory for the result");
    if (path && *path) {
        struct err cause = {0};
        return outfile_write(path, buf_text(b), b->size, &cause) == 0
                   ? 0
                   : err_set(e, "option --output: %s", cause.text);
    }
    if (log_write_all(p->result_fd, buf_text(b), b->size) != 0)
        return err_sys(e, errno, "the result cannot be written to standard output.");
    return 0;
}

/* The last moment, for hooks and the text: since the last checkpoint. */
static struct moment last_moment(struct report *p)
{
    struct run *r = p->run;
    double total = run_seconds(r);
    snapshot_sub(&r->scratch, run_totals(r), &r->last_checkpoint);
    return (struct moment){.total_s = total,
                           .interval_s = (double)(r->ended_ns - r->last_checkpoint.at_ns) / 1e9,
                           .since = &r->scratch};
}

static int final_text(struct report *p, const struct err *failed, struct err *e)
{
    struct moment m = last_moment(p);
    struct figures f = result_figures(p->run, m.since, m.interval_s, m.total_s);
    struct figures whole = result_figures(p->run, run_totals(p->run), m.total_s, m.total_s);
    text_end(p, &f, failed != NULL);
    /* As in sysbench: what an error ended has no report. */
    if (!failed && p->hooks.cumulative) {
        struct hook_stat s = report_hook_stat(p, &m, true);
        p->hooks.cumulative(p->hooks.self, &s, false);
    } else if (!failed) {
        text_final(p, &f);
    }
    if (!failed)
        text_notes(p, &whole);
    return p->log->failed ? err_set(e, "the report could not be written completely (disk full or "
                                       "reader gone?)")
                          : 0;
}

static int final_document(struct report *p, const struct err *failed, struct err *e)
{
    struct buf out = {0};
    double total = run_seconds(p->run);
    struct figures f = result_figures(p->run, run_totals(p->run), total, total);
    if (p->general->output_format == FORMAT_CSV)
        csv_final(p, &f, &out);
    else
        json_final(p, &f, failed, &out);
    int rc = put_result(p, &out, e);
    buf_release(&out);
    text_notes(p, &f);
    return rc;
}

int report_final(struct report *p, const struct err *failed, struct err *e)
{
    if (p->general->output_format != FORMAT_TEXT)
        return final_document(p, failed, e);
    return p->run->start_ns ? final_text(p, failed, e) : 0;
}
