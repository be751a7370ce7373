#include "script/abi.h"

#include "primitive/list.h"
#include "script/embedded.h"
#include "script/here.h"

#include <stdio.h>
#include <errno.h>
#include <string.h>

_Thread_local struct here here;

int sb_abi_version(void)
{
    return SB_ABI_VERSION;
}

const char *sb_error(void)
{
    return here.err.text;
}

/* --- events ---------------------------------------------------------------------- */

bool sb_event_turn(void)
{
    struct worker *w = here.worker;
    if (here.in_event)
        worker_done(w);
    return here.in_event = worker_next(w);
}

void sb_event_drop(void)
{
    here.in_event = false;
    if (here.worker)
        atomic_store_explicit(&here.worker->served_ns, 0, memory_order_relaxed);
}

bool sb_event_again(void)
{
    return here.worker && worker_may_go_on(here.worker);
}

uint64_t sb_event_number(void)
{
    struct worker *w = here.worker;
    uint64_t after = w ? here_events(w) + 1 : 0; /* the same in the whole event */
    if (!w || !here.in_event)
        return 0;
    if (here.number_of != after)
        here.number = 1 + atomic_fetch_add_explicit(&w->run->event_number, 1, memory_order_relaxed);
    here.number_of = after;
    return here.number;
}

bool sb_more_events(int tid)
{
    (void)tid;
    return here.in_event = here.worker && worker_next(here.worker);
}

void sb_event_start(int tid)
{
    struct worker *w = here.worker;
    (void)tid;
    /* With a rate, latency counts from the planned start, which is set. */
    if (!w || w->run->pacer)
        return;
    w->now_ns = clock_now(w->clock);
    atomic_store_explicit(&w->began_ns, w->now_ns, memory_order_relaxed);
}

void sb_event_stop(int tid)
{
    (void)tid;
    if (here.worker)
        worker_done(here.worker);
    here.in_event = false;
}

/* --- counters and latencies ------------------------------------------------------ */

void sb_counter_add(int tid, int counter, uint64_t n)
{
    (void)tid;
    if (here.worker && counter >= 0 && counter < CNT_N)
        stats_count(here.worker->into, (unsigned)counter, n);
}

void sb_counter_inc(int tid, int counter)
{
    sb_counter_add(tid, counter, 1);
}

uint64_t sb_counter_val(int tid, int counter)
{
    (void)tid;
    if (!here.worker || counter < 0 || counter >= CNT_N)
        return 0;
    if (counter == CNT_TRX)
        return stats_events(here.worker->into);
    return atomic_load_explicit(&here.worker->into->counter[counter], memory_order_relaxed);
}

static struct run *current_run(void)
{
    return here.worker ? here.worker->run : NULL;
}

static int no_slot(const char *kind, const char *name)
{
    err_clear(&here.err);
    if (!here.worker)
        return err_set(&here.err, "the %s '%s' can be used in the threads of a run only: in "
                       "thread_init, event and thread_done", kind, name);
    return err_set(&here.err, "there is no room for the %s '%s': a script may name %u counters and "
                   "%u latencies of its own", kind, name, CNT_N - CNT_NAMED, SCRIPT_LATENCIES);
}

int sb_counter_slot(const char *name)
{
    struct run *r = current_run();
    int slot = r ? run_counter(r, name) : -1;
    return slot < 0 ? no_slot("counter", name) : slot;
}

int sb_latency_slot(const char *name)
{
    struct run *r = current_run();
    int slot = r ? run_latency(r, name) : -1;
    return slot < 0 ? no_slot("latency", name) : slot;
}

uint64_t sb_now_ns(void)
{
    return here.worker ? clock_now(here.worker->clock) : clock_system_ns();
}

void sb_latency_add(int slot, uint64_t ns)
{
    if (here.worker && slot > 0 && (unsigned)slot < here.worker->into->latencies)
        latency_record(here.worker->into->latency[slot], ns);
}

uint64_t sb_latency_record(int slot, uint64_t from_ns)
{
    uint64_t now = sb_now_ns();
    sb_latency_add(slot, now > from_ns ? now - from_ns : 0);
    return now;
}

/* --- primitives -------------------------------------------------------------------- */

static int fail(const char *fmt, const char *a, const char *b)
{
    err_clear(&here.err);
    return err_set(&here.err, fmt, a, b);
}

static int find_part(const struct script *s, const char *name)
{
    for (unsigned i = 0; i < s->part_count; i++)
        if (strcmp(s->part[i].workload->name, name) == 0)
            return (int)i;
    return -1;
}

int sb_primitive(const char *name)
{
    struct script *s = here.script;
    const struct workload *w = primitive_find(name);
    int at = find_part(s, name);
    if (at >= 0)
        return at;
    if (!w)
        return fail("there is no primitive called '%s'%s", name, "");
    if (w->unavailable)
        return fail("the primitive '%s' is not in this build: %s", name, w->unavailable);
    if (!s->loading)
        return fail("sysbench.primitive('%s') must be called at the top level of the script%s", name, "");
    if (s->part_count == PARTS_MAX - 1)
        return fail("there is no room for the primitive '%s'%s", name, "");
    err_clear(&here.err);
    if (part_init(&s->part[s->part_count], w, &here.err) != 0)
        return -1;
    return (int)s->part_count++;
}

static struct part *part_at(int part)
{
    return here.script && part >= 0 && (unsigned)part < here.script->part_count
               ? &here.script->part[part]
               : NULL;
}

int sb_primitive_preset(int part, const char *option, const char *value)
{
    struct part *p = part_at(part);
    int row = p ? optset_find(&p->set, option) : -1;
    if (row < 0)
        return fail("the primitive '%s' has no option '%s'", p ? p->workload->name : "?", option);
    if (!here.script->loading)
        return 0; /* the global state has done it for all */
    err_clear(&here.err);
    return optset_set(&p->set, (size_t)row, value, OPT_BY_SCRIPT, OPT_STRICT, &here.err);
}

int sb_primitive_prepare(int part)
{
    struct part *p = part_at(part);
    if (!p || !p->workload->prepare)
        return fail("the primitive '%s' has nothing to prepare%s", p ? p->workload->name : "?", "");
    err_clear(&here.err);
    return p->workload->prepare(p, &here.script->general->values, here.script->log, &here.err);
}

int sb_primitive_cleanup(int part)
{
    struct part *p = part_at(part);
    if (!p || !p->workload->cleanup)
        return fail("the primitive '%s' has nothing to clean up%s", p ? p->workload->name : "?", "");
    err_clear(&here.err);
    return p->workload->cleanup(p, &here.script->general->values, here.script->log, &here.err);
}

/* --- embedded files ------------------------------------------------------------------ */

const char *sb_embedded(const char *path)
{
    for (const struct embedded *f = embedded_files; f->path; f++)
        if (strcmp(f->path, path) == 0)
            return (const char *)f->text;
    return NULL;
}

const char *sb_embedded_path(int i)
{
    int n = 0;
    while (n < i && embedded_files[n].path)
        n++;
    return embedded_files[n].path;
}

int sb_result_write(const char *text, size_t size)
{
    if (log_write_all(here.script->log->result, text, size) == 0)
        return 0;
    here.script->log->failed = true;
    return fail("the result cannot be written: %s%s", strerrordesc_np(errno), "");
}

void sb_print_test_options(void)
{
    struct buf out = {0};
    optset_help(&here.script->options, &out);
    buf_putc(&out, '\n');
    fputs(buf_text(&out), stdout);
    fflush(stdout);
    buf_release(&out);
}
