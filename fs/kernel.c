#include "fs/kernel.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fs/child.h"

static bool listed(const char *type)
{
    char line[128], name[64];
    bool found = false;
    FILE *f = fopen("/proc/filesystems", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        bool virtual_fs = !strncmp(line, "nodev", 5);
        found = sscanf(virtual_fs ? line + 5 : line, "%63s", name) == 1 && !strcmp(name, type);
    }
    if (f)
        fclose(f);
    return found;
}

static void load_module(const char *type)
{
    const char *argv[] = {"modprobe", "-q", type, NULL};
    if (geteuid() == 0)
        child_must(argv, 20, NULL); /* listed() tells whether it worked */
}

int kernel_has(const char *type, struct err *e)
{
    if (listed(type))
        return 0;
    load_module(type);
    if (listed(type))
        return 0;
    if (kernel_is_guest())
        return err_unable(e,
                          "the guest's kernel has no %s: its module is missing or does not fit. "
                          "Try apt-get install --reinstall user-mode-linux",
                          type);
    return err_unable(
        e, "this kernel has no %s (not in /proc/filesystems, and modprobe %s did not help)", type,
        type);
}

int kernel_page_size(const char *type, long needed, long here, struct err *e)
{
    if (here == 0)
        here = sysconf(_SC_PAGESIZE);
    if (needed == 0 || needed == here)
        return 0;
    return err_unable(
        e,
        "%s is refused before anything is formatted: its blocks are %ld bytes and must be "
        "as large as a memory page, but this kernel's pages are %ld bytes. On a Raspberry "
        "Pi 5 put kernel=kernel8.img into /boot/firmware/config.txt and reboot",
        type, needed, here);
}

bool kernel_is_guest(void)
{
    char line[256];
    bool guest = false;
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && !guest && fgets(line, sizeof line, f))
        guest = !strncmp(line, "vendor_id", 9) && strstr(line, "User Mode Linux");
    if (f)
        fclose(f);
    return guest;
}
