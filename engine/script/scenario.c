/* The Lua side of a run: a script as the workload of each worker. */
#include "script/script.h"

#include "script/here.h"
#include "script/state.h"

static int begin_thread(struct script *s, lua_State *L, void *arg, struct err *e)
{
    struct worker *w = arg;
    if (state_export_options(s, L, NULL, e) != 0)
        return -1;
    if (!state_defines(L, "thread_init"))
        return 0;
    lua_getglobal(L, "thread_init");
    lua_pushinteger(L, (int)w->id);
    return state_call(s, L, "thread_init", 1, 0, e);
}

static int open_lua(struct worker *w, struct part *p)
{
    struct script *s = p->self;
    here = (struct here){.script = s, .worker = w, .rng = &w->rng};
    lua_State *L = state_new(s, (int)w->id, &w->err);
    if (!L)
        return -1;
    w->state[p->index] = L;
    return state_section(s, L, begin_thread, w, &w->err);
}

static int run_thread(struct script *s, lua_State *L, void *arg, struct err *e)
{
    struct worker *w = arg;
    state_push_engine(L, "run_thread");
    lua_pushinteger(L, (int)w->id);
    return state_call(s, L, "thread_run", 1, 0, e);
}

static int loop_lua(struct worker *w, struct part *p)
{
    return state_section(p->self, w->state[p->index], run_thread, w, &w->err);
}

static int end_thread(struct script *s, lua_State *L, void *arg, struct err *e)
{
    struct worker *w = arg;
    if (!state_defines(L, "thread_done"))
        return 0;
    lua_getglobal(L, "thread_done");
    lua_pushinteger(L, (int)w->id);
    return state_call(s, L, "thread_done", 1, 0, e);
}

static void done_lua(struct worker *w, struct part *p)
{
    struct script *s = p->self;
    struct err e = {0};
    if (state_section(s, w->state[p->index], end_thread, w, &e) == 0)
        return;
    /* sysbench 1.0 prints it and goes on as if nothing had happened. */
    log_put(s->log, LOG_FATAL, "%s", e.text);
    if (!general_as_sysbench(&s->general->values))
        s->hook_failed = true;
}

static void close_lua(struct worker *w, struct part *p)
{
    state_close(w->state[p->index]);
    w->state[p->index] = NULL;
}

static const struct workload script_workload = {
    .name = "script",
    .summary = "events in Lua",
    .open = open_lua,
    .loop = loop_lua,
    .done = done_lua,
    .close = close_lua,
};

int script_parts(struct script *s, struct err *e)
{
    s->in_run_count = 0;
    s->own.workload = &script_workload;
    s->own.self = s;
    if (s->scenario_part >= 0)
        s->in_run[s->in_run_count++] = &s->part[s->scenario_part];
    else if (!s->has_event)
        return err_set(e, "the script '%s' defines no function event(), so there is nothing to run",
                       s->path ? s->path : "<stdin>");
    if (s->has_event || s->has_thread_hooks)
        s->in_run[s->in_run_count++] = &s->own;
    for (unsigned i = 0; i < s->part_count; i++) {
        if ((int)i == s->scenario_part)
            continue;
        if (s->in_run_count == PARTS_MAX)
            return err_set(e, "a scenario may use at most %d primitives", PARTS_MAX - 1);
        s->in_run[s->in_run_count++] = &s->part[i];
    }
    for (unsigned i = 0; i < s->in_run_count; i++)
        s->in_run[i]->index = i;
    return 0;
}

static lua_State *background_state(struct script *s, struct err *e)
{
    lua_State *L = state_new(s, (int)s->general->values.threads, e);
    if (L && state_section(s, L, state_export_options, NULL, e) == 0)
        return L;
    state_close(L);
    return NULL;
}

int script_begin_run(struct script *s, struct err *e)
{
    const struct general *g = &s->general->values;
    if (g->report_interval > 0 && !(s->reporter = background_state(s, e)))
        return -1;
    if (g->checkpoint_count > 0 && !(s->checkpointer = background_state(s, e)))
        return -1;
    return 0;
}

void script_end_run(struct script *s)
{
    state_close(s->reporter);
    state_close(s->checkpointer);
    s->reporter = s->checkpointer = NULL;
}
