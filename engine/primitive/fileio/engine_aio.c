/*
 * The kernel's asynchronous I/O (what libaio wraps), by its system calls, so
 * that the program needs no library for it. Without O_DIRECT most file systems
 * do the work inside of io_submit.
 */
#include "primitive/fileio/engine.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct aio {
    aio_context_t context;
    unsigned depth, waiting; /* waiting: put, not yet submitted */
    struct iocb *block;      /* one for each slot */
    struct iocb **queue;     /* those waiting, in order */
    struct io_event *event;
    struct io_done *early; /* flushes that were done at once */
    unsigned early_count;
};

static void aio_close(void *queue)
{
    struct aio *a = queue;
    if (a->context)
        syscall(SYS_io_destroy, a->context);
    free(a->block);
    free(a->queue);
    free(a->event);
    free(a->early);
    free(a);
}

static int set_up_error(unsigned depth, int why, struct err *e)
{
    if (why == EAGAIN)
        return err_sys(e, why,
                       "option --file-async-backlog: no room for %u requests of each thread in "
                       "fs.aio-max-nr; lower it or --threads, or raise that limit",
                       depth);
    return err_sys(e, why, "option --file-io-mode: asynchronous I/O is not possible here");
}

static void *aio_open(unsigned depth, struct err *e)
{
    struct aio *a = calloc(1, sizeof *a);
    if (a) {
        a->depth = depth;
        a->block = calloc(depth, sizeof *a->block);
        a->queue = calloc(depth, sizeof(struct iocb *));
        a->event = calloc(depth, sizeof *a->event);
        a->early = calloc(depth, sizeof *a->early);
    }
    if (!a || !a->block || !a->queue || !a->event || !a->early)
        err_set(e, "out of memory for %u asynchronous requests", depth);
    else if (syscall(SYS_io_setup, depth, &a->context) == 0)
        return a;
    else
        set_up_error(depth, errno, e);
    if (a)
        aio_close(a);
    return NULL;
}

static int aio_begin(struct file_set *s, bool writes, struct err *e)
{
    (void)s;
    (void)writes;
    void *probe = aio_open(1, e);
    if (!probe)
        return -1;
    aio_close(probe);
    return 0;
}

static void aio_put(void *queue, unsigned slot, int fd, const struct request *q, void *buffer,
                    bool data_only)
{
    struct aio *a = queue;
    struct iocb *b = &a->block[slot];
    *b = (struct iocb){.aio_data = slot, .aio_fildes = (uint32_t)fd};
    if (q->kind == REQUEST_FSYNC) {
        b->aio_lio_opcode = data_only ? IOCB_CMD_FDSYNC : IOCB_CMD_FSYNC;
    } else {
        b->aio_lio_opcode = q->kind == REQUEST_READ ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE;
        b->aio_buf = (uint64_t)(uintptr_t)buffer;
        b->aio_nbytes = q->size;
        b->aio_offset = (int64_t)q->offset;
    }
    a->queue[a->waiting++] = b;
}

/* Kernels before 4.18 and some file systems have no asynchronous flush. */
static int flush_at_once(struct aio *a, const struct iocb *b)
{
    bool data_only = b->aio_lio_opcode == IOCB_CMD_FDSYNC;
    int rc = flush_descriptor((int)b->aio_fildes, data_only);
    a->early[a->early_count++] =
        (struct io_done){.slot = (unsigned)b->aio_data, .result = rc == 0 ? 0 : -errno};
    return 1;
}

static int aio_submit(void *queue)
{
    struct aio *a = queue;
    long n = syscall(SYS_io_submit, a->context, (long)a->waiting, a->queue);
    if (n < 0 && errno == EINVAL &&
        (a->queue[0]->aio_lio_opcode == IOCB_CMD_FSYNC ||
         a->queue[0]->aio_lio_opcode == IOCB_CMD_FDSYNC))
        n = flush_at_once(a, a->queue[0]);
    if (n < 0)
        return -errno;
    a->waiting -= (unsigned)n;
    memmove(a->queue, a->queue + n, a->waiting * sizeof(struct iocb *));
    return (int)n;
}

static unsigned take_early(struct aio *a, struct io_done *out, unsigned room)
{
    unsigned n = 0;
    while (n < room && a->early_count > 0)
        out[n++] = a->early[--a->early_count];
    return n;
}

static int aio_reap(void *queue, unsigned least, int64_t timeout_ns, struct io_done *out,
                    unsigned room)
{
    struct aio *a = queue;
    unsigned got = take_early(a, out, room);
    /* The kernel's old timespec: two longs, on 32-bit systems as well. */
    long timeout[2] = {(long)(timeout_ns / 1000000000), (long)(timeout_ns % 1000000000)};
    if (got >= least) /* only look */
        least = timeout[0] = timeout[1] = 0;
    long n;
    do {
        n = syscall(SYS_io_getevents, a->context, (long)least, (long)(room - got), a->event,
                    timeout_ns < 0 && least > 0 ? NULL : timeout);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    for (long i = 0; i < n; i++)
        out[got++] = (struct io_done){.slot = (unsigned)a->event[i].data,
                                      .result = (int64_t)a->event[i].res};
    return (int)got;
}

const struct io_engine io_async = {
    .name = "async",
    .label = "asynchronous",
    .begin = aio_begin,
    .flush = flush_file,
    .open = aio_open,
    .close = aio_close,
    .put = aio_put,
    .submit = aio_submit,
    .reap = aio_reap,
};
