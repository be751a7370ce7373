/* A whole run of fileio on a small set in a folder of its own. */
#ifndef FILEIO_RUN_H
#define FILEIO_RUN_H

#include "fileio_set.h"

struct fixture {
    char *folder;
    struct bench *b;
    struct part *part;
    bool begun;
};

/* The part of fileio is the last one; `first` makes the events. */
static inline struct fixture *fixture(const struct workload *first)
{
    struct fixture *t = calloc(1, sizeof *t);
    void *folder = NULL;
    assert_non_null(t);
    assert_int_equal(tree_make(&folder), 0);
    t->folder = folder;
    t->b = bench_in_time(first);
    t->b->log.out = t->b->log.serious = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (strcmp(first->name, "fileio") != 0)
        bench_add_part(t->b, &fileio_workload);
    t->part = t->b->parts[t->b->part_count - 1];
    bench_set(t->b, "time", "0");
    bench_set(t->b, "rand-seed", "7");
    SET(t->part, "file-dir", t->folder, "file-num", "4", "file-total-size", "1M");
    return t;
}

static inline int begin(void **state)
{
    *state = fixture(&fileio_workload);
    return 0;
}

static inline int end(void **state)
{
    struct fixture *t = *state;
    void *folder = t->folder;
    int fd = t->b->log.out;
    if (t->begun)
        bench_free(t->b);
    close(fd);
    free(t);
    return folder ? tree_remove(&folder) : -1;
}

static inline void prepare(struct fixture *t)
{
    assert_int_equal(t->part->workload->prepare(t->part, &t->b->g.values, &t->b->log, &t->b->err),
                     0);
}

static inline int run(struct fixture *t, const char *mode, const char *events)
{
    struct bench *b = t->b;
    if (mode)
        SET(t->part, "file-test-mode", mode);
    bench_set(b, "events", events);
    bench_begin(b, 0);
    t->begun = true;
    return run_go(&b->run, &b->err);
}

static inline uint64_t counted(struct fixture *t, unsigned counter)
{
    return run_totals(&t->b->run)->counter[counter];
}

static inline uint64_t recorded(struct fixture *t, unsigned kind)
{
    return run_totals(&t->b->run)->tally[t->part->first_latency + kind].count;
}

static inline uint64_t events(struct fixture *t)
{
    return snapshot_events(run_totals(&t->b->run));
}

static inline const struct fileio_outcome *outcome(const struct fixture *t)
{
    return &((struct fileio_options *)t->part->options)->outcome;
}

#endif
