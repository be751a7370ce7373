/*
 * May this device be erased? Every way to say no is one rule here, asked
 * again before each format, since the world changes between two cells.
 */
#ifndef FS_GUARD_H
#define FS_GUARD_H

#include "base/err.h"
#include "fs/device.h"

/* 0 when nobody uses the device: not (on) a disk of the running system, not
 * mounted, not swap, not held by another device, no partitions inside,
 * writable. Otherwise -1 and the reason. Only looks at tables. */
int guard_unused(const struct device *d, struct err *e);

/* 0 when the kernel lends the device out, which it does to one user only: also
 * other mount namespaces and programs are seen. Opens it for a moment. */
int guard_free(const struct device *d, struct err *e);

/* 0 when `named`, "PARTUUID=..." or "SERIAL=...", is this device's. NULL or ""
 * is an error that says how to name it. */
int guard_named(const struct device *d, const char *named, struct err *e);

/* Which of the system's folders lies on the device's disk? NULL for none.
 * places ends with NULL; the program passes guard_system_places. */
extern const char *const guard_system_places[];
const char *guard_system_place(const struct device *d, const char *const *places);

#endif
