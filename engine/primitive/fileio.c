/* The file test: a stream of reads, writes and flushes on a prepared set. */
#include "primitive/fileio.h"

#include "primitive/fileio/create.h"
#include "primitive/fileio/queue.h"
#include "primitive/fileio/report.h"
#include "primitive/fileio/work.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ORDER LATENCIES */
static const char *const latencies[] = {"read", "write", "fsync", NULL};

/* --- commands ----------------------------------------------------------------------- */

static int check(struct part *p, const struct general *g, struct err *e)
{
    if (fileio_mode(&p->set) == MODE_NONE && p->index == 0) {
        e->of_options = true;
        return err_set(e, "option --file-test-mode is missing: give one of seqwr, seqrewr, seqrd, "
                          "rndrd, rndwr, rndrw");
    }
    return fileio_check(p->options, g, e);
}

static int prepare(struct part *p, const struct general *g, struct log *l, struct err *e)
{
    if (fileio_check(p->options, g, e) != 0)
        return -1;
    return files_prepare(p->options, g->validate, l, e);
}

static int cleanup(struct part *p, const struct general *g, struct log *l, struct err *e)
{
    (void)g;
    return files_cleanup(p->options, l, e);
}

/* --- begin and end of a run ------------------------------------------------------------ */

static enum file_use use_of(int mode, bool as_sysbench)
{
    if (!mode_writes(mode))
        return USE_READ;
    if (mode == MODE_SEQWR)
        return as_sysbench ? USE_RENEW : USE_CREATE;
    return as_sysbench ? USE_CHANGE_ANY : USE_CHANGE;
}

static bool set_was_whole(const struct file_set *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->file[i].size < s->size)
            return false;
    return true;
}

static int begin_stream(struct fileio *f, const struct run *r, struct err *e)
{
    const struct fileio_options *o = f->options;
    unsigned depth = engine_queues(f->engine) ? (unsigned)o->backlog : 1;
    bool sequential = mode_is_sequential(f->mode);
    struct stream_plan plan = {
        .mode = f->mode,
        .files = f->set.count,
        .size = (uint32_t)(sequential ? merged_size(o) : o->block),
        .block = (uint32_t)o->block,
        .file_size = f->set.size,
        .fsync_freq = (uint64_t)fsync_freq(o),
        .rw_ratio = o->rw_ratio,
        .one_pass = r->general->compat == COMPAT_0_4 && !o->outcome.lent,
        .alone = r->worker_count == 1,
        .exclusive = f->validate && mode_writes(f->mode) ? depth * r->worker_count : 0,
    };
    return stream_init(&f->stream, &plan, e);
}

static void begin_data(struct fileio *f)
{
    struct rng seed;
    data_seed(&seed, UINT64_MAX);
    data_page_init(&f->page, &seed);
    /* Blocks of zeros would differ in nothing but their checksums. */
    f->zero = f->options->data == DATA_ZERO && !f->validate;
}

static void tell_files(const struct fileio *f)
{
    for (uint32_t i = 0; i < f->set.count; i++) {
        struct buf path = {0};
        log_put(f->log, LOG_DEBUG, "Opening file: %s", file_path(f->options, i, &path));
        buf_release(&path);
    }
}

static int begin_files(struct fileio *f, const struct run *r, struct err *e)
{
    bool as_sysbench = general_as_sysbench(r->general);
    if (file_set_init(&f->set, f->options, e) != 0)
        return -1;
    if (f->debug)
        tell_files(f);
    if (file_set_open(&f->set, use_of(f->mode, as_sysbench), f->validate, e) != 0)
        return -1;
    if (f->engine->begin && f->engine->begin(&f->set, mode_writes(f->mode), e) != 0)
        return -1;
    f->begun = true;
    return 0;
}

static int begin_workers(struct fileio *f, const struct run *r, struct err *e)
{
    size_t size = r->worker_count * sizeof *f->worker;
    f->worker = aligned_alloc(64, size);
    if (!f->worker)
        return err_set(e, "out of memory for %u threads of fileio", r->worker_count);
    memset(f->worker, 0, size);
    f->worker_count = r->worker_count;
    return 0;
}

static void end_workers(struct fileio *f)
{
    for (unsigned i = 0; i < f->worker_count; i++) {
        queue_free(f->worker[i].queue);
        work_buffer_free(f->worker[i].buffer, f->worker[i].room);
    }
    free(f->worker);
}

static int begin(struct part *p, struct run *r, struct err *e)
{
    struct fileio_options *o = p->options;
    struct fileio *f = calloc(1, sizeof *f);
    if (!f)
        return err_set(e, "out of memory for fileio");
    p->shared = f;
    f->set.dir = -1;
    o->outcome = (struct fileio_outcome){.lent = p->index > 0, .from_disk = -1};
    f->options = o;
    f->engine = engine_of(o->io);
    f->log = r->log;
    f->first_latency = p->first_latency;
    f->bytes_read = p->bytes_read;
    f->bytes_written = p->bytes_written;
    f->mode = fileio_mode(&p->set);
    f->validate = r->general->validate;
    f->debug = r->general->debug;
    f->draws = r->general->percentile_count > 0 || r->general->histogram;
    f->data_only = o->fsync_mode == BY_FDATASYNC;
    f->flush_apart = r->general->compat == COMPAT_0_4;
    if (o->outcome.lent && engine_queues(f->engine))
        return err_set(e, "option --file-io-mode: operations of scripts are synchronous, use sync "
                          "or mmap");
    if (begin_workers(f, r, e) != 0 || begin_files(f, r, e) != 0 || begin_stream(f, r, e) != 0)
        return -1;
    begin_data(f);
    o->outcome.wrote_in_place = f->mode == MODE_SEQWR && set_was_whole(&f->set);
    o->outcome.set_bytes = f->set.size * f->set.count;
    cache_probe_init(&f->cache, &f->set);
    return 0;
}

static bool wrote(struct fileio *f)
{
    return f->options->outcome.lent ? stream_has_written(&f->stream) : mode_writes(f->mode);
}

/* Each file once, whoever wrote it, and timed apart. sysbench's way for
 * --compat=1.0 is in `done`; 0.4 counted these among the other operations. */
static int finish(struct part *p, struct run *r, struct err *e)
{
    struct fileio *f = p->shared;
    struct fileio_options *o = p->options;
    struct worker *first = &r->workers[0]; /* it has ended: its statistics are free */
    if (!fsync_end(o) || !wrote(f) || r->general->compat == COMPAT_1_0)
        return 0;
    uint64_t from = clock_now(r->clock);
    for (uint32_t i = 0; i < f->set.count; i++) {
        struct request q = {.kind = REQUEST_FSYNC, .file = i};
        if (f->engine->flush(&f->set, i, f->data_only) != 0) {
            work_error(first, f, &q, errno);
            return err_set(e, "%s", first->err.text);
        }
        if (r->general->compat == COMPAT_0_4)
            stats_count(first->main_stats, CNT_OTHER, 1);
    }
    o->outcome.flushed = f->set.count;
    o->outcome.flush_s = (double)(clock_now(r->clock) - from) / 1e9;
    return 0;
}

static uint64_t bytes_read(const struct fileio *f, const struct run *r)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < r->worker_count; i++) {
        const struct worker *w = &r->workers[i];
        sum += atomic_load(&w->main_stats->counter[f->bytes_read]);
        sum += w->warm_stats ? atomic_load(&w->warm_stats->counter[f->bytes_read]) : 0;
    }
    return sum;
}

static void find_out(struct fileio *f, const struct run *r, struct fileio_outcome *found)
{
    const struct fileio_options *o = f->options;
    uint64_t read = bytes_read(f, r);
    found->passes = stream_passes(&f->stream);
    found->removed = file_set_removed(&f->set);
    found->buffered_reads = mode_reads(f->mode) && (!(o->extra & EXTRA_DIRECT) || o->io == IO_MMAP);
    found->resident = f->cache.resident;
    found->allocated = mode_reads(f->mode) ? f->cache.allocated : found->set_bytes;
    if (read > 0)
        found->from_disk = (double)(cache_fetched() - f->cache.fetched) / (double)read;
}

static void end(struct part *p, struct run *r)
{
    struct fileio *f = p->shared;
    struct fileio_options *o = p->options;
    if (!f)
        return;
    end_workers(f);
    if (f->begun) {
        find_out(f, r, &o->outcome);
        if (f->engine->end)
            f->engine->end(&f->set);
        stream_release(&f->stream);
    } else if (f->engine->end) {
        f->engine->end(&f->set);
    }
    bool failed = atomic_load(&r->limit) == LIMIT_ERROR && !general_as_sysbench(r->general);
    if (r->start_ns == 0 || failed)
        file_set_undo(&f->set);
    if (r->start_ns != 0)
        file_set_restore(&f->set);
    file_set_release(&f->set);
    free(f);
    p->shared = NULL;
}

/* --- workers ---------------------------------------------------------------------------- */

static int open_worker(struct worker *w, struct part *p)
{
    struct fileio *f = p->shared;
    struct fileio_worker *own = &f->worker[w->id];
    w->state[p->index] = own;
    data_seed(&own->data, w->id);
    own->room = f->stream.plan.size;
    if (engine_queues(f->engine))
        own->queue = queue_new(f->engine, (unsigned)f->options->backlog, own->room, &w->err);
    else
        own->buffer = work_buffer(own->room, &w->err);
    return own->queue || own->buffer ? 0 : -1;
}

/* The next request; 0.4's flushes on the way to it are no events. 1: there is
 * one, 0: none any more. */
static int take(struct worker *w, struct fileio *f, struct fileio_worker *own, struct request *q)
{
    while (stream_take(&f->stream, &w->rng, q)) {
        if (!f->flush_apart || q->kind != REQUEST_FSYNC)
            return 1;
        if (work_do(w, f, own, q) != 0)
            return -1;
        atomic_store_explicit(&w->began_ns, w->now_ns, memory_order_relaxed);
    }
    return 0;
}

static int waiting_loop(struct worker *w, struct fileio *f, struct fileio_worker *own)
{
    struct request q;
    while (worker_next(w)) {
        int rc = take(w, f, own, &q);
        if (rc <= 0)
            return rc;
        if (work_do(w, f, own, &q) != 0)
            return -1;
        work_draw(w, f);
        worker_done_at(w, w->now_ns);
    }
    return 0;
}

static int loop(struct worker *w, struct part *p)
{
    struct fileio *f = p->shared;
    struct fileio_worker *own = w->state[p->index];
    return engine_queues(f->engine) ? queue_loop(w, f, own) : waiting_loop(w, f, own);
}

/* sysbench 1.0 lets every thread flush every file and counts that. */
static void done(struct worker *w, struct part *p)
{
    struct fileio *f = p->shared;
    if (w->run->general->compat != COMPAT_1_0 || !fsync_end(f->options) || !wrote(f))
        return;
    w->into = w->main_stats;
    w->now_ns = clock_now(w->clock);
    for (uint32_t i = 0; i < f->set.count; i++)
        if (work_flush(w, f, i) != 0)
            return;
}

/* --- operations of scripts ------------------------------------------------------------------ */

static int choose_place(struct worker *w, struct fileio *f, struct request *q, int64_t file,
                        int64_t offset, uint64_t size)
{
    uint64_t bytes = size ? size : f->options->block;
    if (file >= (int64_t)f->set.count)
        return err_set(&w->err, "fileio: there is no file %lld, the set has %u (--file-num)",
                       (long long)file, f->set.count);
    if (file < 0 && offset < 0 && !size) {
        stream_place(&f->stream, &w->rng, q->kind, q);
        return 0;
    }
    if (bytes > f->set.size)
        return err_set(&w->err, "fileio: %llu bytes do not fit a file of %llu",
                       (unsigned long long)bytes, (unsigned long long)f->set.size);
    q->file = file < 0 ? (uint32_t)rng_below(&w->rng, f->set.count) : (uint32_t)file;
    if (offset < 0)
        offset = (int64_t)(rng_below(&w->rng, (f->set.size - bytes) / f->options->block + 1) *
                           f->options->block);
    if ((uint64_t)offset > f->set.size - bytes)
        return err_set(&w->err,
                       "fileio: offset %lld with %llu bytes lies beyond the end of file "
                       "%u, which has %llu bytes",
                       (long long)offset, (unsigned long long)bytes, q->file,
                       (unsigned long long)f->set.size);
    q->offset = (uint64_t)offset;
    q->size = (uint32_t)bytes;
    if (f->validate && (q->offset % f->options->block != 0 || bytes != f->options->block))
        return err_set(&w->err, "option --validate: operations must be whole blocks");
    while (!stream_claim(&f->stream, q))
        sched_yield();
    return 0;
}

/* The buffer grows with the largest operation of a script. */
static int make_room(struct worker *w, struct fileio_worker *own, uint64_t size)
{
    if (size <= own->room)
        return 0;
    if (size > UINT32_MAX / 2)
        return err_set(&w->err, "fileio: %llu bytes are too many for one operation",
                       (unsigned long long)size);
    void *buffer = work_buffer((size_t)size, &w->err);
    if (!buffer)
        return -1;
    work_buffer_free(own->buffer, own->room);
    own->buffer = buffer;
    own->room = (size_t)size;
    return 0;
}

static int flush_op(struct worker *w, struct fileio *f, int64_t file)
{
    if (file >= (int64_t)f->set.count)
        return err_set(&w->err, "fileio: there is no file %lld, the set has %u (--file-num)",
                       (long long)file, f->set.count);
    if (file >= 0)
        return work_flush(w, f, (uint32_t)file);
    for (uint32_t i = 0; i < f->set.count; i++)
        if (work_flush(w, f, i) != 0)
            return -1;
    return 0;
}

int64_t fileio_op(struct worker *w, struct part *p, int kind, int64_t file, int64_t offset,
                  uint64_t size)
{
    struct fileio *f = p->shared;
    struct fileio_worker *own = w->state[p->index];
    struct request q = {.kind = (enum request_kind)kind};
    if (!f || !own)
        return err_set(&w->err, "fileio: operations are for events, there is no run");
    w->now_ns = clock_now(w->clock); /* the script has done something else meanwhile */
    if (kind == FILEIO_FSYNC)
        return flush_op(w, f, file);
    if (kind == FILEIO_WRITE && !mode_writes(f->mode))
        return err_set(&w->err, "option --file-test-mode: the files are open for reading only");
    if (make_room(w, own, size) != 0 || choose_place(w, f, &q, file, offset, size) != 0)
        return -1;
    return work_do(w, f, own, &q) == 0 ? (int64_t)q.size : -1;
}

uint32_t fileio_files(const struct part *p)
{
    const struct fileio *f = p->shared;
    return f ? f->set.count : 0;
}

uint64_t fileio_file_size(const struct part *p)
{
    const struct fileio *f = p->shared;
    return f ? f->set.size : 0;
}

const struct workload fileio_workload = {
    .name = "fileio",
    .title = "File I/O test",
    .summary = "reads, writes and flushes on a set of files",
    .options = fileio_rows,
    .options_size = sizeof(struct fileio_options),
    .metrics = fileio_metrics,
    .latencies = latencies,
    .reports_lent = true,
    .moves_bytes = true,
    .check = check,
    .prepare = prepare,
    .cleanup = cleanup,
    .begin = begin,
    .open = open_worker,
    .loop = loop,
    .done = done,
    .finish = finish,
    .end = end,
    .describe = fileio_describe,
    .interval = fileio_interval,
    .report = fileio_report,
    .list = fileio_list,
    .notes = fileio_notes,
};
