/* What a session makes, it undoes. The tests that need root and loop devices are
 * skipped without them; each runs in a child, since a session moves its process
 * into another mount namespace. */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/device.h"
#include "fs/format.h"
#include "fs/image.h"
#include "fs/mount.h"
#include "fs/session.h"
#include "fs/settle.h"

static const char *const mkfs[] = {"mkfs.ext4", "-q", "-F", NULL};
static const char *const fsck[] = {"fsck.ext4", "-f", "-n", NULL};

struct fixture {
    char dir[64];
    struct fs_session s;
    struct err e;
};

/* Counts what the test would leave: entries of its folder. */
static int entries(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n - 2;
}

static void in_child(void (*work)(struct fixture *))
{
    struct fixture f = {.dir = "/tmp/sbench-unit-XXXXXX"};
    int status = -1;
    assert_non_null(mkdtemp(f.dir));
    pid_t pid = fork();
    if (pid == 0) {
        setenv("TMPDIR", f.dir, 1);
        work(&f);
        _exit(f.e.status != ERR_NONE);
    }
    waitpid(pid, &status, 0);
    int left = entries(f.dir);
    rmdir(f.dir);
    assert_int_equal(left, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* In the child: says what is wrong and makes the test fail. */
#define CHECK(f, condition)                                                                        \
    do {                                                                                           \
        if (!(condition))                                                                          \
            err_set(&(f)->e, "%d: not true: %s", __LINE__, #condition);                            \
    } while (0)

static void report(struct fixture *f)
{
    if (f->e.status != ERR_NONE)
        fprintf(stderr, "%s\n", f->e.text);
}

static bool attached(dev_t dev)
{
    char path[64];
    snprintf(path, sizeof path, "/sys/dev/block/7:%u/loop", (unsigned)(dev & 0xff));
    return access(path, F_OK) == 0;
}

static void trees(struct fixture *f)
{
    char a[512], b[512];
    CHECK(f, fs_session_begin(&f->s, &f->e) == 0);
    CHECK(f, fs_session_work_dir(&f->s, f->dir, a, sizeof a, &f->e) == 0);
    CHECK(f, fs_session_work_dir(&f->s, a, b, sizeof b, &f->e) == 0);
    CHECK(f, entries(a) == 1);
    CHECK(f, fs_session_undo(&f->s, 1, &f->e) == 0);
    CHECK(f, entries(a) == 0);
    CHECK(f, fs_session_end(&f->s, &f->e) == 0);
    CHECK(f, access(a, F_OK) != 0);
    report(f);
}

static void mounts(struct fixture *f)
{
    char device[64], where[512], text[512];
    struct device d;
    enum purge purged = PURGE_NOTHING;
    CHECK(f, fs_session_begin(&f->s, &f->e) == 0);
    CHECK(f, fs_session_image(&f->s, f->dir, 32 << 20, device, sizeof device, &f->e) == 0);
    CHECK(f, format_purge(&f->s, device, NULL, false, &purged, &f->e) == 0);
    CHECK(f, format_run(&f->s, device, NULL, mkfs, &f->e) == 0);
    CHECK(f, fs_session_mount(&f->s, device, "ext4", "noatime", where, sizeof where, &f->e) == 0);
    CHECK(f, mount_type(where, text, sizeof text, &f->e) == 0 && !strcmp(text, "ext4"));
    CHECK(f, mount_options(where, text, sizeof text, &f->e) == 0 && strstr(text, "noatime"));
    CHECK(f, mount_source(where, text, sizeof text, &f->e) == 0 && !strcmp(text, device));
    CHECK(f, device_look(device, &d, &f->e) == 0 && d.bytes == 32 << 20);
    CHECK(f, fs_session_owns(&f->s, d.dev) && attached(d.dev));
    /* mounted: neither may be done now, though it is ours */
    CHECK(f, format_run(&f->s, device, NULL, mkfs, NULL) == -1);
    CHECK(f, format_check(device, fsck, NULL) == -1);
    CHECK(f, fs_session_undo(&f->s, 1, &f->e) == 0);
    CHECK(f, format_check(device, fsck, &f->e) == 0);
    CHECK(f, fs_session_end(&f->s, &f->e) == 0);
    CHECK(f, !attached(d.dev));
    report(f);
}

/* Two processes want one device: the second is refused until the first lets go. */
static void held(struct fixture *f)
{
    char device[64];
    struct device d;
    struct fs_session other = {.used = 0};
    struct err e = {0};
    CHECK(f, fs_session_begin(&f->s, &f->e) == 0);
    CHECK(f, fs_session_image(&f->s, f->dir, 16 << 20, device, sizeof device, &f->e) == 0);
    CHECK(f, device_look(device, &d, &f->e) == 0);
    CHECK(f, fs_session_hold(&f->s, device, d.dev, &f->e) == 0);
    CHECK(f, fs_session_hold(&f->s, device, d.dev, &f->e) == 0 && f->s.used == 2);
    CHECK(f, fs_session_hold(&other, device, d.dev, &e) == -1 && other.used == 0);
    CHECK(f, strstr(e.text, device) && strstr(e.text, "another program has locked it"));
    /* it keeps no one from the work of the session itself */
    CHECK(f, format_run(&f->s, device, NULL, mkfs, &f->e) == 0);
    CHECK(f, fs_session_undo(&f->s, 1, &f->e) == 0);
    CHECK(f, fs_session_hold(&other, device, d.dev, &f->e) == 0);
    CHECK(f, fs_session_undo(&other, 0, &f->e) == 0);
    CHECK(f, fs_session_end(&f->s, &f->e) == 0);
    report(f);
}

/* Bytes of 4 KiB that are not zero, at the first block, one in the middle, and the last. */
static bool full_of_noise(const char *device, uint64_t bytes)
{
    unsigned char block[4096];
    uint64_t places[] = {0, bytes / 2, bytes - sizeof block};
    int fd = open(device, O_RDONLY | O_CLOEXEC), some = 0;
    for (size_t i = 0; i < LENGTH(places); i++) {
        int set = 0;
        if (pread(fd, block, sizeof block, (off_t)places[i]) == (ssize_t)sizeof block)
            for (size_t k = 0; k < sizeof block; k++)
                set += block[k] != 0;
        some += set > 4000; /* random bytes are zero once in 256 */
    }
    close(fd);
    return some == (int)LENGTH(places);
}

static void overwritten(struct fixture *f)
{
    char device[64];
    struct device d;
    CHECK(f, fs_session_begin(&f->s, &f->e) == 0);
    /* no whole number of the pieces that are written */
    CHECK(f, fs_session_image(&f->s, f->dir, (4 << 20) + 8192, device, sizeof device, &f->e) == 0);
    CHECK(f, device_look(device, &d, &f->e) == 0 && d.bytes == (4 << 20) + 8192);
    CHECK(f, !full_of_noise(device, d.bytes));
    CHECK(f, settle_overwrite(&d, &f->e) == 0);
    CHECK(f, full_of_noise(device, d.bytes));
    CHECK(f, fs_session_end(&f->s, &f->e) == 0);
    report(f);
}

/* A loop device that another session made is somebody else's. */
static void foreign(struct fixture *f)
{
    char device[64];
    struct fs_session other = {.used = 0};
    struct err e = {0};
    CHECK(f, fs_session_begin(&f->s, &f->e) == 0);
    CHECK(f, fs_session_image(&f->s, f->dir, 16 << 20, device, sizeof device, &f->e) == 0);
    CHECK(f, format_run(&other, device, NULL, mkfs, &e) == -1 && strstr(e.text, "--fs-erase"));
    CHECK(f, fs_session_end(&f->s, &f->e) == 0);
    report(f);
}

static void killed(struct fixture *f)
{
    char device[64], where[512];
    struct device d = {.dev = 0};
    int pipes[2];
    CHECK(f, pipe(pipes) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        CHECK(f, fs_session_begin(&f->s, &f->e) == 0);
        CHECK(f, fs_session_image(&f->s, f->dir, 16 << 20, device, sizeof device, &f->e) == 0);
        CHECK(f, format_run(&f->s, device, NULL, mkfs, &f->e) == 0);
        CHECK(f,
              fs_session_mount(&f->s, device, "ext4", "noatime", where, sizeof where, &f->e) == 0);
        CHECK(f, device_look(device, &d, &f->e) == 0);
        report(f);
        CHECK(f, write(pipes[1], &d.dev, sizeof d.dev) == sizeof d.dev);
        pause();
    }
    CHECK(f, read(pipes[0], &d.dev, sizeof d.dev) == sizeof d.dev && attached(d.dev));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int i = 0; i < 2000 && attached(d.dev); i++)
        usleep(20 * 1000);
    CHECK(f, !attached(d.dev));
    CHECK(f, entries(f->dir) == 1); /* the empty mount folder is all there is */
    DIR *dir = opendir(f->dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
    closedir(dir);
    report(f);
}

static void full(struct fixture *f)
{
    char device[64];
    struct err e = {0};
    CHECK(f, fs_session_begin(&f->s, &f->e) == 0);
    CHECK(f, fs_session_image(&f->s, f->dir, (uint64_t)1 << 50, device, sizeof device, &e) == -1);
    CHECK(f, strstr(e.text, "missing") != NULL && f->s.used == 0);
    CHECK(f, fs_session_end(&f->s, &f->e) == 0);
    report(f);
}

static void wrong_type(struct fixture *f)
{
    char device[64], where[512];
    struct err e = {0};
    CHECK(f, fs_session_begin(&f->s, &f->e) == 0);
    CHECK(f, fs_session_image(&f->s, f->dir, 16 << 20, device, sizeof device, &f->e) == 0);
    CHECK(f, fs_session_mount(&f->s, device, "ext4", "noatime", where, sizeof where, &e) == -1);
    CHECK(f, strstr(e.text, device) != NULL && strstr(e.text, "ext4") != NULL);
    CHECK(f, fs_session_end(&f->s, &f->e) == 0);
    report(f);
}

static void with_root(void (*work)(struct fixture *))
{
    if (image_possible(NULL) != 0)
        skip();
    in_child(work);
}

static void test_work_folders_go(void **state)
{
    (void)state;
    in_child(trees);
}

static void test_mount_and_loop_go(void **state)
{
    (void)state;
    with_root(mounts);
}

static void test_a_device_has_one_session(void **state)
{
    (void)state;
    with_root(held);
}

static void test_every_block_is_overwritten(void **state)
{
    (void)state;
    with_root(overwritten);
}

static void test_foreign_loop_is_not_formatted(void **state)
{
    (void)state;
    with_root(foreign);
}

static void test_sigkill_leaves_nothing_attached(void **state)
{
    (void)state;
    with_root(killed);
}

static void test_no_room_makes_nothing(void **state)
{
    (void)state;
    with_root(full);
}

static void test_failed_mount_leaves_nothing(void **state)
{
    (void)state;
    with_root(wrong_type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_folders_go),
        cmocka_unit_test(test_mount_and_loop_go),
        cmocka_unit_test(test_a_device_has_one_session),
        cmocka_unit_test(test_every_block_is_overwritten),
        cmocka_unit_test(test_foreign_loop_is_not_formatted),
        cmocka_unit_test(test_sigkill_leaves_nothing_attached),
        cmocka_unit_test(test_no_room_makes_nothing),
        cmocka_unit_test(test_failed_mount_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
