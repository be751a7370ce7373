/* Mounting, unmounting, and what the mount table says, through libmount. */
#ifndef FS_MOUNT_H
#define FS_MOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

int mount_do(const char *device, const char *dir, const char *type, const char *options,
             struct err *e);
/* Tries for a few seconds while it is busy. Refuses, with an error, when
 * what is mounted at dir is not the device dev (0 = any). */
int mount_undo(const char *dir, dev_t dev, struct err *e);

/* Facts about the file system that holds dir (any path in it). e may be NULL. */
int mount_type(const char *dir, char *buf, size_t size, struct err *e);
/* Options in force, as /proc/self/mountinfo gives them. */
int mount_options(const char *dir, char *buf, size_t size, struct err *e);
/* The device behind dir: "" when it has none (tmpfs, network), or none that can be
 * known (the root of a chroot). */
int mount_source(const char *dir, char *buf, size_t size, struct err *e);

/* Where dev is mounted (first place), false when nowhere we can see. */
bool mount_where(dev_t dev, char *buf, size_t size);
/* Is it swap at the moment? */
bool mount_is_swap(dev_t dev);

#endif
