/* Calls of a script's functions by name, and its commands, also in several threads. */
#include "script/script.h"

#include "script/here.h"
#include "script/state.h"

#include <stdlib.h>

static int defines(struct script *s, lua_State *L, void *function, struct err *e)
{
    (void)s;
    (void)e;
    return state_defines(L, function);
}

bool script_defines(struct script *s, const char *function)
{
    return state_section(s, s->L, defines, (void *)function, NULL) > 0;
}

static int call_function(struct script *s, lua_State *L, void *function, struct err *e)
{
    if (!state_defines(L, function))
        return 0;
    lua_getglobal(L, function);
    return state_call(s, L, function, 0, 0, e);
}

int script_call(struct script *s, const char *function, struct err *e)
{
    return state_section(s, s->L, call_function, (void *)function, e);
}

static int command_kind(struct script *s, lua_State *L, void *name, struct err *e)
{
    state_push_engine(L, "command_kind");
    lua_pushstring(L, name);
    return state_call(s, L, NULL, 1, 1, e) == 0 ? (int)lua_tointeger(L, -1) : -1;
}

enum command_kind script_command_kind(struct script *s, const char *name)
{
    struct err e = {0};
    int kind = state_section(s, s->L, command_kind, (void *)name, &e);
    if (kind < 0)
        log_put(s->log, LOG_FATAL, "%s", e.text);
    return kind > 0 ? (enum command_kind)kind : COMMAND_NONE;
}

static int call_command(struct script *s, lua_State *L, void *arg, struct err *e)
{
    const char *name = arg;
    state_push_engine(L, "call_command");
    lua_pushstring(L, name);
    if (state_call(s, L, "sysbench.cmdline.call_command", 1, 1, e) != 0)
        return -1;
    if (!lua_isboolean(L, -1) || lua_toboolean(L, -1))
        return 0;
    /* sysbench leaves the telling to the script */
    if (!general_as_sysbench(&s->general->values))
        return err_set(e, "the command '%s' returned false: it failed, status 1", name);
    e->status = ERR_FAILED;
    return -1;
}

struct helper {
    struct script *script;
    const char *command;
    int tid;
    struct rng rng;
    struct err err;
    pthread_t thread;
};

static void *helper_main(void *arg)
{
    struct helper *h = arg;
    here = (struct here){.script = h->script, .rng = &h->rng};
    lua_State *L = state_new(h->script, h->tid, &h->err);
    if (L && state_section(h->script, L, state_export_options, NULL, &h->err) == 0)
        state_section(h->script, L, call_command, (void *)h->command, &h->err);
    state_close(L);
    return NULL;
}

static int run_helpers(struct script *s, struct helper *helper, unsigned n, const char *name,
                       struct err *e)
{
    unsigned started = 0;
    int rc = 0;
    for (; started < n && rc == 0; started += rc == 0) {
        struct helper *h = &helper[started];
        *h = (struct helper){.script = s, .command = name, .tid = (int)started};
        rng_init(&h->rng, &s->seeds);
        rc = pthread_create(&h->thread, NULL, helper_main, h);
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(helper[i].thread, NULL);
        if (helper[i].err.text[0])
            log_put(s->log, LOG_FATAL, "%s", helper[i].err.text);
    }
    if (rc != 0)
        return err_sys(e, rc, "only %u of %u threads could be started.", started, n);
    for (unsigned i = 0; i < n; i++)
        if (helper[i].err.status && general_as_sysbench(&s->general->values) == false)
            return err_set(e, "the command '%s' failed in thread %u", name, i);
    return 0;
}

int script_command(struct script *s, const char *name, enum command_kind kind, struct err *e)
{
    unsigned n = (unsigned)s->general->values.threads;
    if (kind != COMMAND_PARALLEL || n < 2)
        return state_section(s, s->L, call_command, (void *)name, e);
    log_put(s->log, LOG_NOTICE, "Initializing worker threads...\n");
    struct helper *helper = calloc(n, sizeof *helper);
    int rc = helper ? run_helpers(s, helper, n, name, e) : err_set(e, "out of memory");
    free(helper);
    return rc;
}
