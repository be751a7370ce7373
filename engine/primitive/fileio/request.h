/*
 * The stream of requests: one for all threads, handed out in the order that
 * sysbench 1.0 has, under one lock where there is an order. Offsets are bytes in
 * their file.
 */
#ifndef FILEIO_REQUEST_H
#define FILEIO_REQUEST_H

#include "base/err.h"
#include "base/rng.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are those in sysbench's debug lines. */
enum request_kind { REQUEST_READ = 1, REQUEST_WRITE = 2, REQUEST_FSYNC = 3 };

struct request {
    enum request_kind kind;
    uint32_t file, size;
    uint64_t offset;
};

/* What does not change during a run. */
struct stream_plan {
    int mode;             /* enum test_mode; MODE_NONE counts as random */
    uint32_t files, size; /* size: bytes of a request */
    uint32_t block;
    uint64_t file_size;
    uint64_t fsync_freq; /* 0: never */
    double rw_ratio;
    bool one_pass;      /* a sequential mode ends with the last file */
    bool alone;         /* one thread takes them all: no lock */
    uint32_t exclusive; /* at most this many in flight, no block twice; 0: no matter */
};

struct stream {
    pthread_mutex_t lock;
    struct stream_plan plan;
    bool is_free;      /* no request depends on another: neither lock nor account */
    uint64_t position; /* of the next sequential request, in `file` */
    uint32_t file;
    uint64_t passes; /* ended ones */
    uint64_t made, reads, writes;
    bool dirty; /* written since the last flush */
    uint32_t next_flush;
    uint64_t *busy; /* first blocks of what is in flight, if exclusive */
    uint32_t busy_count;
};

int stream_init(struct stream *s, const struct stream_plan *plan, struct err *e);
void stream_release(struct stream *s);
/* The next request; false: there is none any more. rng is the caller's own. */
bool stream_take(struct stream *s, struct rng *rng, struct request *out);
/* A place for a read or write as the mode would choose it, without the mode's
 * own choice of kind and without periodic flushes. */
void stream_place(struct stream *s, struct rng *rng, enum request_kind kind, struct request *out);
/* The same for a place that the caller has chosen. False: another request is
 * busy with that block, try again. */
bool stream_claim(struct stream *s, const struct request *q);
/* The request is over; to be called for reads and writes. */
void stream_give_back(struct stream *s, const struct request *done);
bool stream_has_written(struct stream *s);
/* How often a sequential mode went through the set, with a fraction. */
double stream_passes(struct stream *s);

#endif
