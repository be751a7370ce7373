/* Small kernel files: one value, or one line of numbers. */
#ifndef FS_SYSFS_H
#define FS_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The file's text without blanks at its ends; false when it cannot be read. */
bool sysfs_read(const char *path, char *buf, size_t size);
bool sysfs_readf(char *buf, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* 0, or an errno. */
int sysfs_write(const char *path, const char *text);

/* /sys/dev/block/MAJ:MIN resolved, e.g. /sys/devices/.../block/sda/sda1. */
bool sysfs_block(dev_t dev, char *path, size_t size);

#endif
