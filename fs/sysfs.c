#include "fs/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void trim(char *text)
{
    size_t n = strlen(text), skip = 0;
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    while (isspace((unsigned char)text[skip]))
        skip++;
    memmove(text, text + skip, n - skip + 1);
}

bool sysfs_read(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, buf, size - 1);
    close(fd);
    if (n < 0)
        return false;
    buf[n] = '\0';
    trim(buf);
    return true;
}

bool sysfs_readf(char *buf, size_t size, const char *fmt, ...)
{
    char path[PATH_MAX];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(path, sizeof path, fmt, ap);
    va_end(ap);
    return n > 0 && (size_t)n < sizeof path && sysfs_read(path, buf, size);
}

int sysfs_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    ssize_t n = write(fd, text, strlen(text));
    int why = n < 0 ? errno : 0;
    close(fd);
    return why;
}

bool sysfs_block(dev_t dev, char *path, size_t size)
{
    char link[64], real[PATH_MAX];
    snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(dev), minor(dev));
    if (!realpath(link, real) || strlen(real) >= size)
        return false;
    memcpy(path, real, strlen(real) + 1);
    return true;
}
