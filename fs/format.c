#include "fs/format.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "fs/child.h"
#include "fs/guard.h"
#include "fs/interrupt.h"
#include "fs/kernel.h"
#include "fs/mount.h"
#include "fs/settle.h"

enum { ARGS_MAX = 64, MAJOR_UBD = 98, LIMIT_S = 1800 };

/* The guest's disks are temporary files that the guest's starter made. */
static bool is_guest_disk(const struct device *d)
{
    return major(d->dev) == MAJOR_UBD && kernel_is_guest();
}

int format_allowed(const struct fs_session *s, const char *device, const char *erase,
                   struct device *d, struct err *e)
{
    if (device_look(device, d, e) != 0)
        return -1;
    /* what may never be erased is said first: nobody should look up a name for it */
    if (guard_unused(d, e) != 0)
        return -1;
    if (!fs_session_owns(s, d->dev) && !is_guest_disk(d) && guard_named(d, erase, e) != 0)
        return -1;
    return guard_free(d, e);
}

/* argv with the device behind it. */
static int run_on(const char *device, const char *const *argv, struct err *e)
{
    const char *all[ARGS_MAX];
    int n = 0;
    for (; argv[n]; n++) {
        if (n + 2 >= ARGS_MAX)
            return err_set(e, "%s: too many arguments", argv[0]);
        all[n] = argv[n];
    }
    all[n] = device;
    all[n + 1] = NULL;
    return child_must(all, LIMIT_S, e);
}

int format_run(const struct fs_session *s, const char *device, const char *erase,
               const char *const *argv, struct err *e)
{
    struct device d;
    if (interrupt_check(e) != 0 || format_allowed(s, device, erase, &d, e) != 0)
        return -1;
    return run_on(device, argv, e);
}

int format_check(const char *device, const char *const *argv, struct err *e)
{
    char where[4096];
    struct device d;
    if (interrupt_check(e) != 0 || device_look(device, &d, e) != 0)
        return -1;
    if (mount_where(d.dev, where, sizeof where))
        return err_set(e, "%s is mounted on %s and cannot be checked", device, where);
    return run_on(device, argv, e);
}

int format_purge(const struct fs_session *s, const char *device, const char *erase, bool overwrite,
                 enum purge *done, struct err *e)
{
    struct device d;
    bool discarded = false;
    if (interrupt_check(e) != 0 || format_allowed(s, device, erase, &d, e) != 0)
        return -1;
    if (settle_purge(&d, &discarded, e) != 0)
        return -1;
    *done = discarded ? PURGE_DISCARD : overwrite ? PURGE_OVERWRITE : PURGE_NOTHING;
    return *done == PURGE_OVERWRITE ? settle_overwrite(&d, e) : 0;
}

int format_guest_disk(int n, char *path, size_t size, struct err *e)
{
    struct device d;
    if (!kernel_is_guest())
        return err_unable(e, "this is not the guest, so it has no guest disks");
    if (n < 0 || n > 14)
        return err_set(e, "the guest has no disk number %d", n);
    snprintf(path, size, "/dev/ubd%c", 'b' + n);
    if (device_look(path, &d, e) != 0)
        return -1;
    return d.bytes > 0 ? 0 : err_unable(e, "%s: the guest was started without this disk", path);
}
