#include "primitive/fileio/options.h"

#include "base/units.h"
#include "primitive/fileio/engine.h"
#include "primitive/fileio/validate.h"

#define O struct fileio_options
#define REQUEST_MAX 2147479552.0 /* the kernel moves no more in one call */

#define LACKS(library) " (not in this build: built without " library ")"
#ifdef HAVE_LIBAIO
#define ASYNC_LACKS ""
#else
#define ASYNC_LACKS LACKS("libaio")
#endif
#ifdef HAVE_LIBURING
#define URING_LACKS ""
#else
#define URING_LACKS LACKS("liburing")
#endif

/* ORDER MODES */
static const char *const modes[] = {"seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw", NULL};
static const char *const io_modes[] = {"sync", "async", "mmap", "uring", NULL};
static const char *const flags[] = {"sync", "dsync", "direct", NULL};
static const char *const fsync_modes[] = {"fsync", "fdatasync", NULL};
static const char *const data[] = {"random", "zero", NULL};

const struct option fileio_rows[] = {
    {"file-num", "number of files", "128", OPT_ROW_INT(O, num), .min = 1, .max = 1e6},
    {"file-block-size", "size of each read and write, such as 4K", "16384", OPT_ROW_SIZE(O, block),
     .min = 1, .max = REQUEST_MAX},
    {"file-total-size", "size of all files together", "2G", OPT_ROW_SIZE(O, total), .min = 1,
     .max = 9e18},
    {"file-test-mode",
     "what to do with the files {seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw}: sequential write "
     "(creates what is missing), rewrite of existing files in place without reading them, "
     "sequential read, random read, random write, random reads and writes mixed",
     NULL, OPT_ROW_CHOICE(O, mode), .choices = modes},
    {"file-io-mode",
     "how {sync, async, mmap, uring}: pread and pwrite, the kernel's asynchronous I/O" ASYNC_LACKS
     ", copies from and to mapped files, io_uring" URING_LACKS,
     "sync", OPT_ROW_CHOICE(O, io), .choices = io_modes,
     .also = "fastmmap=mmap,slowmmap=mmap,libaio=async,io_uring=uring"},
    {"file-async-backlog", "requests of each thread in flight, for async and uring", "128",
     OPT_ROW_INT(O, backlog), .min = 1, .max = 32768},
    {"file-extra-flags",
     "how to open the files, any of {sync, dsync, direct}: O_SYNC, O_DSYNC, O_DIRECT", "",
     OPT_ROW_FLAGS(O, extra), .choices = flags},
    {"file-fsync-freq",
     "flush every file after this number of reads and writes, each flush being an event of its "
     "own; 0: no periodic flush",
     "100", OPT_ROW_INT(O, fsync_freq), .min = 0, .max = 9e18},
    {"file-fsync-all", "flush the file after each write, as part of the same event", "off",
     OPT_ROW_BOOL(O, fsync_all)},
    {"file-fsync-end", "flush all files once at the end of the run", "on",
     OPT_ROW_BOOL(O, fsync_end)},
    {"file-fsync-mode", "call for flushes {fsync, fdatasync}", "fsync",
     OPT_ROW_CHOICE(O, fsync_mode), .choices = fsync_modes},
    {"file-merged-requests", "blocks in one request of the sequential modes; 0: one", "0",
     OPT_ROW_INT(O, merged), .min = 0, .max = 2147483647},
    {"file-rw-ratio", "reads to each write in rndrw", "1.5", OPT_ROW_DOUBLE(O, rw_ratio), .min = 0,
     .max = 1e18},
    {"file-dir", "directory of the files", ".", OPT_ROW_STRING(O, dir)},
    {"file-data", "what is written {random, zero}: data that does not compress, or zeros", "random",
     OPT_ROW_CHOICE(O, data), .choices = data},
    {0},
};

int fileio_mode(const struct optset *s)
{
    int row = optset_find(s, "file-test-mode");
    return s->origin[row] == OPT_BY_DEFAULT ? MODE_NONE : *(int *)optset_value(s, (size_t)row);
}

int fileio_check(const struct fileio_options *o, const struct general *g, struct err *e)
{
    const struct io_engine *engine = engine_of(o->io);
    if (engine->unavailable)
        return err_unable(e, "option --file-io-mode: %s is not available: %s", engine->name,
                          engine->unavailable);
    if (o->total / (uint64_t)o->num == 0)
        return err_set(e,
                       "option --file-total-size: %llu bytes are too few for --file-num=%lld files",
                       (unsigned long long)o->total, (long long)o->num);
    if (o->merged > 0 && (double)o->block * (double)o->merged > REQUEST_MAX)
        return err_set(e,
                       "option --file-merged-requests: %lld blocks of %llu bytes are more than one "
                       "request can have, %.0f bytes",
                       (long long)o->merged, (unsigned long long)o->block, REQUEST_MAX);
    if (g->validate && o->block < VALIDATE_LEAST)
        return err_set(e,
                       "option --file-block-size: with --validate a block holds a checksum and "
                       "has %d bytes or more",
                       VALIDATE_LEAST);
    if (!o->dir || !*o->dir)
        return err_set(e, "option --file-dir: the value '' names no directory");
    return 0;
}
