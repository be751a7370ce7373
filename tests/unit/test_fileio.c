/* Whole runs of fileio on small sets: what is counted, what is flushed, what
 * stays on the disk, and what is said about it. */
#include "fileio_run.h"

#include "primitive/fileio/validate.h"

static enum step no_step(struct worker *w, struct part *p);
static const struct workload script = {.name = "script", .step = no_step};

/* --- what is counted ----------------------------------------------------------------------- */

static const char *const io_modes[] = {"sync", "mmap", "async", "uring"};

/* 240 events with a flush of all 4 files after each 20 requests: 200 requests
 * and 40 flushes, in every engine. */
static void counts_add_up(struct fixture *t, const char *io, const char *threads)
{
    SET(t->part, "file-io-mode", io, "file-fsync-freq", "20", "file-async-backlog", "8");
    bench_set(t->b, "threads", threads);
    prepare(t);
    if (run(t, "rndrw", "240") != 0)
        fail_msg("%s: %s", io, t->b->err.text);
    assert_int_equal(events(t), 240);
    assert_int_equal(counted(t, CNT_READ), 120);
    assert_int_equal(counted(t, CNT_WRITE), 80);
    assert_int_equal(counted(t, CNT_OTHER), 40);
    assert_int_equal(counted(t, CNT_BYTES_READ), 120 * 16384);
    assert_int_equal(counted(t, CNT_BYTES_WRITTEN), 80 * 16384);
    assert_int_equal(recorded(t, 0), 120);
    assert_int_equal(recorded(t, 1), 80);
    assert_int_equal(recorded(t, 2), 40);
    assert_int_equal(outcome(t)->flushed, 4);
}

static void each_engine_counts(void **state)
{
    struct fixture *t = *state;
    for (size_t i = 0; i < LENGTH(io_modes); i++) {
        counts_add_up(t, io_modes[i], i % 2 ? "3" : "1");
        if (i + 1 == LENGTH(io_modes))
            break;
        end(state);
        *state = t = fixture(&fileio_workload);
    }
}

/* The flush after a write is part of its event, and there are no others. */
static void flush_after_each_write(void **state)
{
    struct fixture *t = *state;
    for (size_t i = 0; i < LENGTH(io_modes); i++) {
        SET(t->part, "file-io-mode", io_modes[i], "file-fsync-all", "on", "file-async-backlog",
            "4");
        prepare(t);
        assert_int_equal(run(t, "rndwr", "30"), 0);
        assert_int_equal(events(t), 30);
        assert_int_equal(counted(t, CNT_WRITE), 30);
        assert_int_equal(counted(t, CNT_OTHER), 30);
        assert_int_equal(outcome(t)->flushed, 0);
        if (i + 1 == LENGTH(io_modes))
            break;
        end(state);
        *state = t = fixture(&fileio_workload);
    }
}

static void warm_up_does_not_count(void **state)
{
    struct fixture *t = *state;
    bench_set(t->b, "warmup-time", "0.1");
    SET(t->part, "file-io-mode", "async");
    prepare(t);
    assert_int_equal(run(t, "rndrd", "50"), 0);
    assert_int_equal(events(t), 50);
    assert_int_equal(counted(t, CNT_READ), 50);
}

/* --- flushes at the end ---------------------------------------------------------------------- */

static void final_flush_is_apart(void **state)
{
    struct fixture *t = *state;
    SET(t->part, "file-fsync-freq", "0");
    bench_set(t->b, "threads", "3");
    prepare(t);
    assert_int_equal(run(t, "rndwr", "50"), 0);
    assert_int_equal(counted(t, CNT_OTHER), 0);
    assert_int_equal(outcome(t)->flushed, 4);
    assert_true(outcome(t)->flush_s > 0);
}

static void final_flush_as_in_1_0(void **state)
{
    struct fixture *t = *state;
    SET(t->part, "file-fsync-freq", "0");
    bench_set(t->b, "threads", "3");
    bench_set(t->b, "compat", "1.0");
    prepare(t);
    assert_int_equal(run(t, "rndwr", "50"), 0);
    assert_int_equal(events(t), 50);
    assert_int_equal(counted(t, CNT_OTHER), 12); /* 3 threads, 4 files */
    assert_int_equal(recorded(t, 2), 12);
    assert_int_equal(outcome(t)->flushed, 0);
}

static void flushes_as_in_0_4(void **state)
{
    struct fixture *t = *state;
    SET(t->part, "file-fsync-freq", "20");
    bench_set(t->b, "compat", "0.4");
    prepare(t);
    assert_int_equal(run(t, "rndwr", "50"), 0);
    assert_int_equal(events(t), 50);
    assert_int_equal(counted(t, CNT_WRITE), 50);
    assert_int_equal(counted(t, CNT_OTHER), 12); /* twice 4, and 4 at the end */
}

static void no_flush_without_writes(void **state)
{
    struct fixture *t = *state;
    prepare(t);
    assert_int_equal(run(t, "rndrd", "150"), 0);
    assert_int_equal(counted(t, CNT_OTHER), 0);
    assert_int_equal(outcome(t)->flushed, 0);
}

/* --- the files -----------------------------------------------------------------------------------
 */

static void assert_full(const struct fixture *t)
{
    char name[FILE_NAME_ROOM];
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(set_size(t->folder, file_name(i, name)), 262144);
}

static void seqwr_keeps_files_whole(void **state)
{
    struct fixture *t = *state;
    prepare(t);
    assert_int_equal(run(t, "seqwr", "20"), 0);
    assert_full(t);
    assert_true(outcome(t)->wrote_in_place);
    assert_between(outcome(t)->passes, 20.0 / 64, 20.0 / 64);
}

static void seqwr_creates_files(void **state)
{
    struct fixture *t = *state;
    bench_set(t->b, "threads", "2");
    assert_int_equal(run(t, "seqwr", "70"), 0);
    assert_full(t);
    assert_false(outcome(t)->wrote_in_place);
    assert_true(outcome(t)->passes > 1);
}

static void seqwr_begins_anew_as_in_1_0(void **state)
{
    struct fixture *t = *state;
    struct stat before, after;
    bench_set(t->b, "compat", "1.0");
    prepare(t);
    assert_int_equal(stat(set_path(t->folder, "test_file.0"), &before), 0);
    assert_int_equal(run(t, "seqwr", "3"), 0);
    assert_int_equal(stat(set_path(t->folder, "test_file.0"), &after), 0);
    assert_true(after.st_blocks < before.st_blocks);
    assert_full(t);
}

static void sequential_modes_of_0_4_end(void **state)
{
    struct fixture *t = *state;
    bench_set(t->b, "compat", "0.4");
    bench_set(t->b, "threads", "2");
    prepare(t);
    assert_int_equal(run(t, "seqrd", "0"), 0);
    assert_int_equal(events(t), 64);
}

static void a_refused_run_leaves_nothing(void **state)
{
    struct fixture *t = *state;
    assert_int_equal(run(t, "rndrw", "10"), -1);
    assert_err(&t->b->err, ERR_FAILED, "test_file.0", "prepare");
    assert_int_equal(set_size(t->folder, "test_file.0"), -1);
}

/* seqwr makes files before the workers start; if they cannot, the files go. */
static void a_failed_start_leaves_nothing(void **state)
{
    struct fixture *t = *state;
    SET(t->part, "file-block-size", "256K", "file-io-mode", "async", "file-async-backlog", "32");
    bench_set(t->b, "validate", "on");
    assert_int_equal(run(t, "seqwr", "10"), -1);
    assert_err(&t->b->err, ERR_FAILED, "--validate");
    assert_int_equal(set_size(t->folder, "test_file.0"), -1);
}

static void zeros_stay_zeros(void **state)
{
    struct fixture *t = *state;
    static unsigned char data[262144], zero[262144];
    SET(t->part, "file-data", "zero");
    prepare(t);
    set_write(t->folder, "test_file.0", "xxxx", 4, 100);
    assert_int_equal(run(t, "rndrw", "400"), 0);
    set_read(t->folder, "test_file.3", data, sizeof data, 0);
    assert_memory_equal(data, zero, sizeof data);
}

/* --- validation ----------------------------------------------------------------------------------
 */

static void intact_files_are_valid(void **state)
{
    struct fixture *t = *state;
    for (size_t i = 0; i < LENGTH(io_modes); i++) {
        SET(t->part, "file-io-mode", io_modes[i], "file-async-backlog", "8");
        bench_set(t->b, "validate", "on");
        bench_set(t->b, "threads", "3");
        prepare(t);
        if (run(t, "rndrw", "3000") != 0)
            fail_msg("%s: %s", io_modes[i], t->b->err.text);
        if (i + 1 == LENGTH(io_modes))
            break;
        end(state);
        *state = t = fixture(&fileio_workload);
    }
}

/* sysbench's checks and ours have to agree however requests are merged. */
static void merged_requests_are_valid(void **state)
{
    struct fixture *t = *state;
    SET(t->part, "file-merged-requests", "3");
    bench_set(t->b, "validate", "on");
    prepare(t);
    assert_int_equal(run(t, "seqrd", "60"), 0);
}

static void damage_ends_the_run(void **state)
{
    struct fixture *t = *state;
    bench_set(t->b, "validate", "on");
    prepare(t);
    set_write(t->folder, "test_file.2", "damage", 6, 3 * 16384 + 50);
    assert_int_equal(run(t, "seqrd", "64"), -1);
    assert_err(&t->b->err, ERR_FAILED, "test_file.2", "49152", "block 3");
    assert_int_equal(events(t), 32 + 3);
}

/* A card that loses what was written gives zeros, or old data. */
static void lost_blocks_are_damage(void **state)
{
    static const unsigned char zero[16384];
    struct fixture *t = *state;
    bench_set(t->b, "validate", "on");
    prepare(t);
    set_write(t->folder, "test_file.1", zero, sizeof zero, 3 * 16384);
    assert_int_equal(run(t, "seqrd", "64"), -1);
    assert_err(&t->b->err, ERR_FAILED, "validation failed", "test_file.1", "49152", "block 3",
               "lost or overwritten");
}

static void plain_files_are_no_damage(void **state)
{
    struct fixture *t = *state;
    prepare(t);
    bench_set(t->b, "validate", "on");
    assert_int_equal(run(t, "rndrd", "64"), -1);
    assert_err(&t->b->err, ERR_FAILED, "not written with checksums", "--validate=on prepare");
}

/* --- options
 * --------------------------------------------------------------------------------------- */

static int checked(struct fixture *t)
{
    err_clear(&t->b->err);
    return t->part->workload->check(t->part, &t->b->g.values, &t->b->err);
}

static void options_are_checked(void **state)
{
    struct fixture *t = *state;
    assert_int_equal(checked(t), -1);
    assert_err(&t->b->err, ERR_FAILED, "--file-test-mode", "seqwr", "rndrw");
    t->part->index = 1; /* lent to a script it needs no mode */
    assert_int_equal(checked(t), 0);
    t->part->index = 0;
    SET(t->part, "file-test-mode", "rndrd", "file-total-size", "3");
    assert_int_equal(checked(t), -1);
    assert_err(&t->b->err, ERR_FAILED, "--file-total-size", "--file-num=4");
    SET(t->part, "file-total-size", "1M", "file-merged-requests", "200000");
    assert_int_equal(checked(t), -1);
    assert_err(&t->b->err, ERR_FAILED, "--file-merged-requests");
    SET(t->part, "file-merged-requests", "0", "file-dir", "");
    assert_int_equal(checked(t), -1);
    assert_err(&t->b->err, ERR_FAILED, "--file-dir");
    SET(t->part, "file-dir", ".", "file-io-mode", "fastmmap");
    assert_int_equal(checked(t), 0);
    assert_int_equal(((struct fileio_options *)t->part->options)->io, IO_MMAP);
    bench_set(t->b, "validate", "on");
    SET(t->part, "file-block-size", "12");
    assert_int_equal(checked(t), -1);
    assert_err(&t->b->err, ERR_FAILED, "--file-block-size", "--validate");
    bench_begin(t->b, 0);
    t->begun = true;
}

static void direct_needs_a_multiple(void **state)
{
    struct fixture *t = *state;
    prepare(t);
    int fd = open(set_path(t->folder, "test_file.0"), O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (fd < 0)
        skip();
    close(fd);
    SET(t->part, "file-extra-flags", "direct,dsync", "file-block-size", "100");
    assert_int_equal(run(t, "rndrd", "10"), -1);
    assert_err(&t->b->err, ERR_FAILED, "--file-block-size", "multiple of");
    assert_int_equal(events(t), 0);
}

/* --- text
 * --------------------------------------------------------------------------------------------- */

static void collect(void *to, const char *key, const char *text)
{
    assert_null(strchr(text, '\n'));
    buf_printf(to, "%s: %s\n", key, text);
}

static struct figures figures(struct fixture *t)
{
    struct run *r = &t->b->run;
    return (struct figures){.in = run_totals(r),
                            .seconds = run_seconds(r),
                            .total_s = run_seconds(r),
                            .general = &t->b->g.values,
                            .part = t->part,
                            .run = r};
}

static void notes_say_what_happened(void **state)
{
    struct fixture *t = *state;
    struct buf out = {0};
    SET(t->part, "file-fsync-freq", "8");
    prepare(t);
    assert_int_equal(run(t, "seqrewr", "150"), 0);
    struct figures f = figures(t);
    t->part->workload->notes(&f, collect, &out);
    assert_non_null(strstr(buf_text(&out), "passes: the set was written 1.6 times"));
    assert_non_null(strstr(buf_text(&out), "flush_events: 48 of the 150 events"));
    assert_non_null(strstr(buf_text(&out), "flush_time: "));
    assert_null(strstr(buf_text(&out), "cached_reads"));
    buf_release(&out);
}

static void cached_reads_are_noted(void **state)
{
    struct fixture *t = *state;
    struct buf out = {0};
    prepare(t);
    assert_int_equal(run(t, "rndrd", "500"), 0);
    assert_between(outcome(t)->resident, 0.9, 1);
    struct figures f = figures(t);
    t->part->workload->notes(&f, collect, &out);
    assert_non_null(strstr(buf_text(&out), "cached_reads: 100 % of what was read"));
    buf_release(&out);
}

static void layouts(void **state)
{
    struct fixture *t = *state;
    struct snapshot s = {0};
    struct tally none[8];
    struct buf out = {0};
    prepare(t);
    assert_int_equal(run(t, "rndrd", "1"), 0);
    memset(none, 0, sizeof none);
    s.tally = none;
    s.latencies = 8;
    s.grid = &t->b->run.grid;
    struct tally *kind = &none[t->part->first_latency];
    kind[0].count = 6000;
    kind[1].count = 4000;
    kind[2].count = 12800;
    s.counter[t->part->bytes_read] = 6000 * 16384;
    s.counter[t->part->bytes_written] = 4000 * 16384;
    struct figures f = figures(t);
    f.in = &s;
    f.seconds = 50;
    fileio_workload.report(&f, LAYOUT_1_0, &out);
    assert_string_equal(buf_text(&out), "\nFile operations:\n"
                                        "    reads/s:                      120.00\n"
                                        "    writes/s:                     80.00\n"
                                        "    fsyncs/s:                     256.00\n"
                                        "\nThroughput:\n"
                                        "    read, MiB/s:                  1.88\n"
                                        "    written, MiB/s:               1.25\n");
    buf_clear(&out);
    fileio_workload.report(&f, LAYOUT_0_4, &out);
    assert_string_equal(buf_text(&out),
                        "Operations performed:  6000 Read, 4000 Write, 12800 Other = 22800 Total\n"
                        "Read 93.75Mb  Written 62.5Mb  Total transferred 156.25Mb  (3.125Mb/sec)\n"
                        "  200.00 Requests/sec executed\n");
    buf_clear(&out);
    fileio_workload.interval(&f, LAYOUT_1_0, &out);
    assert_string_equal(buf_text(&out), "reads: 1.88 MiB/s writes: 1.25 MiB/s fsyncs: 256.00/s "
                                        "latency (ms,95%): 0.001");
    buf_release(&out);
}

/* --- operations of scripts
 * ------------------------------------------------------------------------------- */

static enum step no_step(struct worker *w, struct part *p)
{
    struct part *io = w->run->parts[1];
    (void)p;
    assert_int_equal(fileio_op(w, io, FILEIO_WRITE, -1, -1, 0), 16384);
    assert_int_equal(fileio_op(w, io, FILEIO_WRITE, 2, 16384, 100), 100);
    assert_int_equal(fileio_op(w, io, FILEIO_READ, 3, -1, 0), 16384);
    assert_int_equal(fileio_op(w, io, FILEIO_READ, -1, -1, 65536), 65536);
    assert_int_equal(fileio_op(w, io, FILEIO_FSYNC, 1, -1, 0), 0);
    assert_int_equal(fileio_op(w, io, FILEIO_FSYNC, -1, -1, 0), 0);
    return STEP_DONE;
}

static void scripts_use_operations(void **state)
{
    struct fixture *t = fixture(&script);
    *state = t;
    prepare(t);
    assert_int_equal(run(t, NULL, "10"), 0);
    assert_int_equal(events(t), 10);
    assert_int_equal(counted(t, CNT_WRITE), 20);
    assert_int_equal(counted(t, CNT_BYTES_WRITTEN), 10 * (16384 + 100));
    assert_int_equal(counted(t, CNT_READ), 20);
    assert_int_equal(counted(t, CNT_BYTES_READ), 10 * (16384 + 65536));
    assert_int_equal(counted(t, CNT_OTHER), 50);
    assert_int_equal(recorded(t, 2), 50);
    assert_int_equal(outcome(t)->flushed, 4);
    end(state);
}

static enum step bad_step(struct worker *w, struct part *p)
{
    static const struct {
        int kind;
        int64_t file, offset;
        uint64_t size;
        const char *word;
    } bad[] = {{FILEIO_READ, 4, 0, 0, "no file 4"},
               {FILEIO_FSYNC, 4, 0, 0, "no file 4"},
               {FILEIO_READ, 0, 262144, 0, "offset 262144"},
               {FILEIO_WRITE, 0, 262143, 2, "beyond the end"},
               {FILEIO_READ, 0, INT64_MAX, 16, "beyond the end"},
               {FILEIO_READ, -1, -1, 300000, "300000 bytes"}};
    (void)p;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_int_equal(
            fileio_op(w, w->run->parts[1], bad[i].kind, bad[i].file, bad[i].offset, bad[i].size),
            -1);
        assert_err(&w->err, ERR_FAILED, bad[i].word);
        err_clear(&w->err);
    }
    return STEP_DONE;
}

static void bad_operations_are_refused(void **state)
{
    static const struct workload bad_script = {.name = "script", .step = bad_step};
    struct fixture *t = fixture(&bad_script);
    *state = t;
    prepare(t);
    assert_int_equal(run(t, NULL, "1"), 0);
    assert_int_equal(counted(t, CNT_READ) + counted(t, CNT_WRITE) + counted(t, CNT_OTHER), 0);
    assert_int_equal(outcome(t)->flushed, 0); /* nothing was written */
    end(state);
}

static void scripts_need_engines_that_wait(void **state)
{
    struct fixture *t = fixture(&script);
    *state = t;
    SET(t->part, "file-io-mode", "async");
    prepare(t);
    assert_int_equal(run(t, NULL, "1"), -1);
    assert_err(&t->b->err, ERR_FAILED, "--file-io-mode", "sync or mmap");
    end(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
        T(each_engine_counts),
        T(flush_after_each_write),
        T(warm_up_does_not_count),
        T(final_flush_is_apart),
        T(final_flush_as_in_1_0),
        T(flushes_as_in_0_4),
        T(no_flush_without_writes),
        T(seqwr_keeps_files_whole),
        T(seqwr_creates_files),
        T(seqwr_begins_anew_as_in_1_0),
        T(sequential_modes_of_0_4_end),
        T(a_refused_run_leaves_nothing),
        T(a_failed_start_leaves_nothing),
        T(zeros_stay_zeros),
        T(intact_files_are_valid),
        T(merged_requests_are_valid),
        T(damage_ends_the_run),
        T(lost_blocks_are_damage),
        T(plain_files_are_no_damage),
        T(options_are_checked),
        T(direct_needs_a_multiple),
        T(notes_say_what_happened),
        T(cached_reads_are_noted),
        T(layouts),
        cmocka_unit_test(scripts_use_operations),
        cmocka_unit_test(bad_operations_are_refused),
        cmocka_unit_test(scripts_need_engines_that_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
