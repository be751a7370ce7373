/* prepare, cleanup and opening, on real files in a folder of their own. */
#include "fileio_set.h"

#include "primitive/fileio/validate.h"

#include <signal.h>
#include <sys/resource.h>

static int begin(void **state)
{
    if (set_begin(state) != 0)
        return -1;
    struct set_test *t = *state;
    SET(&t->part, "file-num", "3", "file-total-size", "192K");
    return 0;
}

static int prepare(struct set_test *t, bool validate)
{
    err_clear(&t->err);
    return files_prepare(t->part.options, validate, &t->log, &t->err);
}

static int cleanup(struct set_test *t)
{
    err_clear(&t->err);
    return files_cleanup(t->part.options, &t->log, &t->err);
}

/* Opens the set for that use; its size, or -1. */
static long long opened(struct set_test *t, enum file_use use)
{
    struct file_set s;
    err_clear(&t->err);
    int rc = file_set_init(&s, t->part.options, &t->err);
    if (rc == 0)
        rc = file_set_open(&s, use, false, &t->err);
    file_set_release(&s);
    return rc == 0 ? (long long)s.size : -1;
}

/* --- prepare ------------------------------------------------------------------------ */

static void prepare_makes_whole_blocks(void **state)
{
    struct set_test *t = *state;
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(set_size(t->folder, "test_file.0"), 65536);
    assert_int_equal(set_size(t->folder, "test_file.2"), 65536);
    assert_int_equal(set_size(t->folder, "test_file.3"), -1);
    SET(&t->part, "file-total-size", "1000000"); /* 333333 bytes each: 21 blocks */
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(set_size(t->folder, "test_file.2"), 344064);
}

static void prepare_reuses_and_extends(void **state)
{
    struct set_test *t = *state;
    unsigned char before[64], after[64];
    assert_int_equal(prepare(t, false), 0);
    set_read(t->folder, "test_file.1", before, sizeof before, 65536 - 64);
    SET(&t->part, "file-total-size", "384K");
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(set_size(t->folder, "test_file.1"), 131072);
    set_read(t->folder, "test_file.1", after, sizeof after, 65536 - 64);
    assert_memory_equal(before, after, sizeof before);
    set_read(t->folder, "test_file.1", after, sizeof after, 131072 - 64);
    assert_memory_not_equal(before, after, sizeof before);
    SET(&t->part, "file-total-size", "192K"); /* a larger set serves as well */
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(set_size(t->folder, "test_file.1"), 131072);
}

static void an_unaligned_end_is_not_extended(void **state)
{
    struct set_test *t = *state;
    char half[512] = {1};
    unsigned char data[16384];
    SET(&t->part, "file-block-size", "16K");
    set_write(t->folder, "test_file.0", half, sizeof half, 20480 - 512); /* 20480 = 1.25 blocks */
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(set_size(t->folder, "test_file.0"), 65536);
    /* what follows the last whole block is written anew, from the block's begin */
    set_read(t->folder, "test_file.0", data, sizeof data, 16384);
    size_t zeros = 0;
    for (size_t i = 0; i < 4096; i++)
        zeros += data[i] == 0;
    assert_true(zeros < 100);
}

static void zeros_on_request(void **state)
{
    struct set_test *t = *state;
    unsigned char data[65536], zero[65536] = {0};
    SET(&t->part, "file-data", "zero");
    assert_int_equal(prepare(t, false), 0);
    set_read(t->folder, "test_file.1", data, sizeof data, 0);
    assert_memory_equal(data, zero, sizeof data);
}

static void assert_sealed(struct set_test *t, const char *name)
{
    unsigned char data[65536];
    set_read(t->folder, name, data, sizeof data, 0);
    assert_int_equal(validate_look(data, sizeof data, 16384, 0).state, BLOCK_WHOLE);
}

static void checksums_on_request(void **state)
{
    struct set_test *t = *state;
    assert_int_equal(prepare(t, true), 0);
    assert_sealed(t, "test_file.0");
    assert_sealed(t, "test_file.2");
}

/* Or --validate could never work on files that are there already. */
static void checksums_replace_other_data(void **state)
{
    struct set_test *t = *state;
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(prepare(t, true), 0);
    assert_sealed(t, "test_file.1");
}

static void whatever_is_in_the_way_stays(void **state)
{
    static const char *const kinds[] = {"text", "link", "directory", "pipe", "hard link"};
    struct set_test *t = *state;
    set_write(t->folder, "doc", "precious", 8, 0);
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/test_file.1", t->folder);
        int made = i == 0   ? (set_write(t->folder, "test_file.1", "precious\n", 9, 0), 0)
                   : i == 1 ? symlink("doc", path)
                   : i == 2 ? mkdir(path, 0700)
                   : i == 3 ? mkfifo(path, 0600)
                            : link(set_path(t->folder, "doc"), path);
        assert_int_equal(made, 0);
        long long size = set_size(t->folder, "test_file.1");
        assert_int_equal(prepare(t, false), -1);
        assert_err(&t->err, ERR_FAILED, "test_file.1", "Nothing was changed");
        assert_int_equal(set_size(t->folder, "test_file.0"), -1);
        assert_int_equal(set_size(t->folder, "test_file.1"), size);
        assert_int_equal(set_size(t->folder, "doc"), 8);
        assert_int_equal(cleanup(t), -1);
        assert_err(&t->err, ERR_FAILED, "test_file.1", "stays");
        assert_int_equal(set_size(t->folder, "test_file.1"), size);
        assert_int_equal(opened(t, USE_CREATE), -1);
        assert_err(&t->err, ERR_FAILED, "test_file.1");
        assert_int_equal(set_size(t->folder, "test_file.0"), -1);
        assert_int_equal(remove(path), 0);
    }
}

/* A file of the right size that prepare cannot have made is read, but not written
 * to; --compat=1.0 asks for no size, as sysbench does. */
static void what_prepare_has_not_made_is_only_read(void **state)
{
    struct set_test *t = *state;
    char path[512];
    assert_int_equal(prepare(t, false), 0);
    set_write(t->folder, "test_file.1", "precious", 8, 65536 + 500);
    assert_int_equal(opened(t, USE_CHANGE), -1);
    assert_err(&t->err, ERR_FAILED, "test_file.1", "no whole number of blocks",
               "--file-block-size");
    assert_int_equal(opened(t, USE_CHANGE_ANY), 65536);
    assert_int_equal(opened(t, USE_READ), 65536);
    assert_int_equal(truncate(set_path(t->folder, "test_file.1"), 65536), 0);
    snprintf(path, sizeof path, "%s/doc", t->folder);
    assert_int_equal(link(set_path(t->folder, "test_file.1"), path), 0);
    assert_int_equal(opened(t, USE_CHANGE), -1);
    assert_err(&t->err, ERR_FAILED, "test_file.1", "hard link");
    assert_int_equal(opened(t, USE_READ), 65536);
}

/* A limit of file size stands in for a full disk; both fail in write. */
static void failed_writes_are_taken_back(void **state)
{
    struct set_test *t = *state;
    struct rlimit old, low;
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(unlink(set_path(t->folder, "test_file.1")), 0);
    SET(&t->part, "file-total-size", "768K"); /* 256 KiB each */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = (struct rlimit){.rlim_cur = 200000, .rlim_max = old.rlim_max};
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    int rc = prepare(t, false);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, before);
    assert_int_equal(rc, -1);
    assert_err(&t->err, ERR_FAILED, "test_file.0", "removed again");
    assert_int_equal(set_size(t->folder, "test_file.0"), 65536);
    assert_int_equal(set_size(t->folder, "test_file.1"), -1);
    assert_int_equal(set_size(t->folder, "test_file.2"), 65536);
}

static void missing_space_is_named(void **state)
{
    struct set_test *t = *state;
    SET(&t->part, "file-total-size", "900000T");
    assert_int_equal(prepare(t, false), -1);
    assert_err(&t->err, ERR_FAILED, "not enough space", "missing", "--file-total-size");
    assert_int_equal(set_size(t->folder, "test_file.0"), -1);
    assert_int_equal(opened(t, USE_CREATE), -1); /* a run that makes its files, too */
    assert_err(&t->err, ERR_FAILED, "not enough space", "missing", "--file-total-size");
    assert_int_equal(set_size(t->folder, "test_file.0"), -1);
}

static void missing_directory_is_named(void **state)
{
    struct set_test *t = *state;
    SET(&t->part, "file-dir", "/nowhere/at all");
    assert_int_equal(prepare(t, false), -1);
    assert_err(&t->err, ERR_FAILED, "--file-dir", "/nowhere/at all", "No such file");
    assert_int_equal(cleanup(t), -1);
    assert_err(&t->err, ERR_FAILED, "/nowhere/at all");
}

/* --- cleanup --------------------------------------------------------------------------- */

static void cleanup_removes_the_set(void **state)
{
    struct set_test *t = *state;
    SET(&t->part, "file-num", "12");
    assert_int_equal(prepare(t, false), 0);
    set_write(t->folder, "test_file.notes", "mine", 4, 0);
    set_write(t->folder, "test_file.99", "mine", 4, 0);
    SET(&t->part, "file-num", "3"); /* the others belong to it all the same */
    assert_int_equal(cleanup(t), 0);
    assert_int_equal(set_size(t->folder, "test_file.0"), -1);
    assert_int_equal(set_size(t->folder, "test_file.11"), -1);
    assert_int_equal(set_size(t->folder, "test_file.notes"), 4);
    assert_int_equal(set_size(t->folder, "test_file.99"), 4);
    assert_int_equal(cleanup(t), 0);
}

/* --- opening ------------------------------------------------------------------------------ */

static void missing_files_name_the_command(void **state)
{
    struct set_test *t = *state;
    char command[700];
    snprintf(command, sizeof command,
             "%s fileio --file-num=3 --file-total-size=192K --file-block-size=4K --file-dir=%s "
             "prepare",
             program_invocation_short_name, t->folder);
    SET(&t->part, "file-block-size", "4K");
    assert_int_equal(opened(t, USE_READ), -1);
    assert_err(&t->err, ERR_FAILED, "test_file.0", "prepare the set first", command);
    assert_int_equal(opened(t, USE_CHANGE), -1);
    assert_int_equal(set_size(t->folder, "test_file.0"), -1);
}

static void short_files_name_both_sizes(void **state)
{
    struct set_test *t = *state;
    assert_int_equal(prepare(t, false), 0);
    SET(&t->part, "file-total-size", "384K");
    assert_int_equal(opened(t, USE_READ), -1);
    assert_err(&t->err, ERR_FAILED, "test_file.0", "65536", "131072", "prepare");
}

static void commands_are_quoted(void **state)
{
    struct set_test *t = *state;
    struct buf out = {0};
    SET(&t->part, "file-dir", "/mnt/my card's");
    prepare_command(t->part.options, true, &out);
    assert_non_null(
        strstr(buf_text(&out), "--file-dir='/mnt/my card'\\''s' --validate=on prepare"));
    buf_release(&out);
}

static void sizes_that_a_run_uses(void **state)
{
    struct set_test *t = *state;
    SET(&t->part, "file-total-size", "1000000");
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(opened(t, USE_READ), 344064); /* as prepared, in whole blocks */
    SET(&t->part, "file-block-size", "300K");      /* a block more than there is */
    assert_int_equal(opened(t, USE_READ), 307200);
    SET(&t->part, "file-block-size", "1M");
    assert_int_equal(opened(t, USE_READ), 333333);
}

static void created_files_get_their_full_size(void **state)
{
    struct set_test *t = *state;
    struct file_set s;
    assert_int_equal(file_set_init(&s, t->part.options, &t->err), 0);
    assert_int_equal(file_set_open(&s, USE_CREATE, false, &t->err), 0);
    assert_int_equal(set_size(t->folder, "test_file.2"), 0);
    file_set_restore(&s);
    assert_int_equal(set_size(t->folder, "test_file.2"), 65536);
    file_set_undo(&s);
    file_set_release(&s);
    assert_int_equal(set_size(t->folder, "test_file.2"), -1);
}

static void renewing_begins_with_nothing(void **state)
{
    struct set_test *t = *state;
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(opened(t, USE_RENEW), 65536);
    assert_int_equal(set_size(t->folder, "test_file.0"), 0);
}

static void files_beyond_the_limit(void **state)
{
    struct set_test *t = *state;
    struct rlimit old, low;
    SET(&t->part, "file-num", "100", "file-total-size", "1600K");
    assert_int_equal(prepare(t, false), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = (struct rlimit){.rlim_cur = 64, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_int_equal(opened(t, USE_READ), 16384); /* the soft limit is raised */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(cleanup(t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, set_end)
        T(prepare_makes_whole_blocks),
        T(prepare_reuses_and_extends),
        T(an_unaligned_end_is_not_extended),
        T(zeros_on_request),
        T(checksums_on_request),
        T(checksums_replace_other_data),
        T(whatever_is_in_the_way_stays),
        T(what_prepare_has_not_made_is_only_read),
        T(failed_writes_are_taken_back),
        T(missing_space_is_named),
        T(missing_directory_is_named),
        T(cleanup_removes_the_set),
        T(missing_files_name_the_command),
        T(short_files_name_both_sizes),
        T(commands_are_quoted),
        T(sizes_that_a_run_uses),
        T(created_files_get_their_full_size),
        T(renewing_begins_with_nothing),
        T(files_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
