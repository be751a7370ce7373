#include "primitive/fileio/report.h"

#include "base/units.h"
#include "primitive/fileio/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIB 1048576.0
#define NOTE_ROOM 600
#define FLUSH_SHARE 0.01 /* a final flush shorter than this share of the run is no news */

/* --- figures --------------------------------------------------------------------- */

/* All of these are the part's own: a script may have moved bytes and read files
 * by other means as well. */

static const struct tally *tally_of(const struct figures *f, unsigned kind)
{
    return &f->in->tally[f->part->first_latency + kind];
}

static uint64_t bytes_read(const struct figures *f)
{
    return f->in->counter[f->part->bytes_read];
}

static uint64_t bytes_written(const struct figures *f)
{
    return f->in->counter[f->part->bytes_written];
}

static double per_second(const struct figures *f, uint64_t n)
{
    return f->seconds > 0 ? (double)n / f->seconds : 0;
}

static double reads_per_s(const struct figures *f)
{
    return per_second(f, tally_of(f, LAT_READ)->count);
}

static double writes_per_s(const struct figures *f)
{
    return per_second(f, tally_of(f, LAT_WRITE)->count);
}

static double fsyncs_per_s(const struct figures *f)
{
    return per_second(f, tally_of(f, LAT_FSYNC)->count);
}

static double read_mib_per_s(const struct figures *f)
{
    return per_second(f, bytes_read(f)) / MIB;
}

static double written_mib_per_s(const struct figures *f)
{
    return per_second(f, bytes_written(f)) / MIB;
}

static const struct fileio_options *options_of(const struct figures *f)
{
    return f->part->options;
}

static double final_flush_s(const struct figures *f)
{
    return options_of(f)->outcome.flush_s;
}

const struct metric fileio_metrics[] = {
    {"reads_per_s", "1/s", false, reads_per_s},
    {"writes_per_s", "1/s", false, writes_per_s},
    {"fsyncs_per_s", "1/s", false, fsyncs_per_s},
    {"read_mib_per_s", "MiB/s", false, read_mib_per_s},
    {"written_mib_per_s", "MiB/s", false, written_mib_per_s},
    {"final_flush_s", "s", true, final_flush_s},
    {0},
};

/* --- mode lines -------------------------------------------------------------------- */

/* ORDER MODES */
static const char *const titles[] = {"sequential write (creation)",
                                     "sequential rewrite",
                                     "sequential read",
                                     "random read",
                                     "random write",
                                     "random r/w"};

void report_extra_flags(const struct fileio_options *o, struct log *log, enum log_level level)
{
    log_put(log, level, "Extra file open flags: %s%s%s%s", o->extra ? "" : "(none)",
            o->extra & EXTRA_SYNC ? "sync " : "", o->extra & EXTRA_DSYNC ? "dsync " : "",
            o->extra & EXTRA_DIRECT ? "directio" : "");
}

/* A size as each version has it: "16KiB", "16Kb". */
static const char *size_text(uint64_t bytes, enum layout l, char out[32])
{
    char size[24];
    units_size(bytes, size, sizeof size);
    if (l == LAYOUT_0_4)
        snprintf(out, 32, "%.*sb", (int)strcspn(size, "i"), size);
    else
        snprintf(out, 32, "%sB", size);
    return out;
}

static void describe_flushes(const struct fileio_options *o, bool lent, struct log *log,
                             enum log_level level)
{
    if (fsync_freq(o) > 0 && !lent)
        log_put(log, level, "Periodic FSYNC enabled, calling fsync() each %lld requests.",
                (long long)o->fsync_freq);
    if (fsync_end(o) && lent)
        log_put(log, level, "Calling fsync() at the end of test, if anything was written.");
    else if (fsync_end(o))
        log_put(log, level, "Calling fsync() at the end of test, Enabled.");
    if (o->fsync_all)
        log_put(log, level, "Calling fsync() after each write operation.");
}

static void describe_sizes(const struct fileio_options *o, enum layout l, struct log *log,
                           enum log_level level)
{
    char size[32];
    uint64_t each = o->total / (uint64_t)o->num;
    log_put(log, level, "%lld files, %s each", (long long)o->num, size_text(each, l, size));
    log_put(log, level, "%s total file size", size_text(each * (uint64_t)o->num, l, size));
    log_put(log, level, "Block size %s", size_text(o->block, l, size));
    if (o->merged > 0)
        log_put(log, level, "Merging requests %sup to %s for sequential IO.",
                l == LAYOUT_0_4 ? " " : "", size_text(merged_size(o), l, size));
}

void fileio_describe(const struct part *p, const struct general *g, enum layout l, struct log *log)
{
    const struct fileio_options *o = p->options;
    enum log_level level = l == LAYOUT_0_4 ? LOG_INFO : LOG_NOTICE;
    int mode = fileio_mode(&p->set);
    if (l == LAYOUT_0_4)
        log_put(log, level, "Extra file open flags: %u", o->extra);
    else
        report_extra_flags(o, log, level);
    describe_sizes(o, l, log, level);
    bool lent = p->index > 0; /* then the script decides on requests and flushes */
    if (!mode_is_sequential(mode) && !lent) {
        log_put(log, level,
                l == LAYOUT_0_4 ? "Number of random requests for random IO: %lld"
                                : "Number of IO requests: %lld",
                (long long)g->events);
        log_put(log, level, "Read/Write ratio for combined random IO test: %2.2f", o->rw_ratio);
    }
    describe_flushes(o, lent, log, level);
    log_put(log, level, "Using %s I/O mode", engine_of(o->io)->label);
    if (g->validate)
        log_put(log, level, "Using checksums validation.");
    if (!lent && mode != MODE_NONE)
        log_put(log, level, "Doing %s test", titles[mode]);
}

void fileio_list(struct buf *out)
{
    for (int i = 0; i < IO_N; i++) {
        const struct io_engine *engine = engine_of(i);
        buf_printf(out, "  %-12s --file-io-mode=%s: %s%s%s\n", "", engine->name, engine->summary,
                   engine->unavailable ? ", not in this build: " : "",
                   engine->unavailable ? engine->unavailable : "");
    }
}

/* --- reports ------------------------------------------------------------------------- */

void fileio_interval(const struct figures *f, enum layout l, struct buf *out)
{
    (void)l; /* 0.4 had no such reports */
    double p = f->general->percentile_count > 0 ? f->general->percentiles[0] : 0;
    double latency = tally_sysbench_percentile(&f->in->tally[LAT_EVENT], f->in->grid, p);
    buf_printf(out,
               "reads: %4.2f MiB/s writes: %4.2f MiB/s fsyncs: %4.2f/s latency (ms,%.15g%%): %4.3f",
               read_mib_per_s(f), written_mib_per_s(f), fsyncs_per_s(f), p, latency);
}

/* "Other" are flushes, the final ones included. */
static void report_0_4(const struct figures *f, struct buf *out)
{
    unsigned long long reads = tally_of(f, LAT_READ)->count, writes = tally_of(f, LAT_WRITE)->count,
                       others = tally_of(f, LAT_FSYNC)->count + options_of(f)->outcome.flushed;
    uint64_t bytes = bytes_read(f) + bytes_written(f);
    char read[32], written[32], all[32], rate[32];
    buf_printf(out, "Operations performed:  %llu Read, %llu Write, %llu Other = %llu Total\n",
               reads, writes, others, reads + writes + others);
    buf_printf(out, "Read %s  Written %s  Total transferred %s  (%s/sec)\n",
               size_text(bytes_read(f), LAYOUT_0_4, read),
               size_text(bytes_written(f), LAYOUT_0_4, written), size_text(bytes, LAYOUT_0_4, all),
               size_text((uint64_t)per_second(f, bytes), LAYOUT_0_4, rate));
    buf_printf(out, "%8.2f Requests/sec executed\n", reads_per_s(f) + writes_per_s(f));
}

void fileio_report(const struct figures *f, enum layout l, struct buf *out)
{
    if (l == LAYOUT_0_4) {
        report_0_4(f, out);
        return;
    }
    buf_printf(out,
               "\nFile operations:\n"
               "    reads/s:                      %4.2f\n"
               "    writes/s:                     %4.2f\n"
               "    fsyncs/s:                     %4.2f\n"
               "\nThroughput:\n"
               "    read, MiB/s:                  %4.2f\n"
               "    written, MiB/s:               %4.2f\n",
               reads_per_s(f), writes_per_s(f), fsyncs_per_s(f), read_mib_per_s(f),
               written_mib_per_s(f));
}

/* --- notes ------------------------------------------------------------------------------ */

struct notes {
    const struct figures *f;
    const struct fileio_options *o;
    const struct fileio_outcome *found;
    int mode;
    note_fn *note;
    void *to;
};

__attribute__((format(printf, 3, 4))) static void put(const struct notes *n, const char *key,
                                                      const char *fmt, ...)
{
    char text[NOTE_ROOM];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    n->note(n->to, key, text);
}

static void note_cache(const struct notes *n)
{
    const struct fileio_outcome *found = n->found;
    if (!found->buffered_reads || tally_of(n->f, LAT_READ)->count == 0 || found->from_disk > 0.9)
        return;
    /* Nothing fetched although nothing was there: the kernel does not count it. */
    if (found->from_disk <= 0 && found->resident < 0.5)
        return;
    char before[80] = "";
    if (found->resident >= 0)
        snprintf(before, sizeof before, " (%.0f %% of the set lay in it before the run)",
                 100 * found->resident);
    put(n, "cached_reads",
        "%.0f %% of what was read came from the page cache, that is from RAM and not from the "
        "disk%s; --file-extra-flags=direct goes round it, or use a set that is larger than RAM",
        100 * (1 - (found->from_disk > 0 ? found->from_disk : 0)), before);
}

static void note_holes(const struct notes *n)
{
    double share =
        n->found->set_bytes ? (double)n->found->allocated / (double)n->found->set_bytes : 1;
    if (share < 0.95)
        put(n, "holes",
            "only %.0f %% of the set has a place on the disk: the files have holes, or the file "
            "system compresses them; what was read from there did not come from the disk. Run "
            "cleanup, then prepare",
            100 * share);
}

static void note_passes(const struct notes *n)
{
    bool reads = n->mode == MODE_SEQRD, direct = n->o->extra & EXTRA_DIRECT && n->o->io != IO_MMAP;
    if (!mode_is_sequential(n->mode) || n->found->passes <= 1.0005)
        return;
    if (direct)
        put(n, "passes",
            "the set was %s %.1f times over: from the second pass on, a disk with a cache of its "
            "own "
            "may take it from there; a larger --file-total-size measures what lies behind",
            reads ? "read" : "written", n->found->passes);
    else
        put(n, "passes",
            "the set was %s %.1f times over: from the second pass on, data that is already in the "
            "page cache is %s again; a larger --file-total-size or direct I/O measures the disk",
            reads ? "read" : "written", n->found->passes, reads ? "read" : "overwritten");
}

static void note_in_place(const struct notes *n)
{
    if (n->found->wrote_in_place)
        put(n, "in_place",
            "seqwr wrote over the prepared files in place, as seqrewr does, so that they stay "
            "whole; "
            "to measure the creation of files, run cleanup first");
}

static void note_flush_events(const struct notes *n)
{
    uint64_t events = snapshot_events(n->f->in),
             rest = tally_of(n->f, LAT_READ)->count + tally_of(n->f, LAT_WRITE)->count;
    uint64_t flushes = events > rest ? events - rest : 0;
    if (fsync_freq(n->o) == 0 || flushes == 0 || n->f->general->compat == COMPAT_0_4)
        return;
    put(n, "flush_events",
        "%llu of the %llu events are flushes: after each %lld reads and writes all %lld files are "
        "flushed, and each flush counts as an event",
        (unsigned long long)flushes, (unsigned long long)events, (long long)n->o->fsync_freq,
        (long long)n->o->num);
}

static double sum_ns(const struct notes *n, unsigned kind)
{
    return (double)tally_of(n->f, kind)->sum_ns;
}

static void note_flush_time(const struct notes *n)
{
    double flushes = sum_ns(n, LAT_FSYNC),
           all = flushes + sum_ns(n, LAT_READ) + sum_ns(n, LAT_WRITE);
    if (flushes < 0.05 * all)
        return;
    put(n, "flush_time",
        "%.0f %% of the time of all requests went into flushes%s (--file-fsync-freq, "
        "--file-fsync-all, --file-num)%s",
        100 * flushes / all, flushes > 0.5 * all ? ", so the rates are bound by them" : "",
        fsync_freq(n->o) > 0 ? "; few files and --file-fsync-freq=0 show the device without them"
                             : "");
}

/* Their data is still there for those who have them open, so nothing failed. */
static void note_removed(const struct notes *n)
{
    if (n->found->removed > 0)
        put(n, "removed",
            "%u of the %lld test files were removed while the run used them; prepare the set anew",
            n->found->removed, (long long)n->o->num);
}

static void note_final_flush(const struct notes *n)
{
    const struct fileio_outcome *found = n->found;
    double work_s = n->f->seconds - found->flush_s;
    char without[120] = "";
    if (found->flushed == 0 || found->flush_s < FLUSH_SHARE * n->f->seconds)
        return;
    if (work_s > 0)
        snprintf(without, sizeof without, "; before it the rates were %.2f writes/s and %.2f MiB/s",
                 (double)tally_of(n->f, LAT_WRITE)->count / work_s,
                 (double)bytes_written(n->f) / MIB / work_s);
    put(n, "final_flush",
        "the final flush of %u file%s took %.4f s: it is part of the total time%s%s",
        found->flushed, found->flushed == 1 ? "" : "s", found->flush_s,
        n->f->general->compat == COMPAT_0_4 ? ""
                                            : ", and its flushes are not counted among the fsyncs",
        without);
}

static void note_mode(const struct notes *n)
{
    bool synced = n->o->extra & (EXTRA_SYNC | EXTRA_DSYNC | EXTRA_DIRECT);
    if (engine_queues(engine_of(n->o->io)))
        put(n, "io_mode",
            "%s keeps up to %lld requests of each thread in flight; latency counts from the "
            "submission of a request to its completion",
            n->o->io == IO_URING ? "io_uring" : "the kernel's asynchronous I/O (as libaio uses it)",
            (long long)n->o->backlog);
    else if (n->o->io == IO_MMAP)
        put(n, "io_mode", "each file is mapped whole, with any word size%s",
            synced ? "; --file-extra-flags have no effect on mapped files" : "");
    if (n->o->io == IO_ASYNC && !(n->o->extra & EXTRA_DIRECT))
        put(n, "async_buffered",
            "without --file-extra-flags=direct the kernel does most asynchronous requests one "
            "after "
            "the other while they are submitted");
}

static void note_sizes(const struct notes *n)
{
    uint64_t each = n->o->total / (uint64_t)n->o->num;
    if (each % n->o->block != 0)
        put(n, "uneven_sizes",
            "%lld files of %llu bytes are no whole blocks; each has %llu bytes and was used in "
            "blocks of %llu",
            (long long)n->o->num, (unsigned long long)each,
            (unsigned long long)(n->found->set_bytes / (uint64_t)n->o->num),
            (unsigned long long)n->o->block);
}

void fileio_notes(const struct figures *f, note_fn *note, void *to)
{
    const struct fileio_options *o = options_of(f);
    struct notes n = {.f = f,
                      .o = o,
                      .found = &o->outcome,
                      .mode = fileio_mode(&f->part->set),
                      .note = note,
                      .to = to};
    note_cache(&n);
    note_holes(&n);
    note_removed(&n);
    note_sizes(&n);
    note_final_flush(&n);
    note_mode(&n);
    if (n.found->lent)
        return; /* what the events are is the script's choice */
    note_passes(&n);
    note_in_place(&n);
    note_flush_events(&n);
    note_flush_time(&n);
}
