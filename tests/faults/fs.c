/*
 * Calls of a comparison of file systems that fail at the n-th time: loaded before
 * the program (LD_PRELOAD), so that libmount's calls are reached as well. Only the
 * process that was started counts; what it starts in turn works as ever.
 *
 *   SBENCH_FS_FAULT=KIND:N   the N-th call of that kind fails
 *   SBENCH_FS_FAULT_LOG=FILE made when it does
 *
 * KIND is the name of a function below.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
    char kind[16];
    unsigned long at, seen;
    pid_t process;
} plan;

__attribute__((constructor)) static void read_plan(void)
{
    const char *text = getenv("SBENCH_FS_FAULT");
    const char *colon = text ? strchr(text, ':') : NULL;
    if (!colon || (size_t)(colon - text) >= sizeof plan.kind)
        return;
    memcpy(plan.kind, text, (size_t)(colon - text));
    plan.at = strtoul(colon + 1, NULL, 10);
    plan.process = getpid();
    unsetenv("SBENCH_FS_FAULT"); /* children see no plan */
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void tell(void)
{
    const char *log = getenv("SBENCH_FS_FAULT_LOG");
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))(uintptr_t)next("open");
    int fd = log ? real(log, O_WRONLY | O_CREAT, 0600) : -1;
    if (fd >= 0)
        close(fd);
}

/* Is this the call that fails? A fork before exec is another process. */
static bool fails(const char *kind, int why)
{
    if (strcmp(kind, plan.kind) != 0 || getpid() != plan.process || ++plan.seen != plan.at)
        return false;
    tell();
    errno = why;
    return true;
}

/* FAULT(KIND, ERRNO, TYPE, NAME, parameters, arguments). A type cannot stand in parentheses.
 * NOLINTBEGIN(bugprone-macro-parentheses) */
#define FAULT(kind, why, type, name, parameters, arguments)                                        \
    type name parameters                                                                           \
    {                                                                                              \
        type(*real) parameters = (type(*) parameters)(uintptr_t)next(#name);                       \
        return fails(#kind, why) ? (type)-1 : real arguments;                                      \
    }

FAULT(mount, EIO, int, mount,
      (const char *source, const char *target, const char *type, unsigned long flags,
       const void *data),
      (source, target, type, flags, data))
FAULT(umount, EIO, int, umount2, (const char *target, int flags), (target, flags))
FAULT(unshare, EPERM, int, unshare, (int flags), (flags))
FAULT(fork, EAGAIN, pid_t, fork, (void), ())
FAULT(syncfs, EIO, int, syncfs, (int fd), (fd))
FAULT(fallocate, ENOSPC, int, fallocate64, (int fd, int mode, off64_t at, off64_t size),
      (fd, mode, at, size))
FAULT(statvfs, EIO, int, statvfs64, (const char *path, struct statvfs64 *st), (path, st))
FAULT(mkdir, ENOSPC, int, mkdir, (const char *path, mode_t mode), (path, mode))
FAULT(write, ENOSPC, ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))

/* NOLINTEND(bugprone-macro-parentheses) */

char *mkdtemp(char *pattern)
{
    char *(*real)(char *) = (char *(*)(char *))(uintptr_t)next("mkdtemp");
    return fails("mkdtemp", ENOSPC) ? NULL : real(pattern);
}

int ioctl(int fd, unsigned long request, ...)
{
    int (*real)(int, unsigned long, ...) =
        (int (*)(int, unsigned long, ...))(uintptr_t)next("ioctl");
    va_list ap;
    va_start(ap, request);
    void *argument = va_arg(ap, void *);
    va_end(ap);
    return fails("ioctl", EIO) ? -1 : real(fd, request, argument);
}

int open64(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) =
        (int (*)(const char *, int, ...))(uintptr_t)next("open64");
    va_list ap;
    va_start(ap, flags);
    mode_t mode = (mode_t)va_arg(ap, int);
    va_end(ap);
    return fails("open", EMFILE) ? -1 : real(path, flags, mode);
}
