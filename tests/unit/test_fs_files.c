#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/files.h"
#include "fs/image.h"

struct folder {
    char path[64];
};

static int setup(void **state)
{
    struct folder *f = calloc(1, sizeof *f);
    if (!f)
        return -1;
    snprintf(f->path, sizeof f->path, "/tmp/sbench-unit-XXXXXX");
    *state = f;
    return mkdtemp(f->path) ? 0 : -1;
}

static int teardown(void **state)
{
    struct folder *f = *state;
    int rc = files_remove_tree(f->path, NULL);
    free(f);
    return rc;
}

static const char *in(const struct folder *f, const char *name, char *buf, size_t size)
{
    snprintf(buf, size, "%s/%s", f->path, name);
    return buf;
}

static void test_make_never_overwrites(void **state)
{
    struct err e = {0};
    struct stat st;
    char path[256];
    in(*state, "a", path, sizeof path);
    assert_int_equal(files_make(path, "12345", 5, true, &e), 0);
    assert_int_equal(files_make(path, "1", 1, false, &e), -1);
    assert_err(&e, ERR_FAILED, path, "File exists");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 5);
}

static void test_folders_are_made_and_removed(void **state)
{
    struct err e = {0};
    char path[256], file[300];
    in(*state, "a/b/c", path, sizeof path);
    assert_int_equal(files_make_dirs(path, &e), 0);
    assert_int_equal(files_make_dirs(path, &e), 0); /* there already */
    snprintf(file, sizeof file, "%s/x", path);
    assert_int_equal(files_make(file, "1", 1, false, &e), 0);
    assert_int_equal(files_make_dirs(file, &e), -1); /* a file is in the way */
    assert_int_equal(files_remove_tree(in(*state, "a", path, sizeof path), NULL), 0);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_links_are_not_followed_when_removing(void **state)
{
    char keep[256], tree[256], link[300];
    in(*state, "keep", keep, sizeof keep);
    in(*state, "tree", tree, sizeof tree);
    assert_int_equal(files_make(keep, "1", 1, false, NULL), 0);
    assert_int_equal(files_make_dirs(tree, NULL), 0);
    snprintf(link, sizeof link, "%s/link", tree);
    assert_int_equal(symlink(keep, link), 0);
    snprintf(link, sizeof link, "%s/up", tree);
    assert_int_equal(symlink("..", link), 0);
    assert_int_equal(files_remove_tree(tree, NULL), 0);
    assert_int_equal(access(keep, F_OK), 0);
}

static void test_missing_space_is_named(void **state)
{
    struct folder *f = *state;
    struct err e = {0}, e2 = {0};
    assert_int_equal(image_space(f->path, 1 << 20, &e), 0);
    assert_int_equal(image_space(f->path, (uint64_t)1 << 60, &e), -1);
    assert_err(&e, ERR_FAILED, f->path, "1099511627776 MiB", "missing", "--fs-image-dir",
               "--fs-image-size");
    assert_int_equal(image_space("/no-such-folder", 1, &e2), -1);
    assert_err(&e2, ERR_FAILED, "/no-such-folder", "--fs-image-dir");
}

static void test_image_has_its_size_and_no_name(void **state)
{
    struct folder *f = *state;
    struct err e = {0};
    struct stat st;
    int fd = image_make(f->path, 8 << 20, &e);
    assert_no_err(&e);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    close(fd);
    assert_int_equal(st.st_size, 8 << 20);
    assert_int_equal(st.st_nlink, 0);
    assert_int_equal(rmdir(f->path), 0); /* nothing in it */
    assert_int_equal(mkdir(f->path, 0700), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_make_never_overwrites),
        TEST(test_folders_are_made_and_removed),
        TEST(test_links_are_not_followed_when_removing),
        TEST(test_missing_space_is_named),
        TEST(test_image_has_its_size_and_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
