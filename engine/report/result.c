#include "report/result.h"

#include <math.h>
#include <stdio.h>

static bool speaks(const struct part *p)
{
    const struct workload *w = p->workload;
    return (w->report || w->metrics) && (p->index == 0 || w->reports_lent);
}

const struct part *result_part(const struct run *r, unsigned *i)
{
    while (*i < r->part_count) {
        const struct part *p = r->parts[(*i)++];
        if (speaks(p))
            return p;
    }
    return NULL;
}

struct figures result_figures(const struct run *r, const struct snapshot *in, double seconds,
                              double total_s)
{
    unsigned first = 0; /* its text stands for the run where there is but one line */
    return (struct figures){.in = in,
                            .seconds = seconds,
                            .total_s = total_s,
                            .general = r->general,
                            .part = result_part(r, &first),
                            .run = r};
}

double result_events_per_s(const struct figures *f)
{
    return f->seconds > 0 ? (double)snapshot_events(f->in) / f->seconds : 0;
}

double result_percentile_ms(const struct figures *f, const struct tally *t, double p)
{
    if (general_as_sysbench(f->general))
        return tally_sysbench_percentile(t, f->in->grid, p);
    return tally_percentile(t, f->in->grid, p) / 1e6;
}

/* --- fairness ----------------------------------------------------------------- */

static uint64_t peek(const _Atomic uint64_t *n)
{
    return atomic_load_explicit(n, memory_order_relaxed);
}

static double worker_events(const struct run *r, unsigned i, const uint64_t *before)
{
    return (double)(stats_events(r->workers[i].main_stats) - (before ? before[i] : 0));
}

static double worker_seconds(const struct run *r, unsigned i, const uint64_t *before)
{
    uint64_t sum = peek(&r->workers[i].main_stats->latency[LAT_EVENT]->sum_ns);
    return (double)(sum - (before ? before[i] : 0)) / 1e9;
}

struct spread {
    double mean, deviation;
};

static struct spread spread_over(const struct run *r, const uint64_t *before,
                                 double (*value)(const struct run *, unsigned, const uint64_t *))
{
    struct spread s = {0, 0};
    double n = r->worker_count;
    for (unsigned i = 0; i < r->worker_count; i++)
        s.mean += value(r, i, before) / n;
    for (unsigned i = 0; i < r->worker_count; i++)
        s.deviation += pow(value(r, i, before) - s.mean, 2);
    s.deviation = sqrt(s.deviation / n);
    return s;
}

struct fairness result_fairness(const struct run *r, const uint64_t *events_before,
                                const uint64_t *sum_ns_before)
{
    struct spread events = spread_over(r, events_before, worker_events);
    struct spread seconds = spread_over(r, sum_ns_before, worker_seconds);
    return (struct fairness){events.mean, events.deviation, seconds.mean, seconds.deviation};
}

/* --- notes ---------------------------------------------------------------------- */

struct noting {
    note_fn *note;
    void *to;
    const struct figures *f;
};

static void say(const struct noting *n, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void say(const struct noting *n, const char *key, const char *fmt, ...)
{
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    n->note(n->to, key, text);
}

static void note_limit(const struct noting *n)
{
    const struct run *r = n->f->run;
    static const char *const ended_by[] = {
        [LIMIT_NONE] = "the run ended because the scenario had no more work",
        [LIMIT_TIME] = NULL, /* the usual end is said only where it matters */
        [LIMIT_EVENTS] = "the limit --events ended the run, not --time",
        [LIMIT_WORK] = "the run ended because the scenario had no more work, not by --time",
        [LIMIT_SIGNAL] = "partial result: a signal ended the run before its limits",
        [LIMIT_ERROR] = "partial result: an error ended the run",
    };
    const char *text = ended_by[atomic_load(&r->limit)];
    if (text)
        say(n, "limit", "%s", text);
}

static void note_hung(const struct noting *n)
{
    const struct run *r = n->f->run;
    struct buf who = {0};
    for (unsigned i = 0; i < r->hung_count && i < 8; i++)
        buf_printf(&who, "%s#%u (%.1f s)", i ? ", " : "", r->hung[i].worker, r->hung[i].seconds);
    if (r->hung_count > 8)
        buf_puts(&who, ", …");
    if (r->hung_count > 0 && r->hung)
        say(n, "unfinished",
            "%u of %u threads were still in an event when the run was ended by %s: %s; their last "
            "events are not counted",
            r->hung_count, r->worker_count,
            r->forced                                ? "--forced-shutdown"
            : atomic_load(&r->limit) == LIMIT_SIGNAL ? "the signal"
                                                     : "the hard stop (--hard-stop)",
            buf_text(&who));
    buf_release(&who);
}

static void note_overrun(const struct noting *n)
{
    const struct run *r = n->f->run;
    double limit = r->general->time;
    if (limit <= 0 || atomic_load(&r->limit) != LIMIT_TIME || r->hung_count > 0)
        return;
    double last = (double)(r->last_left_ns - r->start_ns) / 1e9 - limit;
    double after = (double)(r->ended_ns - r->last_left_ns) / 1e9;
    if (last > fmax(0.1, limit * 0.02))
        say(n, "overrun",
            "the last event ended %.2f s past the time limit of %.15g s; the total time "
            "and the rates contain that",
            last, limit);
    if (after > fmax(0.1, limit * 0.02))
        say(n, "closing",
            "closing down (final flush and the like) took another %.2f s after the last "
            "event",
            after);
}

static void note_rate(const struct noting *n)
{
    const struct run *r = n->f->run;
    const struct tally *all = &n->f->in->tally[LAT_EVENT];
    if (!r->pacer || all->count == 0)
        return;
    const struct tally *service = &n->f->in->tally[r->service_latency];
    double response_ms = tally_mean_ms(all), service_ms = tally_mean_ms(service);
    say(n, "queueing",
        "with --rate, latency counts from the planned start of each event: on average "
        "%.3f ms of response time, of which %.3f ms were service and %.3f ms waiting",
        response_ms, service_ms, response_ms - service_ms);
}

/* The few that were just due when the time was up are none that piled up. */
static void note_backlog(const struct noting *n)
{
    const struct run *r = n->f->run;
    uint64_t events = snapshot_events(n->f->in);
    bool piled_up = r->backlog > r->worker_count && r->backlog > events / 100;
    if (r->backlog > 0)
        say(n, "backlog",
            "%s%llu planned events were still waiting in the queue at the end (rate asked for: "
            "%.15g/s, reached: %.1f/s)",
            piled_up ? "the rate could not be kept up: " : "", (unsigned long long)r->backlog,
            r->general->rate, result_events_per_s(n->f));
}

static void note_no_rate(const struct noting *n)
{
    const struct general *g = n->f->general;
    const char *name = g->rate_ramp > 0   ? "--rate-ramp"
                       : g->rate_drop > 0 ? "--rate-drop"
                       : g->rate_drain    ? "--rate-drain"
                                          : NULL;
    if (g->rate == 0 && name)
        say(n, "no_rate", "%s has no effect without --rate", name);
}

static void note_late(const struct noting *n)
{
    const struct run *r = n->f->run;
    if (!r->pacer)
        return;
    uint64_t late = n->f->in->counter[r->late_counter],
             dropped = n->f->in->counter[r->dropped_counter];
    if (late > 0)
        say(n, "late",
            "%llu of %llu events began late, because no thread was free at their planned "
            "start",
            (unsigned long long)late, (unsigned long long)snapshot_events(n->f->in));
    if (dropped > 0)
        say(n, "dropped",
            "%llu planned events were dropped, for they were later than --rate-drop=%.15g "
            "seconds",
            (unsigned long long)dropped, r->general->rate_drop);
}

static void note_steady(const struct noting *n)
{
    const struct steady *s = &n->f->run->steady;
    if (s->level <= 0)
        return;
    if (s->reached)
        say(n, "steady",
            "the warm-up ended after %.1f s, when the rate was steady (spread %.1f %%, trend "
            "%+.1f %% over %d windows)",
            s->after_s, s->spread, s->slope, STEADY_WINDOWS);
    else
        say(n, "not_steady",
            "the rate did not become steady within the longest warm-up of %.15g s (last "
            "spread %.1f %%, trend %+.1f %%); what was measured is not a steady state",
            general_warmup_s(n->f->general), s->spread, s->slope);
}

static void note_short(const struct noting *n)
{
    const struct run *r = n->f->run;
    if (n->f->seconds > 0 && n->f->seconds < 0.1 && snapshot_events(n->f->in) > 0 &&
        atomic_load(&r->limit) != LIMIT_ERROR)
        say(n, "short_run", "the run took %.4f s only; rates of such a short run are uncertain",
            n->f->seconds);
}

void result_notes(const struct figures *f, note_fn *note, void *to)
{
    static void (*const all[])(const struct noting *) = {note_limit,   note_hung,    note_overrun,
                                                         note_rate,    note_backlog, note_late,
                                                         note_no_rate, note_steady,  note_short};
    struct noting n = {.note = note, .to = to, .f = f};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        all[i](&n);
    if (snapshot_events(f->in) + f->run->hung_count == 0)
        return;
    struct figures own = *f;
    for (unsigned i = 0; (own.part = result_part(f->run, &i)) != NULL;)
        if (own.part->workload->notes)
            own.part->workload->notes(&own, note, to);
}
