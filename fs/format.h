/* Making file systems: the one place where something gets erased. */
#ifndef FS_FORMAT_H
#define FS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "fs/device.h"
#include "fs/session.h"

/* May the device be erased? Loop devices of this session and the guest's
 * disks: always (unless in use). Others: when nobody uses them (guard.h) and
 * erase, from --fs-erase, names them a second time. Fills d. */
int format_allowed(const struct fs_session *s, const char *device, const char *erase,
                   struct device *d, struct err *e);

/* Asks format_allowed, then runs argv (mkfs with its options) on the device. */
int format_run(const struct fs_session *s, const char *device, const char *erase,
               const char *const *argv, struct err *e);

/* How the blocks of a device were made alike before a file system was. */
enum purge { PURGE_NOTHING, PURGE_DISCARD, PURGE_OVERWRITE };

/* Asks format_allowed, then discards the device's blocks; where it takes no
 * discard, overwrites them if that is asked for. */
int format_purge(const struct fs_session *s, const char *device, const char *erase, bool overwrite,
                 enum purge *done, struct err *e);

/* Runs argv (fsck that only looks) on the device, which must not be mounted. */
int format_check(const char *device, const char *const *argv, struct err *e);

/* Path of the guest's n-th disk, from 0. ERR_UNABLE outside the guest. */
int format_guest_disk(int n, char *path, size_t size, struct err *e);

#endif
