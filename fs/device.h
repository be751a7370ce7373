/*
 * What a block device is: read from sysfs, its partition table through
 * libblkid. Nothing here writes.
 */
#ifndef FS_DEVICE_H
#define FS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct device {
    char path[256];  /* as it was named */
    char sysfs[512]; /* its own folder */
    char disk[64];   /* kernel name of the whole disk: sda, mmcblk0 */
    dev_t dev;       /* itself */
    dev_t disk_dev;  /* the whole disk; equal to dev unless it is a partition */
    bool partition;  /* one partition of disk */
    int partitions;  /* how many the whole disk has */
    uint64_t bytes;
    char partuuid[64]; /* "" = none */
    char serial[128];  /* "" = the kernel tells none */
    char model[128];   /* vendor and model, or the card's name; "" = unknown */
};

/* -1 when path is no block device or cannot be looked at. */
int device_look(const char *path, struct device *d, struct err *e);

/* The kernel's name of it, as /proc and /sys have it: path may be a link. */
const char *device_name(const struct device *d);

/* The whole disk that holds dev (dev itself when it is no partition). */
dev_t device_disk_of(dev_t dev);

/* What kind of disk the figures come from, in words: "virtual disk of the
 * guest", "loop device on FILE (ext4)", "SD card SC32G" ... */
void device_describe(const struct device *d, char *buf, size_t size);
/* Disk of a loop device, guest, hypervisor, or memory, or a partition of one:
 * speeds are the host's, not a card's. */
bool device_is_virtual(const struct device *d);

enum { DEVICE_COUNTERS = 17 }; /* Documentation/block/stat.rst, in its order */
int device_counters(const struct device *d, uint64_t out[DEVICE_COUNTERS], struct err *e);

#endif
