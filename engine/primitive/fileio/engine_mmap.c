/*
 * Copies from and to mapped files. Each file is mapped whole, on 32-bit systems
 * too: mapping around each request, as sysbench does there, measures something
 * else, and then the two could not be compared.
 */
#include "primitive/fileio/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A write into a hole of a full disk would end in SIGBUS instead of an error. */
static int reserve(int fd, uint64_t size)
{
    struct stat st;
    if (fallocate(fd, 0, 0, (off_t)size) == 0)
        return 0;
    if (errno != EOPNOTSUPP || fstat(fd, &st) != 0)
        return -1;
    return (uint64_t)st.st_size < size ? ftruncate(fd, (off_t)size) : 0;
}

static int map_error(const struct file_set *s, uint32_t i, const char *what, int why, struct err *e)
{
    struct buf path = {0};
    err_sys(e, why,
            "option --file-io-mode=mmap: %llu bytes of '%s' cannot be %s; use a smaller "
            "--file-total-size or --file-io-mode=sync",
            (unsigned long long)s->size, file_path(s->options, i, &path), what);
    buf_release(&path);
    return -1;
}

static int map_file(struct file_set *s, uint32_t i, bool writes, struct err *e)
{
    struct test_file *f = &s->file[i];
    struct stat st;
    if (writes && reserve(f->fd, s->size) != 0)
        return map_error(s, i, "reserved", errno, e);
    /* What lies beyond the end must not be touched. */
    if (fstat(f->fd, &st) != 0 || (uint64_t)st.st_size < s->size)
        return map_error(s, i, "mapped, it is shorter", ENODATA, e);
    if (s->size > SIZE_MAX)
        return map_error(s, i, "mapped on a 32-bit system", ENOMEM, e);
    void *map = mmap(NULL, (size_t)s->size, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                     f->fd, 0);
    if (map == MAP_FAILED)
        return map_error(s, i, "mapped, the set may be too large for the address space", errno, e);
    f->map = map;
    return 0;
}

/* What a copy touches may be gone: the file was shortened, or its disk failed.
 * The handler finds the way out of the copy here, each thread its own. */
static __thread sigjmp_buf *volatile way_out;

static void lost(int number)
{
    if (way_out) {
        /* This way leads past the return that would let the signal through again. */
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, number);
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
        siglongjmp(*way_out, 1);
    }
    signal(number, SIG_DFL); /* none of ours: it comes again, and ends the process */
}

static void on_sigbus(void (*what)(int))
{
    struct sigaction how = {.sa_handler = what};
    sigemptyset(&how.sa_mask);
    sigaction(SIGBUS, &how, NULL);
}

static void mmap_end(struct file_set *s)
{
    on_sigbus(SIG_DFL);
    for (uint32_t i = 0; s->file && i < s->count; i++) {
        if (s->file[i].map)
            munmap(s->file[i].map, (size_t)s->size);
        s->file[i].map = NULL;
    }
}

static int mmap_begin(struct file_set *s, bool writes, struct err *e)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (map_file(s, i, writes, e) != 0)
            return -1;
    on_sigbus(lost);
    return 0;
}

/* Two threads may draw the same block: that is the load and no mistake, which
 * the thread sanitizer cannot know. */
#ifdef __SANITIZE_THREAD__
__attribute__((no_sanitize("thread"))) static void copy(void *to, const void *from, size_t size)
{
    volatile char *out = to;
    const volatile char *in = from;
    while (size-- > 0)
        *out++ = *in++;
}
#else
static void copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}
#endif

/* False: what is mapped there could not be reached. */
static bool copy_if_there(void *to, const void *from, size_t size)
{
    sigjmp_buf here;
    bool there = sigsetjmp(here, 0) == 0;
    if (there) {
        way_out = &here;
        atomic_signal_fence(memory_order_seq_cst);
        copy(to, from, size);
        atomic_signal_fence(memory_order_seq_cst);
    }
    way_out = NULL;
    return there;
}

static int why_lost(int fd, const struct request *q)
{
    struct stat st;
    bool shorter = fstat(fd, &st) == 0 && (uint64_t)st.st_size < q->offset + q->size;
    return shorter ? ENODATA : EIO;
}

static int mmap_transfer(const struct file_set *s, const struct request *q, void *buffer)
{
    const struct test_file *f = &s->file[q->file];
    char *at = (char *)f->map + q->offset;
    bool there = q->kind == REQUEST_READ ? copy_if_there(buffer, at, q->size)
                                         : copy_if_there(at, buffer, q->size);
    if (!there)
        errno = why_lost(f->fd, q);
    return there ? 0 : -1;
}

static int mmap_flush(const struct file_set *s, uint32_t file, bool data_only)
{
    (void)data_only; /* msync knows no such difference */
    return msync(s->file[file].map, (size_t)s->size, MS_SYNC);
}

const struct io_engine io_mmap = {
    .name = "mmap",
    .label = "fast mmaped",
    .summary = "copies from and to mapped files",
    .begin = mmap_begin,
    .end = mmap_end,
    .transfer = mmap_transfer,
    .flush = mmap_flush,
};
