/* CSV: a header, one row for each interval, one for the whole run. */
#include "report/report.h"

static void header(const struct report *p, const struct figures *f, struct buf *out)
{
    char percent[32];
    buf_puts(out, "row,at_s,interval_s,threads,events,events_per_s,latency_min_ms,latency_avg_ms,"
                  "latency_max_ms");
    for (unsigned i = 0; i < p->general->percentile_count; i++)
        buf_printf(out, ",latency_p%s_ms",
                   report_percent(p->general->percentiles[i], percent, sizeof percent));
    for (const struct metric *m = f->part ? f->part->workload->metrics : NULL; m && m->name; m++)
        buf_printf(out, ",%s", m->name);
    buf_putc(out, '\n');
}

static void row(const struct report *p, const char *kind, const struct figures *f, unsigned threads,
                struct buf *out)
{
    const struct tally *t = &f->in->tally[LAT_EVENT];
    buf_printf(out, "%s,%.9g,%.9g,%u,%llu,%.9g,%.9g,%.9g,%.9g", kind, f->total_s, f->seconds,
               threads, (unsigned long long)t->count,
               f->seconds > 0 ? (double)t->count / f->seconds : 0, (double)t->min_ns / 1e6,
               tally_mean_ms(t), (double)t->max_ns / 1e6);
    for (unsigned i = 0; i < p->general->percentile_count; i++)
        buf_printf(out, ",%.9g",
                   tally_percentile(t, f->in->grid, p->general->percentiles[i]) / 1e6);
    for (const struct metric *m = f->part ? f->part->workload->metrics : NULL; m && m->name; m++)
        buf_printf(out, ",%.9g", m->value(f));
    buf_putc(out, '\n');
}

void csv_interval(struct report *p, const struct moment *m)
{
    struct figures f = result_figures(p->run, m->since, m->interval_s, m->total_s);
    if (p->general->output_format == FORMAT_CSV)
        row(p, "interval", &f, m->running, &p->csv);
}

void csv_final(struct report *p, const struct figures *f, struct buf *out)
{
    header(p, f, out);
    if (p->csv.size)
        buf_add(out, p->csv.text, p->csv.size);
    row(p, run_complete(p->run) ? "total" : "partial", f, p->run->worker_count, out);
}
