#include "primitive/fileio/work.h"

#include "primitive/fileio/validate.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *work_buffer(size_t size, struct err *e)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED)
        return at;
    err_sys(e, errno,
            "no memory for buffers of %llu bytes in each thread; lower --file-block-size, "
            "--file-merged-requests, --file-async-backlog or --threads",
            (unsigned long long)size);
    return NULL;
}

void work_buffer_free(void *buffer, size_t size)
{
    if (buffer)
        munmap(buffer, size);
}

/* --- counting ----------------------------------------------------------------- */

void work_count(struct worker *w, const struct fileio *f, enum request_kind kind, uint32_t bytes,
                uint64_t ns)
{
    static const struct {
        unsigned count, bytes, latency;
    } kinds[] = {
        [REQUEST_READ] = {CNT_READ, CNT_BYTES_READ, LAT_READ},
        [REQUEST_WRITE] = {CNT_WRITE, CNT_BYTES_WRITTEN, LAT_WRITE},
        [REQUEST_FSYNC] = {CNT_OTHER, 0, LAT_FSYNC},
    };
    stats_count(w->into, kinds[kind].count, 1);
    if (kind != REQUEST_FSYNC) {
        stats_count(w->into, kinds[kind].bytes, bytes);
        stats_count(w->into, kind == REQUEST_READ ? f->bytes_read : f->bytes_written, bytes);
    }
    latency_record(w->into->latency[f->first_latency + kinds[kind].latency], ns);
}

/* A request is over: reads the clock, and counts what began at from_ns. One that
 * began in the warm-up and ends after it counts, as its event does. */
static void ended(struct worker *w, const struct fileio *f, const struct request *q,
                  uint64_t from_ns)
{
    w->now_ns = clock_now(w->clock);
    if (__builtin_expect(worker_at_border(w, w->now_ns), 0))
        worker_straddled(w);
    work_count(w, f, q->kind, q->size, w->now_ns > from_ns ? w->now_ns - from_ns : 0);
}

void work_say(const struct fileio *f, const struct request *q)
{
    log_put(f->log, LOG_DEBUG, "Executing request, operation: %d, file_id: %u, pos: %llu, size: %u",
            (int)q->kind, q->file, (unsigned long long)q->offset, q->size);
}

/* --- data ------------------------------------------------------------------------ */

void work_fill(struct fileio *f, struct fileio_worker *own, const struct request *q, void *buffer)
{
    if (f->zero)
        memset(buffer, 0, q->size); /* what was read may lie there */
    else
        data_fill(&f->page, &own->data, buffer, q->size);
    if (f->validate)
        validate_seal_all(buffer, q->size, f->options->block, q->offset);
}

/* Has one of the blocks at the ends of the file, or beside this one, a checksum? */
static bool others_are_sealed(const struct fileio *f, uint32_t file, uint64_t offset)
{
    uint64_t block = f->options->block, end = f->set.size / block * block;
    const uint64_t at[] = {0, offset - block, offset + block, end - block};
    void *buffer = work_buffer(block, NULL);
    bool found = false;
    for (size_t i = 0; buffer && !found && i < sizeof at / sizeof at[0]; i++)
        found = at[i] < end && at[i] != offset &&
                pread(f->set.file[file].fd, buffer, block, (off_t)at[i]) == (ssize_t)block &&
                validate_look(buffer, block, block, at[i]).state == BLOCK_WHOLE;
    work_buffer_free(buffer, block);
    return found;
}

static int tell_unknown(struct worker *w, const struct fileio *f, uint32_t file, const char *name,
                        const struct block_finding *b)
{
    struct buf command = {0};
    unsigned long long at = b->offset, number = b->offset / f->options->block;
    prepare_command(f->options, true, &command);
    if (others_are_sealed(f, file, b->offset))
        err_set(&w->err,
                "validation failed: at offset %llu (block %llu) of '%s' lies no block with a "
                "checksum, while others of the file are whole: it was lost or overwritten, or the "
                "set was prepared without --validate. To tell, run cleanup, then: %s",
                at, number, name, buf_text(&command));
    else
        err_set(&w->err,
                "option --validate: the block at offset %llu of '%s' was not written with "
                "checksums of this block size, so there is nothing to compare; run cleanup, then: "
                "%s",
                at, name, buf_text(&command));
    buf_release(&command);
    return -1;
}

int work_check(struct worker *w, struct fileio *f, const struct request *q, const void *buffer)
{
    struct block_finding b = validate_look(buffer, q->size, f->options->block, q->offset);
    if (b.state == BLOCK_WHOLE)
        return 0;
    struct buf path = {0};
    const char *name = file_path(f->options, q->file, &path);
    unsigned long long at = b.offset, number = b.offset / f->options->block;
    if (b.state == BLOCK_UNKNOWN)
        tell_unknown(w, f, q->file, name, &b);
    else if (b.state == BLOCK_DAMAGED)
        err_set(
            &w->err,
            "validation failed: '%s' is damaged at offset %llu (block %llu): its bytes have the "
            "checksum 0x%08x, 0x%08x was stored with them",
            name, at, number, b.computed, b.stored);
    else
        err_set(&w->err,
                "validation failed: at offset %llu (block %llu) of '%s' lies a block that was "
                "written for offset %llu",
                at, number, name, (unsigned long long)b.stored_offset);
    buf_release(&path);
    return -1;
}

/* --- requests ---------------------------------------------------------------------- */

int work_error(struct worker *w, const struct fileio *f, const struct request *q, int why)
{
    static const char *const verbs[] = {
        [REQUEST_READ] = "read", [REQUEST_WRITE] = "write", [REQUEST_FSYNC] = "flush"};
    struct buf path = {0};
    const char *name = file_path(f->options, q->file, &path);
    if (why == ENODATA)
        err_set(&w->err, "cannot %s %u bytes at offset %llu of '%s': the file has become shorter",
                verbs[q->kind], q->size, (unsigned long long)q->offset, name);
    else if (q->kind == REQUEST_FSYNC)
        err_sys(&w->err, why, "cannot flush '%s'", name);
    else if (why == ENOSPC || why == EDQUOT)
        err_sys(&w->err, why,
                "cannot write %u bytes at offset %llu of '%s', the disk is full: use a smaller "
                "--file-total-size or another --file-dir",
                q->size, (unsigned long long)q->offset, name);
    else
        err_sys(&w->err, why, "cannot %s %u bytes at offset %llu of '%s'", verbs[q->kind], q->size,
                (unsigned long long)q->offset, name);
    buf_release(&path);
    return -1;
}

int work_flush(struct worker *w, struct fileio *f, uint32_t file)
{
    struct request q = {.kind = REQUEST_FSYNC, .file = file};
    uint64_t from = w->now_ns;
    if (f->engine->flush(&f->set, file, f->data_only) != 0)
        return work_error(w, f, &q, errno);
    ended(w, f, &q, from);
    return 0;
}

static int check_read(struct worker *w, struct fileio *f, const struct fileio_worker *own,
                      const struct request *q)
{
    if (!f->validate)
        return 0;
    int rc = work_check(w, f, q, own->buffer);
    w->now_ns = clock_now(w->clock);
    return rc;
}

static int transfer(struct worker *w, struct fileio *f, struct fileio_worker *own,
                    const struct request *q)
{
    if (q->kind == REQUEST_WRITE) {
        work_fill(f, own, q, own->buffer);
        w->now_ns = clock_now(w->clock);
    }
    uint64_t from = w->now_ns;
    if (f->engine->transfer(&f->set, q, own->buffer) != 0)
        return work_error(w, f, q, errno);
    ended(w, f, q, from);
    if (q->kind == REQUEST_READ)
        return check_read(w, f, own, q);
    return f->options->fsync_all ? work_flush(w, f, q->file) : 0;
}

int work_do(struct worker *w, struct fileio *f, struct fileio_worker *own, const struct request *q)
{
    if (f->debug)
        work_say(f, q);
    if (q->kind == REQUEST_FSYNC)
        return work_flush(w, f, q->file);
    int rc = transfer(w, f, own, q);
    stream_give_back(&f->stream, q);
    return rc;
}
