/*
 * Where a thread is that runs Lua: the functions of abi.h have no other way to
 * know, for sysbench's own interface passes a thread number at most. This is
 * the one thread-local variable of the engine; script/ sets it before a thread
 * enters Lua.
 */
#ifndef SCRIPT_HERE_H
#define SCRIPT_HERE_H

#include "run/run.h"
#include "script/script.h"

struct here {
    struct script *script;
    struct worker *worker; /* NULL outside of workers */
    struct rng *rng;
    bool in_event;
    uint64_t caught_up;         /* events that the worker's generator knows of */
    uint64_t number, number_of; /* of the event that follows so many others */
    struct err err;             /* of the last call that failed */
    struct section *section;    /* the one that is about to begin, see state.h */
};

extern _Thread_local struct here here;

/* The calling thread's generator, where sysbench's would be now. */
struct rng *here_generator(void);

/* Events that the worker has ended, those of the warm-up included. */
static inline uint64_t here_events(const struct worker *w)
{
    return stats_events(w->main_stats) + (w->warm_stats ? stats_events(w->warm_stats) : 0);
}

#endif
