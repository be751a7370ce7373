#include "fs/device.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fs/mount.h"
#include "fs/sysfs.h"

enum { MAJOR_LOOP = 7, MAJOR_UBD = 98 };

const char *device_name(const struct device *d)
{
    return strrchr(d->sysfs, '/') + 1;
}

static bool parse_devno(const char *text, dev_t *dev)
{
    unsigned ma, mi;
    if (sscanf(text, "%u:%u", &ma, &mi) != 2)
        return false;
    *dev = makedev(ma, mi);
    return true;
}

dev_t device_disk_of(dev_t dev)
{
    char dir[512], text[32];
    dev_t disk;
    if (!sysfs_block(dev, dir, sizeof dir) || !sysfs_readf(text, sizeof text, "%s/partition", dir))
        return dev;
    if (!sysfs_readf(text, sizeof text, "%s/../dev", dir) || !parse_devno(text, &disk))
        return dev;
    return disk;
}

static int count_partitions(const char *disk_dir)
{
    DIR *dir = opendir(disk_dir);
    struct dirent *entry;
    char text[16];
    int n = 0;
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' &&
            sysfs_readf(text, sizeof text, "%s/%s/partition", disk_dir, entry->d_name))
            n++;
    if (dir)
        closedir(dir);
    return n;
}

/* A path for the disk, to read its partition table: udev may not run, and the
 * node may have any name, so a node of our own would be needed without /dev. */
static int open_disk(const struct device *d)
{
    char path[300];
    struct stat st;
    snprintf(path, sizeof path, "/dev/%s", d->disk);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == d->disk_dev)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void partuuid_from(blkid_probe probe, dev_t dev, char *buf, size_t size)
{
    blkid_partlist list = blkid_probe_get_partitions(probe);
    blkid_partition part = list ? blkid_partlist_devno_to_partition(list, dev) : NULL;
    const char *uuid = part ? blkid_partition_get_uuid(part) : NULL;
    if (uuid)
        snprintf(buf, size, "%s", uuid);
}

static void look_partuuid(struct device *d)
{
    int fd = d->partition ? open_disk(d) : -1;
    blkid_probe probe = fd >= 0 ? blkid_new_probe() : NULL;
    if (probe && blkid_probe_set_device(probe, fd, 0, 0) == 0)
        partuuid_from(probe, d->dev, d->partuuid, sizeof d->partuuid);
    if (probe)
        blkid_free_probe(probe);
    if (fd >= 0)
        close(fd);
}

/* SCSI and USB disks: the unit serial number page, 4 bytes of head first. */
static bool serial_from_vpd(const char *disk_dir, char *buf, size_t size)
{
    char path[600];
    unsigned char page[256];
    snprintf(path, sizeof path, "%s/device/vpd_pg80", disk_dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, page, sizeof page) : -1;
    if (fd >= 0)
        close(fd);
    size_t used = 0;
    for (ssize_t i = 4; i < n && used + 1 < size; i++)
        if (page[i] > ' ' && page[i] < 127)
            buf[used++] = (char)page[i];
    buf[used] = '\0';
    return used > 0;
}

static bool serial_from_udev(dev_t disk, char *buf, size_t size)
{
    char path[64], line[512];
    bool found = false;
    snprintf(path, sizeof path, "/run/udev/data/b%u:%u", major(disk), minor(disk));
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        static const char key[] = "E:ID_SERIAL_SHORT=";
        found = !strncmp(line, key, sizeof key - 1);
        if (found)
            snprintf(buf, size, "%.*s", (int)strcspn(line + sizeof key - 1, "\n"),
                     line + sizeof key - 1);
    }
    if (f)
        fclose(f);
    return found;
}

static void look_serial(struct device *d, const char *disk_dir)
{
    if (sysfs_readf(d->serial, sizeof d->serial, "%s/device/serial", disk_dir) && d->serial[0])
        return;
    if (sysfs_readf(d->serial, sizeof d->serial, "%s/serial", disk_dir) && d->serial[0])
        return;
    if (serial_from_vpd(disk_dir, d->serial, sizeof d->serial))
        return;
    if (!serial_from_udev(d->disk_dev, d->serial, sizeof d->serial))
        d->serial[0] = '\0';
}

static void look_model(struct device *d, const char *disk_dir)
{
    char vendor[32] = "", model[64] = "";
    if (!sysfs_readf(model, sizeof model, "%s/device/model", disk_dir))
        sysfs_readf(model, sizeof model, "%s/device/name", disk_dir); /* mmc */
    sysfs_readf(vendor, sizeof vendor, "%s/device/vendor", disk_dir);
    if (!strncmp(vendor, "0x", 2)) /* virtio and PCI give a number */
        vendor[0] = '\0';
    snprintf(d->model, sizeof d->model, "%s%s%s", vendor, vendor[0] && model[0] ? " " : "", model);
}

static int look_sysfs(struct device *d, struct err *e)
{
    char disk_dir[512], text[64];
    if (!sysfs_block(d->dev, d->sysfs, sizeof d->sysfs))
        return err_unable(e, "%s: the kernel has no such block device (%u:%u), or /sys is missing",
                          d->path, major(d->dev), minor(d->dev));
    d->disk_dev = device_disk_of(d->dev);
    d->partition = d->disk_dev != d->dev;
    if (!sysfs_block(d->disk_dev, disk_dir, sizeof disk_dir))
        return err_set(e, "%s: its disk is not in /sys", d->path);
    snprintf(d->disk, sizeof d->disk, "%s", strrchr(disk_dir, '/') + 1);
    if (sysfs_readf(text, sizeof text, "%s/size", d->sysfs))
        d->bytes = strtoull(text, NULL, 10) * 512;
    d->partitions = count_partitions(disk_dir);
    look_serial(d, disk_dir);
    look_model(d, disk_dir);
    look_partuuid(d);
    return 0;
}

int device_look(const char *path, struct device *d, struct err *e)
{
    struct stat st;
    memset(d, 0, sizeof *d);
    if (strlen(path) >= sizeof d->path)
        return err_set(e, "%s: the name is too long", path);
    memcpy(d->path, path, strlen(path) + 1);
    if (stat(path, &st) != 0)
        return err_sys(e, errno, "%s: no such device (lsblk lists what there is):", path);
    if (!S_ISBLK(st.st_mode))
        return err_set(e, "%s is not a block device; for a folder use FS:dir=%s", path, path);
    d->dev = st.st_rdev;
    return look_sysfs(d, e);
}

/* ---- in words ---- */

static bool hypervisor_model(const char *model)
{
    static const char *const words[] = {"QEMU", "VBOX", "VMware", "Virtual", "Msft"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(model, words[i]))
            return true;
    return false;
}

bool device_is_virtual(const struct device *d)
{
    static const char *const disks[] = {"loop", "ubd", "vd", "xvd", "zram", "ram", "nbd"};
    for (size_t i = 0; i < sizeof disks / sizeof disks[0]; i++)
        if (!strncmp(d->disk, disks[i], strlen(disks[i])))
            return true;
    return hypervisor_model(d->model);
}

static void describe_loop(const struct device *d, char *buf, size_t size)
{
    char file[PATH_MAX] = "", dir[PATH_MAX], type[64] = "unknown file system";
    sysfs_readf(file, sizeof file, "/sys/block/%s/loop/backing_file", d->disk);
    snprintf(dir, sizeof dir, "%s", file);
    char *slash = strrchr(dir, '/');
    if (slash)
        *(slash == dir ? slash + 1 : slash) = '\0';
    mount_type(dir, type, sizeof type, NULL);
    bool direct =
        sysfs_readf(file, sizeof file, "/sys/block/%s/loop/dio", d->disk) && !strcmp(file, "1");
    snprintf(buf, size, "virtual disk: loop device on a file in %s (%s, %s)", dir, type,
             direct ? "direct" : "through this machine's page cache");
}

static const char *kind_word(const struct device *d)
{
    if (!strncmp(d->disk, "mmcblk", 6))
        return "SD card or eMMC";
    if (!strncmp(d->disk, "nvme", 4))
        return "NVMe disk";
    return device_is_virtual(d) ? "virtual disk" : "disk";
}

void device_describe(const struct device *d, char *buf, size_t size)
{
    /* a partition has a number of its own kind: its disk tells what it is */
    if (major(d->disk_dev) == MAJOR_UBD)
        snprintf(buf, size, "virtual disk of the guest (%s), a file of the host", d->path);
    else if (major(d->disk_dev) == MAJOR_LOOP)
        describe_loop(d, buf, size);
    else
        snprintf(buf, size, "%s%s%s (%s, %.1f GB)", kind_word(d), d->model[0] ? " " : "", d->model,
                 d->path, (double)d->bytes / 1e9);
}

int device_counters(const struct device *d, uint64_t out[DEVICE_COUNTERS], struct err *e)
{
    char text[512], *at = text, *end;
    memset(out, 0, DEVICE_COUNTERS * sizeof out[0]);
    if (!sysfs_readf(text, sizeof text, "%s/stat", d->sysfs))
        return err_set(e, "%s: its counters (%s/stat) cannot be read", d->path, d->sysfs);
    for (int i = 0; i < DEVICE_COUNTERS; i++, at = end) {
        out[i] = strtoull(at, &end, 10);
        if (end == at) /* older kernels have fewer */
            break;
    }
    return 0;
}
