#include "report/watch.h"

#include "env/sensors.h"
#include "report/report.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

void watch_init(struct watch_view *v, const struct general *g, int out_fd)
{
    bool active = g->watch && g->output_format == FORMAT_TEXT && isatty(out_fd);
    *v = (struct watch_view){.active = active, .out_fd = out_fd};
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

static void put_curve(const struct watch_view *v, unsigned most, struct buf *out)
{
    double ordered[WATCH_POINTS] = {0};
    unsigned n = v->seen < WATCH_POINTS ? v->seen : WATCH_POINTS;
    n = n < most ? n : most;
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

/* A line that the terminal breaks in two could not be drawn over. */
static unsigned columns_of(const struct watch_view *v)
{
    struct winsize size;
    return ioctl(v->out_fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Bytes of the text that fill so many columns; each character is taken for one wide. */
static size_t within(const char *text, unsigned columns, unsigned *filled)
{
    size_t n = 0;
    for (*filled = 0; text[n]; n++) {
        bool starts = (text[n] & 0xc0) != 0x80; /* UTF-8 */
        if (starts && *filled == columns)
            break;
        *filled += starts;
    }
    return n;
}

void watch_compose(struct watch_view *v, const char *head, const char *tail, unsigned columns,
                   struct buf *out)
{
    unsigned used, more;
    unsigned room = columns > 1 ? columns - 1 : 1; /* the last one may break the line */
    buf_add(out, head, within(head, room, &used));
    within(tail, room, &more);
    if (used + more + 1 < room)
        put_curve(v, room - used - more, out);
    buf_add(out, tail, within(tail, room - used, &more));
}

void watch_line(struct watch_view *v, const struct figures *f, const struct moment *m,
                struct buf *out)
{
    struct buf head = {0}, tail = {0};
    double rate = result_events_per_s(f);
    v->rate[v->seen++ % WATCH_POINTS] = rate;
    buf_printf(&head, "%5.*f s  %u threads  %.6g events/s ",
               report_second_digits(f->general->report_interval), m->total_s, m->running, rate);
    put_latency(f, &tail);
    if (f->run->pacer)
        buf_printf(&tail, "  queue %llu", (unsigned long long)m->queue);
    put_sensors(&tail);
    buf_puts(out, "\r\033[K");
    watch_compose(v, buf_text(&head), buf_text(&tail), columns_of(v), out);
    out->failed |= head.failed | tail.failed;
    buf_release(&head);
    buf_release(&tail);
    v->drawn = true;
}

void watch_end(struct watch_view *v, struct buf *out)
{
    if (v->drawn)
        buf_puts(out, "\n\n");
    v->drawn = false;
}
