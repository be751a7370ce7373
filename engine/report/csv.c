/* CSV: a header, one row for each interval, one for the whole run. */
#include "report/report.h"

#include <math.h>
#include <string.h>

/* Stands in the row of an interval for the figures of a script, which are there
 * only at the end; how many they are is known then. */
#define OWN_CELLS '\f'

struct columns {
    struct buf *out;
    bool names;     /* the header; otherwise values */
    unsigned count; /* of columns so far */
};

static void one_column(void *to, const char *name, const char *unit, bool lower_is_better,
                       double value)
{
    struct columns *c = to;
    (void)unit;
    (void)lower_is_better;
    if (strcmp(name, "events_per_s") == 0)
        return; /* every run has it, among the first columns */
    c->count++;
    buf_putc(c->out, ',');
    if (c->names)
        buf_puts(c->out, name); /* letters, digits, _ and . */
    else if (isfinite(value))
        buf_printf(c->out, "%.9g", value);
}

static void header(const struct report *p, const struct figures *f, struct buf *out)
{
    struct columns c = {.out = out, .names = true};
    char percent[32];
    buf_puts(out, "row,at_s,interval_s,threads,events,events_per_s,latency_min_ms,latency_avg_ms,"
                  "latency_max_ms");
    for (unsigned i = 0; i < p->general->percentile_count; i++)
        buf_printf(out, ",latency_p%s_ms",
                   report_percent(p->general->percentiles[i], percent, sizeof percent));
    if (p->run->pacer)
        buf_puts(out, ",late,dropped,backlog");
    out->failed |= !report_metrics(p, f, one_column, &c);
    buf_putc(out, '\n');
}

static void row(const struct report *p, const char *kind, const struct figures *f, unsigned threads,
                uint64_t backlog, struct buf *out)
{
    struct columns c = {.out = out};
    const struct run *r = p->run;
    const struct tally *t = &f->in->tally[LAT_EVENT];
    buf_printf(out, "%s,%.9g,%.9g,%u,%llu,%.9g,%.9g,%.9g,%.9g", kind, f->total_s, f->seconds,
               threads, (unsigned long long)t->count, result_events_per_s(f),
               (double)t->min_ns / 1e6, tally_mean_ms(t), (double)t->max_ns / 1e6);
    for (unsigned i = 0; i < p->general->percentile_count; i++)
        buf_printf(out, ",%.9g",
                   tally_percentile(t, f->in->grid, p->general->percentiles[i]) / 1e6);
    if (r->pacer)
        buf_printf(out, ",%llu,%llu,%llu", (unsigned long long)f->in->counter[r->late_counter],
                   (unsigned long long)f->in->counter[r->dropped_counter],
                   (unsigned long long)backlog);
    if (r->ended_ns == 0)
        buf_putc(out, OWN_CELLS);
    out->failed |= !report_metrics(p, f, one_column, &c);
    buf_putc(out, '\n');
}

void csv_interval(struct report *p, const struct moment *m)
{
    struct figures f = result_figures(p->run, m->since, m->interval_s, m->total_s);
    if (p->general->output_format == FORMAT_CSV)
        row(p, "interval", &f, m->running, m->queue, &p->csv);
}

/* The rows of intervals, with as many empty cells as the script has figures. */
static void intervals(const struct report *p, const struct figures *f, struct buf *out)
{
    struct buf own = {0};
    struct columns c = {.out = &own};
    report_own_metrics(p, f, one_column, &c);
    for (const char *at = buf_text(&p->csv); *at; at++)
        for (unsigned n = *at == OWN_CELLS ? c.count : 1; n > 0; n--)
            buf_putc(out, *at == OWN_CELLS ? ',' : *at);
    out->failed |= p->csv.failed | own.failed;
    buf_release(&own);
}

void csv_final(struct report *p, const struct figures *f, struct buf *out)
{
    header(p, f, out);
    intervals(p, f, out);
    row(p, run_complete(p->run) && !report_flaw(p) ? "total" : "partial", f, p->run->worker_count,
        p->run->backlog, out);
}
