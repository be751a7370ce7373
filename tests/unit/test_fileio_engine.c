/* Each I/O engine by itself: what is written is what is read, errors come back
 * as errors, and a queue holds as many requests as it was made for. */
#include "fileio_set.h"

#include "primitive/fileio/engine.h"

#include <errno.h>
#include <sys/mman.h>

#define BLOCK 16384
#define DEPTH 16

static int begin(void **state)
{
    if (set_begin(state) != 0)
        return -1;
    struct set_test *t = *state;
    SET(&t->part, "file-num", "2", "file-total-size", "1M");
    if (files_prepare(t->part.options, false, &t->log, &t->err) != 0 ||
        file_set_init(&t->set, t->part.options, &t->err) != 0)
        return -1;
    return file_set_open(&t->set, USE_CHANGE, false, &t->err);
}

static struct request request(enum request_kind kind, uint32_t file, uint64_t offset)
{
    return (struct request){
        .kind = kind, .file = file, .offset = offset, .size = kind == REQUEST_FSYNC ? 0 : BLOCK};
}

/* --- engines that wait ------------------------------------------------------------------ */

static void waits(struct set_test *t, const struct io_engine *engine)
{
    unsigned char out[BLOCK], in[BLOCK];
    struct request w = request(REQUEST_WRITE, 1, 3 * BLOCK),
                   r = request(REQUEST_READ, 1, 3 * BLOCK);
    memset(out, 0x5a, sizeof out);
    memset(in, 0, sizeof in);
    if (engine->begin)
        assert_int_equal(engine->begin(&t->set, true, &t->err), 0);
    assert_int_equal(engine->transfer(&t->set, &w, out), 0);
    assert_int_equal(engine->flush(&t->set, 1, false), 0);
    assert_int_equal(engine->flush(&t->set, 0, true), 0);
    assert_int_equal(engine->transfer(&t->set, &r, in), 0);
    assert_memory_equal(in, out, BLOCK);
    if (engine->end)
        engine->end(&t->set);
    set_read(t->folder, "test_file.1", in, BLOCK, 3 * BLOCK);
    assert_memory_equal(in, out, BLOCK);
}

static void sync_works(void **state)
{
    waits(*state, &io_sync);
}

static void mmap_works(void **state)
{
    waits(*state, &io_mmap);
}

static void sync_tells_the_end(void **state)
{
    struct set_test *t = *state;
    unsigned char in[BLOCK];
    struct request r = request(REQUEST_READ, 0, 512 * 1024 - 100);
    assert_int_equal(io_sync.transfer(&t->set, &r, in), -1);
    assert_int_equal(errno, ENODATA);
}

/* Every page that a copy may touch is there before the first request. */
static void mmap_reserves_what_it_writes(void **state)
{
    struct set_test *t = *state;
    struct stat st;
    assert_int_equal(ftruncate(t->set.file[0].fd, 0), 0);
    assert_int_equal(io_mmap.begin(&t->set, true, &t->err), 0);
    assert_int_equal(fstat(t->set.file[0].fd, &st), 0);
    assert_int_equal(st.st_size, 512 * 1024);
    io_mmap.end(&t->set);
}

static void mmap_refuses_short_files(void **state)
{
    struct set_test *t = *state;
    assert_int_equal(ftruncate(t->set.file[1].fd, 100), 0);
    assert_int_equal(io_mmap.begin(&t->set, false, &t->err), -1);
    assert_err(&t->err, ERR_FAILED, "test_file.1");
    io_mmap.end(&t->set);
}

/* Touching what was cut off is an error of that request, each time, and no end of
 * the process. */
static void mmap_survives_shortened_files(void **state)
{
    struct set_test *t = *state;
    unsigned char data[BLOCK] = {0};
    struct request w = request(REQUEST_WRITE, 1, 4 * BLOCK),
                   r = request(REQUEST_READ, 1, 4 * BLOCK), before = request(REQUEST_READ, 1, 0);
    assert_int_equal(io_mmap.begin(&t->set, true, &t->err), 0);
    assert_int_equal(ftruncate(t->set.file[1].fd, 2 * BLOCK), 0);
    for (int i = 0; i < 3; i++) {
        errno = 0;
        assert_int_equal(io_mmap.transfer(&t->set, &r, data), -1);
        assert_int_equal(errno, ENODATA);
        assert_int_equal(io_mmap.transfer(&t->set, &before, data), 0);
        assert_int_equal(io_mmap.transfer(&t->set, &w, data), -1);
        assert_int_equal(errno, ENODATA);
    }
    io_mmap.end(&t->set);
}

/* --- engines with a queue ------------------------------------------------------------------ */

/* Submits all that was put and fetches it. result[slot] is filled. */
static void carry_out(const struct io_engine *engine, void *queue, unsigned n, int64_t *result)
{
    struct io_done done[DEPTH];
    unsigned submitted = 0, fetched = 0;
    while (submitted < n) {
        int k = engine->submit(queue);
        assert_true(k > 0);
        submitted += (unsigned)k;
    }
    while (fetched < n) {
        int k = engine->reap(queue, 1, -1, done, DEPTH);
        assert_true(k > 0);
        for (int i = 0; i < k; i++)
            result[done[i].slot] = done[i].result;
        fetched += (unsigned)k;
    }
}

static void queues(struct set_test *t, const struct io_engine *engine)
{
    static unsigned char out[DEPTH][BLOCK], in[DEPTH][BLOCK];
    int64_t result[DEPTH];
    if (engine->unavailable || engine->begin(&t->set, true, &t->err) != 0) {
        print_message("skipped: %s\n", engine->unavailable ? engine->unavailable : t->err.text);
        skip();
    }
    void *queue = engine->open(DEPTH, &t->err);
    assert_non_null(queue);
    for (unsigned i = 0; i < DEPTH; i++) {
        struct request q = request(REQUEST_WRITE, i % 2, (uint64_t)i * BLOCK);
        memset(out[i], (int)i + 1, BLOCK);
        engine->put(queue, i, t->set.file[i % 2].fd, &q, out[i], false);
    }
    carry_out(engine, queue, DEPTH, result);
    for (unsigned i = 0; i < DEPTH; i++)
        assert_int_equal(result[i], BLOCK);
    for (unsigned i = 0; i < DEPTH - 2; i++) {
        struct request q = request(REQUEST_READ, i % 2, (uint64_t)i * BLOCK);
        engine->put(queue, i, t->set.file[i % 2].fd, &q, in[i], false);
    }
    for (unsigned i = DEPTH - 2; i < DEPTH; i++) {
        struct request q = request(REQUEST_FSYNC, i % 2, 0);
        engine->put(queue, i, t->set.file[i % 2].fd, &q, NULL, i % 2 != 0);
    }
    carry_out(engine, queue, DEPTH, result);
    for (unsigned i = 0; i < DEPTH - 2; i++) {
        assert_int_equal(result[i], BLOCK);
        assert_memory_equal(in[i], out[i], BLOCK);
    }
    assert_int_equal(result[DEPTH - 2], 0);
    assert_int_equal(result[DEPTH - 1], 0);
    /* nothing is on its way: no waiting beyond the time given */
    struct io_done none[1];
    assert_int_equal(engine->reap(queue, 1, 1000000, none, 1), 0);
    assert_int_equal(engine->reap(queue, 1, 0, none, 1), 0);
    engine->close(queue);
}

static void async_works(void **state)
{
    queues(*state, &io_async);
}

static void uring_works(void **state)
{
    queues(*state, &io_uring_engine);
}

static void errors_come_back(struct set_test *t, const struct io_engine *engine)
{
    static unsigned char in[BLOCK];
    struct request q = request(REQUEST_READ, 0, 0), beyond = request(REQUEST_READ, 0, 1 << 30);
    struct io_done done[2];
    int64_t result[2] = {0};
    if (engine->unavailable || engine->begin(&t->set, true, &t->err) != 0)
        skip();
    void *queue = engine->open(2, &t->err);
    assert_non_null(queue);
    engine->put(queue, 0, t->set.file[0].fd, &beyond, in, false);
    carry_out(engine, queue, 1, result);
    assert_int_equal(result[0], 0); /* the end of the file */
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    engine->put(queue, 1, pipes[1], &q, in, false); /* its writing end cannot be read */
    int n = engine->submit(queue);
    if (n == 1)
        n = engine->reap(queue, 1, -1, done, 2) == 1 ? (int)done[0].result : 0;
    assert_true(n < 0);
    close(pipes[0]);
    close(pipes[1]);
    engine->close(queue);
}

static void async_errors(void **state)
{
    errors_come_back(*state, &io_async);
}

static void uring_errors(void **state)
{
    errors_come_back(*state, &io_uring_engine);
}

static void names_are_found(void **state)
{
    (void)state;
    assert_ptr_equal(engine_of(IO_SYNC), &io_sync);
    assert_ptr_equal(engine_of(IO_ASYNC), &io_async);
    assert_ptr_equal(engine_of(IO_MMAP), &io_mmap);
    assert_ptr_equal(engine_of(IO_URING), &io_uring_engine);
    for (int i = 0; i < IO_N; i++) {
        const struct io_engine *engine = engine_of(i);
        if (engine->unavailable)
            continue;
        assert_non_null(engine->flush);
        assert_true(engine_queues(engine) == (engine->transfer == NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, set_end)
        T(sync_works),
        T(mmap_works),
        T(sync_tells_the_end),
        T(mmap_reserves_what_it_writes),
        T(mmap_refuses_short_files),
        T(mmap_survives_shortened_files),
        T(async_works),
        T(uring_works),
        T(async_errors),
        T(uring_errors),
        cmocka_unit_test(names_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
