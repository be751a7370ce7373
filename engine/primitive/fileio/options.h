/* The options of the primitive fileio, and what its last run found out about
 * itself, which reports tell after the run. */
#ifndef FILEIO_OPTIONS_H
#define FILEIO_OPTIONS_H

#include "option/general.h"
#include "option/option.h"

#include <stdbool.h>
#include <stdint.h>

/* ORDER MODES: as the choices in options.c */
enum test_mode {
    MODE_SEQWR,
    MODE_SEQREWR,
    MODE_SEQRD,
    MODE_RNDRD,
    MODE_RNDWR,
    MODE_RNDRW,
    MODE_NONE
};
enum io_mode { IO_SYNC, IO_ASYNC, IO_MMAP, IO_URING, IO_N };
enum extra_flag { EXTRA_SYNC = 1, EXTRA_DSYNC = 2, EXTRA_DIRECT = 4 };
enum fsync_mode { BY_FSYNC, BY_FDATASYNC };
enum file_data { DATA_RANDOM, DATA_ZERO };

/* Written in the thread that runs run_go, read by the reports. */
struct fileio_outcome {
    bool lent;           /* a script made the events */
    double passes;       /* how often a sequential mode went through the set */
    bool wrote_in_place; /* seqwr found files of full size */
    uint32_t flushed;    /* files in the final flush */
    double flush_s;      /* how long it took */
    bool buffered_reads; /* the page cache was in the way */
    double resident;     /* share of the set in the page cache before; < 0: unknown */
    double from_disk;    /* share of the bytes read that the kernel fetched; < 0: unknown */
    uint32_t removed;    /* files that lost their name during the run */
    uint64_t set_bytes;  /* of all files together */
    uint64_t allocated;  /* bytes of it that have a place on the disk */
};

struct fileio_options {
    int64_t num;
    uint64_t block, total;
    int mode; /* only if one was given: see fileio_mode */
    int io;   /* enum io_mode */
    int64_t backlog;
    unsigned extra; /* enum extra_flag */
    int64_t fsync_freq;
    bool fsync_all, fsync_end;
    int fsync_mode;
    int64_t merged;
    double rw_ratio;
    char *dir;
    int data; /* enum file_data */
    struct fileio_outcome outcome;
};

extern const struct option fileio_rows[];

/* enum test_mode; MODE_NONE if none was given. */
int fileio_mode(const struct optset *s);
static inline bool mode_writes(int mode)
{
    return mode != MODE_SEQRD && mode != MODE_RNDRD;
}
static inline bool mode_reads(int mode)
{
    return mode == MODE_SEQRD || mode == MODE_RNDRD || mode == MODE_RNDRW || mode == MODE_NONE;
}
static inline bool mode_is_sequential(int mode)
{
    return mode == MODE_SEQWR || mode == MODE_SEQREWR || mode == MODE_SEQRD;
}
/* Flushes after each write take the place of all others. */
static inline int64_t fsync_freq(const struct fileio_options *o)
{
    return o->fsync_all ? 0 : o->fsync_freq;
}
static inline bool fsync_end(const struct fileio_options *o)
{
    return o->fsync_end && !o->fsync_all;
}
/* Bytes of a sequential request. */
static inline uint64_t merged_size(const struct fileio_options *o)
{
    return o->merged > 0 ? o->block * (uint64_t)o->merged : o->block;
}

/* What concerns several options. Called before prepare, run and cleanup. */
int fileio_check(const struct fileio_options *o, const struct general *g, struct err *e);

#endif
