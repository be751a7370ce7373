/* The loop of a worker whose engine has a queue: with an engine that does what
 * the test says, then with the kernel's. */
#include "fileio_run.h"

#include "primitive/fileio/validate.h"
#include "primitive/fileio/work.h"

#include <errno.h>

/* --- an engine by hand --------------------------------------------------------------- */

#define DEPTH 8
#define BLOCK 16384

struct wanted {
    unsigned slot;
    int fd;
    struct request q;
    char *buffer;
};

static struct {
    size_t piece;  /* bytes done at once; 0: whole requests */
    bool stops;    /* after the first piece of a request comes: */
    int64_t then;  /* this, in place of the rest */
    bool disturbs; /* each fifth request is interrupted */
    unsigned calls, put, fresh;
    struct wanted wanted[DEPTH];
    const struct run *run;
    unsigned most; /* events under way at most, as the run sees them */
} hand;

static void *hand_open(unsigned depth, struct err *e)
{
    (void)e;
    assert_int_equal(depth, DEPTH);
    return &hand;
}

static void hand_close(void *queue)
{
    assert_ptr_equal(queue, &hand);
}

static void hand_put(void *queue, unsigned slot, int fd, const struct request *q, void *buffer,
                     bool data_only)
{
    (void)queue, (void)data_only;
    assert_true(hand.put < DEPTH);
    hand.wanted[hand.put++] = (struct wanted){slot, fd, *q, buffer};
    hand.fresh++;
}

static int hand_submit(void *queue)
{
    unsigned n = hand.fresh, seen = atomic_load(&hand.run->workers[0].under_way);
    (void)queue;
    assert_int_equal(seen, hand.put);
    hand.most = seen > hand.most ? seen : hand.most;
    hand.fresh = 0;
    return (int)n;
}

static int64_t do_it(const struct wanted *w)
{
    size_t n = hand.piece && hand.piece < w->q.size ? hand.piece : w->q.size;
    if (hand.disturbs && ++hand.calls % 5 == 0)
        return -EINTR;
    if (hand.stops && w->q.size < BLOCK)
        return hand.then;
    if (w->q.kind == REQUEST_FSYNC)
        return 0;
    return w->q.kind == REQUEST_READ ? pread(w->fd, w->buffer, n, (off_t)w->q.offset)
                                     : pwrite(w->fd, w->buffer, n, (off_t)w->q.offset);
}

static int hand_reap(void *queue, unsigned least, int64_t timeout_ns, struct io_done *out,
                     unsigned room)
{
    unsigned n = hand.put;
    (void)queue, (void)least, (void)timeout_ns;
    assert_true(n <= room);
    for (unsigned i = 0; i < n; i++)
        out[i] = (struct io_done){.slot = hand.wanted[i].slot, .result = do_it(&hand.wanted[i])};
    hand.put = 0;
    return (int)n;
}

static const struct io_engine by_hand = {
    .name = "hand",
    .label = "by hand",
    .summary = "what the test says",
    .flush = flush_file,
    .open = hand_open,
    .close = hand_close,
    .put = hand_put,
    .submit = hand_submit,
    .reap = hand_reap,
};

/* fileio with that engine in place of the one that its options name. */
static int begin_by_hand(struct part *p, struct run *r, struct err *e)
{
    if (fileio_workload.begin(p, r, e) != 0)
        return -1;
    ((struct fileio *)p->shared)->engine = &by_hand;
    hand.run = r;
    return 0;
}

static struct workload with_hand;

static int begin_hand(void **state)
{
    memset(&hand, 0, sizeof hand);
    with_hand = fileio_workload;
    with_hand.begin = begin_by_hand;
    struct fixture *t = fixture(&with_hand);
    *state = t;
    SET(t->part, "file-async-backlog", "8", "file-fsync-freq", "0");
    return 0;
}

/* --- requests that are done in part -------------------------------------------------------- */

static void reads_are_completed(void **state)
{
    struct fixture *t = *state;
    hand.piece = 5000;
    hand.disturbs = true;
    bench_set(t->b, "validate", "on");
    prepare(t);
    if (run(t, "seqrd", "64") != 0)
        fail_msg("%s", t->b->err.text);
    assert_int_equal(events(t), 64);
    assert_int_equal(recorded(t, LAT_READ), 64);
    assert_int_equal(counted(t, CNT_BYTES_READ), 64 * BLOCK);
    assert_int_equal(counted(t, t->part->bytes_read), 64 * BLOCK);
}

static void writes_are_completed(void **state)
{
    static unsigned char data[262144], zero[262144];
    struct fixture *t = *state;
    hand.piece = 3000;
    hand.disturbs = true;
    prepare(t);
    SET(t->part, "file-data", "zero", "file-fsync-all", "on");
    if (run(t, "seqrewr", "64") != 0)
        fail_msg("%s", t->b->err.text);
    assert_int_equal(events(t), 64);
    assert_int_equal(recorded(t, LAT_WRITE), 64);
    assert_int_equal(recorded(t, LAT_FSYNC), 64);
    assert_int_equal(counted(t, CNT_BYTES_WRITTEN), 64 * BLOCK);
    for (int i = 0; i < 4; i++) {
        char name[FILE_NAME_ROOM];
        set_read(t->folder, file_name((uint32_t)i, name), data, sizeof data, 0);
        assert_memory_equal(data, zero, sizeof data);
    }
}

/* What comes after the first piece, and the words of the error. */
static void stops_with(struct fixture *t, const char *mode, int64_t then, const char *why)
{
    hand.piece = 512;
    hand.stops = true;
    hand.then = then;
    prepare(t);
    assert_int_equal(run(t, mode, "64"), -1);
    assert_err(&t->b->err, ERR_FAILED, "16384 bytes at offset 0 of", "test_file.0", why);
}

static void a_read_at_the_end_is_an_error(void **state)
{
    stops_with(*state, "seqrd", 0, "has become shorter");
}

static void the_rest_may_not_suit_direct_reads(void **state)
{
    stops_with(*state, "seqrd", -EINVAL, "has become shorter");
}

static void a_write_on_a_full_disk_is_an_error(void **state)
{
    stops_with(*state, "seqrewr", 0, "No space left");
}

/* What a run made itself goes when it fails, or it would fill the disk. */
static void files_of_a_failed_run_go(void **state)
{
    struct fixture *t = *state;
    hand.stops = true;
    hand.piece = 512;
    hand.then = -ENOSPC;
    prepare(t);
    assert_int_equal(unlink(set_path(t->folder, "test_file.3")), 0);
    assert_int_equal(run(t, "seqwr", "64"), -1);
    assert_err(&t->b->err, ERR_FAILED, "test_file.0", "disk is full", "--file-total-size");
    assert_int_equal(set_size(t->folder, "test_file.2"), 262144);
    assert_int_equal(set_size(t->folder, "test_file.3"), -1);
}

static void errors_of_the_rest_are_told(void **state)
{
    stops_with(*state, "seqrewr", -EIO, "Input/output error");
}

static void errors_of_flushes_are_told(void **state)
{
    struct fixture *t = *state;
    SET(t->part, "file-fsync-freq", "1");
    hand.stops = true; /* a flush has no bytes */
    hand.then = -EIO;
    prepare(t);
    assert_int_equal(run(t, "rndwr", "64"), -1);
    assert_err(&t->b->err, ERR_FAILED, "cannot flush", "test_file.", "Input/output error");
}

/* --- with a rate ------------------------------------------------------------------------------ */

/* hand_submit sees how many events are under way, as interval lines tell it. */
static void events_under_way_are_told(void **state)
{
    struct fixture *t = *state;
    bench_set(t->b, "rate", "1000000"); /* more than it can do: the queue fills */
    prepare(t);
    assert_int_equal(run(t, "rndrd", "2000"), 0);
    assert_int_equal(hand.most, DEPTH);
    assert_int_equal(t->b->run.workers[0].under_way, 0);
}

/* The times of all events together, in lengths of the run. */
static double overlap(struct fixture *t)
{
    SET(t->part, "file-io-mode", "async", "file-async-backlog", "32");
    prepare(t);
    assert_int_equal(run(t, "rndrd", "2000"), 0);
    const struct tally *event = &run_totals(&t->b->run)->tally[LAT_EVENT];
    const struct tally *read = &run_totals(&t->b->run)->tally[t->part->first_latency];
    assert_int_equal(event->count, 2000);
    assert_int_equal(event->sum_ns, read->sum_ns);
    return (double)event->sum_ns / (run_seconds(&t->b->run) * 1e9);
}

/* An event of a queue lasts from submission to completion, so that all together
 * they are about depth times the run. If they did not overlap they could never
 * be longer than it; a pause of the machine between them only makes them look
 * shorter, and is not there each time. */
static void queued_latency_is_completion(void **state)
{
    double most = 0;
    for (int i = 0; i < 50 && most <= 2; i++) {
        if (i > 0) {
            end(state);
            *state = fixture(&fileio_workload);
        }
        double now = overlap(*state);
        most = now > most ? now : most;
    }
    assert_true(most > 2);
}

/* With a rate a queue starts every planned event when it is planned, and learns
 * of its end before the next one is due, 50 ms later, whatever the number of
 * threads. */
static void a_rate_is_kept_with_a_queue(void **state)
{
    struct fixture *t = *state;
    SET(t->part, "file-io-mode", "async", "file-async-backlog", "8");
    bench_set(t->b, "threads", "3");
    bench_set(t->b, "rate", "20");
    bench_set(t->b, "rate-pace", "fixed");
    bench_set(t->b, "rate-drain", "on");
    bench_set(t->b, "time", "1.02");
    prepare(t);
    assert_int_equal(run(t, "rndrd", "0"), 0);
    assert_int_equal(events(t), 20);
    const struct snapshot *s = run_totals(&t->b->run);
    assert_int_equal(s->tally[t->b->run.service_latency].count, 20);
    assert_between(tally_percentile(&s->tally[LAT_EVENT], s->grid, 50) / 1e6, 0, 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define H(name) cmocka_unit_test_setup_teardown(name, begin_hand, end)
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
        H(reads_are_completed),
        H(writes_are_completed),
        H(a_read_at_the_end_is_an_error),
        H(the_rest_may_not_suit_direct_reads),
        H(a_write_on_a_full_disk_is_an_error),
        H(files_of_a_failed_run_go),
        H(errors_of_the_rest_are_told),
        H(errors_of_flushes_are_told),
        H(events_under_way_are_told),
        T(queued_latency_is_completion),
        T(a_rate_is_kept_with_a_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
