/* Options of fileio and a folder of its own for a test's files. */
#ifndef FILEIO_SET_H
#define FILEIO_SET_H

#include "bench.h"
#include "tree.h"

#include "primitive/fileio.h"
#include "primitive/fileio/create.h"
#include "primitive/fileio/files.h"

#include <fcntl.h>
#include <unistd.h>

static inline void set_option(struct part *p, const char *name, const char *text)
{
    struct err e = {0};
    int row = optset_find(&p->set, name);
    assert_true(row >= 0);
    if (optset_set(&p->set, (size_t)row, text, OPT_BY_USER, OPT_STRICT, &e) != 0)
        fail_msg("--%s=%s: %s", name, text, e.text);
}

/* Options in pairs, ended by NULL. */
static inline void set_options(struct part *p, const char *const *pairs)
{
    for (; *pairs; pairs += 2)
        set_option(p, pairs[0], pairs[1]);
}
#define SET(p, ...) set_options((p), (const char *const[]){__VA_ARGS__, NULL})

static inline const char *set_path(const char *folder, const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A folder, options that point to it, and a log that goes nowhere. */
struct set_test {
    char *folder;
    struct part part;
    struct log log;
    struct err err;
    struct file_set set; /* for tests that open one */
};

static inline int set_begin(void **state)
{
    struct set_test *t = calloc(1, sizeof *t);
    void *folder = NULL;
    *state = t;
    if (!t || tree_make(&folder) != 0)
        return -1;
    t->folder = folder;
    t->set.dir = -1;
    log_init(&t->log);
    t->log.out = t->log.serious = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (part_init(&t->part, &fileio_workload, &t->err) != 0)
        return -1;
    SET(&t->part, "file-dir", t->folder);
    return 0;
}

static inline int set_end(void **state)
{
    struct set_test *t = *state;
    void *folder = t->folder;
    file_set_release(&t->set);
    close(t->log.out);
    log_release(&t->log);
    part_release(&t->part);
    free(t);
    return folder ? tree_remove(&folder) : -1;
}

/* Size of a file in the folder, -1 if it is not there. */
static inline long long set_size(const char *folder, const char *name)
{
    struct stat st;
    return lstat(set_path(folder, name), &st) == 0 ? (long long)st.st_size : -1;
}

static inline void set_write(const char *folder, const char *name, const void *data, size_t size,
                             long long offset)
{
    int fd = open(set_path(folder, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, data, size, offset), size);
    close(fd);
}

static inline void set_read(const char *folder, const char *name, void *data, size_t size,
                            long long offset)
{
    int fd = open(set_path(folder, name), O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, data, size, offset), size);
    close(fd);
}

#endif
