/*
 * How requests are carried out: one file for each I/O engine. Engines of one
 * kind do a request and return, those of the other put it into a queue of the
 * kernel and fetch what has completed. An engine knows neither options nor
 * statistics.
 */
#ifndef FILEIO_ENGINE_H
#define FILEIO_ENGINE_H

#include "base/err.h"
#include "primitive/fileio/files.h"
#include "primitive/fileio/request.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* A request that has completed. */
struct io_done {
    unsigned slot;
    int64_t result; /* bytes, or -errno */
};

struct io_engine {
    const char *name;        /* as --file-io-mode has it */
    const char *label;       /* as the report has it: "Using %s I/O mode" */
    const char *summary;     /* what it does, for `sbench list` */
    const char *unavailable; /* why this build lacks it; NULL: it is there */

    /* Once for a run, before and after the workers; NULL: nothing to do. */
    int (*begin)(struct file_set *s, bool writes, struct err *e);
    void (*end)(struct file_set *s);

    /* 0, or -1 with errno. Any number of threads at once. */
    int (*flush)(const struct file_set *s, uint32_t file, bool data_only);
    int (*transfer)(const struct file_set *s, const struct request *q, void *buffer);

    /* In place of transfer, engines with a queue: one for each thread and used by it alone. */
    void *(*open)(unsigned depth, struct err *e);
    void (*close)(void *queue);
    /* Adds a request to those that submit hands over. There are never more than
     * `depth` between put and reap. The buffer stays the caller's. */
    void (*put)(void *queue, unsigned slot, int fd, const struct request *q, void *buffer,
                bool data_only);
    /* How many of those put the kernel took, in their order; -errno if none. */
    int (*submit)(void *queue);
    /* Fetches what has completed, up to `room`; waits until `least` have or
     * timeout_ns has passed (negative: for ever). Number, or -errno. */
    int (*reap)(void *queue, unsigned least, int64_t timeout_ns, struct io_done *out,
                unsigned room);
};

static inline bool engine_queues(const struct io_engine *engine)
{
    return engine->submit != NULL;
}

/* Why no more of a request was moved: `why`, or 0 if a call moved nothing. The
 * rest of a request that was done in part does not suit direct I/O (EINVAL) when
 * the file ends there. */
static inline int engine_stuck(enum request_kind kind, bool partly, int why)
{
    bool ended = why == 0 || (why == EINVAL && partly);
    if (!ended)
        return why;
    return kind == REQUEST_READ ? ENODATA : ENOSPC;
}

extern const struct io_engine io_sync, io_async, io_mmap, io_uring_engine;
const struct io_engine *engine_of(int io_mode);

/* Flushes by the calls fsync and fdatasync: 0, or -1 with errno. */
int flush_file(const struct file_set *s, uint32_t file, bool data_only);
int flush_descriptor(int fd, bool data_only);

#endif
