#include "primitive/fileio/create.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "primitive/fileio/data.h"
#include "primitive/fileio/files.h"
#include "primitive/fileio/report.h"
#include "primitive/fileio/validate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK (1 << 20) /* blocks are written together up to this size */

/* What is to be done about one file. */
struct plan {
    bool exists, made;
    uint64_t had;  /* its size before */
    uint64_t from; /* where writing begins; from == had and enough: nothing to do */
};

struct job {
    struct file_set set;
    struct plan *plan;
    bool validate, zero;
    struct log *log;
    struct rng rng;
    struct data_page page;
    unsigned char *buffer;
    size_t chunk;
    uint64_t due, written; /* bytes */
};

/* --- before anything is written ----------------------------------------------- */

static int open_existing(const struct job *j, uint32_t i, int flags)
{
    char name[FILE_NAME_ROOM];
    return TEMP_FAILURE_RETRY(
        openat(j->set.dir, file_name(i, name), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
}

static bool block_is_sealed(int fd, void *buffer, size_t block, uint64_t offset)
{
    return pread(fd, buffer, block, (off_t)offset) == (ssize_t)block &&
           validate_look(buffer, block, block, offset).state == BLOCK_WHOLE;
}

/* Does it look like the work of a validating prepare with this block size? */
static bool is_sealed(struct job *j, uint32_t i)
{
    size_t block = j->set.options->block;
    uint64_t last = j->plan[i].had / block;
    int fd = open_existing(j, i, O_RDONLY);
    if (fd < 0)
        return false;
    bool sealed = last > 0 && block_is_sealed(fd, j->buffer, block, 0) &&
                  block_is_sealed(fd, j->buffer, block, (last - 1) * block);
    close(fd);
    return sealed;
}

/* Zeros would compress; they are what sysbench's prepare writes. */
static bool is_zero(struct job *j, uint32_t i)
{
    size_t n = DATA_PAGE;
    int fd = open_existing(j, i, O_RDONLY);
    if (fd < 0)
        return false;
    ssize_t got = pread(fd, j->buffer, n, 0);
    close(fd);
    return got == (ssize_t)n && j->buffer[0] == 0 && memcmp(j->buffer, j->buffer + 1, n - 1) == 0;
}

static void say_what_is_reused(struct job *j, uint32_t i)
{
    struct buf path = {0};
    if (i == 0 && !j->zero && is_zero(j, i))
        log_put(j->log, LOG_WARNING,
                "'%s' holds zeros, which some file systems and cards store as next to nothing; "
                "run cleanup before prepare to get data that does not compress",
                file_path(j->set.options, i, &path));
    buf_release(&path);
}

/* Is there a file that may be used? 1 or 0; -1 with e. One that cannot be read is
 * no use to the run that follows. */
static int look_at(const struct job *j, uint32_t i, struct stat *st, struct err *e)
{
    char name[FILE_NAME_ROOM];
    struct buf path = {0};
    int rc = fstatat(j->set.dir, file_name(i, name), st, AT_SYMLINK_NOFOLLOW);
    if (rc != 0 && errno == ENOENT)
        return 0;
    const char *why = rc == 0 ? why_foreign(st, j->set.options->block) : NULL;
    if (why)
        rc = err_set(e,
                     "'%s' is in the way: %s, so it is not a test file. Nothing was changed; move "
                     "it away or use another --file-dir",
                     file_path(j->set.options, i, &path), why);
    else if (rc != 0 || faccessat(j->set.dir, name, R_OK, AT_EACCESS) != 0)
        rc = err_sys(e, errno, "cannot open '%s'%s", file_path(j->set.options, i, &path),
                     file_way_out(errno));
    buf_release(&path);
    return rc == 0 ? 1 : -1;
}

static int survey_file(struct job *j, uint32_t i, struct err *e)
{
    struct plan *p = &j->plan[i];
    struct stat st;
    int found = look_at(j, i, &st, e);
    if (found <= 0)
        return found;
    p->exists = true;
    p->had = (uint64_t)st.st_size;
    /* Writing begins at a block, whatever size of blocks the file was made with. */
    p->from =
        p->had < j->set.nominal ? p->had / j->set.options->block * j->set.options->block : p->had;
    if (j->validate && p->had > 0 && !is_sealed(j, i))
        p->from = 0;
    return 0;
}

static bool is_needed(const struct job *j, uint32_t i)
{
    return j->plan[i].from < j->set.nominal || (j->plan[i].from == 0 && j->plan[i].had == 0);
}

static uint64_t end_of(const struct job *j, uint32_t i)
{
    if (!j->validate)
        return j->set.whole;
    /* A file without checksums gets them over its whole length. */
    uint64_t had = j->plan[i].had / j->set.options->block * j->set.options->block;
    return had > j->set.whole ? had : j->set.whole;
}

static int check_space(struct job *j, struct err *e)
{
    uint64_t need = 0;
    for (uint32_t i = 0; i < j->set.count; i++) {
        if (!is_needed(j, i))
            continue;
        j->due += end_of(j, i) - j->plan[i].from;
        if (j->plan[i].had < j->set.whole)
            need += j->set.whole - j->plan[i].had;
    }
    return file_set_check_space(&j->set, need, e);
}

/* --- writing ------------------------------------------------------------------- */

static int write_whole(int fd, const void *data, size_t size, uint64_t offset)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = pwrite(fd, at, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return -1;
        }
        at += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

static void fill(struct job *j, size_t size, uint64_t offset)
{
    if (!j->zero || j->validate)
        data_fill(&j->page, &j->rng, j->buffer, size);
    if (j->validate)
        validate_seal_all(j->buffer, size, j->set.options->block, offset);
}

static int check_interrupt(struct err *e)
{
    int number = interrupt_caught();
    const char *name = number ? sigabbrev_np(number) : NULL;
    if (!number)
        return 0;
    return err_set(e, "prepare was interrupted by SIG%s, what was made is removed again",
                   name ? name : "?");
}

/* Also -1 after a signal. */
static int write_file(struct job *j, uint32_t i, int fd)
{
    uint64_t end = end_of(j, i);
    for (uint64_t at = j->plan[i].from; at < end;) {
        if (interrupt_caught())
            return -1;
        size_t n = end - at < j->chunk ? (size_t)(end - at) : j->chunk;
        fill(j, n, at);
        if (write_whole(fd, j->buffer, n, at) != 0)
            return -1;
        at += n;
        j->written += n;
    }
    return TEMP_FAILURE_RETRY(fsync(fd));
}

static int write_error(const struct job *j, uint32_t i, int why, struct err *e)
{
    struct buf path = {0};
    if (check_interrupt(e) != 0)
        return -1;
    if (why == ENOSPC || why == EDQUOT)
        err_sys(e, why,
                "no space left for '%s': %llu of %llu bytes are still to be written. What was made "
                "is removed again; use a smaller --file-total-size or another --file-dir",
                file_path(j->set.options, i, &path), (unsigned long long)(j->due - j->written),
                (unsigned long long)j->due);
    else
        err_sys(e, why, "cannot write '%s', what was made is removed again",
                file_path(j->set.options, i, &path));
    buf_release(&path);
    return -1;
}

/* For writing; -1 with e. */
static int open_for(const struct job *j, uint32_t i, struct err *e)
{
    struct buf path = {0};
    char name[FILE_NAME_ROOM];
    bool exists = j->plan[i].exists, direct = j->set.options->extra & EXTRA_DIRECT;
    int flags = O_RDWR | open_flags(j->set.options);
    int fd = exists ? open_existing(j, i, flags)
                    : TEMP_FAILURE_RETRY(openat(j->set.dir, file_name(i, name),
                                                flags | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd < 0 && errno == EINVAL && direct)
        err_set(e,
                "the file system of '%s' has no direct I/O; leave direct out of "
                "--file-extra-flags",
                file_path(j->set.options, i, &path));
    else if (fd < 0)
        err_sys(e, errno, "cannot %s '%s'%s", exists ? "open" : "create",
                file_path(j->set.options, i, &path), file_way_out(errno));
    buf_release(&path);
    return fd;
}

static void say_what_is_done(const struct job *j, uint32_t i)
{
    const struct plan *p = &j->plan[i];
    const char *what = !p->exists || p->had == 0 ? "Creating"
                       : is_needed(j, i)         ? "Extending existing"
                                                 : "Reusing existing";
    struct buf path = {0};
    log_put(j->log, LOG_NOTICE, "%s file %s", what, file_path(j->set.options, i, &path));
    buf_release(&path);
}

static int prepare_file(struct job *j, uint32_t i, struct err *e)
{
    say_what_is_done(j, i);
    if (!is_needed(j, i)) {
        say_what_is_reused(j, i);
        return 0;
    }
    int fd = open_for(j, i, e);
    if (fd < 0)
        return -1;
    j->plan[i].made = true;
    int rc = file_set_check_direct(&j->set, fd, e);
    if (rc == 0 && write_file(j, i, fd) != 0)
        rc = write_error(j, i, errno, e);
    if (close(fd) != 0 && errno != EINTR && rc == 0) /* a signal does not keep it open */
        rc = write_error(j, i, errno, e);
    return rc;
}

static void undo(struct job *j)
{
    char name[FILE_NAME_ROOM];
    for (uint32_t i = 0; i < j->set.count; i++) {
        if (!j->plan[i].made)
            continue;
        if (!j->plan[i].exists) {
            unlinkat(j->set.dir, file_name(i, name), 0);
            continue;
        }
        int fd = open_existing(j, i, O_WRONLY);
        /* A file that cannot be cut back only stays longer than it was. */
        if (fd >= 0 && ftruncate(fd, (off_t)j->plan[i].had) != 0)
            errno = 0;
        if (fd >= 0)
            close(fd);
    }
}

static void say_sizes(const struct job *j)
{
    const struct file_set *s = &j->set;
    log_put(j->log, LOG_NOTICE, "%u files, %lluKb each, %lluMb total", s->count,
            (unsigned long long)s->nominal >> 10,
            (unsigned long long)(s->nominal * s->count) >> 20);
    if (s->nominal % s->options->block != 0)
        log_put(j->log, LOG_WARNING,
                "%llu bytes in %u files are no whole blocks of %llu bytes: each file gets %llu "
                "bytes",
                (unsigned long long)s->options->total, s->count,
                (unsigned long long)s->options->block, (unsigned long long)s->whole);
    log_put(j->log, LOG_NOTICE, "Creating files for the test...");
    report_extra_flags(s->options, j->log, LOG_NOTICE);
}

static void say_end(const struct job *j, double seconds)
{
    if (j->written == 0)
        log_put(j->log, LOG_NOTICE, "No bytes written.");
    else
        log_put(j->log, LOG_NOTICE, "%llu bytes written in %.2f seconds (%.2f MiB/sec).",
                (unsigned long long)j->written, seconds,
                seconds > 0 ? (double)j->written / 1048576 / seconds : 0);
}

static int prepare_each(struct job *j, struct err *e)
{
    for (uint32_t i = 0; i < j->set.count; i++)
        if (check_interrupt(e) != 0 || prepare_file(j, i, e) != 0)
            return -1;
    return check_interrupt(e);
}

static int prepare_all(struct job *j, struct err *e)
{
    for (uint32_t i = 0; i < j->set.count; i++)
        if (survey_file(j, i, e) != 0)
            return -1;
    if (check_space(j, e) != 0)
        return -1;
    say_sizes(j);
    uint64_t began = clock_system_ns();
    if (prepare_each(j, e) != 0) {
        undo(j);
        return -1;
    }
    say_end(j, (double)(clock_system_ns() - began) / 1e9);
    return 0;
}

static int job_init(struct job *j, struct err *e)
{
    const struct fileio_options *o = j->set.options;
    void *buffer;
    /* Every write of a file opened with O_SYNC or O_DSYNC is a flush: then the
     * user's block size stays what it is. */
    bool one_by_one = o->extra & (EXTRA_SYNC | EXTRA_DSYNC) || o->block > CHUNK;
    j->chunk = one_by_one ? o->block : CHUNK / o->block * o->block;
    j->plan = calloc(j->set.count, sizeof *j->plan);
    if (!j->plan || posix_memalign(&buffer, 65536, j->chunk > 65536 ? j->chunk : 65536) != 0)
        return err_set(e, "out of memory to prepare %u files", j->set.count);
    j->buffer = memset(buffer, 0, j->chunk > 65536 ? j->chunk : 65536);
    data_seed(&j->rng, UINT64_MAX);
    data_page_init(&j->page, &j->rng);
    return 0;
}

int files_prepare(const struct fileio_options *o, bool validate, struct log *l, struct err *e)
{
    struct job j = {.validate = validate, .zero = o->data == DATA_ZERO, .log = l};
    int rc = file_set_init(&j.set, o, e);
    interrupt_heed(1);
    if (rc == 0)
        rc = job_init(&j, e);
    if (rc == 0)
        rc = prepare_all(&j, e);
    interrupt_heed(-1);
    free(j.buffer);
    free(j.plan);
    file_set_release(&j.set);
    return rc;
}

/* --- cleanup --------------------------------------------------------------------- */

enum removal { REMOVED, MISSING, KEPT };

static enum removal remove_file(const struct file_set *s, uint32_t i, struct err *e)
{
    struct buf path = {0};
    char name[FILE_NAME_ROOM];
    struct stat st;
    file_name(i, name);
    file_path(s->options, i, &path);
    enum removal what = REMOVED;
    const char *why = NULL;
    if (fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        what = errno == ENOENT ? MISSING : KEPT;
    else if ((why = why_foreign(&st, s->options->block)) != NULL || unlinkat(s->dir, name, 0) != 0)
        what = KEPT;
    if (what == KEPT && why)
        err_set(e, "'%s' stays: %s, so prepare has not made it", buf_text(&path), why);
    else if (what == KEPT)
        err_sys(e, errno, "cannot remove '%s'%s", buf_text(&path), file_way_out(errno));
    buf_release(&path);
    return what;
}

int files_cleanup(const struct fileio_options *o, struct log *l, struct err *e)
{
    struct file_set s;
    int rc = file_set_init(&s, o, e);
    if (rc == 0) {
        uint32_t i = s.count;
        log_put(l, LOG_NOTICE, "Removing test files...");
        for (uint32_t k = 0; k < s.count; k++)
            if (remove_file(&s, k, e) == KEPT)
                rc = -1;
        /* The set may have been prepared with a larger --file-num. */
        while (i < UINT32_MAX && remove_file(&s, i, NULL) == REMOVED)
            i++;
        if (i > s.count)
            log_put(l, LOG_NOTICE,
                    "Also removed test_file.%u to test_file.%u, which are beyond "
                    "--file-num=%u",
                    s.count, i - 1, s.count);
    }
    file_set_release(&s);
    return rc;
}
