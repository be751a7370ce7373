/*
 * The kernel's asynchronous I/O by libaio. Without O_DIRECT most file systems
 * do the work inside of io_submit.
 */
#include "primitive/fileio/engine.h"

#ifdef HAVE_LIBAIO

#include <errno.h>
#include <libaio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* On 32-bit systems libaio may take another timespec than this program has (32
 * or 64 bits of seconds). Only NULL and zeros are the same in both, so a limited
 * wait is one for an eventfd there. */
#define WAITS_BY_EVENTFD (sizeof(time_t) != sizeof(long))

struct aio {
    io_context_t context;
    int event_fd;            /* -1: not needed */
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
        io_destroy(a->context);
    if (a->event_fd >= 0)
        close(a->event_fd);
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

static int set_up(struct aio *a, struct err *e)
{
    if (WAITS_BY_EVENTFD) {
        a->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (a->event_fd < 0)
            return err_sys(e, errno, "cannot make an eventfd for asynchronous requests");
    }
    int rc = io_setup((int)a->depth, &a->context);
    return rc == 0 ? 0 : set_up_error(a->depth, -rc, e);
}

static void *aio_open(unsigned depth, struct err *e)
{
    struct aio *a = calloc(1, sizeof *a);
    if (a) {
        a->event_fd = -1;
        a->depth = depth;
        a->block = calloc(depth, sizeof *a->block);
        a->queue = calloc(depth, sizeof(struct iocb *));
        a->event = calloc(depth, sizeof *a->event);
        a->early = calloc(depth, sizeof *a->early);
    }
    if (!a || !a->block || !a->queue || !a->event || !a->early)
        err_set(e, "out of memory for %u asynchronous requests", depth);
    else if (set_up(a, e) == 0)
        return a;
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
    if (q->kind == REQUEST_READ)
        io_prep_pread(b, fd, buffer, q->size, (long long)q->offset);
    else if (q->kind == REQUEST_WRITE)
        io_prep_pwrite(b, fd, buffer, q->size, (long long)q->offset);
    else if (data_only)
        io_prep_fdsync(b, fd);
    else
        io_prep_fsync(b, fd);
    b->data = (void *)(uintptr_t)slot;
    if (a->event_fd >= 0)
        io_set_eventfd(b, a->event_fd);
    a->queue[a->waiting++] = b;
}

static bool is_flush(const struct iocb *b)
{
    return b->aio_lio_opcode == IO_CMD_FSYNC || b->aio_lio_opcode == IO_CMD_FDSYNC;
}

/* Kernels before 4.18 and some file systems have no asynchronous flush. */
static int flush_at_once(struct aio *a, const struct iocb *b)
{
    int rc = flush_descriptor(b->aio_fildes, b->aio_lio_opcode == IO_CMD_FDSYNC);
    a->early[a->early_count++] =
        (struct io_done){.slot = (unsigned)(uintptr_t)b->data, .result = rc == 0 ? 0 : -errno};
    return 1;
}

static int aio_submit(void *queue)
{
    struct aio *a = queue;
    int n = io_submit(a->context, (long)a->waiting, a->queue);
    if (n == -EINVAL && is_flush(a->queue[0]))
        n = flush_at_once(a, a->queue[0]);
    if (n < 0)
        return n;
    a->waiting -= (unsigned)n;
    memmove(a->queue, a->queue + n, a->waiting * sizeof(struct iocb *));
    return n;
}

static unsigned take_early(struct aio *a, struct io_done *out, unsigned room)
{
    unsigned n = 0;
    while (n < room && a->early_count > 0)
        out[n++] = a->early[--a->early_count];
    return n;
}

/* Waits for `least`, no longer than the timeout (NULL: for ever). Number, or -errno. */
static int fetch(struct aio *a, unsigned least, unsigned room, struct timespec *timeout)
{
    int n;
    do {
        n = io_getevents(a->context, (long)least, (long)room, a->event, timeout);
    } while (n == -EINTR);
    return n;
}

static int fetch_in_time(struct aio *a, unsigned least, unsigned room, int64_t timeout_ns)
{
    struct timespec none = {0}, t = {.tv_sec = (time_t)(timeout_ns / 1000000000),
                                     .tv_nsec = (long)(timeout_ns % 1000000000)};
    struct pollfd p = {.fd = a->event_fd, .events = POLLIN};
    uint64_t drained;
    if (!WAITS_BY_EVENTFD)
        return fetch(a, least, room, &t);
    int n = fetch(a, 0, room, &none);
    if (n != 0 || timeout_ns == 0)
        return n;
    /* What was fetched before may still be in the counter: then this returns early
     * and the caller asks again. */
    if (ppoll(&p, 1, &t, NULL) > 0 && read(a->event_fd, &drained, sizeof drained) < 0)
        return errno == EAGAIN ? 0 : -errno;
    return fetch(a, 0, room, &none);
}

static int aio_reap(void *queue, unsigned least, int64_t timeout_ns, struct io_done *out,
                    unsigned room)
{
    struct aio *a = queue;
    unsigned got = take_early(a, out, room);
    if (got >= least) /* only look */
        least = timeout_ns = 0;
    int n = timeout_ns < 0 ? fetch(a, least, room - got, NULL)
                           : fetch_in_time(a, least, room - got, timeout_ns);
    if (n < 0)
        return n;
    for (int i = 0; i < n; i++)
        out[got++] = (struct io_done){.slot = (unsigned)(uintptr_t)a->event[i].data,
                                      .result = (long)a->event[i].res};
    return (int)got;
}

const struct io_engine io_async = {
    .name = "async",
    .label = "asynchronous",
    .summary = "the kernel's asynchronous I/O",
    .begin = aio_begin,
    .flush = flush_file,
    .open = aio_open,
    .close = aio_close,
    .put = aio_put,
    .submit = aio_submit,
    .reap = aio_reap,
};

#else

const struct io_engine io_async = {
    .name = "async",
    .label = "asynchronous",
    .summary = "the kernel's asynchronous I/O",
    .unavailable = "built without libaio",
};

#endif
