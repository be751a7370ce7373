/*
 * io_uring by liburing: one ring for requests and one for what has completed,
 * both in memory shared with the kernel. Whether the kernel allows it is found
 * out when it is asked for.
 */
#include "primitive/fileio/engine.h"

#ifdef HAVE_LIBURING

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

static void uring_close(void *queue)
{
    io_uring_queue_exit(queue);
    free(queue);
}

static int refused(int why, struct err *e)
{
    static const struct {
        int why;
        const char *hint;
    } hints[] = {
        {EPERM, "it is switched off (kernel.io_uring_disabled, or a filter of a container)"},
        {ENOSYS, "this kernel has none, or a filter of a container hides it"},
        {ENOMEM, "the limit of locked memory is too low (ulimit -l)"},
        {0, "the kernel refuses it"},
    };
    int i = 0;
    while (hints[i].why && hints[i].why != why)
        i++;
    err_sys(e, why, "option --file-io-mode: io_uring is not available: %s; use async or sync.",
            hints[i].hint);
    if (e)
        e->status = ERR_UNABLE;
    return -1;
}

/* 0, or the error number. */
static int set_up(struct io_uring *ring, unsigned depth)
{
    int rc = io_uring_queue_init(depth, ring, 0);
    if (rc != 0)
        return -rc;
    /* Before Linux 5.6 it has no plain read and write. */
    if (ring->features & IORING_FEAT_RW_CUR_POS)
        return 0;
    io_uring_queue_exit(ring);
    return ENOSYS;
}

static void *uring_open(unsigned depth, struct err *e)
{
    struct io_uring *ring = calloc(1, sizeof *ring);
    if (!ring) {
        err_set(e, "out of memory for io_uring");
        return NULL;
    }
    int why = set_up(ring, depth);
    if (why == 0)
        return ring;
    refused(why, e);
    free(ring);
    return NULL;
}

static int uring_begin(struct file_set *s, bool writes, struct err *e)
{
    (void)s;
    (void)writes;
    void *probe = uring_open(1, e);
    if (!probe)
        return -1;
    uring_close(probe);
    return 0;
}

static void uring_put(void *queue, unsigned slot, int fd, const struct request *q, void *buffer,
                      bool data_only)
{
    struct io_uring_sqe *s =
        io_uring_get_sqe(queue); /* never NULL: at most `depth` are asked for */
    if (q->kind == REQUEST_READ)
        io_uring_prep_read(s, fd, buffer, q->size, q->offset);
    else if (q->kind == REQUEST_WRITE)
        io_uring_prep_write(s, fd, buffer, q->size, q->offset);
    else
        io_uring_prep_fsync(s, fd, data_only ? IORING_FSYNC_DATASYNC : 0);
    s->user_data = slot;
}

static int uring_submit(void *queue)
{
    return io_uring_submit(queue);
}

static unsigned collect(struct io_uring *ring, struct io_done *out, unsigned room)
{
    struct io_uring_cqe *c;
    unsigned head, n = 0;
    io_uring_for_each_cqe(ring, head, c)
    {
        if (n == room)
            break;
        out[n++] = (struct io_done){.slot = (unsigned)c->user_data, .result = c->res};
    }
    io_uring_cq_advance(ring, n);
    return n;
}

/* 1: something may have completed; 0: the time is over; -errno. A limited wait
 * is one for the descriptor, as kernels before 5.11 take no time with it. */
static int wait_for_one(struct io_uring *ring, int64_t timeout_ns)
{
    struct io_uring_cqe *first;
    struct pollfd p = {.fd = ring->ring_fd, .events = POLLIN};
    struct timespec t = {.tv_sec = (time_t)(timeout_ns / 1000000000),
                         .tv_nsec = (long)(timeout_ns % 1000000000)};
    int rc = timeout_ns < 0 ? io_uring_wait_cqe(ring, &first) : ppoll(&p, 1, &t, NULL);
    if (timeout_ns < 0)
        return rc == 0 || rc == -EINTR ? 1 : rc;
    return rc < 0 ? errno == EINTR ? 1 : -errno : rc;
}

static int uring_reap(void *queue, unsigned least, int64_t timeout_ns, struct io_done *out,
                      unsigned room)
{
    unsigned got = collect(queue, out, room);
    while (got < least) {
        int rc = wait_for_one(queue, timeout_ns);
        if (rc < 0)
            return rc;
        got += collect(queue, out + got, room - got);
        if (rc == 0)
            break;
    }
    return (int)got;
}

const struct io_engine io_uring_engine = {
    .name = "uring",
    .label = "asynchronous io_uring",
    .summary = "io_uring",
    .begin = uring_begin,
    .flush = flush_file,
    .open = uring_open,
    .close = uring_close,
    .put = uring_put,
    .submit = uring_submit,
    .reap = uring_reap,
};

#else

const struct io_engine io_uring_engine = {
    .name = "uring",
    .label = "asynchronous io_uring",
    .summary = "io_uring",
    .unavailable = "built without liburing",
};

#endif
