#include "report/watch.h"

#include "env/sensors.h"
#include "report/report.h"

#include <stdio.h>
#include <unistd.h>

void watch_init(struct watch_view *v, const struct general *g, int out_fd)
{
    *v = (struct watch_view){.active =
                                 g->watch && g->output_format == FORMAT_TEXT && isatty(out_fd)};
}

void watch_curve(const double *value, unsigned n, struct buf *out)
{
    double most = 0;
    for (unsigned i = 0; i < n; i++)
        most = value[i] > most ? value[i] : most;
    for (unsigned i = 0; i < n; i++) {
        int step = most > 0 ? (int)(value[i] / most * 7 + 0.5) : 0;
        buf_printf(out, "\xe2\x96%c", 0x81 + step);
    }
}

static void put_curve(struct watch_view *v, struct buf *out)
{
    double ordered[WATCH_POINTS] = {0};
    unsigned n = v->seen < WATCH_POINTS ? v->seen : WATCH_POINTS;
    for (unsigned i = 0; i < n; i++)
        ordered[i] = v->rate[(v->seen - n + i) % WATCH_POINTS];
    watch_curve(ordered, n, out);
}

static void put_latency(const struct figures *f, struct buf *out)
{
    const struct tally *t = &f->in->tally[LAT_EVENT];
    char percent[32];
    for (unsigned i = 0; i < f->general->percentile_count; i++)
        buf_printf(out, "  p%s %.3g",
                   report_percent(f->general->percentiles[i], percent, sizeof percent),
                   result_percentile_ms(f, t, f->general->percentiles[i]));
    buf_printf(out, "  max %.3g ms", (double)t->max_ns / 1e6);
}

static void put_sensors(struct buf *out)
{
    double celsius;
    uint64_t low, high;
    char zone[64];
    if (sensors_temperature("", &celsius, zone, sizeof zone))
        buf_printf(out, "  %.0f °C", celsius);
    if (sensors_clock("", &low, &high))
        buf_printf(out, "  %.0f MHz", (double)high / 1e3);
}

void watch_line(struct watch_view *v, const struct figures *f, const struct moment *m,
                struct buf *out)
{
    double rate = m->interval_s > 0 ? (double)snapshot_events(m->since) / m->interval_s : 0;
    v->rate[v->seen++ % WATCH_POINTS] = rate;
    buf_printf(out, "\r\033[K%5.0f s  %u threads  %.6g events/s ", m->total_s, m->running, rate);
    put_curve(v, out);
    put_latency(f, out);
    if (f->run->pacer)
        buf_printf(out, "  queue %llu", (unsigned long long)m->queue);
    put_sensors(out);
    v->drawn = true;
}

void watch_end(struct watch_view *v, struct buf *out)
{
    if (v->drawn)
        buf_puts(out, "\n\n");
    v->drawn = false;
}
