#include "primitive/files.h"

#include "primitive/fileio/data.h"
#include "report/result.h"
#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "sbench.files." /* of the names that the primitive's own event makes */
#define CHUNK (1 << 20)        /* longer reads and writes are made of pieces of this size */

struct files_options {
    char *dir;
    uint64_t size;
    int64_t keep;
    bool sync;
};
#define O struct files_options

static const struct option files_rows[] = {
    {"files-dir", "folder that the files are in; nothing outside of it is touched", ".",
     OPT_ROW_STRING(O, dir), .shown_as = "=PATH"},
    {"files-size", "bytes of each file that an event of its own makes", "4K", OPT_ROW_SIZE(O, size),
     .max = 1e12},
    {"files-keep", "files that each thread keeps before an event deletes its oldest", "100",
     OPT_ROW_INT(O, keep), .min = 0, .max = 1e6},
    {"files-sync", "flush each file before it is closed", "on", OPT_ROW_BOOL(O, sync)},
    {0},
};

/* ORDER LATENCIES */
enum { LAT_CREATE, LAT_OPEN, LAT_READ, LAT_WRITE, LAT_FSYNC, LAT_CLOSE, LAT_DELETE, LAT_STAT };
static const char *const latencies[] = {"create", "open",   "read", "write", "fsync",
                                        "close",  "delete", "stat", NULL};

struct files_shared {
    int dir;
    struct data_page page;
};

struct files_state {
    char *buffer;
    struct rng rng;         /* for data: the run's own numbers stay undisturbed */
    uint64_t made, deleted; /* by the event of the primitive */
};

static struct files_shared *shared(const struct part *p)
{
    return p->shared;
}

/* --- begin and end --------------------------------------------------------------- */

static int open_dir(const O *o, struct err *e)
{
    if (!o->dir || !*o->dir)
        return err_set(e, "option --files-dir: the value '' names no directory");
    int fd = TEMP_FAILURE_RETRY(open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return fd >= 0 ? fd : err_sys(e, errno, "option --files-dir: '%s' cannot be used.", o->dir);
}

static int files_begin(struct part *p, struct run *r, struct err *e)
{
    struct files_shared *s = calloc(1, sizeof *s);
    struct rng seed;
    (void)r;
    if (!s)
        return err_set(e, "out of memory for files");
    p->shared = s;
    data_seed(&seed, UINT64_MAX);
    data_page_init(&s->page, &seed);
    s->dir = open_dir(p->options, e);
    return s->dir < 0 ? -1 : 0;
}

static void files_end(struct part *p, struct run *r)
{
    (void)r;
    if (shared(p) && shared(p)->dir >= 0)
        close(shared(p)->dir);
    free(p->shared);
    p->shared = NULL;
}

static int files_open_worker(struct worker *w, struct part *p)
{
    struct files_state *own = calloc(1, sizeof *own);
    w->state[p->index] = own;
    if (own)
        own->buffer = malloc(CHUNK);
    if (!own || !own->buffer)
        return err_set(&w->err, "out of memory for files");
    data_seed(&own->rng, w->id);
    return 0;
}

/* --- operations ------------------------------------------------------------------- */

static int wrong(struct worker *w, const char *what, const char *name)
{
    if (errno == EEXIST)
        return err_set(&w->err,
                       "files: '%s' is there already, from a run that was killed or one that is "
                       "under way: run cleanup with the same --files-dir, or use another",
                       name);
    return err_sys(&w->err, errno, "files: '%s' cannot be %s.", name, what);
}

/* An operation on an open file has failed; the kernel knows its name. */
static int wrong_fd(struct worker *w, const char *what, int fd)
{
    char link[64], name[512];
    int why = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    return err_sys(&w->err, why, "files: '%s' cannot be %s.", n > 0 ? name : link, what);
}

static bool is_inside(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && name[0] != '/' && strcmp(name, "..") != 0 && strncmp(name, "../", 3) != 0 &&
           !strstr(name, "/../") && !(n > 3 && strcmp(name + n - 3, "/..") == 0);
}

/* A folder on the way that is a link would lead elsewhere. */
static bool passes_link(int dir, const char *name)
{
    char folder[PATH_MAX];
    struct stat st;
    for (const char *at = name; (at = strchr(at, '/')) != NULL; at++) {
        snprintf(folder, sizeof folder, "%.*s", (int)(at - name), name);
        if (fstatat(dir, folder, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
            return true;
    }
    return false;
}

static int inside(struct worker *w, const struct part *p, const char *name)
{
    if (!is_inside(name))
        return err_set(&w->err, "files: the name '%s' leads out of --files-dir", name);
    if (passes_link(shared(p)->dir, name))
        return err_set(&w->err, "files: '%s' leads through a symbolic link", name);
    return 0;
}
static void recorded(struct worker *w, const struct part *p, unsigned which, uint64_t from)
{
    worker_record(w, p->first_latency + which, from);
}

static int open_as(struct worker *w, struct part *p, const char *name, int flags)
{
    bool creates = flags & O_CREAT;
    uint64_t from = clock_now(w->clock);
    /* O_NONBLOCK: a named pipe must not stop the run. */
    int fd = TEMP_FAILURE_RETRY(
        openat(shared(p)->dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    if (fd < 0)
        return wrong(w, creates ? "created" : "opened", name);
    recorded(w, p, creates ? LAT_CREATE : LAT_OPEN, from);
    return fd;
}

int files_open(struct worker *w, struct part *p, const char *name, int how)
{
    static const int flags[] = {[FILES_READ] = O_RDONLY,
                                [FILES_WRITE] = O_RDWR,
                                [FILES_CREATE] = O_RDWR | O_CREAT | O_TRUNC,
                                [FILES_APPEND] = O_WRONLY | O_APPEND};
    if (how < FILES_READ || how > FILES_APPEND)
        return err_set(&w->err, "files: there is no way %d to open '%s'", how, name);
    return inside(w, p, name) == 0 ? open_as(w, p, name, flags[how]) : -1;
}

enum direction { READING, WRITING };

static ssize_t one_piece(enum direction d, int fd, char *buffer, size_t size, int64_t offset)
{
    if (d == WRITING)
        return offset < 0 ? write(fd, buffer, size) : pwrite(fd, buffer, size, offset);
    return offset < 0 ? read(fd, buffer, size) : pread(fd, buffer, size, offset);
}

/* Moves up to size bytes through the worker's buffer and counts them; less only
 * at the end of a file that is read. */
static int64_t transfer(struct worker *w, struct part *p, enum direction d, int fd, int64_t offset,
                        uint64_t size)
{
    static const struct {
        const char *name;
        unsigned latency, operations, bytes;
    } kinds[] = {[READING] = {"read", LAT_READ, CNT_READ, CNT_BYTES_READ},
                 [WRITING] = {"written", LAT_WRITE, CNT_WRITE, CNT_BYTES_WRITTEN}};
    struct files_state *own = w->state[p->index];
    uint64_t done = 0, from = clock_now(w->clock);
    while (done < size) {
        size_t piece = size - done < CHUNK ? size - done : CHUNK;
        ssize_t n = one_piece(d, fd, own->buffer, piece, offset < 0 ? -1 : offset + (int64_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 && d == READING)
            break;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return wrong_fd(w, kinds[d].name, fd);
        done += (uint64_t)n;
    }
    recorded(w, p, kinds[d].latency, from);
    stats_count(w->into, kinds[d].operations, 1);
    stats_count(w->into, kinds[d].bytes, done);
    stats_count(w->into, d == READING ? p->bytes_read : p->bytes_written, done);
    return (int64_t)done;
}

int64_t files_write(struct worker *w, struct part *p, int fd, int64_t offset, uint64_t size)
{
    struct files_state *own = w->state[p->index];
    data_fill(&shared(p)->page, &own->rng, own->buffer, size < CHUNK ? size : CHUNK);
    return transfer(w, p, WRITING, fd, offset, size);
}

int64_t files_read(struct worker *w, struct part *p, int fd, int64_t offset, uint64_t size)
{
    return transfer(w, p, READING, fd, offset, size);
}

int files_sync(struct worker *w, struct part *p, int fd, int data_only)
{
    uint64_t from = clock_now(w->clock);
    if (TEMP_FAILURE_RETRY(data_only ? fdatasync(fd) : fsync(fd)) != 0)
        return wrong_fd(w, "flushed", fd);
    recorded(w, p, LAT_FSYNC, from);
    stats_count(w->into, CNT_OTHER, 1);
    return 0;
}

int files_close(struct worker *w, struct part *p, int fd)
{
    uint64_t from = clock_now(w->clock);
    if (close(fd) != 0 && errno != EINTR) /* it is closed all the same */
        return err_sys(&w->err, errno, "files: what was written to a file is lost.");
    recorded(w, p, LAT_CLOSE, from);
    return 0;
}

int files_delete(struct worker *w, struct part *p, const char *name)
{
    if (inside(w, p, name) != 0)
        return -1;
    uint64_t from = clock_now(w->clock);
    if (unlinkat(shared(p)->dir, name, 0) != 0)
        return wrong(w, "deleted", name);
    recorded(w, p, LAT_DELETE, from);
    return 0;
}

int64_t files_size(struct worker *w, struct part *p, const char *name)
{
    struct stat st;
    if (inside(w, p, name) != 0)
        return -1;
    uint64_t from = clock_now(w->clock);
    if (fstatat(shared(p)->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? -2 : wrong(w, "looked at", name);
    recorded(w, p, LAT_STAT, from);
    return st.st_size;
}

int files_make_dir(struct worker *w, struct part *p, const char *name)
{
    if (inside(w, p, name) != 0)
        return -1;
    if (mkdirat(shared(p)->dir, name, 0700) != 0 && errno != EEXIST)
        return wrong(w, "made", name);
    return 0;
}

/* --- the primitive's own event -------------------------------------------------------- */

static void own_name(const struct worker *w, uint64_t n, char *out, size_t room)
{
    snprintf(out, room, PREFIX "%u.%llu", w->id, (unsigned long long)n);
}

static int make_one(struct worker *w, struct part *p, const char *name)
{
    const O *o = p->options;
    struct files_state *own = w->state[p->index];
    /* O_EXCL: what is there already may be somebody's, by another name. */
    int fd = open_as(w, p, name, O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0)
        return -1;
    own->made++; /* from here on it is ours to delete */
    int rc = files_write(w, p, fd, -1, o->size) < 0 ? -1 : 0;
    if (rc == 0 && o->sync)
        rc = files_sync(w, p, fd, 0);
    return files_close(w, p, fd) != 0 || rc != 0 ? -1 : 0;
}

static enum step files_step(struct worker *w, struct part *p)
{
    const O *o = p->options;
    struct files_state *own = w->state[p->index];
    char name[64];
    own_name(w, own->made, name, sizeof name);
    if (make_one(w, p, name) != 0)
        return STEP_FAILED;
    if (own->made - own->deleted <= (uint64_t)o->keep)
        return STEP_DONE;
    own_name(w, own->deleted, name, sizeof name);
    own->deleted++;
    return files_delete(w, p, name) == 0 ? STEP_DONE : STEP_FAILED;
}

/* What the events of this worker left goes, however the run ended. */
static void files_close_worker(struct worker *w, struct part *p)
{
    struct files_state *own = w->state[p->index];
    char name[64];
    if (!own)
        return;
    for (uint64_t n = own->deleted; n < own->made; n++) {
        own_name(w, n, name, sizeof name);
        unlinkat(shared(p)->dir, name, 0);
    }
    free(own->buffer);
    free(own);
    w->state[p->index] = NULL;
}

/* Files of a run that was killed: regular ones, with a name of ours only. */
static bool is_ours(const char *name)
{
    unsigned worker;
    unsigned long long n;
    char end;
    return sscanf(name, PREFIX "%u.%llu%c", &worker, &n, &end) == 2;
}

/* 1: removed, -1 with e. Only the first of several errors is told. */
static int remove_one(int dir, const char *name, struct err *e)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        (!S_ISREG(st.st_mode) || st.st_nlink > 1))
        return err_set(e,
                       "files: '%s' stays: it is a link, has a second name, or is no regular file, "
                       "so no run has made it",
                       name);
    if (unlinkat(dir, name, 0) == 0)
        return 1;
    return err_sys(e, errno, "files: '%s' cannot be removed.", name);
}

static int remove_all(DIR *d, struct log *l, struct err *e)
{
    int removed = 0, rc = 0;
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        int one = is_ours(entry->d_name) ? remove_one(dirfd(d), entry->d_name, e) : 0;
        removed += one > 0;
        rc = one < 0 ? -1 : rc;
    }
    log_put(l, LOG_NOTICE, "%d files removed", removed);
    return rc;
}

static int files_cleanup(struct part *p, const struct general *g, struct log *l, struct err *e)
{
    (void)g;
    int dir = open_dir(p->options, e);
    if (dir < 0)
        return -1;
    DIR *d = fdopendir(dir);
    if (!d) {
        close(dir);
        return err_set(e, "out of memory for cleanup");
    }
    int rc = remove_all(d, l, e);
    closedir(d);
    return rc;
}

static double mib(const struct figures *f, unsigned c)
{
    return f->seconds > 0 ? (double)f->in->counter[c] / f->seconds / 1048576 : 0;
}

static double read_mib_per_s(const struct figures *f)
{
    return mib(f, f->part->bytes_read);
}

static double written_mib_per_s(const struct figures *f)
{
    return mib(f, f->part->bytes_written);
}

static const struct metric files_metrics[] = {
    {"events_per_s", "1/s", false, result_events_per_s},
    {"read_mib_per_s", "MiB/s", false, read_mib_per_s},
    {"written_mib_per_s", "MiB/s", false, written_mib_per_s},
    {0},
};

/* Operations by kind: count and mean, for those that were used. */
static void files_report(const struct figures *f, enum layout l, struct buf *out)
{
    (void)l;
    buf_puts(out, "\nFile operations:              count     avg (ms)     max (ms)\n");
    for (unsigned k = 0; latencies[k]; k++) {
        const struct tally *t = &f->in->tally[f->part->first_latency + k];
        if (t->count)
            buf_printf(out, "    %-16s %14llu %12.3f %12.3f\n", latencies[k],
                       (unsigned long long)t->count, tally_mean_ms(t), (double)t->max_ns / 1e6);
    }
    buf_printf(out, "\nThroughput:\n    events/s:                     %4.2f\n",
               result_events_per_s(f));
    buf_printf(out, "    read, MiB/s:                  %4.2f\n", read_mib_per_s(f));
    buf_printf(out, "    written, MiB/s:               %4.2f\n", written_mib_per_s(f));
}

const struct workload files_workload = {
    .name = "files",
    .title = "Small files: create, write, flush, delete",
    .summary = "files by name: create, append, read, flush, delete",
    .options = files_rows,
    .options_size = sizeof(O),
    .metrics = files_metrics,
    .latencies = latencies,
    .reports_lent = true,
    .moves_bytes = true,
    .cleanup = files_cleanup,
    .begin = files_begin,
    .open = files_open_worker,
    .step = files_step,
    .close = files_close_worker,
    .end = files_end,
    .report = files_report,
};
