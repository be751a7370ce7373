#include "fs/settle.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "fs/interrupt.h"
#include "fs/sysfs.h"

enum { IN_FLIGHT = 8 }; /* the one counter that goes down again */

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int settle_wait(const struct device *d, double quiet_s, double limit_s, double *waited, bool *quiet,
                struct err *e)
{
    uint64_t last[DEVICE_COUNTERS], now[DEVICE_COUNTERS];
    double began = now_s(), since = began, t = began;
    if (device_counters(d, last, e) != 0)
        return -1;
    while (t - since < quiet_s && t - began < limit_s) {
        if (interrupt_sleep(0.05, e) != 0 || device_counters(d, now, e) != 0)
            return -1;
        t = now_s();
        if (now[IN_FLIGHT] != 0 || memcmp(now, last, sizeof now) != 0)
            since = t;
        memcpy(last, now, sizeof last);
    }
    *waited = t - began;
    *quiet = t - since >= quiet_s;
    return 0;
}

int settle_sync(const char *dir, struct err *e)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, errno, "%s cannot be opened:", dir);
    int rc = syncfs(fd) == 0 ? 0 : err_sys(e, errno, "%s could not be written out:", dir);
    close(fd);
    return rc;
}

static void forget_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
}

static void forget_files(const char *dir)
{
    char *roots[] = {(char *)(uintptr_t)dir, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    FTSENT *entry;
    while (walk && (entry = fts_read(walk)))
        if (entry->fts_info == FTS_F)
            forget_file(entry->fts_path);
    if (walk)
        fts_close(walk);
}

int settle_drop_caches(const char *dir, bool *all, struct err *e)
{
    if (settle_sync(dir, e) != 0)
        return -1;
    forget_files(dir);
    *all = sysfs_write("/proc/sys/vm/drop_caches", "3\n") == 0;
    return 0;
}

int settle_purge(const struct device *d, bool *done, struct err *e)
{
    uint64_t range[2] = {0, d->bytes};
    int fd = open(d->path, O_RDWR | O_EXCL | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, errno, "%s cannot be opened for writing:", d->path);
    *done = ioctl(fd, BLKDISCARD, range) == 0;
    int why = *done ? 0 : errno;
    close(fd);
    if (*done || why == EOPNOTSUPP || why == EINVAL || why == ENOTTY)
        return 0;
    return err_sys(e, why, "the blocks of %s cannot be discarded:", d->path);
}

enum { PIECE = 1 << 20 }; /* aligned for every disk, and long enough for a card */

/* xorshift64: only has to look like noise, and to cost nothing. */
static void noise(uint64_t *words, size_t n)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        words[i] = x;
    }
}

static int write_through(int fd, const char *data, const struct device *d, struct err *e)
{
    for (uint64_t at = 0; at < d->bytes;) {
        size_t size = d->bytes - at < PIECE ? (size_t)(d->bytes - at) : PIECE;
        ssize_t n = pwrite(fd, data, size, (off_t)at);
        if (n < 0 && errno != EINTR)
            return err_sys(e, errno, "%s cannot be written at byte %llu:", d->path,
                           (unsigned long long)at);
        if (interrupt_check(e) != 0)
            return -1;
        at += n > 0 ? (uint64_t)n : 0;
    }
    return fsync(fd) == 0 ? 0 : err_sys(e, errno, "%s cannot be flushed:", d->path);
}

int settle_overwrite(const struct device *d, struct err *e)
{
    char *data = aligned_alloc(4096, PIECE);
    int fd = data ? open(d->path, O_WRONLY | O_EXCL | O_DIRECT | O_CLOEXEC) : -1;
    int rc;
    if (!data) {
        rc = err_set(e, "out of memory");
    } else if (fd < 0) {
        rc = err_sys(e, errno, "%s cannot be opened for writing:", d->path);
    } else {
        noise((uint64_t *)(void *)data, PIECE / sizeof(uint64_t));
        rc = write_through(fd, data, d, e);
    }
    if (fd >= 0)
        close(fd);
    free(data);
    return rc;
}
