/*
 * What the workers of a run share, what each has of its own, and how one of
 * them carries out one request: fill or check the data, do it, count it.
 */
#ifndef FILEIO_WORK_H
#define FILEIO_WORK_H

#include "primitive/fileio/cache.h"
#include "primitive/fileio/data.h"
#include "primitive/fileio/engine.h"
#include "run/run.h"

enum { LAT_READ, LAT_WRITE, LAT_FSYNC }; /* ORDER LATENCIES: names in fileio.c */

struct queue;

/* Each worker's own. */
struct fileio_worker;

/* Shared; read-only during a run but for the stream. */
struct fileio {
    const struct fileio_options *options;
    const struct io_engine *engine;
    struct log *log;
    struct file_set set;
    struct stream stream;
    struct data_page page;
    struct cache_probe cache;
    /* Freed in the end, not by each worker: the kernel takes its time to give up
     * a queue, and that belongs to no run. */
    struct fileio_worker *worker;
    unsigned worker_count;
    unsigned first_latency, bytes_read, bytes_written; /* of the part */
    int mode;
    bool validate, debug;
    bool zero;        /* writes get zeros instead of data of their own */
    bool data_only;   /* fdatasync */
    bool draws;       /* see work_draw */
    bool flush_apart; /* as in 0.4: a flush is no event and takes no time of one */
    bool begun;       /* the engine is */
};

struct fileio_worker {
    _Alignas(64) void *buffer; /* for one request at a time */
    size_t room;
    struct rng data;
    struct queue *queue;
};

/* Memory for requests, aligned for direct I/O and zero; NULL with e. */
void *work_buffer(size_t size, struct err *e);
void work_buffer_free(void *buffer, size_t size);

/* All of these: 0, or -1 with w->err. The first two begin at w->now_ns and leave
 * their end there, so that requests that follow each other share one reading of
 * the clock. What makes a write's data is not in the latency of writes. */

/* Carries out a request of an engine that waits, and what belongs to it. */
int work_do(struct worker *w, struct fileio *f, struct fileio_worker *own, const struct request *q);
/* Flushes a file and counts that. */
int work_flush(struct worker *w, struct fileio *f, uint32_t file);
/* Before a write and after a read. */
void work_fill(struct fileio *f, struct fileio_worker *own, const struct request *q, void *buffer);
int work_check(struct worker *w, struct fileio *f, const struct request *q, const void *buffer);
int work_error(struct worker *w, const struct fileio *f, const struct request *q, int why);
/* Counts a request of that kind which took so long. */
void work_count(struct worker *w, const struct fileio *f, enum request_kind kind, uint32_t bytes,
                uint64_t ns);
/* sysbench draws a number for each event that goes into its histogram; with a
 * given seed the places are the same as there only if we do so, too. */
static inline void work_draw(struct worker *w, const struct fileio *f)
{
    if (f->draws)
        rng_next(&w->rng);
}
void work_say(const struct fileio *f, const struct request *q); /* --debug */

#endif
