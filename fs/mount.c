#include "fs/mount.h"

#include <sys/sysmacros.h>
#include <errno.h>
#include <libmount/libmount.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

static int mount_with(struct libmnt_context *cxt, const char *device, const char *dir,
                      const char *type, const char *options, struct err *e)
{
    char why[256] = "";
    mnt_context_disable_helpers(cxt, 1);
    mnt_context_disable_mtab(cxt, 1);
    mnt_context_set_source(cxt, device);
    mnt_context_set_target(cxt, dir);
    mnt_context_set_fstype(cxt, type);
    mnt_context_set_options(cxt, options);
    int rc = mnt_context_mount(cxt);
    if (rc == 0 && mnt_context_get_status(cxt))
        return 0;
    int number = mnt_context_syscall_called(cxt) ? mnt_context_get_syscall_errno(cxt) : 0;
    mnt_context_get_excode(cxt, rc, why, sizeof why);
    return err_set(e, "%s cannot be mounted as %s with options '%s': %s%s%s", device, type, options,
                   why[0] ? why : "mount failed", number ? ": " : "",
                   number ? strerrordesc_np(number) : "");
}

int mount_do(const char *device, const char *dir, const char *type, const char *options,
             struct err *e)
{
    struct libmnt_context *cxt = mnt_new_context();
    if (!cxt)
        return err_set(e, "out of memory");
    int rc = mount_with(cxt, device, dir, type, options, e);
    mnt_free_context(cxt);
    return rc;
}

int mount_undo(const char *dir, dev_t dev, struct err *e)
{
    struct stat st;
    if (dev && stat(dir, &st) == 0 && st.st_dev != dev)
        return err_set(e, "%s is left alone: something else is mounted there now", dir);
    for (int tries = 0; umount2(dir, UMOUNT_NOFOLLOW) != 0; tries++) {
        if (errno == EINVAL) /* not a mount point any more: that is what was wanted */
            return 0;
        if (errno != EBUSY || tries == 50) {
            int why = errno;
            umount2(dir, UMOUNT_NOFOLLOW | MNT_DETACH); /* out of the way, and still an error */
            return err_sys(e, why, "%s cannot be unmounted:", dir);
        }
        struct timespec wait = {.tv_nsec = 100 * 1000 * 1000}; /* also while a signal is pending */
        nanosleep(&wait, NULL);
    }
    return 0;
}

/* ---- the mount table ---- */

static struct libmnt_table *table(void)
{
    return mnt_new_table_from_file("/proc/self/mountinfo");
}

/* The entry for the file system that holds path; the last mount on a place wins. */
static struct libmnt_fs *entry_of(struct libmnt_table *t, const char *path)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return NULL;
    for (;;) {
        struct libmnt_fs *fs = mnt_table_find_target(t, real, MNT_ITER_BACKWARD);
        char *slash = strrchr(real, '/');
        if (fs || !slash || !strcmp(real, "/"))
            return fs;
        *(slash == real ? slash + 1 : slash) = '\0';
    }
}

/* otherwise: where the file system is not in the table, as that of the root of a chroot;
 * NULL: that is an error. */
static int fact(const char *dir, const char *(*get)(struct libmnt_fs *), const char *otherwise,
                char *buf, size_t size, struct err *e)
{
    struct libmnt_table *t = table();
    struct libmnt_fs *fs = t ? entry_of(t, dir) : NULL;
    const char *text = fs ? get(fs) : otherwise;
    if (text)
        snprintf(buf, size, "%s", text);
    mnt_unref_table(t);
    return text ? 0 : err_set(e, "%s: not found in /proc/self/mountinfo", dir);
}

static const char *get_type(struct libmnt_fs *fs)
{
    return mnt_fs_get_fstype(fs);
}

static const char *get_options(struct libmnt_fs *fs)
{
    return mnt_fs_get_options(fs);
}

static const char *get_source(struct libmnt_fs *fs)
{
    const char *source = mnt_fs_get_srcpath(fs);
    struct stat st;
    return source && stat(source, &st) == 0 && S_ISBLK(st.st_mode) ? source : "";
}

int mount_type(const char *dir, char *buf, size_t size, struct err *e)
{
    return fact(dir, get_type, NULL, buf, size, e);
}

int mount_options(const char *dir, char *buf, size_t size, struct err *e)
{
    return fact(dir, get_options, NULL, buf, size, e);
}

int mount_source(const char *dir, char *buf, size_t size, struct err *e)
{
    return fact(dir, get_source, "", buf, size, e);
}

/* btrfs and overlays have device numbers of their own, so the source counts too. */
static bool is_on(struct libmnt_fs *fs, dev_t dev)
{
    const char *source = mnt_fs_get_srcpath(fs);
    struct stat st;
    if (mnt_fs_get_devno(fs) == dev)
        return true;
    return source && stat(source, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == dev;
}

static struct libmnt_fs *find_device(struct libmnt_table *t, dev_t dev)
{
    struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
    struct libmnt_fs *fs = NULL, *found = NULL;
    while (it && !found && mnt_table_next_fs(t, it, &fs) == 0)
        if (is_on(fs, dev))
            found = fs;
    mnt_free_iter(it);
    return found;
}

bool mount_where(dev_t dev, char *buf, size_t size)
{
    struct libmnt_table *t = table();
    struct libmnt_fs *fs = t ? find_device(t, dev) : NULL;
    if (fs)
        snprintf(buf, size, "%s", mnt_fs_get_target(fs));
    mnt_unref_table(t);
    return fs != NULL;
}

/* The kernel lists swap by paths as they were outside of a chroot: where such a
 * path leads nowhere, the device is known by its name. */
static bool names_device(struct libmnt_fs *fs, dev_t dev)
{
    char link[64], name[PATH_MAX];
    const char *source = mnt_fs_get_srcpath(fs);
    struct stat st;
    snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(dev), minor(dev));
    if (!source || stat(source, &st) == 0 || !realpath(link, name))
        return false;
    const char *last = strrchr(source, '/');
    return strcmp(last ? last + 1 : source, strrchr(name, '/') + 1) == 0;
}

bool mount_is_swap(dev_t dev)
{
    struct libmnt_table *t = mnt_new_table();
    struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
    struct libmnt_fs *fs = NULL;
    bool swap = false;
    if (t && it && mnt_table_parse_swaps(t, NULL) == 0)
        while (!swap && mnt_table_next_fs(t, it, &fs) == 0)
            swap = is_on(fs, dev) || names_device(fs, dev);
    mnt_free_iter(it);
    mnt_unref_table(t);
    return swap;
}
