#include "script/abi_measure.h"

#include "script/here.h"

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
        return err_set(&here.err,
                       "the %s '%s' can be used in the threads of a run only: in "
                       "thread_init, event and thread_done",
                       kind, name);
    return err_set(&here.err,
                   "there is no room for the %s '%s': a script may name %u counters and "
                   "%u latencies of its own",
                   kind, name, CNT_N - CNT_NAMED, SCRIPT_LATENCIES);
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
