/*
 * A scenario in Lua: loading it, its options, commands and hooks, and its place
 * in a run. Each part has a file of its own: find, declared, commands, scenario
 * (the run's workers), hooks.
 *
 * Everything here is for the thread that opened the script, except for the
 * functions of `struct workload`, which workers call.
 */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

#include "base/dist.h"
#include "base/log.h"
#include "base/rng.h"
#include "option/cmdline.h"
#include "option/general.h"
#include "report/report.h"
#include "run/run.h"
#include "script/shared.h"

#include <pthread.h>

struct lua_State;

/* Latency statistics that a script may name. */
#define SCRIPT_LATENCIES 8

/* Lua compiled once, for all states: the bytecode of a file. */
struct chunk {
    char *name; /* as in messages: "@./x.lua", "=lua/sysbench/rand.lua" */
    char *code;
    size_t size;
    struct chunk *next;
};

struct script {
    struct general_options *general;
    struct cmdline *cmdline;
    struct log *log;
    char *path;   /* as typed; NULL: standard input */
    char *shown;  /* its last component */
    char *folder; /* where the file lies, for modules beside it */
    char *cdef;   /* abi.h as text for ffi.cdef */
    struct chunk *main_chunk, *hook_chunk;
    struct chunk *library; /* modules compiled so far */
    pthread_mutex_t library_lock;
    bool without_jit; /* this system forbids to make machine code */
    bool loading;     /* the global state runs the top level */

    struct lua_State *L;                       /* the global state */
    struct lua_State *reporter, *checkpointer; /* background states, or NULL */
    struct rng rng;                            /* the main thread's */
    struct rng_seeder seeds;                   /* for the threads of parallel commands */
    struct dist dist;                          /* distributions, from the options */
    struct unique unique;
    struct shared shared; /* what scripts let all of their threads read */

    struct part part[PARTS_MAX]; /* primitives in use */
    unsigned part_count;
    int scenario_part; /* the primitive that the file returned; -1: none */
    struct part own;   /* the Lua side of a run */
    struct part *in_run[PARTS_MAX];
    unsigned in_run_count;

    bool has_event, has_thread_hooks, declares_options;
    bool has_intermediate, has_cumulative; /* report hooks; later ones do not count */
    bool takes_unknown;  /* other options become strings, as for scripts of the 0.5 days */
    struct option *rows; /* declared by the script */
    size_t row_count;
    struct optset options;
    _Atomic bool hook_failed; /* what runs beside events threw: the run must not end with 0 */
};

/* Finds and loads the scenario `name` (NULL: standard input): a bundled one, a
 * file, or a module on the search path. */
int script_open(struct script *s, const char *name, struct general_options *g, struct cmdline *c,
                struct log *l, struct err *e);
void script_close(struct script *s);

/* The Lua engine and its version; whether this system lets it make machine code. */
const char *script_engine(void);
bool script_engine_compiles(void);

/* Does that name stand for a scenario that comes with the program, here and now? A file
 * of the name comes before, but for those of primitives. */
bool script_is_bundled(const char *name);
/* Calls tell for each bundled scenario with its first comment line. */
void script_each_bundled(void (*tell)(void *to, const char *name, const char *summary), void *to);

/* The options that the script declared, and the sets of all of its primitives:
 * at most `room` sets. Returns how many. */
int script_declared(struct script *s, struct err *e);
size_t script_sets(struct script *s, struct optset **sets, size_t room);
/* Defaults that the script sets for general options take effect. */
int script_apply_defaults(struct script *s, struct err *e);
/* Fills sysbench.opt of the global state. */
int script_export(struct script *s, struct err *e);
/* Runs the script's checks of its own option values. */
int script_validate(struct script *s, struct err *e);

bool script_defines(struct script *s, const char *function);
/* Calls a global function without arguments; not there: nothing happens. */
int script_call(struct script *s, const char *function, struct err *e);

enum command_kind { COMMAND_NONE, COMMAND_ONCE, COMMAND_PARALLEL };
enum command_kind script_command_kind(struct script *s, const char *name);
/* 0, or -1 with e. A parallel one runs in as many threads as --threads says. */
int script_command(struct script *s, const char *name, enum command_kind kind, struct err *e);

/* Decides which parts make up a run; -1: the script has nothing to run. */
int script_parts(struct script *s, struct err *e);
/* Makes the states of the background reports. */
int script_begin_run(struct script *s, struct err *e);
/* Before the final report: the states of the background reports are done. */
void script_end_run(struct script *s);
void script_hooks(struct script *s, struct report_hooks *hooks);
/* Evaluates what the script declared with sysbench.metric. */
void script_metrics(struct script *s, const struct figures *f, const struct hook_stat *stat,
                    metric_fn *emit, void *to);

#endif
