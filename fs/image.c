#include "fs/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Left free beside an image, so that the system on the same disk goes on living. */
enum { SPARE_BYTES = 16 << 20 };

int image_space(const char *dir, uint64_t bytes, struct err *e)
{
    struct statvfs st;
    if (statvfs(dir, &st) != 0)
        return err_sys(e, errno,
                       "the folder for images, %s, cannot be used (--fs-image-dir):", dir);
    uint64_t free_bytes = (uint64_t)st.f_bavail * st.f_frsize;
    if (free_bytes >= bytes + SPARE_BYTES)
        return 0;
    return err_set(e,
                   "an image of %" PRIu64 " MiB does not fit into %s: %" PRIu64 " MiB are free, "
                   "%" PRIu64 " MiB are missing. Use --fs-image-dir or a smaller --fs-image-size",
                   bytes >> 20, dir, free_bytes >> 20,
                   (bytes + SPARE_BYTES - free_bytes + (1 << 20) - 1) >> 20);
}

static int open_nameless(const char *dir)
{
    char path[4096];
    int fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    snprintf(path, sizeof path, "%s/sbench-image-XXXXXX", dir);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static int reserve(int fd, uint64_t bytes)
{
    if (fallocate(fd, 0, 0, (off_t)bytes) == 0)
        return 0;
    /* some file systems cannot reserve: then the free space checked before must do */
    return errno == EOPNOTSUPP ? ftruncate(fd, (off_t)bytes) : -1;
}

int image_make(const char *dir, uint64_t bytes, struct err *e)
{
    if (image_space(dir, bytes, e) != 0)
        return -1;
    int fd = open_nameless(dir);
    if (fd < 0)
        return err_sys(e, errno, "no image file can be made in %s (--fs-image-dir):", dir);
    if (reserve(fd, bytes) == 0)
        return fd;
    err_sys(e, errno, "%" PRIu64 " MiB for an image cannot be reserved in %s:", bytes >> 20, dir);
    close(fd);
    return -1;
}

int image_possible(struct err *e)
{
    if (geteuid() != 0)
        return err_unable(e, "loop devices and mounts need root");
    int fd = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return err_unable(e, "there are no loop devices here (/dev/loop-control: %s)",
                          strerrordesc_np(errno));
    close(fd);
    return 0;
}

/* A bare /dev may lack the node of a loop device that was just added. */
static int open_loop(int number, char *path, size_t size)
{
    snprintf(path, size, "/dev/loop%d", number);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && mknod(path, S_IFBLK | 0600, makedev(7, number)) == 0)
        fd = open(path, O_RDWR | O_CLOEXEC);
    return fd;
}

static int configure(int loop, int fd)
{
    struct loop_config config = {.fd = (uint32_t)fd};
    /* past this machine's page cache where the file system below allows it */
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO;
    snprintf((char *)config.info.lo_file_name, LO_NAME_SIZE, "sbench image");
    if (ioctl(loop, LOOP_CONFIGURE, &config) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOTTY) /* before Linux 5.8: in two steps */
        return -1;
    if (ioctl(loop, LOOP_SET_FD, fd) != 0)
        return -1;
    if (ioctl(loop, LOOP_SET_STATUS64, &config.info) == 0) {
        ioctl(loop, LOOP_SET_DIRECT_IO, 1UL);
        return 0;
    }
    ioctl(loop, LOOP_CLR_FD, 0);
    return -1;
}

int image_attach(int fd, char *path, size_t size, struct err *e)
{
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    if (control < 0)
        return err_unable(e, "there are no loop devices here (/dev/loop-control: %s)",
                          strerrordesc_np(errno));
    int loop = -1;
    for (int tries = 0; loop < 0 && tries < 20; tries++) { /* another program may take it first */
        int number = ioctl(control, LOOP_CTL_GET_FREE);
        loop = number < 0 ? -1 : open_loop(number, path, size);
        if (loop < 0)
            break;
        if (configure(loop, fd) != 0) {
            close(loop);
            loop = -1;
            if (errno != EBUSY)
                break;
        }
    }
    int why = errno;
    close(control);
    return loop >= 0 ? loop : err_sys(e, why, "no loop device could be set up:");
}
