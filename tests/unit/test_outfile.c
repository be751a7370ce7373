/* outfile: whole files or none, and never in the place of a device or a link. */
#include "unit.h"

#include "base/outfile.h"
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *in(void *root, const char *name)
{
    static char path[4][512];
    static unsigned turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", (char *)root, name);
    return p;
}

static void expect_text(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    assert_string_equal(text, expected);
}

static void write_whole(const char *path, const char *text)
{
    struct err e = {0};
    assert_int_equal(outfile_write(path, text, strlen(text), &e), 0);
    assert_no_err(&e);
}

static void test_a_file_is_replaced_as_a_whole(void **state)
{
    struct err e = {0};
    struct outfile f;
    write_whole(in(*state, "r"), "old and long");
    assert_int_equal(outfile_open(&f, in(*state, "r"), &e), 0);
    assert_int_equal(write(f.fd, "new", 3), 3);
    expect_text(in(*state, "r"), "old and long"); /* until it is complete */
    assert_int_equal(outfile_commit(&f, &e), 0);
    assert_int_equal(f.fd, -1);
    expect_text(in(*state, "r"), "new");
}

static void test_what_is_discarded_leaves_the_old_one(void **state)
{
    struct err e = {0};
    struct outfile f;
    write_whole(in(*state, "r"), "old");
    assert_int_equal(outfile_open(&f, in(*state, "r"), &e), 0);
    char *temporary = strdup(f.temporary);
    assert_int_equal(access(temporary, F_OK), 0);
    outfile_discard(&f);
    outfile_discard(&f); /* one that is not open */
    assert_int_equal(access(temporary, F_OK), -1);
    free(temporary);
    expect_text(in(*state, "r"), "old");
}

static void test_a_folder_that_is_not_there(void **state)
{
    struct err e = {0};
    (void)state;
    assert_int_equal(outfile_write("/no-such-folder/x", "1", 1, &e), -1);
    assert_err(&e, ERR_FAILED, "/no-such-folder/x", "No such file");
}

static void test_a_folder_is_no_file(void **state)
{
    struct err e = {0};
    assert_int_equal(outfile_write(*state, "1", 1, &e), -1);
    assert_err(&e, ERR_FAILED, (char *)*state);
}

static void test_a_pipe_is_written_and_stays_one(void **state)
{
    struct stat st;
    char text[8] = "";
    char *path = in(*state, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    FILE *reader = fopen(path, "r+"); /* so that opening for writing does not wait */
    assert_non_null(reader);
    write_whole(path, "line\n");
    assert_non_null(fgets(text, sizeof text, reader));
    assert_string_equal(text, "line\n");
    fclose(reader);
    assert_int_equal(lstat(path, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
}

static void test_a_full_device_is_an_error(void **state)
{
    struct err e = {0};
    struct stat st;
    (void)state;
    assert_int_equal(outfile_write("/dev/full", "1", 1, &e), -1);
    assert_err(&e, ERR_FAILED, "/dev/full", "No space");
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void test_the_file_behind_a_link_is_written(void **state)
{
    struct stat st;
    write_whole(in(*state, "real"), "old");
    assert_int_equal(symlink("real", in(*state, "link")), 0);
    write_whole(in(*state, "link"), "new");
    expect_text(in(*state, "real"), "new");
    assert_int_equal(lstat(in(*state, "link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

/* Links are followed, one after the other, each from its own folder, also to
 * where nothing is yet. They stay what they are. */
static void test_a_link_to_nothing_yet(void **state)
{
    struct stat st;
    assert_int_equal(mkdir(in(*state, "d"), 0755), 0);
    assert_int_equal(symlink("d/second", in(*state, "first")), 0);
    assert_int_equal(symlink("../made", in(*state, "d/second")), 0);
    write_whole(in(*state, "first"), "text");
    expect_text(in(*state, "made"), "text");
    assert_int_equal(lstat(in(*state, "first"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat(in(*state, "d/second"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

static void test_a_link_to_itself(void **state)
{
    struct err e = {0};
    assert_int_equal(symlink("ring", in(*state, "ring")), 0);
    assert_int_equal(outfile_write(in(*state, "ring"), "x", 1, &e), -1);
    assert_err(&e, ERR_FAILED, "ring", "links");
}

/* Asking changes nothing: no file is made, none is emptied, a pipe stays open. */
static void test_to_ask_whether_it_can_be_written(void **state)
{
    struct err e = {0};
    write_whole(in(*state, "r"), "old");
    assert_int_equal(outfile_check(in(*state, "r"), &e), 0);
    expect_text(in(*state, "r"), "old");
    assert_int_equal(outfile_check(in(*state, "new"), &e), 0);
    assert_int_not_equal(access(in(*state, "new"), F_OK), 0);
    assert_int_equal(mkfifo(in(*state, "pipe"), 0600), 0);
    assert_int_equal(outfile_check(in(*state, "pipe"), &e), 0); /* and does not wait for a reader */
    assert_int_equal(outfile_check(in(*state, "none/x"), &e), -1);
    assert_err(&e, ERR_FAILED, "none/x");
    err_clear(&e);
    assert_int_equal(outfile_check(*state, &e), -1); /* a folder */
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_file_is_replaced_as_a_whole),
        TEST(test_a_link_to_nothing_yet),
        TEST(test_a_link_to_itself),
        TEST(test_to_ask_whether_it_can_be_written),
        TEST(test_what_is_discarded_leaves_the_old_one),
        TEST(test_a_folder_that_is_not_there),
        TEST(test_a_folder_is_no_file),
        TEST(test_a_pipe_is_written_and_stays_one),
        TEST(test_a_full_device_is_an_error),
        TEST(test_the_file_behind_a_link_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
