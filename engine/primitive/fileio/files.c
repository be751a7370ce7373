#include "primitive/fileio/files.h"

#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SECTOR 512
#define SPARE_DESCRIPTORS 64 /* for everything else in the process */

char *file_name(uint32_t i, char out[FILE_NAME_ROOM])
{
    snprintf(out, FILE_NAME_ROOM, "test_file.%u", i);
    return out;
}

const char *file_path(const struct fileio_options *o, uint32_t i, struct buf *out)
{
    buf_clear(out);
    if (strcmp(o->dir, ".") != 0)
        buf_printf(out, "%s/", o->dir);
    buf_printf(out, "test_file.%u", i);
    return buf_text(out);
}

int open_flags(const struct fileio_options *o)
{
    return (o->extra & EXTRA_SYNC ? O_SYNC : 0) | (o->extra & EXTRA_DSYNC ? O_DSYNC : 0) |
           (o->extra & EXTRA_DIRECT ? O_DIRECT : 0);
}

const char *why_foreign(const struct stat *st, uint64_t block)
{
    if (S_ISLNK(st->st_mode))
        return "it is a symbolic link";
    if (!S_ISREG(st->st_mode))
        return "it is not a regular file";
    if (st->st_nlink > 1)
        return "it has a second name (hard link)";
    if ((uint64_t)st->st_size % SECTOR != 0 && (uint64_t)st->st_size % block != 0)
        return "its size is no whole number of blocks (if it was made with another "
               "--file-block-size, give that)";
    return NULL;
}

const char *file_way_out(int why)
{
    bool forbidden = why == EACCES || why == EPERM || why == EROFS;
    return forbidden ? "; use a --file-dir that you may write to." : ".";
}

/* --- the command that a user should type ------------------------------------ */

static bool is_plain(const char *word)
{
    return word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_-./:+,@%=")] == '\0';
}

static void put_quoted(struct buf *out, const char *word)
{
    if (is_plain(word)) {
        buf_puts(out, word);
        return;
    }
    buf_putc(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            buf_puts(out, "'\\''");
        else
            buf_putc(out, *word);
    }
    buf_putc(out, '\'');
}

void prepare_command(const struct fileio_options *o, bool validate, struct buf *out)
{
    char size[32];
    buf_printf(out, "%s fileio --file-num=%lld --file-total-size=%s", program_invocation_short_name,
               (long long)o->num, units_exact_size(o->total, size, sizeof size));
    if (o->block != 16384)
        buf_printf(out, " --file-block-size=%s", units_exact_size(o->block, size, sizeof size));
    if (strcmp(o->dir, ".") != 0) {
        buf_puts(out, " --file-dir=");
        put_quoted(out, o->dir);
    }
    buf_puts(out, validate ? " --validate=on prepare" : " prepare");
}

/* --- the set ------------------------------------------------------------------ */

int file_set_init(struct file_set *s, const struct fileio_options *o, struct err *e)
{
    *s = (struct file_set){.options = o, .dir = -1, .count = (uint32_t)o->num};
    s->nominal = o->total / s->count;
    s->whole = (s->nominal + o->block - 1) / o->block * o->block;
    s->size = s->whole;
    s->file = calloc(s->count, sizeof *s->file);
    if (!s->file)
        return err_set(e, "out of memory for --file-num=%u", s->count);
    for (uint32_t i = 0; i < s->count; i++)
        s->file[i].fd = -1;
    s->dir = TEMP_FAILURE_RETRY(open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (s->dir < 0)
        return err_sys(e, errno, "option --file-dir: cannot open the directory '%s'", o->dir);
    return 0;
}

void file_set_release(struct file_set *s)
{
    for (uint32_t i = 0; s->file && i < s->count; i++)
        if (s->file[i].fd >= 0)
            close(s->file[i].fd);
    free(s->file);
    s->file = NULL;
    if (s->dir >= 0)
        close(s->dir);
    s->dir = -1;
}

/* --- opening -------------------------------------------------------------------- */

/* One descriptor for each file: more than the usual 1024 may be needed, and the
 * hard limit is often higher. */
static int allow_descriptors(uint32_t files, struct err *e)
{
    struct rlimit limit;
    rlim_t need = (rlim_t)files + SPARE_DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need)
        return 0;
    if (limit.rlim_max < need && limit.rlim_max != RLIM_INFINITY)
        return err_set(e,
                       "option --file-num: %u files take %llu open descriptors, %llu are allowed; "
                       "use fewer files or raise the hard limit (ulimit -Hn)",
                       files, (unsigned long long)need, (unsigned long long)limit.rlim_max);
    limit.rlim_cur = need;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return err_sys(e, errno, "cannot raise the limit of open files to %llu",
                       (unsigned long long)need);
    return 0;
}

int file_set_check_space(const struct file_set *s, uint64_t need, struct err *e)
{
    struct statvfs fs;
    if (fstatvfs(s->dir, &fs) != 0)
        return 0; /* then writing will tell */
    uint64_t blocks = geteuid() == 0 ? fs.f_bfree : fs.f_bavail, room = blocks * fs.f_frsize;
    if (need <= room)
        return 0;
    return err_set(e,
                   "not enough space in '%s': the files take %llu bytes more, %llu are free, %llu "
                   "are missing. Nothing was written; use a smaller --file-total-size or another "
                   "--file-dir",
                   s->options->dir, (unsigned long long)need, (unsigned long long)room,
                   (unsigned long long)(need - room));
}

/* A run that makes its files fills the disk as prepare does. */
static int check_growth(const struct file_set *s, struct err *e)
{
    uint64_t need = 0;
    char name[FILE_NAME_ROOM];
    struct stat st;
    for (uint32_t i = 0; i < s->count; i++) {
        bool there = fstatat(s->dir, file_name(i, name), &st, AT_SYMLINK_NOFOLLOW) == 0;
        uint64_t has = there ? (uint64_t)st.st_size : 0;
        need += has < s->whole ? s->whole - has : 0;
    }
    return file_set_check_space(s, need, e);
}

static int open_error(const struct file_set *s, uint32_t i, bool creating, bool validate, int why,
                      struct err *e)
{
    struct buf path = {0}, command = {0};
    const char *name = file_path(s->options, i, &path);
    prepare_command(s->options, validate, &command);
    if (why == ELOOP)
        err_set(e, "'%s' is a symbolic link, not a test file; remove it or use another --file-dir",
                name);
    else if (why == ENOENT && !creating)
        err_set(e, "the file '%s' does not exist; prepare the set first: %s", name,
                buf_text(&command));
    else if (why == EINVAL && s->options->extra & EXTRA_DIRECT)
        err_set(e,
                "the file system of '%s' has no direct I/O; leave direct out of "
                "--file-extra-flags",
                name);
    else if (why == EISDIR || why == ENXIO)
        err_set(e, "'%s' is not a regular file; remove it or use another --file-dir", name);
    else
        err_sys(e, why, "cannot %s '%s'%s", creating ? "create" : "open", name, file_way_out(why));
    buf_release(&path);
    buf_release(&command);
    return -1;
}

static int foreign_error(const struct file_set *s, uint32_t i, const char *why, struct err *e)
{
    struct buf path = {0};
    err_set(e,
            "'%s' is not a test file: %s. It is left as it is; move it away or use another "
            "--file-dir",
            file_path(s->options, i, &path), why);
    buf_release(&path);
    return -1;
}

static int size_error(const struct file_set *s, uint32_t i, uint64_t found, bool validate,
                      struct err *e)
{
    struct buf path = {0}, command = {0};
    prepare_command(s->options, validate, &command);
    err_set(e,
            "the file '%s' has %llu bytes, --file-total-size=%llu in --file-num=%u files needs "
            "%llu; run with the options that the set was prepared with, or prepare it anew: %s",
            file_path(s->options, i, &path), (unsigned long long)found,
            (unsigned long long)s->options->total, s->count, (unsigned long long)s->nominal,
            buf_text(&command));
    buf_release(&path);
    buf_release(&command);
    return -1;
}

/* Away with what sysbench's prepare or ours has made, so that the run creates
 * it; anything else is an error of the open that follows. */
static void remove_ours(const struct file_set *s, const char *name)
{
    struct stat st;
    if (fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        !why_foreign(&st, s->options->block))
        unlinkat(s->dir, name, 0);
}

/* What prepare cannot have made is not written to; it may be read, and sysbench
 * asks for no size. */
static bool is_spared(const struct stat *st, enum file_use use)
{
    bool any_size = use == USE_READ || use == USE_CHANGE_ANY;
    return !any_size || !S_ISREG(st->st_mode);
}

static int open_file(struct file_set *s, uint32_t i, enum file_use use, bool validate,
                     struct err *e)
{
    struct test_file *f = &s->file[i];
    bool creating = use == USE_CREATE || use == USE_RENEW;
    /* O_NONBLOCK: a named pipe in a file's place must not stop us. */
    int flags = open_flags(s->options) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
                (use == USE_READ ? O_RDONLY : O_RDWR);
    char name[FILE_NAME_ROOM];
    struct stat st;
    file_name(i, name);
    if (use == USE_RENEW)
        remove_ours(s, name);
    f->fd = TEMP_FAILURE_RETRY(openat(s->dir, name, flags));
    bool missing = f->fd < 0 && errno == ENOENT;
    if (missing && creating) {
        f->fd = TEMP_FAILURE_RETRY(openat(s->dir, name, flags | O_CREAT | O_EXCL, 0600));
        f->made = f->fd >= 0;
    }
    if (f->fd < 0 || fstat(f->fd, &st) != 0)
        return open_error(s, i, creating && missing, validate, errno, e);
    const char *why = why_foreign(&st, s->options->block);
    if (why && is_spared(&st, use))
        return foreign_error(s, i, why, e);
    f->size = (uint64_t)st.st_size;
    if (f->size < s->nominal && !creating)
        return size_error(s, i, f->size, validate, e);
    return 0;
}

/* Files made by a run that then cannot start, or fails, are no use to anybody. */
void file_set_undo(struct file_set *s)
{
    char name[FILE_NAME_ROOM];
    for (uint32_t i = 0; s->file && i < s->count; i++)
        if (s->file[i].made)
            unlinkat(s->dir, file_name(i, name), 0);
}

/* Requests are whole blocks wherever the files have them: of sizes that the
 * number of files does not divide, prepare has rounded each file up. Files that
 * were made with smaller blocks may end before that. */
static void settle_size(struct file_set *s, bool creating)
{
    uint64_t least = s->whole, block = s->options->block;
    for (uint32_t i = 0; i < s->count && !creating; i++)
        if (s->file[i].size < least)
            least = s->file[i].size;
    s->size = least >= s->whole ? s->whole : s->nominal / block * block;
    if (s->size == 0)
        s->size = s->nominal;
}

int file_set_open(struct file_set *s, enum file_use use, bool validate, struct err *e)
{
    bool creating = use == USE_CREATE || use == USE_RENEW;
    int rc = allow_descriptors(s->count, e);
    if (rc == 0 && use == USE_CREATE)
        rc = check_growth(s, e);
    for (uint32_t i = 0; rc == 0 && i < s->count; i++)
        rc = open_file(s, i, use, validate, e);
    if (rc == 0) {
        settle_size(s, creating);
        rc = file_set_check_direct(s, s->file[0].fd, e);
    }
    s->restore = creating && rc == 0;
    if (rc != 0)
        file_set_undo(s);
    return rc;
}

void file_set_restore(struct file_set *s)
{
    struct stat st;
    for (uint32_t i = 0; s->restore && i < s->count; i++) {
        int fd = s->file[i].fd;
        if (fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size < s->whole &&
            ftruncate(fd, (off_t)s->whole) != 0)
            return; /* the next run says what is too short */
    }
}

uint32_t file_set_removed(const struct file_set *s)
{
    struct stat st;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        n += s->file[i].fd >= 0 && fstat(s->file[i].fd, &st) == 0 && st.st_nlink == 0;
    return n;
}

/* --- direct I/O ------------------------------------------------------------------- */

/* The multiple that the kernel names, since Linux 6.1; 0: it names none. */
static uint64_t alignment_told(int fd)
{
#ifdef STATX_DIOALIGN
    struct statx x;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) == 0 && x.stx_mask & STATX_DIOALIGN)
        return x.stx_dio_offset_align;
#endif
    (void)fd;
    return 0;
}

/* The smallest multiple with which a read succeeds; 0: there is nothing to
 * read, or none does. */
static uint64_t alignment_tried(int fd)
{
    void *buffer;
    uint64_t found = 0;
    if (posix_memalign(&buffer, 65536, 65536) != 0)
        return 0;
    for (uint64_t n = SECTOR; n <= 65536 && !found; n *= 2)
        if (pread(fd, buffer, n, (off_t)n) > 0)
            found = n;
    free(buffer);
    return found;
}

int file_set_check_direct(const struct file_set *s, int fd, struct err *e)
{
    const struct fileio_options *o = s->options;
    if (!(o->extra & EXTRA_DIRECT))
        return 0;
    uint64_t multiple = alignment_told(fd);
    if (multiple == 0)
        multiple = alignment_tried(fd);
    if (multiple == 0)
        multiple = SECTOR;
    if (o->block % multiple != 0)
        return err_set(e,
                       "option --file-block-size: %llu bytes do not suit direct I/O, which needs a "
                       "multiple of %llu here",
                       (unsigned long long)o->block, (unsigned long long)multiple);
    if (s->size % multiple != 0)
        return err_set(
            e,
            "option --file-total-size: files of %llu bytes do not suit direct I/O, which "
            "needs a multiple of %llu here",
            (unsigned long long)s->size, (unsigned long long)multiple);
    return 0;
}
