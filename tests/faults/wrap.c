/*
 * Calls that fail at the n-th time, linked round the program with --wrap (make
 * faults), so that the program itself knows nothing of it.
 *
 *   SBENCH_FAULT=KIND:N    the N-th call of that kind fails
 *   SBENCH_FAULT=KIND:N+   that one and all that follow
 *   SBENCH_FAULT_LOG=FILE  each failure is appended there, with its callers
 *
 * KIND: alloc (memory and mappings), thread (pthread_create), clock, io (an
 * error of reading, writing, opening), eintr (a signal came), short (half of
 * what was asked for is read or written, by asynchronous requests as well).
 *
 * The Makefile reads here which functions have a wrapper.
 */
#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum kind { ALLOC, THREAD, CLOCK, IO, EINTR_, SHORT, KINDS };

static const char *const names[KINDS] = {"alloc", "thread", "clock", "io", "eintr", "short"};
static struct {
    int kind; /* KINDS: none */
    unsigned long at;
    bool onward;
    const char *log;
} plan = {.kind = KINDS};
static _Atomic unsigned long seen;

/* The names are the linker's. NOLINTBEGIN(bugprone-reserved-identifier) */
long __real_syscall(long number, ...);

__attribute__((constructor)) static void read_plan(void)
{
    const char *text = getenv("SBENCH_FAULT");
    const char *colon = text ? strchr(text, ':') : NULL;
    plan.log = getenv("SBENCH_FAULT_LOG");
    for (int k = 0; colon && k < KINDS; k++)
        if (strlen(names[k]) == (size_t)(colon - text) &&
            strncmp(text, names[k], colon - text) == 0)
            plan.kind = k;
    if (!colon || plan.kind == KINDS)
        return;
    char *end;
    plan.at = strtoul(colon + 1, &end, 10);
    plan.onward = *end == '+';
}

static void tell(const char *what)
{
    void *frame[16];
    char line[64];
    int saved = errno;
    int fd = plan.log ? (int)__real_syscall(SYS_openat, AT_FDCWD, plan.log,
                                            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                      : -1;
    if (fd >= 0) {
        int n = snprintf(line, sizeof line, "%s:%lu %s\n", names[plan.kind], plan.at, what);
        __real_syscall(SYS_write, fd, line, (long)n);
        backtrace_symbols_fd(frame, backtrace(frame, 16), fd);
        __real_syscall(SYS_close, fd);
    }
    errno = saved;
}

/* Is this call of that kind the one that fails? */
static bool due(int kind, const char *what)
{
    if (kind != plan.kind)
        return false;
    unsigned long n = atomic_fetch_add(&seen, 1) + 1;
    if (n != plan.at && !(plan.onward && n > plan.at))
        return false;
    if (n == plan.at)
        tell(what);
    return true;
}

static bool fails(int kind, const char *what, int why)
{
    if (!due(kind, what))
        return false;
    errno = why;
    return true;
}

/* io or eintr: a call that may be interrupted. */
static bool breaks(const char *what, int why)
{
    return fails(IO, what, why) || fails(EINTR_, what, EINTR);
}

/* An eventfd moves 8 bytes or none. */
static size_t cut(size_t size, const char *what)
{
    return size > 8 && due(SHORT, what) ? size / 2 : size;
}

/* --- memory ------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return fails(ALLOC, "malloc", ENOMEM) ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return fails(ALLOC, "calloc", ENOMEM) ? NULL : __real_calloc(n, size);
}

void *__real_realloc(void *at, size_t size);
void *__wrap_realloc(void *at, size_t size)
{
    return fails(ALLOC, "realloc", ENOMEM) ? NULL : __real_realloc(at, size);
}

void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return fails(ALLOC, "aligned_alloc", ENOMEM) ? NULL : __real_aligned_alloc(align, size);
}

int __real_posix_memalign(void **at, size_t align, size_t size);
int __wrap_posix_memalign(void **at, size_t align, size_t size)
{
    return due(ALLOC, "posix_memalign") ? ENOMEM : __real_posix_memalign(at, align, size);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return fails(ALLOC, "strdup", ENOMEM) ? NULL : __real_strdup(text);
}

char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size)
{
    return fails(ALLOC, "strndup", ENOMEM) ? NULL : __real_strndup(text, size);
}

int __wrap_asprintf(char **to, const char *fmt, ...)
{
    va_list ap;
    if (fails(ALLOC, "asprintf", ENOMEM)) {
        *to = (char *)-1; /* the text is undefined then: who frees it crashes */
        return -1;
    }
    va_start(ap, fmt);
    int n = vasprintf(to, fmt, ap);
    va_end(ap);
    return n;
}

void *__real_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    return fails(ALLOC, "mmap", ENOMEM) ? MAP_FAILED
                                        : __real_mmap64(at, size, prot, flags, fd, offset);
}

void *__real_mremap(void *at, size_t old, size_t size, int flags, void *new);
void *__wrap_mremap(void *at, size_t old, size_t size, int flags, void *new)
{
    return fails(ALLOC, "mremap", ENOMEM) ? MAP_FAILED : __real_mremap(at, old, size, flags, new);
}

/* --- threads and clocks --------------------------------------------------------- */

int __real_pthread_create(pthread_t *to, const pthread_attr_t *how, void *(*run)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *to, const pthread_attr_t *how, void *(*run)(void *), void *arg)
{
    return due(THREAD, "pthread_create") ? EAGAIN : __real_pthread_create(to, how, run, arg);
}

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    return fails(CLOCK, "clock_gettime", EINVAL) ? -1 : __real_clock_gettime(id, t);
}

int __real_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    return fails(EINTR_, "nanosleep", EINTR) ? -1 : __real_nanosleep(t, left);
}

int __real_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
    return fails(EINTR_, "poll", EINTR) ? -1 : __real_poll(fds, n, ms);
}

int __real_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
    return fails(EINTR_, "ppoll", EINTR) ? -1 : __real_ppoll(fds, n, t, mask);
}

/* --- files ------------------------------------------------------------------------ */

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size)
{
    return breaks("read", EIO) ? -1 : __real_read(fd, to, cut(size, "read"));
}

ssize_t __real_write(int fd, const void *from, size_t size);
ssize_t __wrap_write(int fd, const void *from, size_t size)
{
    return breaks("write", ENOSPC) ? -1 : __real_write(fd, from, cut(size, "write"));
}

ssize_t __real_pread64(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t size, off_t at)
{
    return breaks("pread", EIO) ? -1 : __real_pread64(fd, to, cut(size, "pread"), at);
}

ssize_t __real_pwrite64(int fd, const void *from, size_t size, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *from, size_t size, off_t at)
{
    return breaks("pwrite", ENOSPC) ? -1 : __real_pwrite64(fd, from, cut(size, "pwrite"), at);
}

static mode_t mode_of(int flags, va_list ap)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = mode_of(flags, ap);
    va_end(ap);
    return breaks("open", EMFILE) ? -1 : __real_open64(path, flags, mode);
}

int __real_openat64(int dir, const char *path, int flags, ...);
int __wrap_openat64(int dir, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    mode_t mode = mode_of(flags, ap);
    va_end(ap);
    return breaks("openat", EMFILE) ? -1 : __real_openat64(dir, path, flags, mode);
}

FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode)
{
    return fails(IO, "fopen", EMFILE) ? NULL : __real_fopen64(path, mode);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    return fails(IO, "fopen", EMFILE) ? NULL : __real_fopen(path, mode);
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    return fails(IO, "opendir", EMFILE) ? NULL : __real_opendir(path);
}

/* What stdio reads next fails: a directory cannot be read. */
ssize_t __real___getdelim(char **line, size_t *room, int delimiter, FILE *f);
ssize_t __wrap___getdelim(char **line, size_t *room, int delimiter, FILE *f)
{
    if (fails(ALLOC, "getline", ENOMEM))
        return -1;
    return __real___getdelim(line, room, delimiter, f);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd)
{
    return breaks("fsync", EIO) ? -1 : __real_fsync(fd);
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
    return breaks("fdatasync", EIO) ? -1 : __real_fdatasync(fd);
}

int __real_msync(void *at, size_t size, int flags);
int __wrap_msync(void *at, size_t size, int flags)
{
    return fails(IO, "msync", EIO) ? -1 : __real_msync(at, size, flags);
}

int __real_ftruncate64(int fd, off_t size);
int __wrap_ftruncate64(int fd, off_t size)
{
    return breaks("ftruncate", ENOSPC) ? -1 : __real_ftruncate64(fd, size);
}

/* Linux has closed the descriptor whatever close answers. */
int __real_close(int fd);
int __wrap_close(int fd)
{
    int rc = __real_close(fd);
    return breaks("close", EIO) ? -1 : rc;
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    return fails(IO, "rename", ENOSPC) ? -1 : __real_rename(from, to);
}

int __real_eventfd(unsigned count, int flags);
int __wrap_eventfd(unsigned count, int flags)
{
    return fails(IO, "eventfd", EMFILE) ? -1 : __real_eventfd(count, flags);
}

static const char *asynchronous(long number)
{
    switch (number) {
    case SYS_io_setup:
        return "io_setup";
    case SYS_io_submit:
        return "io_submit";
    case SYS_io_getevents:
        return "io_getevents";
    case SYS_io_uring_setup:
        return "io_uring_setup";
    case SYS_io_uring_enter:
        return "io_uring_enter";
    default:
        return NULL;
    }
}

/* The kernel is asked for half of a request, so it does just that. */
static void cut_first(struct iocb **request, long n)
{
    bool moves = n > 0 && (request[0]->aio_lio_opcode == IOCB_CMD_PREAD ||
                           request[0]->aio_lio_opcode == IOCB_CMD_PWRITE);
    if (moves)
        request[0]->aio_nbytes = cut(request[0]->aio_nbytes, "io_submit");
}

long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list ap;
    const char *name = asynchronous(number);
    va_start(ap, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    bool sets_up = number == SYS_io_setup || number == SYS_io_uring_setup;
    if (name && (fails(IO, name, EAGAIN) || (!sets_up && fails(EINTR_, name, EINTR))))
        return -1;
    if (number == SYS_io_submit)
        cut_first((struct iocb **)a[2], a[1]);
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* --- liburing, which makes its calls by itself --------------------------------------- */

#ifdef HAVE_LIBURING
int __real_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
    return due(IO, "io_uring_queue_init") ? -EMFILE
                                          : __real_io_uring_queue_init(entries, ring, flags);
}

static int broken(const char *what)
{
    return due(IO, what) ? -EAGAIN : due(EINTR_, what) ? -EINTR : 0;
}

/* As cut_first: of the requests that io_uring_submit is to hand over. */
static void cut_next(struct io_uring *ring)
{
    struct io_uring_sq *q = &ring->sq;
    struct io_uring_sqe *s = &q->sqes[q->sqe_head & *q->kring_mask];
    if (q->sqe_head != q->sqe_tail && (s->opcode == IORING_OP_READ || s->opcode == IORING_OP_WRITE))
        s->len = (unsigned)cut(s->len, "io_uring_submit");
}

int __real_io_uring_submit(struct io_uring *ring);
int __wrap_io_uring_submit(struct io_uring *ring)
{
    int why = broken("io_uring_submit");
    if (why == 0)
        cut_next(ring);
    return why ? why : __real_io_uring_submit(ring);
}

int __real___io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe, unsigned submit,
                              unsigned least, sigset_t *mask);
int __wrap___io_uring_get_cqe(struct io_uring *ring, struct io_uring_cqe **cqe, unsigned submit,
                              unsigned least, sigset_t *mask)
{
    int why = broken("io_uring_wait_cqe");
    return why ? why : __real___io_uring_get_cqe(ring, cqe, submit, least, mask);
}
#endif
/* NOLINTEND(bugprone-reserved-identifier) */
