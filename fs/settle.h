/* Bringing disk and caches into the same state before each cell. */
#ifndef FS_SETTLE_H
#define FS_SETTLE_H

#include <stdbool.h>

#include "base/err.h"
#include "fs/device.h"

/* Waits until the device has done nothing for quiet_s; gives up after limit_s.
 * *waited in seconds; *quiet whether it came to rest. -1 only when interrupted
 * or when the counters cannot be read. */
int settle_wait(const struct device *d, double quiet_s, double limit_s, double *waited, bool *quiet,
                struct err *e);

/* Writes out everything of the file system that holds dir. */
int settle_sync(const char *dir, struct err *e);

/* Empties the page cache: all of it as root, else that of the files below
 * dir. *all says which. */
int settle_drop_caches(const char *dir, bool *all, struct err *e);

/* Tells the device that none of its blocks are in use. *done is false where
 * it cannot be told; that is no error. */
int settle_purge(const struct device *d, bool *done, struct err *e);

/* Writes every block of the device once, past the page cache, with data that
 * nothing compresses: for devices that take no discard, so that each file
 * system meets blocks of the same history. Takes as long as the device does. */
int settle_overwrite(const struct device *d, struct err *e);

#endif
