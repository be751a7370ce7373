#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fs/device.h"
#include "fs/guard.h"
#include "fs/kernel.h"

/* A partition as a card reader might have it; nothing here is looked up. */
static struct device card(void)
{
    struct device d = {.path = "/dev/sdx1", .disk = "sdx", .partition = true, .partitions = 2};
    snprintf(d.partuuid, sizeof d.partuuid, "deadbeef-01");
    snprintf(d.serial, sizeof d.serial, "SN12345");
    return d;
}

static void test_unnamed_is_refused_with_the_way(void **state)
{
    struct device d = card();
    struct err e = {0}, e2 = {0};
    (void)state;
    assert_int_equal(guard_named(&d, NULL, &e), -1);
    assert_err(&e, ERR_FAILED, "/dev/sdx1", "--fs-erase=PARTUUID=", "lsblk", "Nothing was changed");
    assert_int_equal(guard_named(&d, "", &e2), -1);
    assert_null(strstr(e.text, "deadbeef")); /* to be looked up, not copied from the message */
}

static void test_right_name_is_accepted(void **state)
{
    struct device d = card();
    struct err e = {0};
    (void)state;
    assert_int_equal(guard_named(&d, "PARTUUID=deadbeef-01", &e), 0);
    assert_int_equal(guard_named(&d, "partuuid=DEADBEEF-01", &e), 0);
    d.partitions = 1;
    assert_int_equal(guard_named(&d, "SERIAL=SN12345", &e), 0);
    assert_no_err(&e);
}

static void test_wrong_names_are_refused(void **state)
{
    static const struct {
        const char *named, *word;
    } cases[] = {
        {"PARTUUID=deadbeef-02", "deadbeef-01"},
        {"PARTUUID=", "deadbeef-01"},
        {"PARTUUID=deadbeef-01x", "deadbeef-01"},
        {"SERIAL=SN12345", "2 partitions"}, /* does not say which of the two */
        {"deadbeef-01", "PARTUUID=... or SERIAL=..."},
        {"LABEL=data", "PARTUUID=... or SERIAL=..."},
    };
    struct device d = card();
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct err e = {0};
        assert_int_equal(guard_named(&d, cases[i].named, &e), -1);
        assert_err(&e, ERR_FAILED, cases[i].word);
    }
}

static void test_absent_name_matches_nothing(void **state)
{
    struct device d = card();
    struct err e = {0}, e2 = {0};
    (void)state;
    d.partuuid[0] = d.serial[0] = '\0';
    d.partitions = 1;
    assert_int_equal(guard_named(&d, "PARTUUID=", &e), -1);
    assert_err(&e, ERR_FAILED, "no PARTUUID");
    assert_int_equal(guard_named(&d, "SERIAL=", &e2), -1);
    assert_err(&e2, ERR_FAILED, "no SERIAL");
}

static void test_whole_disk_with_partitions_is_refused(void **state)
{
    struct device d = card();
    struct err e = {0};
    (void)state;
    d.partition = false;
    snprintf(d.path, sizeof d.path, "/dev/sdx");
    assert_int_equal(guard_unused(&d, &e), -1);
    assert_err(&e, ERR_FAILED, "/dev/sdx", "2 partitions");
}

static void test_disk_of_a_place_is_found(void **state)
{
    static const char *const here[] = {"/nowhere-at-all", "/", NULL}, *const none[] = {NULL};
    struct device d = card();
    struct stat st;
    (void)state;
    assert_int_equal(stat("/", &st), 0);
    d.disk_dev = device_disk_of(st.st_dev);
    assert_string_equal(guard_system_place(&d, here), "/");
    assert_null(guard_system_place(&d, none));
    d.disk_dev = 0xfffff;
    assert_null(guard_system_place(&d, here));
}

static void test_what_is_no_block_device(void **state)
{
    struct device d;
    struct err e = {0}, e2 = {0}, e3 = {0};
    (void)state;
    assert_int_equal(device_look("/dev/null", &d, &e), -1);
    assert_err(&e, ERR_FAILED, "/dev/null", "not a block device");
    assert_int_equal(device_look("/dev/no-such-disk", &d, &e2), -1);
    assert_err(&e2, ERR_FAILED, "/dev/no-such-disk", "lsblk");
    assert_int_equal(device_look("/tmp", &d, &e3), -1);
    assert_err(&e3, ERR_FAILED, "FS:dir=/tmp");
}

/* A partition of a virtual disk is as virtual as the disk: only the disk's name and
 * number tell. */
static void test_virtual_disks_and_their_partitions(void **state)
{
    static const struct {
        const char *disk, *model;
        bool is;
    } cases[] = {
        {"loop3", "", true},
        {"vda", "", true},
        {"zram0", "", true},
        {"nbd0", "", true},
        {"sda", "QEMU HARDDISK", true},
        {"sda", "Generic STORAGE DEVICE", false},
        {"mmcblk0", "SC32G", false},
        {"nvme0n1", "Samsung SSD", false},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct device d = card(); /* dev is that of a partition: it says nothing */
        d.dev = makedev(259, 1);
        snprintf(d.disk, sizeof d.disk, "%s", cases[i].disk);
        snprintf(d.model, sizeof d.model, "%s", cases[i].model);
        assert_int_equal(device_is_virtual(&d), cases[i].is);
    }
}

static void test_kernel_name_is_not_that_of_a_link(void **state)
{
    struct device d = {.path = "/dev/disk/by-partuuid/deadbeef-01",
                       .sysfs = "/sys/devices/pci0000:00/block/sdx/sdx1"};
    (void)state;
    assert_string_equal(device_name(&d), "sdx1");
}

static void test_page_size_is_checked(void **state)
{
    struct err e = {0}, e2 = {0};
    (void)state;
    assert_int_equal(kernel_page_size("f2fs", 4096, 4096, &e), 0);
    assert_int_equal(kernel_page_size("ext4", 0, 65536, &e), 0);
    assert_no_err(&e);
    assert_int_equal(kernel_page_size("f2fs", 4096, 16384, &e), -1);
    assert_err(&e, ERR_UNABLE, "f2fs", "4096", "16384", "kernel8.img",
               "before anything is formatted");
    assert_int_equal(kernel_page_size("f2fs", sysconf(_SC_PAGESIZE), 0, &e2), 0);
    assert_int_equal(kernel_page_size("f2fs", sysconf(_SC_PAGESIZE) * 4, 0, &e2), -1);
}

static void test_unknown_file_system_is_unable(void **state)
{
    struct err e = {0};
    (void)state;
    assert_int_equal(kernel_has("proc", &e), 0);
    assert_int_equal(kernel_has("nosuchfs", &e), -1);
    assert_err(&e, ERR_UNABLE, "nosuchfs", "/proc/filesystems");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unnamed_is_refused_with_the_way),
        cmocka_unit_test(test_right_name_is_accepted),
        cmocka_unit_test(test_wrong_names_are_refused),
        cmocka_unit_test(test_absent_name_matches_nothing),
        cmocka_unit_test(test_whole_disk_with_partitions_is_refused),
        cmocka_unit_test(test_disk_of_a_place_is_found),
        cmocka_unit_test(test_what_is_no_block_device),
        cmocka_unit_test(test_virtual_disks_and_their_partitions),
        cmocka_unit_test(test_kernel_name_is_not_that_of_a_link),
        cmocka_unit_test(test_page_size_is_checked),
        cmocka_unit_test(test_unknown_file_system_is_unable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
