/* The JSON document: one for each run, for any scenario. docs/json.md describes
 * its members; SCHEMA changes when one changes its meaning. */
#include "report/report.h"

#include "base/clock.h"

#include <string.h>

#define SCHEMA "sbench-result-1"

static void latency_object(struct json *j, const char *key, const struct figures *f,
                           const struct tally *t)
{
    const struct general *g = f->general;
    char percent[32];
    json_open(j, key, '{');
    json_double(j, "min", (double)t->min_ns / 1e6);
    json_double(j, "avg", tally_mean_ms(t));
    json_double(j, "max", (double)t->max_ns / 1e6);
    json_double(j, "sum", (double)t->sum_ns / 1e6);
    json_open(j, "percentiles", '{');
    for (unsigned i = 0; i < g->percentile_count; i++)
        json_double(j, report_percent(g->percentiles[i], percent, sizeof percent),
                    tally_percentile(t, f->in->grid, g->percentiles[i]) / 1e6);
    json_close(j, '}');
    json_close(j, '}');
}

static void one_metric(void *to, const char *name, const char *unit, bool lower_is_better,
                       double value)
{
    struct json *j = to;
    json_open(j, name, '{');
    json_double(j, "value", value);
    json_text(j, "unit", unit);
    json_text(j, "better", lower_is_better ? "lower" : "higher");
    json_close(j, '}');
}

static void metrics(struct json *j, const struct report *p, const struct figures *f)
{
    json_open(j, "metrics", '{');
    j->out->failed |= !report_metrics(p, f, one_metric, j);
    json_close(j, '}');
}

/* Counts of one kind of operation of a part. */
static void operation(struct json *j, const struct figures *f, const struct part *p,
                      const char *name, const struct tally *t)
{
    json_open(j, name, '{');
    json_uint(j, "ops", t->count);
    if (strcmp(name, "read") == 0)
        json_uint(j, "bytes", f->in->counter[p->bytes_read]);
    else if (strcmp(name, "write") == 0)
        json_uint(j, "bytes", f->in->counter[p->bytes_written]);
    else if (strcmp(name, "fsync") == 0)
        json_uint(j, "bytes", 0);
    latency_object(j, "latency_ms", f, t);
    json_close(j, '}');
}

/* One object for each part that has latency statistics of its own. */
static void parts(struct json *j, const struct figures *f)
{
    for (unsigned i = 0; i < f->run->part_count; i++) {
        const struct part *p = f->run->parts[i];
        const char *const *name = p->workload->latencies;
        if (!name)
            continue;
        json_open(j, p->workload->name, '{');
        for (unsigned k = 0; name[k]; k++)
            operation(j, f, p, name[k], &f->in->tally[p->first_latency + k]);
        json_close(j, '}');
    }
}

/* Latencies and counters that a script named itself. */
static void named(struct json *j, const struct figures *f)
{
    const struct run_names *n = &f->run->names;
    json_open(j, "latencies_ms", '{');
    for (unsigned k = 1; k < n->latencies && k < f->in->latencies; k++) {
        json_open(j, n->latency[k], '{');
        json_uint(j, "count", f->in->tally[k].count);
        latency_object(j, "latency_ms", f, &f->in->tally[k]);
        json_close(j, '}');
    }
    json_close(j, '}');
    json_open(j, "counters", '{');
    for (unsigned c = 0; c < n->counters; c++)
        json_uint(j, n->counter[c], f->in->counter[c]);
    json_close(j, '}');
}

static void options(struct json *j, const struct report *p)
{
    json_open(j, "options", '{');
    for (size_t k = 0; k < p->set_count; k++) {
        for (size_t i = 0; i < p->sets[k]->count; i++) {
            struct buf text = {0};
            const struct option *o = &p->sets[k]->rows[i];
            if (o->secret || o->type == OPT_FILE)
                continue;
            optset_text(p->sets[k], i, &text);
            json_text(j, o->name, buf_text(&text));
            j->out->failed |= text.failed;
            buf_release(&text);
        }
    }
    json_close(j, '}');
}

static void rate(struct json *j, const struct figures *f)
{
    const struct run *r = f->run;
    if (!r->pacer)
        return;
    json_open(j, "rate", '{');
    json_double(j, "target_per_s", r->general->rate);
    json_double(j, "reached_per_s", result_events_per_s(f));
    json_double(j, "ramp_s", r->general->rate_ramp);
    json_uint(j, "backlog", r->backlog);
    json_uint(j, "late", f->in->counter[r->late_counter]);
    json_uint(j, "dropped", f->in->counter[r->dropped_counter]);
    latency_object(j, "response_ms", f, &f->in->tally[LAT_EVENT]);
    latency_object(j, "service_ms", f, &f->in->tally[r->service_latency]);
    json_close(j, '}');
}

/* How long the warm-up was, also where it did not end because of the rate. */
static double steady_after_s(const struct run *r)
{
    return r->steady.reached ? r->steady.after_s : (double)(r->start_ns - r->go_ns) / 1e9;
}

static void steady(struct json *j, const struct run *r)
{
    if (r->steady.level <= 0)
        return;
    json_open(j, "steady", '{');
    json_bool(j, "reached", r->steady.reached);
    json_double(j, "level_percent", r->steady.level);
    json_uint(j, "windows", r->steady.seen);
    json_double(j, "after_s", steady_after_s(r));
    json_double(j, "spread_percent", r->steady.spread);
    json_double(j, "slope_percent", r->steady.slope);
    json_close(j, '}');
}

static void fairness(struct json *j, const struct figures *f)
{
    struct fairness a = result_fairness(f->run, NULL, NULL);
    json_open(j, "fairness", '{');
    json_double(j, "events_avg", a.events_avg);
    json_double(j, "events_stddev", a.events_dev);
    json_double(j, "time_avg_s", a.time_avg);
    json_double(j, "time_stddev_s", a.time_dev);
    json_close(j, '}');
}

static void unfinished(struct json *j, const struct run *r)
{
    if (!r->hung)
        return;
    json_open(j, "unfinished", '[');
    for (unsigned i = 0; i < r->hung_count; i++) {
        json_open(j, NULL, '{');
        json_uint(j, "thread", r->hung[i].worker);
        json_double(j, "seconds", r->hung[i].seconds);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void buckets(struct json *j, const struct figures *f)
{
    const struct tally *t = &f->in->tally[LAT_EVENT];
    json_open(j, "histogram_ns", '[');
    for (unsigned i = 0; i < HIST_N; i++) {
        if (!t->bucket[i])
            continue;
        json_open(j, NULL, '[');
        json_uint(j, NULL, hist_low(f->in->grid, i));
        json_uint(j, NULL, t->bucket[i]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void one_note(void *to, const char *key, const char *text)
{
    struct json *j = to;
    json_open(j, NULL, '{');
    json_text(j, "key", key);
    json_text(j, "text", text);
    json_close(j, '}');
}

static void notes(struct json *j, const struct report *p, const struct figures *f)
{
    json_open(j, "notes", '[');
    result_notes(f, one_note, j);
    if (p->extra.notes)
        p->extra.notes(p->extra.self, one_note, j);
    json_close(j, ']');
}

static void clock_object(struct json *j, const struct clock *c)
{
    json_open(j, "clock", '{');
    json_text(j, "source", clock_name(c));
    if (c->cycles_per_s > 0)
        json_double(j, "cycles_per_s", c->cycles_per_s);
    json_text(j, "why", c->why);
    json_close(j, '}');
}

/* The texts in series are values that json_interval wrote. */
static void series(struct json *j, const char *key, const struct buf *values)
{
    if (!values->size)
        return;
    json_open(j, key, '[');
    json_splice(j, values);
    json_close(j, ']');
}

void json_interval(struct report *p, const struct moment *m, struct buf *to)
{
    struct figures f = result_figures(p->run, m->since, m->interval_s, m->total_s);
    struct json j;
    if (p->general->output_format != FORMAT_JSON)
        return;
    if (to->size)
        buf_puts(to, ",");
    json_init(&j, to);
    j.depth = 2;
    json_open(&j, NULL, '{');
    json_double(&j, "at_s", m->total_s);
    json_double(&j, "interval_s", m->interval_s);
    json_uint(&j, "threads", m->running);
    json_uint(&j, "events", snapshot_events(m->since));
    json_double(&j, "events_per_s",
                m->interval_s > 0 ? (double)snapshot_events(m->since) / m->interval_s : 0);
    latency_object(&j, "latency_ms", &f, &m->since->tally[LAT_EVENT]);
    metrics(&j, p, &f);
    if (p->run->pacer) {
        json_uint(&j, "queue_length", m->queue);
        json_uint(&j, "concurrency", m->concurrency);
    }
    json_close(&j, '}');
}

void json_final(struct report *p, const struct figures *f, const struct err *failed,
                struct buf *out)
{
    struct json j, apart;
    struct buf figures = {0};
    const struct run *r = p->run;
    json_init(&apart, &figures);
    apart.depth = 1;
    metrics(&apart, p, f); /* first, for a function of the script may fail in it */
    const char *error = failed ? failed->text : report_flaw(p);
    bool signalled = atomic_load(&r->limit) == LIMIT_SIGNAL;
    json_init(&j, out);
    json_open(&j, NULL, '{');
    json_text(&j, "schema", SCHEMA);
    json_text(&j, "test", p->test);
    json_bool(&j, "complete", !error && run_complete(r));
    json_text(&j, "limit", failed && !signalled ? "error" : run_limit_name(r));
    if (error)
        json_text(&j, "error", error);
    json_uint(&j, "threads", r->worker_count);
    json_uint(&j, "events", snapshot_events(f->in));
    json_double(&j, "time_s", f->total_s);
    json_double(&j, "events_per_s", result_events_per_s(f));
    latency_object(&j, "latency_ms", f, &f->in->tally[LAT_EVENT]);
    json_splice(&j, &figures);
    buf_release(&figures);
    parts(&j, f);
    named(&j, f);
    rate(&j, f);
    steady(&j, r);
    fairness(&j, f);
    unfinished(&j, r);
    series(&j, "intervals", &p->intervals);
    series(&j, "checkpoints", &p->checkpoints);
    buckets(&j, f);
    json_uint(&j, "seed", r->seed);
    clock_object(&j, r->clock);
    options(&j, p);
    notes(&j, p, f);
    if (p->extra.json)
        p->extra.json(p->extra.self, &j);
    json_close(&j, '}');
}
