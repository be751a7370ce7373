/* A run in a test: options with their defaults, one part whose workload the
 * test defines, a clock that is the machine's or the test's own number. */
#ifndef BENCH_H
#define BENCH_H

#include "unit.h"

#include "run/run.h"

#include <stdlib.h>

#define MS NS_PER_MS
#define SECOND NS_PER_S

struct bench {
    struct general_options g;
    struct log log;
    struct clock clock;
    _Atomic uint64_t hand;
    struct part part[3];
    struct part *parts[3];
    unsigned part_count;
    struct run run;
    struct err err;
};

/* The clock stands at 100 s until the test moves b->hand. */
static inline struct bench *bench_by_hand(const struct workload *w)
{
    struct bench *b = calloc(1, sizeof *b);
    if (general_init(&b->g, &b->err) != 0 || part_init(&b->part[0], w, &b->err) != 0)
        fail_msg("%s", b->err.text);
    log_init(&b->log);
    b->hand = 100 * SECOND;
    clock_init_by_hand(&b->clock, &b->hand);
    b->parts[0] = &b->part[0];
    b->part_count = 1;
    return b;
}

static inline struct bench *bench_in_time(const struct workload *w)
{
    struct bench *b = bench_by_hand(w);
    clock_init(&b->clock);
    return b;
}

static inline void bench_add_part(struct bench *b, const struct workload *w)
{
    struct part *p = &b->part[b->part_count];
    if (part_init(p, w, &b->err) != 0)
        fail_msg("%s", b->err.text);
    b->parts[b->part_count++] = p;
}

static inline void bench_set(struct bench *b, const char *name, const char *text)
{
    size_t row;
    struct optset *s = general_find(&b->g, name, &row);
    if (!s || optset_set(s, row, text, OPT_BY_USER, OPT_STRICT, &b->err) != 0)
        fail_msg("--%s=%s: %s", name, text, b->err.text);
}

static inline void bench_begin(struct bench *b, unsigned extra_latencies)
{
    if (general_finish(&b->g, &b->err) != 0 ||
        run_init(&b->run, &b->g.values, &b->log, &b->clock, b->parts, b->part_count,
                 extra_latencies, &b->err) != 0)
        fail_msg("%s", b->err.text);
}

static inline void bench_free(struct bench *b)
{
    run_release(&b->run);
    for (unsigned i = 0; i < b->part_count; i++)
        part_release(&b->part[i]);
    general_release(&b->g);
    log_release(&b->log);
    free(b);
}

#endif
