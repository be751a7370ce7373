/*
 * io_uring by its system calls: two rings in memory shared with the kernel, one
 * for requests and one for what has completed. Nothing has to be installed for
 * it, and whether the kernel allows it is found out when it is asked for.
 */
#include "primitive/fileio/engine.h"

#if __has_include(<linux/io_uring.h>)

#include <errno.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct uring {
    int fd;
    unsigned staged; /* put, not yet submitted */
    void *ring;      /* both rings, in one mapping */
    size_t ring_size;
    struct io_uring_sqe *sqe;
    size_t sqe_size;
    unsigned *sq_tail, *sq_mask, *sq_array;
    unsigned *cq_head, *cq_tail, *cq_mask;
    struct io_uring_cqe *cqe;
};

static void uring_close(void *queue)
{
    struct uring *u = queue;
    if (u->sqe)
        munmap(u->sqe, u->sqe_size);
    if (u->ring)
        munmap(u->ring, u->ring_size);
    if (u->fd >= 0)
        close(u->fd);
    free(u);
}

static void *map_ring(const struct uring *u, size_t size, off_t what)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, u->fd, what);
    return at == MAP_FAILED ? NULL : at;
}

static unsigned *word_at(const struct uring *u, unsigned offset)
{
    return (unsigned *)((char *)u->ring + offset);
}

static int map_all(struct uring *u, const struct io_uring_params *p)
{
    size_t sq = p->sq_off.array + p->sq_entries * sizeof(unsigned);
    size_t cq = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
    u->ring_size = sq > cq ? sq : cq;
    u->sqe_size = p->sq_entries * sizeof(struct io_uring_sqe);
    u->ring = map_ring(u, u->ring_size, IORING_OFF_SQ_RING);
    u->sqe = map_ring(u, u->sqe_size, IORING_OFF_SQES);
    if (!u->ring || !u->sqe)
        return -1;
    u->sq_tail = word_at(u, p->sq_off.tail);
    u->sq_mask = word_at(u, p->sq_off.ring_mask);
    u->sq_array = word_at(u, p->sq_off.array);
    u->cq_head = word_at(u, p->cq_off.head);
    u->cq_tail = word_at(u, p->cq_off.tail);
    u->cq_mask = word_at(u, p->cq_off.ring_mask);
    u->cqe = (struct io_uring_cqe *)(void *)word_at(u, p->cq_off.cqes);
    return 0;
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
static int set_up(struct uring *u, unsigned depth)
{
    struct io_uring_params p = {0};
    u->fd = (int)syscall(SYS_io_uring_setup, depth, &p);
    if (u->fd < 0)
        return errno;
    /* Before Linux 5.6 it has no plain read and write either. */
    if (!(p.features & IORING_FEAT_SINGLE_MMAP) || !(p.features & IORING_FEAT_RW_CUR_POS))
        return ENOSYS;
    return map_all(u, &p) == 0 ? 0 : errno;
}

static void *uring_open(unsigned depth, struct err *e)
{
    struct uring *u = calloc(1, sizeof *u);
    if (!u) {
        err_set(e, "out of memory for io_uring");
        return NULL;
    }
    int why = set_up(u, depth);
    if (why == 0)
        return u;
    refused(why, e);
    uring_close(u);
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
    static const uint8_t codes[] = {[REQUEST_READ] = IORING_OP_READ,
                                    [REQUEST_WRITE] = IORING_OP_WRITE,
                                    [REQUEST_FSYNC] = IORING_OP_FSYNC};
    struct uring *u = queue;
    unsigned tail = *u->sq_tail, at = tail & *u->sq_mask; /* we alone write the tail */
    struct io_uring_sqe *s = &u->sqe[at];
    *s = (struct io_uring_sqe){.opcode = codes[q->kind], .fd = fd, .user_data = slot};
    if (q->kind == REQUEST_FSYNC) {
        s->fsync_flags = data_only ? IORING_FSYNC_DATASYNC : 0;
    } else {
        s->addr = (uint64_t)(uintptr_t)buffer;
        s->len = q->size;
        s->off = q->offset;
    }
    u->sq_array[at] = at;
    __atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
    u->staged++;
}

static int enter(const struct uring *u, unsigned submit, unsigned least)
{
    return (int)syscall(SYS_io_uring_enter, u->fd, submit, least,
                        least ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
}

static int uring_submit(void *queue)
{
    struct uring *u = queue;
    int n = enter(u, u->staged, 0);
    if (n < 0)
        return -errno;
    u->staged -= (unsigned)n;
    return n;
}

static unsigned collect(struct uring *u, struct io_done *out, unsigned room)
{
    unsigned n = 0, head = *u->cq_head; /* we alone move the head */
    unsigned tail = __atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE);
    for (; n < room && head != tail; n++, head++) {
        const struct io_uring_cqe *c = &u->cqe[head & *u->cq_mask];
        out[n] = (struct io_done){.slot = (unsigned)c->user_data, .result = c->res};
    }
    __atomic_store_n(u->cq_head, head, __ATOMIC_RELEASE);
    return n;
}

/* 1: something may have completed; 0: the time is over; -errno. */
static int wait_for_one(struct uring *u, int64_t timeout_ns)
{
    struct pollfd p = {.fd = u->fd, .events = POLLIN};
    struct timespec t = {.tv_sec = (time_t)(timeout_ns / 1000000000),
                         .tv_nsec = (long)(timeout_ns % 1000000000)};
    int rc = timeout_ns < 0 ? enter(u, 0, 1) : ppoll(&p, 1, &t, NULL);
    if (rc < 0)
        return errno == EINTR ? 1 : -errno;
    return timeout_ns < 0 ? 1 : rc;
}

static int uring_reap(void *queue, unsigned least, int64_t timeout_ns, struct io_done *out,
                      unsigned room)
{
    struct uring *u = queue;
    unsigned got = collect(u, out, room);
    while (got < least) {
        int rc = wait_for_one(u, timeout_ns);
        if (rc < 0)
            return rc;
        got += collect(u, out + got, room - got);
        if (rc == 0)
            break;
    }
    return (int)got;
}

const struct io_engine io_uring_engine = {
    .name = "uring",
    .label = "asynchronous io_uring",
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
    .unavailable = "the headers of the kernel that this program was built with have no io_uring",
};

#endif
