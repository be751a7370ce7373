/* Report hooks, and the figures of a script's own. */
#include "script/script.h"

#include "base/interrupt.h"
#include "script/state.h"

static void push_stat(lua_State *L, const struct hook_stat *s)
{
    const struct {
        const char *name;
        double value;
        int only; /* 0: always, 1: intermediate, 2: cumulative */
    } all[] = {
        {"threads_running", s->threads_running, 0},
        {"time_interval", s->time_interval, 0},
        {"time_total", s->time_total, 0},
        {"latency_pct", s->latency_pct, 0},
        {"events", (double)s->events, 0},
        {"reads", (double)s->reads, 0},
        {"writes", (double)s->writes, 0},
        {"other", (double)s->other, 0},
        {"errors", (double)s->errors, 0},
        {"reconnects", (double)s->reconnects, 0},
        {"queue_length", (double)s->queue_length, 1},
        {"concurrency", (double)s->concurrency, 1},
        {"latency_min", s->latency_min, 2},
        {"latency_max", s->latency_max, 2},
        {"latency_avg", s->latency_avg, 2},
        {"latency_sum", s->latency_sum, 2},
    };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].only && all[i].only != (s->cumulative ? 2 : 1))
            continue;
        lua_pushnumber(L, all[i].value);
        lua_setfield(L, -2, all[i].name);
    }
}

struct hook_call {
    const char *name;
    const struct hook_stat *stat;
};

static int enter_hook(struct script *s, lua_State *L, void *arg, struct err *e)
{
    const struct hook_call *c = arg;
    lua_getglobal(L, "sysbench");
    lua_getfield(L, -1, "hooks");
    lua_getfield(L, -1, c->name);
    lua_replace(L, 1);
    lua_settop(L, 1);
    push_stat(L, c->stat);
    return state_call(s, L, c->name, 1, 0, e);
}

/* While a run goes on a signal is noted only, which a function of a script never sees. */
static int section_of_run(struct script *s, lua_State *L, section_fn *run, void *arg, struct err *e)
{
    interrupt_impatient(true);
    int rc = state_section(s, L, run, arg, e);
    interrupt_impatient(false);
    return rc;
}

static void call_hook(struct script *s, lua_State *L, const char *name,
                      const struct hook_stat *stat)
{
    struct err e = {0};
    if (section_of_run(s, L, enter_hook, &(struct hook_call){name, stat}, &e) == 0)
        return;
    log_put(s->log, LOG_FATAL, "%s", e.text);
    if (!general_as_sysbench(&s->general->values))
        s->hook_failed = true;
}

static void intermediate_hook(void *self, const struct hook_stat *stat)
{
    struct script *s = self;
    call_hook(s, s->reporter ? s->reporter : s->L, "report_intermediate", stat);
}

static void cumulative_hook(void *self, const struct hook_stat *stat, bool checkpoint)
{
    struct script *s = self;
    call_hook(s, checkpoint && s->checkpointer ? s->checkpointer : s->L, "report_cumulative", stat);
}

void script_hooks(struct script *s, struct report_hooks *hooks)
{
    *hooks = (struct report_hooks){.self = s};
    if (s->has_intermediate)
        hooks->intermediate = intermediate_hook;
    if (s->has_cumulative)
        hooks->cumulative = cumulative_hook;
}

/* --- figures ----------------------------------------------------------------- */

static void push_number(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

/* counters by name, and latencies with count and milliseconds. */
static void push_named(lua_State *L, const struct figures *f)
{
    const struct run_names *n = &f->run->names;
    lua_newtable(L);
    for (unsigned c = 0; c < n->counters; c++)
        push_number(L, n->counter[c], (double)f->in->counter[c]);
    lua_setfield(L, -2, "counters");
    lua_newtable(L);
    for (unsigned k = 0; k < n->latencies && k < f->in->latencies; k++) {
        const struct tally *t = &f->in->tally[k];
        lua_newtable(L);
        push_number(L, "count", (double)t->count);
        push_number(L, "min_ms", (double)t->min_ns / 1e6);
        push_number(L, "avg_ms", tally_mean_ms(t));
        push_number(L, "max_ms", (double)t->max_ns / 1e6);
        push_number(L, "sum_ms", (double)t->sum_ns / 1e6);
        lua_setfield(L, -2, n->latency[k]);
    }
    lua_setfield(L, -2, "latencies");
}

static void emit_metric(lua_State *L, metric_fn *emit, void *to)
{
    lua_getfield(L, -1, "name");
    lua_getfield(L, -2, "unit");
    lua_getfield(L, -3, "lower");
    lua_getfield(L, -4, "value");
    emit(to, lua_tostring(L, -4), lua_tostring(L, -3), lua_toboolean(L, -2), lua_tonumber(L, -1));
    lua_pop(L, 4);
}

struct metrics_call {
    const struct figures *figures;
    const struct hook_stat *stat;
    metric_fn *emit;
    void *to;
};

static int emit_metrics(struct script *s, lua_State *L, void *arg, struct err *e)
{
    const struct metrics_call *c = arg;
    state_push_engine(L, "metrics");
    if (!lua_isfunction(L, -1))
        return 0;
    push_stat(L, c->stat);
    push_named(L, c->figures);
    if (state_call(s, L, "sysbench.metric", 1, 1, e) != 0)
        return -1;
    for (int i = 1; i <= (int)lua_objlen(L, -1); i++) {
        lua_rawgeti(L, -1, i);
        emit_metric(L, c->emit, c->to);
        lua_pop(L, 1);
    }
    return 0;
}

void script_metrics(struct script *s, const struct figures *f, const struct hook_stat *stat,
                    metric_fn *emit, void *to)
{
    struct err e = {0};
    struct metrics_call call = {.figures = f, .stat = stat, .emit = emit, .to = to};
    if (section_of_run(s, s->L, emit_metrics, &call, &e) == 0)
        return;
    log_put(s->log, LOG_FATAL, "%s", e.text);
    s->hook_failed = true;
}
