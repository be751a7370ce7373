/* The text report, in the layouts of sysbench 1.0 and 0.4. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A report that memory was missing for is one that could not be written. */
static void put(struct report *p, const struct buf *b)
{
    if (b->failed)
        p->log->failed = true;
    log_report(p->log, LOG_NOTICE, buf_text(b));
}

/* --- before the start ----------------------------------------------------------- */

static void limits(struct report *p)
{
    const struct general *g = p->general;
    log_put(p->log, LOG_NOTICE, "Number of threads: %lld", (long long)g->threads);
    if (g->warmup_time > 0)
        log_put(p->log, LOG_NOTICE, "Warmup time: %.15gs", g->warmup_time);
    if (g->rate > 0)
        log_put(p->log, LOG_NOTICE, "Target transaction rate: %.15g/sec", g->rate);
    if (g->report_interval > 0 && !g->batch)
        log_put(p->log, LOG_NOTICE, "Report intermediate results every %.15g second(s)",
                g->report_interval);
}

static void checkpoints(struct report *p)
{
    struct buf list = {0};
    for (unsigned i = 0; i < p->general->checkpoint_count; i++)
        buf_printf(&list, "%s%.15g", i ? ", " : "", p->general->checkpoints[i]);
    if (list.size)
        log_put(p->log, LOG_NOTICE, "Report checkpoint(s) at %s seconds", buf_text(&list));
    buf_release(&list);
}

static void seed_line(struct report *p)
{
    bool from_time = p->general->rand_seed == 0;
    if (p->layout == LAYOUT_0_4 && p->general->init_rng)
        log_put(p->log, LOG_NOTICE, "Initializing random number generator from timer.\n");
    else if (p->layout == LAYOUT_0_4)
        return;
    else if (from_time)
        log_put(p->log, LOG_NOTICE, "Initializing random number generator from current time\n");
    else
        log_put(p->log, LOG_NOTICE, "Initializing random number generator from seed (%lld).\n",
                (long long)p->general->rand_seed);
}

void text_mode_lines(struct report *p)
{
    const struct general *g = p->general;
    log_put(p->log, LOG_NOTICE, "Running the test with following options:");
    limits(p);
    checkpoints(p);
    if (g->debug)
        log_put(p->log, LOG_NOTICE, "Debug mode enabled.\n");
    if (g->validate)
        log_put(p->log, LOG_NOTICE,
                p->layout == LAYOUT_0_4 ? "Additional request validation enabled.\n"
                                        : "Validation checks: on.\n");
    seed_line(p);
    if (g->time > 0 && g->forced_s >= 0)
        log_put(p->log, LOG_NOTICE, "Forcing shutdown in %.0f seconds",
                floor(g->time + g->forced_s));
    log_report(p->log, LOG_NOTICE, p->log->verbosity >= LOG_NOTICE ? "\n" : "");
    const struct part *part;
    for (unsigned i = 0; (part = result_part(p->run, &i)) != NULL;)
        if (part->workload->describe)
            part->workload->describe(part, g, p->layout, p->log);
}

/* --- intermediate lines ----------------------------------------------------------- */

/* Whole seconds as sysbench prints them, more digits for finer intervals. */
static void time_stamp(int digits, double seconds, struct buf *out)
{
    buf_printf(out, "[ %.*fs ] ", digits, seconds);
}

static int interval_digits(const struct report *p)
{
    return report_second_digits(p->general->report_interval);
}

static int checkpoint_digits(const struct report *p)
{
    int most = interval_digits(p);
    for (unsigned i = 0; i < p->general->checkpoint_count; i++) {
        int digits = report_second_digits(p->general->checkpoints[i]);
        most = digits > most ? digits : most;
    }
    return most;
}

static double first_percentile(const struct report *p, const struct figures *f)
{
    if (p->general->percentile_count == 0)
        return 0;
    return result_percentile_ms(f, &f->in->tally[LAT_EVENT], p->general->percentiles[0]);
}

static void default_interval(const struct report *p, const struct figures *f,
                             const struct moment *m, struct buf *out)
{
    char percent[32];
    double first = p->general->percentile_count ? p->general->percentiles[0] : 0;
    buf_printf(out, "thds: %u eps: %4.2f lat (ms,%s%%): %4.2f", m->running,
               m->interval_s > 0 ? (double)snapshot_events(f->in) / m->interval_s : 0,
               report_percent(first, percent, sizeof percent), first_percentile(p, f));
}

/* What --batch of 0.4 printed: all of it is latencies, in seconds. */
static void batch_line(const struct report *p, const struct figures *f, const struct moment *m,
                       struct buf *out)
{
    const struct tally *t = &f->in->tally[LAT_EVENT];
    buf_printf(out, "[%.0f] min: %.4f  avg: %.4f  max: %.4f  percentile: %.4f\n", m->total_s,
               (double)t->min_ns / 1e9, tally_mean_ms(t) / 1e3, (double)t->max_ns / 1e9,
               first_percentile(p, f) / 1e3);
}

static void interval_lines(const struct report *p, const struct figures *f, const struct moment *m,
                           struct buf *out)
{
    time_stamp(interval_digits(p), m->total_s, out);
    if (f->part && f->part->workload->interval)
        f->part->workload->interval(f, p->layout, out);
    else
        default_interval(p, f, m, out);
    buf_putc(out, '\n');
    if (!p->run->pacer)
        return;
    time_stamp(interval_digits(p), m->total_s, out);
    buf_printf(out, "queue length: %llu concurrency: %llu\n", (unsigned long long)m->queue,
               (unsigned long long)m->concurrency);
}

void text_interval(struct report *p, const struct moment *m)
{
    struct buf out = {0};
    struct figures f = result_figures(p->run, m->since, m->interval_s, m->total_s);
    if (p->general->output_format != FORMAT_TEXT)
        return;
    if (p->watch.active)
        watch_line(&p->watch, &f, m, &out);
    else if (p->general->batch)
        batch_line(p, &f, m, &out);
    else
        interval_lines(p, &f, m, &out);
    put(p, &out);
    buf_release(&out);
}

/* --- cumulative blocks -------------------------------------------------------------- */

static void percentile_lines(const struct report *p, const struct figures *f, const char *format,
                             struct buf *out)
{
    const struct tally *t = &f->in->tally[LAT_EVENT];
    char percent[32];
    for (unsigned i = 0; i < p->general->percentile_count; i++) {
        double at = p->general->percentiles[i];
        buf_printf(out, format, report_percent(at, percent, sizeof percent),
                   result_percentile_ms(f, t, at));
    }
}

static void latency_1_0(const struct report *p, const struct figures *f, struct buf *out)
{
    const struct tally *t = &f->in->tally[LAT_EVENT];
    buf_puts(out, "\nLatency (ms):\n");
    buf_printf(out, "         min: %39.2f\n", (double)t->min_ns / 1e6);
    buf_printf(out, "         avg: %39.2f\n", tally_mean_ms(t));
    buf_printf(out, "         max: %39.2f\n", (double)t->max_ns / 1e6);
    if (p->general->percentile_count)
        percentile_lines(p, f, "%11sth percentile: %27.2f\n", out);
    else
        buf_puts(out, "         percentile stats:               disabled\n");
    buf_printf(out, "         sum: %39.2f\n", (double)t->sum_ns / 1e6);
}

static void general_1_0(const struct report *p, const struct figures *f, struct buf *out)
{
    buf_puts(out, "\nGeneral statistics:\n");
    buf_printf(out, "    total time:                          %.4fs\n", f->total_s);
    buf_printf(out, "    total number of events:              %llu\n",
               (unsigned long long)snapshot_events(f->in));
    latency_1_0(p, f, out);
}

static void general_0_4(const struct report *p, const struct figures *f, struct buf *out)
{
    const struct tally *t = &f->in->tally[LAT_EVENT];
    buf_puts(out, "\nTest execution summary:\n");
    buf_printf(out, "    total time:                          %.4fs\n", f->total_s);
    buf_printf(out, "    total number of events:              %llu\n",
               (unsigned long long)t->count);
    buf_printf(out, "    total time taken by event execution: %.4f\n", (double)t->sum_ns / 1e9);
    buf_puts(out, "    per-request statistics:\n");
    buf_printf(out, "         min:                            %10.2fms\n", (double)t->min_ns / 1e6);
    buf_printf(out, "         avg:                            %10.2fms\n", tally_mean_ms(t));
    buf_printf(out, "         max:                            %10.2fms\n", (double)t->max_ns / 1e6);
    if (t->count)
        percentile_lines(p, f, "         approx. %3s percentile:         %10.2fms\n", out);
}

static void fairness(const struct report *p, struct buf *out)
{
    struct fairness a = result_fairness(p->run, p->events_before, p->sum_before);
    buf_puts(out, "\nThreads fairness:\n");
    buf_printf(out, "    events (avg/stddev):           %.4f/%3.2f\n", a.events_avg, a.events_dev);
    buf_printf(out, "    execution time (avg/stddev):   %.4f/%3.2f\n\n", a.time_avg, a.time_dev);
}

static void per_thread(struct report *p, struct buf *out)
{
    buf_puts(out, "DEBUG: Verbose per-thread statistics:\n\n");
    for (unsigned i = 0; i < p->run->worker_count; i++) {
        const struct latency *l = p->run->workers[i].main_stats->latency[LAT_EVENT];
        uint64_t n = atomic_load(&l->count), sum = atomic_load(&l->sum_ns);
        buf_printf(
            out, "DEBUG:     thread #%3u: min: %.4fs  avg: %.4fs  max: %.4fs  events: %llu\n", i,
            n ? (double)atomic_load(&l->min_ns) / 1e9 : 0, n ? (double)sum / (double)n / 1e9 : 0,
            (double)atomic_load(&l->max_ns) / 1e9, (unsigned long long)n);
        buf_printf(out, "DEBUG:                  total time taken by event execution: %.4fs\n",
                   (double)sum / 1e9);
    }
    buf_putc(out, '\n');
}

static void metric_line(void *to, const char *name, const char *unit, bool lower_is_better,
                        double value)
{
    struct buf *out = to;
    (void)lower_is_better;
    buf_printf(out, "    %s:%*s%.6g %s\n", name, strlen(name) < 28 ? 28 - (int)strlen(name) : 1, "",
               value, unit);
}

static void own_metrics(const struct report *p, const struct figures *f, struct buf *out)
{
    struct buf lines = {0};
    report_own_metrics(p, f, metric_line, &lines);
    if (lines.size)
        buf_printf(out, "\nMetrics:\n%s", buf_text(&lines));
    out->failed |= lines.failed;
    buf_release(&lines);
}

/* Latencies and counters that a script named, or operations of primitives that
 * it called. */
static void own_measures(const struct report *p, const struct figures *f, struct buf *out)
{
    const struct run_names *n = &p->run->names;
    if (n->latencies > n->own_latencies)
        buf_puts(out, "\nMeasures:                     count     avg (ms)     max (ms)\n");
    for (unsigned k = n->own_latencies; k < n->latencies && k < f->in->latencies; k++) {
        const struct tally *t = &f->in->tally[k];
        buf_printf(out, "    %-16s %14llu %12.3f %12.3f\n", n->latency[k],
                   (unsigned long long)t->count, tally_mean_ms(t), (double)t->max_ns / 1e6);
    }
    if (n->counters > n->own_counters)
        buf_puts(out, "\nCounters:\n");
    for (unsigned c = n->own_counters; c < n->counters; c++)
        buf_printf(out, "    %-16s %14llu\n", n->counter[c], (unsigned long long)f->in->counter[c]);
}

static void part_blocks(const struct report *p, const struct figures *f, struct buf *out)
{
    struct figures own = *f;
    for (unsigned i = 0; (own.part = result_part(p->run, &i)) != NULL;)
        if (own.part->workload->report)
            own.part->workload->report(&own, p->layout, out);
}

static void block(struct report *p, const struct figures *f, struct buf *out)
{
    part_blocks(p, f, out);
    own_measures(p, f, out);
    own_metrics(p, f, out);
    if (p->run->hung_count > 0)
        buf_printf(out, "\nNumber of unfinished transactions on forced shutdown: %u\n",
                   p->run->hung_count);
    if (p->layout == LAYOUT_0_4)
        general_0_4(p, f, out);
    else
        general_1_0(p, f, out);
    fairness(p, out);
    if (p->general->debug)
        per_thread(p, out);
}

void text_checkpoint(struct report *p, const struct moment *m)
{
    struct buf out = {0};
    struct figures f = result_figures(p->run, m->since, m->interval_s, m->total_s);
    if (p->general->output_format != FORMAT_TEXT)
        return;
    watch_end(&p->watch, &out);
    time_stamp(checkpoint_digits(p), m->total_s, &out);
    buf_puts(&out, "Checkpoint report:\n");
    if (!p->hooks.cumulative)
        block(p, &f, &out);
    put(p, &out);
    buf_release(&out);
}

/* As in sysbench, the bars are printed whatever the verbosity, what stands
 * round them is not. */
static void put_bars(struct report *p, const struct buf *bars)
{
    log_put(p->log, LOG_NOTICE, "Latency histogram (values are in milliseconds)");
    if (bars->failed || log_write_all(p->log->out, buf_text(bars), bars->size) != 0)
        p->log->failed = true;
    log_put(p->log, LOG_NOTICE, " ");
}

static void histogram(struct report *p, const struct figures *f)
{
    uint64_t bins[SYSBENCH_BINS], most = 0;
    struct buf out = {0};
    tally_bins(&f->in->tally[LAT_EVENT], f->in->grid, bins);
    for (unsigned i = 0; i < SYSBENCH_BINS; i++)
        most = bins[i] > most ? bins[i] : most;
    if (most == 0)
        return;
    buf_puts(&out, "       value  ------------- distribution ------------- count\n");
    for (unsigned i = 0; i < SYSBENCH_BINS; i++) {
        int stars = (int)floor((double)bins[i] * 40 / (double)most + 0.5);
        if (bins[i])
            buf_printf(&out, "%12.3f |%-40.*s %llu\n", hist_bin_ms(i), stars,
                       "****************************************", (unsigned long long)bins[i]);
    }
    put_bars(p, &out);
    buf_release(&out);
}

void text_end(struct report *p, const struct figures *f, bool failed)
{
    struct buf out = {0};
    watch_end(&p->watch, &out);
    put(p, &out);
    buf_release(&out);
    if (p->run->hung_count == 0)
        log_put(p->log, LOG_INFO, "Done.\n");
    else if (p->run->forced)
        log_put(p->log, LOG_FATAL,
                "--forced-shutdown: %u of %u threads are still in an event %.15g s "
                "after the limit of --time",
                p->run->hung_count, p->run->worker_count, p->general->forced_s);
    if (p->general->histogram && !failed)
        histogram(p, f);
}

void text_final(struct report *p, const struct figures *f)
{
    struct buf out = {0};
    block(p, f, &out);
    put(p, &out);
    buf_release(&out);
}

/* --- notes ------------------------------------------------------------------------------ */

static void put_note(void *to, const char *key, const char *text)
{
    (void)key;
    buf_printf(to, "note: %s\n", text);
}

void text_notes(struct report *p, const struct figures *f)
{
    struct buf out = {0};
    if (p->general->quiet_notes)
        return;
    result_notes(f, put_note, &out);
    if (p->extra.notes)
        p->extra.notes(p->extra.self, put_note, &out);
    if (out.failed ||
        log_write_all(p->log->serious == 1 ? 2 : p->log->serious, buf_text(&out), out.size) != 0)
        p->log->failed = true;
    buf_release(&out);
}
