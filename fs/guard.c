#include "fs/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/mount.h"
#include "fs/sysfs.h"

const char *const guard_system_places[] = {
    "/", "/usr", "/boot", "/boot/firmware", "/boot/efi", "/var", "/etc", "/home", NULL,
};

/* Is dev built on disk, directly or through md, dm and the like? */
static bool rests_on(dev_t dev, dev_t disk, int depth)
{
    char dir[512], path[700];
    struct dirent *entry;
    bool yes = device_disk_of(dev) == disk;
    if (yes || depth == 0 || !sysfs_block(dev, dir, sizeof dir))
        return yes;
    snprintf(path, sizeof path, "%s/slaves", dir);
    DIR *slaves = opendir(path);
    while (slaves && !yes && (entry = readdir(slaves))) {
        struct stat st;
        char node[300];
        snprintf(node, sizeof node, "/dev/%s", entry->d_name);
        if (entry->d_name[0] != '.' && stat(node, &st) == 0 && S_ISBLK(st.st_mode))
            yes = rests_on(st.st_rdev, disk, depth - 1);
    }
    if (slaves)
        closedir(slaves);
    return yes;
}

static bool place_is_on(const char *place, dev_t disk)
{
    char source[PATH_MAX];
    struct stat st;
    if (stat(place, &st) != 0)
        return false;
    if (rests_on(st.st_dev, disk, 4))
        return true;
    /* btrfs and overlays: the device number is not the disk's */
    return mount_source(place, source, sizeof source, NULL) == 0 && source[0] &&
           stat(source, &st) == 0 && rests_on(st.st_rdev, disk, 4);
}

const char *guard_system_place(const struct device *d, const char *const *places)
{
    for (; *places; places++)
        if (place_is_on(*places, d->disk_dev))
            return *places;
    return NULL;
}

/* ---- rules: each returns 0, or -1 with the reason ---- */

static int not_the_systems(const struct device *d, struct err *e)
{
    const char *place = guard_system_place(d, guard_system_places);
    return place
               ? err_set(e,
                         "%s is refused: the running system uses its disk %s (for %s). Use another "
                         "disk or card, or an image file (FS:image)",
                         d->path, d->disk, place)
               : 0;
}

static int not_mounted(const struct device *d, struct err *e)
{
    char where[PATH_MAX];
    if (!mount_where(d->dev, where, sizeof where))
        return 0;
    return err_set(e, "%s is refused: it is mounted on %s. If it may be erased: umount %s", d->path,
                   where, where);
}

static int not_swap(const struct device *d, struct err *e)
{
    return mount_is_swap(d->dev)
               ? err_set(e, "%s is refused: it is used as swap. If it may be erased: swapoff %s",
                         d->path, d->path)
               : 0;
}

static int not_held(const struct device *d, struct err *e)
{
    char path[700];
    struct dirent *entry;
    int rc = 0;
    snprintf(path, sizeof path, "%s/holders", d->sysfs);
    DIR *holders = opendir(path);
    while (holders && rc == 0 && (entry = readdir(holders)))
        if (entry->d_name[0] != '.')
            rc =
                err_set(e,
                        "%s is refused: %s is built on it (RAID, LVM, encryption). Take that apart "
                        "first if it may be erased",
                        d->path, entry->d_name);
    if (holders)
        closedir(holders);
    return rc;
}

static int not_divided(const struct device *d, struct err *e)
{
    if (d->partition || d->partitions == 0)
        return 0;
    return err_set(e,
                   "%s is refused: it is a whole disk with %d partition%s. Name the one partition "
                   "that may be erased (lsblk %s shows them)",
                   d->path, d->partitions, d->partitions == 1 ? "" : "s", d->path);
}

static int not_read_only(const struct device *d, struct err *e)
{
    char text[16];
    if (sysfs_readf(text, sizeof text, "%s/ro", d->sysfs) && !strcmp(text, "1"))
        return err_set(e, "%s is refused: it is read-only (a card's write-protect slide?)",
                       d->path);
    return 0;
}

/* The kernel knows users that no table of ours shows: other mount namespaces. */
int guard_free(const struct device *d, struct err *e)
{
    int fd = open(d->path, O_RDWR | O_EXCL | O_CLOEXEC);
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    if (errno == EBUSY)
        return err_set(e,
                       "%s is refused: something has it in use (mounted in another namespace or "
                       "a container, or open in another program)",
                       d->path);
    return err_sys(e, errno, "%s cannot be opened for writing:", d->path);
}

int guard_unused(const struct device *d, struct err *e)
{
    static int (*const rules[])(const struct device *, struct err *) = {
        not_the_systems, not_mounted, not_swap, not_held, not_divided, not_read_only,
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i](d, e) != 0)
            return -1;
    return 0;
}

/* ---- the second name ---- */

static int how_to_name(const struct device *d, struct err *e)
{
    return err_set(e,
                   "%s would be erased, so it has to be named a second time: add "
                   "--fs-erase=%s=... with the value that\n  lsblk -o PATH,SIZE,FSTYPE,LABEL,"
                   "PARTUUID,MODEL,SERIAL /dev/%s\nshows for it. Nothing was changed",
                   d->path, d->partition ? "PARTUUID" : "SERIAL", d->disk);
}

static int compare(const struct device *d, const char *what, const char *given, const char *found,
                   struct err *e)
{
    if (!found[0])
        return err_set(e,
                       "%s has no %s that could be compared with --fs-erase. Nothing was changed",
                       d->path, what);
    if (strcasecmp(given, found) != 0)
        return err_set(
            e,
            "%s is refused: --fs-erase names %s %s, but the device has %s. Is it the right "
            "card? Nothing was changed",
            d->path, what, given, found);
    return 0;
}

/* A serial number names a disk; with several partitions it would not tell
 * which of them may be erased. */
static int compare_serial(const struct device *d, const char *given, struct err *e)
{
    if (d->partition && d->partitions > 1)
        return err_set(e,
                       "%s is refused: its disk has %d partitions, so a serial number does not say "
                       "which one. Name it by --fs-erase=PARTUUID=... Nothing was changed",
                       d->path, d->partitions);
    return compare(d, "SERIAL", given, d->serial, e);
}

int guard_named(const struct device *d, const char *named, struct err *e)
{
    static const char partuuid[] = "PARTUUID=", serial[] = "SERIAL=";
    if (!named || !named[0])
        return how_to_name(d, e);
    if (!strncasecmp(named, partuuid, sizeof partuuid - 1))
        return compare(d, "PARTUUID", named + sizeof partuuid - 1, d->partuuid, e);
    if (!strncasecmp(named, serial, sizeof serial - 1))
        return compare_serial(d, named + sizeof serial - 1, e);
    return err_set(e, "--fs-erase=%s: write PARTUUID=... or SERIAL=...", named);
}
