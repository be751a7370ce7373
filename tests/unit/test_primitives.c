/* What every primitive owes to the engine, asked of each in the list; then the
 * work of each one's event. */
#include "bench.h"

#include "primitive/cpu.h"
#include "primitive/locks.h"
#include "primitive/kernel/memory.h"
#include "primitive/list.h"
#include "primitive/memory.h"
#include "run/worker.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

/* The same source as the measured loop, with each division counted. */
static uint64_t divisions;
#define REMAINDER(c, l) (divisions++, (c) % (l))
#define kernel_primes_64 counted_primes_64
#define kernel_primes_32 counted_primes_32
#include "primitive/kernel/cpu.c" // NOLINT(bugprone-suspicious-include)
#undef kernel_primes_64
#undef kernel_primes_32
uint64_t kernel_primes_64(uint64_t max);
uint64_t kernel_primes_32(uint32_t max);

/* --- the contract ----------------------------------------------------------------- */

static bool plain_name(const char *name)
{
    return name && *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")] == '\0';
}

static bool is_text(const char *text)
{
    return text && *text;
}

static void test_names(void **state)
{
    unsigned n = 0;
    (void)state;
    for (const struct workload *const *w = primitive_list; *w; w++, n++) {
        assert_true(plain_name((*w)->name));
        assert_true(is_text((*w)->title));
        assert_true(is_text((*w)->summary));
        assert_true((*w)->unavailable == NULL || is_text((*w)->unavailable));
        assert_true((*w)->unavailable || (*w)->step || (*w)->loop);
        /* Found by its name, so no other has it. */
        assert_ptr_equal(primitive_find((*w)->name), *w);
    }
    assert_true(n >= 6);
    assert_null(primitive_find("cp"));
    assert_null(primitive_find(""));
}

static void check_row(const struct workload *w, const struct option *o)
{
    if (!plain_name(o->name) || !is_text(o->help) || o->help[strlen(o->help) - 1] == '.')
        fail_msg("%s: option '%s' has no proper name or help", w->name, o->name);
    if ((o->type == OPT_CHOICE || o->type == OPT_FLAGS) && !o->choices)
        fail_msg("%s: option '%s' has no choices", w->name, o->name);
    for (int i = 0; o->choices && o->choices[i]; i++)
        if (!strstr(o->help, o->choices[i]))
            fail_msg("%s: the help of '%s' does not name %s", w->name, o->name, o->choices[i]);
    if (o->at >= w->options_size)
        fail_msg("%s: option '%s' lies outside of the struct", w->name, o->name);
}

/* part_init sends each default through the user's parser, within its bounds;
 * what it shows is read again and gives the same. */
static void check_defaults(const struct workload *w)
{
    struct part p;
    struct err e = {0};
    if (part_init(&p, w, &e) != 0)
        fail_msg("%s: %s", w->name, e.text);
    for (size_t i = 0; i < p.set.count; i++) {
        struct buf first = {0}, again = {0};
        optset_text(&p.set, i, &first);
        if (w->options[i].fallback &&
            optset_set(&p.set, i, buf_text(&first), OPT_BY_USER, OPT_STRICT, &e) != 0)
            fail_msg("%s: %s", w->name, e.text);
        optset_text(&p.set, i, &again);
        assert_string_equal(buf_text(&first), buf_text(&again));
        buf_release(&first);
        buf_release(&again);
    }
    part_release(&p);
}

static void test_options(void **state)
{
    unsigned rows = 0;
    (void)state;
    for (const struct workload *const *w = primitive_list; *w; w++) {
        for (const struct option *o = (*w)->options; o && o->name; o++, rows++)
            check_row(*w, o);
        check_defaults(*w);
    }
    assert_true(rows > 20);
}

/* One command line serves several primitives and the general options. */
static void test_option_names_are_unique(void **state)
{
    struct general_options g;
    struct err e = {0};
    size_t row;
    (void)state;
    assert_int_equal(general_init(&g, &e), 0);
    for (const struct workload *const *a = primitive_list; *a; a++)
        for (const struct option *o = (*a)->options; o && o->name; o++) {
            if (general_find(&g, o->name, &row))
                fail_msg("--%s of %s is a general option as well", o->name, (*a)->name);
            for (const struct workload *const *b = a; *b; b++)
                for (const struct option *other = (*b)->options; other && other->name; other++)
                    if (other != o && opt_same_name(o->name, other->name))
                        fail_msg("--%s is in %s and %s", o->name, (*a)->name, (*b)->name);
        }
    general_release(&g);
}

static void test_metrics(void **state)
{
    (void)state;
    for (const struct workload *const *w = primitive_list; *w; w++) {
        if ((*w)->unavailable)
            continue;
        assert_non_null((*w)->metrics);
        assert_true(is_text((*w)->metrics[0].name));
        for (const struct metric *m = (*w)->metrics; m->name; m++) {
            assert_true(plain_name(m->name));
            assert_true(is_text(m->unit));
            assert_non_null(m->value);
            for (const struct metric *other = m + 1; other->name; other++)
                assert_string_not_equal(m->name, other->name);
        }
    }
}

/* --- a run of each -------------------------------------------------------------------- */

static void part_set(struct bench *b, const char *name, const char *text)
{
    int row = optset_find(&b->part[0].set, name);
    if (row < 0 ||
        optset_set(&b->part[0].set, (size_t)row, text, OPT_BY_USER, OPT_STRICT, &b->err) != 0)
        fail_msg("--%s=%s: %s", name, text, b->err.text);
}

/* Small amounts of each one's work. What is not here runs with its defaults. */
static const struct {
    const char *primitive, *option, *value;
} small[] = {
    {"cpu", "cpu-max-prime", "100"},       {"memory", "memory-total-size", "20K"},
    {"threads", "thread-yields", "3"},     {"mutex", "mutex-locks", "50"},
    {"mutex", "mutex-loops", "5"},         {"fileio", "file-num", "2"},
    {"fileio", "file-total-size", "32K"},  {"fileio", "file-block-size", "4K"},
    {"fileio", "file-test-mode", "rndrw"}, {"fileio", "file-fsync-freq", "5"},
};

static void make_small(struct bench *b, const char *name)
{
    for (size_t i = 0; i < LENGTH(small); i++)
        if (strcmp(small[i].primitive, name) == 0)
            part_set(b, small[i].option, small[i].value);
}

static struct bench *small_bench(const struct workload *w, const char *dir)
{
    struct bench *b = bench_in_time(w);
    b->log.out = b->log.serious = STDERR_FILENO; /* the TAP is on standard output */
    b->log.verbosity = LOG_FATAL;
    bench_set(b, "threads", "2");
    bench_set(b, "events", "20");
    bench_set(b, "time", "20"); /* never reached; a hang ends there */
    make_small(b, w->name);
    for (size_t i = 0; i < b->part[0].set.count; i++) {
        const char *name = w->options[i].name;
        if (strcmp(name + strlen(name) - 4, "-dir") == 0)
            part_set(b, name, dir);
    }
    return b;
}

static void check_result(struct bench *b)
{
    const struct workload *w = b->part[0].workload;
    const struct tally *t = &run_totals(&b->run)->tally[LAT_EVENT];
    /* memory has its own work, 20 blocks; mutex one event for each thread. */
    assert_int_equal(t->count, strcmp(w->name, "mutex") == 0 ? 2 : 20);
    assert_true(t->sum_ns > 0);
    assert_true(t->min_ns <= t->max_ns && t->max_ns > 0);
    assert_true(run_complete(&b->run));
    struct figures f = {.in = run_totals(&b->run),
                        .seconds = run_seconds(&b->run),
                        .total_s = run_seconds(&b->run),
                        .general = &b->g.values,
                        .part = &b->part[0],
                        .run = &b->run};
    double sum = 0;
    for (const struct metric *m = w->metrics; m->name; m++) {
        if (!(m->value(&f) >= 0 && m->value(&f) < 1e18))
            fail_msg("%s: %s is %g", w->name, m->name, m->value(&f));
        sum += m->value(&f);
    }
    assert_true(sum > 0);
}

static unsigned entries(const char *dir)
{
    unsigned n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(d);
    return n;
}

static void run_once(const struct workload *w, const char *dir)
{
    struct bench *b = small_bench(w, dir);
    struct part *p = &b->part[0];
    const struct general *g = &b->g.values;
    int rc = general_finish(&b->g, &b->err);
    if (rc == 0 && w->check)
        rc = w->check(p, g, &b->err);
    if (rc == 0 && w->prepare)
        rc = w->prepare(p, g, &b->log, &b->err);
    bench_begin(b, 0);
    if (rc == 0)
        rc = run_go(&b->run, &b->err);
    if (w->cleanup && w->cleanup(p, g, &b->log, &b->err) != 0)
        rc = -1;
    if (rc != 0)
        fail_msg("%s: %s", w->name, b->err.text);
    check_result(b);
    bench_free(b);
}

static void test_each_runs(void **state)
{
    char dir[] = "/tmp/test_primitives.XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(dir));
    for (const struct workload *const *w = primitive_list; *w; w++) {
        if ((*w)->unavailable)
            continue;
        run_once(*w, dir);
        run_once(*w, dir); /* what the first run left behind would show */
        assert_int_equal(entries(dir), 0);
    }
    assert_int_equal(rmdir(dir), 0);
}

/* --- cpu ---------------------------------------------------------------------------------- */

static void test_cpu_does_the_work_of_sysbench(void **state)
{
    static const struct {
        uint32_t max;
        uint64_t divisions, primes;
    } known[] = {{10, 7, 3},
                 {100, 235, 24},
                 {1000, 5287, 167},
                 {10000, 117526, 1228},
                 {20000, 301275, 2261},
                 {100000, 2745693, 9591}};
    (void)state;
    for (size_t i = 0; i < LENGTH(known); i++) {
        divisions = 0;
        assert_int_equal(counted_primes_64(known[i].max), known[i].primes);
        assert_int_equal(divisions, known[i].divisions);
        divisions = 0;
        assert_int_equal(counted_primes_32(known[i].max), known[i].primes);
        assert_int_equal(divisions, known[i].divisions);
        /* The loops that are measured come to the same. */
        assert_int_equal(kernel_primes_64(known[i].max), known[i].primes);
        assert_int_equal(kernel_primes_32(known[i].max), known[i].primes);
    }
}

static void test_cpu_of_nothing(void **state)
{
    (void)state;
    for (uint32_t max = 0; max <= 3; max++) {
        assert_int_equal(kernel_primes_64(max), 0);
        assert_int_equal(kernel_primes_32(max), 0);
    }
    assert_int_equal(kernel_primes_64(4), 1);
}

static void test_cpu_result_is_counted(void **state)
{
    struct bench *b = small_bench(primitive_find("cpu"), "");
    (void)state;
    bench_begin(b, 0);
    assert_int_equal(run_go(&b->run, &b->err), 0);
    int slot = run_counter(&b->run, "primes");
    assert_true(slot >= CNT_NAMED);
    assert_int_equal(run_totals(&b->run)->counter[slot], 20 * 24);
    bench_free(b);
}

/* --- memory ------------------------------------------------------------------------------- */

#define WORDS 64

static struct rng seeded(unsigned seed)
{
    struct rng_seeder seeds;
    struct rng r;
    rng_seeder_init(&seeds, seed);
    rng_init(&r, &seeds);
    return r;
}

/* A word on each side shows what goes beyond the block. */
static void test_memory_seq_write(void **state)
{
    size_t block[WORDS + 2];
    struct rng rng = seeded(1), before = rng;
    (void)state;
    memset(block, 0xff, sizeof block);
    kernel_write_seq(block + 1, WORDS, &rng);
    for (size_t i = 0; i < WORDS; i++)
        assert_int_equal(block[1 + i], WORDS - i); /* the words that remain */
    assert_int_equal(block[0], SIZE_MAX);
    assert_int_equal(block[WORDS + 1], SIZE_MAX);
    assert_memory_equal(&rng, &before, sizeof rng); /* sequential: nothing is drawn */
}

/* A place for each word, all drawn from the worker's numbers, in order. */
static void test_memory_rnd_write(void **state)
{
    size_t block[WORDS + 2], expected[WORDS + 2];
    struct rng rng = seeded(7), same = rng;
    (void)state;
    memset(block, 0xff, sizeof block);
    memset(expected, 0xff, sizeof expected);
    for (size_t i = 0; i < WORDS; i++)
        expected[1 + rng_below(&same, WORDS)] = i;
    kernel_write_rnd(block + 1, WORDS, &rng);
    assert_memory_equal(block, expected, sizeof block);
    assert_memory_equal(&rng, &same, sizeof rng);
}

static void test_memory_rnd_write_reaches_every_word(void **state)
{
    size_t block[WORDS];
    struct rng rng = seeded(3);
    (void)state;
    memset(block, 0xff, sizeof block);
    for (int pass = 0; pass < 40; pass++) /* a word is missed with a chance of e^-40 */
        kernel_write_rnd(block, WORDS, &rng);
    for (size_t i = 0; i < WORDS; i++)
        assert_int_not_equal(block[i], SIZE_MAX);
}

static void test_memory_reads_change_nothing(void **state)
{
    static kernel_memory_pass *const passes[] = {kernel_read_seq, kernel_read_rnd, kernel_none_seq,
                                                 kernel_none_rnd};
    static const bool draws[] = {false, true, false, true};
    size_t block[WORDS], before[WORDS];
    (void)state;
    memset(block, 0x5a, sizeof block);
    memcpy(before, block, sizeof block);
    for (size_t i = 0; i < LENGTH(passes); i++) {
        struct rng rng = seeded(5), drawn = rng;
        for (size_t k = 0; draws[i] && k < WORDS; k++)
            rng_next(&drawn);
        passes[i](block, WORDS, &rng);
        assert_memory_equal(block, before, sizeof block);
        assert_memory_equal(&rng, &drawn, sizeof rng);
    }
}

/* Events of each worker for a total of so many bytes in blocks of 1 KiB. */
static void memory_shares(const char *threads, const char *total, const uint64_t expected[3])
{
    struct bench *b = small_bench(&memory_workload, "");
    part_set(b, "memory-total-size", total);
    bench_set(b, "threads", threads);
    bench_begin(b, 0);
    assert_int_equal(run_go(&b->run, &b->err), 0);
    for (unsigned i = 0; i < 3 && i < b->run.worker_count; i++)
        assert_int_equal(stats_events(b->run.workers[i].main_stats), expected[i]);
    assert_string_equal(run_limit_name(&b->run), "work");
    bench_free(b);
}

static void test_memory_deals_out_the_remainder(void **state)
{
    (void)state;
    memory_shares("3", "10K", (const uint64_t[3]){4, 3, 3});
    memory_shares("3", "11K", (const uint64_t[3]){4, 4, 3});
    memory_shares("2", "1K", (const uint64_t[3]){1, 0});
    memory_shares("2", "4607", (const uint64_t[3]){2, 2}); /* the rest is below one block */
}

static void test_memory_counts_bytes(void **state)
{
    static const struct {
        const char *oper;
        uint64_t read, written;
    } known[] = {{"write", 0, 20 * 1024}, {"read", 20 * 1024, 0}, {"none", 0, 0}};
    (void)state;
    for (size_t i = 0; i < LENGTH(known); i++) {
        struct bench *b = small_bench(&memory_workload, "");
        part_set(b, "memory-oper", known[i].oper);
        part_set(b, "memory-scope", i % 2 ? "local" : "global");
        bench_begin(b, 0);
        assert_int_equal(run_go(&b->run, &b->err), 0);
        const struct snapshot *s = run_totals(&b->run);
        assert_int_equal(s->counter[CNT_BYTES_READ], known[i].read);
        assert_int_equal(s->counter[CNT_BYTES_WRITTEN], known[i].written);
        bench_free(b);
    }
}

static void test_memory_refuses_odd_blocks(void **state)
{
    static const char *const odd[] = {"1000", "12", "3K", "9", "5"};
    (void)state;
    for (size_t i = 0; i < LENGTH(odd); i++) {
        struct bench *b = small_bench(&memory_workload, "");
        part_set(b, "memory-block-size", odd[i]);
        assert_int_equal(memory_workload.check(&b->part[0], &b->g.values, &b->err), -1);
        assert_err(&b->err, ERR_FAILED, "memory-block-size", "power of two",
                   sizeof(size_t) == 8 ? "8" : "4");
        bench_begin(b, 0);
        bench_free(b);
    }
}

static void test_memory_needs_a_block(void **state)
{
    static const char *const small[] = {"3", "1", "0"};
    (void)state;
    for (size_t i = 0; i < LENGTH(small); i++) {
        struct err e = {0};
        struct part p;
        assert_int_equal(part_init(&p, &memory_workload, &e), 0);
        size_t row = (size_t)optset_find(&p.set, "memory-block-size");
        assert_int_equal(optset_set(&p.set, row, small[i], OPT_BY_USER, OPT_STRICT, &e), -1);
        assert_err(&e, ERR_FAILED, "memory-block-size", small[i]);
        part_release(&p);
    }
}

/* Any multiple of 4, and no random places for nothing. */
static void test_memory_of_0_4(void **state)
{
    static const struct {
        const char *size, *access;
        int rc;
    } cases[] = {{"4", "seq", 0},  {"12", "rnd", 0}, {"1000", "seq", 0},
                 {"6", "seq", -1}, {"5", "seq", -1}, {"1001", "rnd", -1}};
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct bench *b = small_bench(&memory_workload, "");
        b->g.values.compat = COMPAT_0_4;
        part_set(b, "memory-block-size", cases[i].size);
        part_set(b, "memory-access-mode", cases[i].access);
        assert_int_equal(memory_workload.check(&b->part[0], &b->g.values, &b->err), cases[i].rc);
        part_set(b, "memory-oper", "none");
        err_clear(&b->err);
        int rc = strcmp(cases[i].access, "rnd") == 0 ? -1 : cases[i].rc;
        assert_int_equal(memory_workload.check(&b->part[0], &b->g.values, &b->err), rc);
        bench_begin(b, 0);
        bench_free(b);
    }
}

/* --- mutex --------------------------------------------------------------------------------- */

static void test_mutex_is_one_event_of_each_thread(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 3; n++) {
        struct bench *b = small_bench(primitive_find("mutex"), "");
        char threads[8];
        snprintf(threads, sizeof threads, "%u", n);
        bench_set(b, "threads", threads);
        bench_set(b, "events", "0");
        bench_begin(b, 0);
        assert_int_equal(run_go(&b->run, &b->err), 0);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(stats_events(b->run.workers[i].main_stats), 1);
        assert_string_equal(run_limit_name(&b->run), "work");
        bench_free(b);
    }
}

static void *add_often(void *arg)
{
    struct spaced_lock *lock = ((void **)arg)[0];
    for (int i = 0; i < 10000; i++)
        kernel_lock_add(lock, ((void **)arg)[1]);
    return NULL;
}

/* With one mutex the addition is protected: none gets lost. */
static void test_mutex_adds_under_the_lock(void **state)
{
    struct spaced_lock lock = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    _Atomic uint64_t sum = 0;
    void *arg[] = {&lock, &sum};
    pthread_t thread[2] = {0};
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, add_often, arg), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(sum, 20000);
    assert_int_equal(pthread_mutex_trylock(&lock.mutex), 0); /* and it was given back */
}

/* --- threads -------------------------------------------------------------------------------- */

struct waiting {
    struct bench *b;
    _Atomic bool done;
};

static void *one_step(void *arg)
{
    struct waiting *x = arg;
    struct part *p = &x->b->part[0];
    if (p->workload->step(x->b->run.workers, p) == STEP_DONE)
        atomic_store(&x->done, true);
    return NULL;
}

static void nap(void)
{
    usleep(20000);
}

/* Turn by turn: with one lock held from outside, the event whose turn it is
 * waits for it, and those before it do not. */
static void test_threads_take_the_locks_in_turn(void **state)
{
    struct bench *b = small_bench(primitive_find("threads"), "");
    struct part *p = &b->part[0];
    (void)state;
    part_set(b, "thread-locks", "3");
    bench_begin(b, 0);
    assert_int_equal(p->workload->begin(p, &b->run, &b->err), 0);
    b->run.end_ns = UINT64_MAX;
    struct lock_set *v = p->shared;
    for (unsigned held = 0; held < 6; held++) {
        struct waiting x = {.b = b};
        pthread_t thread;
        pthread_mutex_lock(&v->lock[held % 3].mutex);
        pthread_create(&thread, NULL, one_step, &x);
        nap();
        assert_false(atomic_load(&x.done));
        pthread_mutex_unlock(&v->lock[held % 3].mutex);
        pthread_join(thread, NULL);
        assert_true(atomic_load(&x.done));
        assert_int_equal(v->count, held + 1);
    }
    /* The turn is at lock 0 again: the others may be held. */
    pthread_mutex_lock(&v->lock[1].mutex);
    pthread_mutex_lock(&v->lock[2].mutex);
    assert_int_equal(p->workload->step(b->run.workers, p), STEP_DONE);
    pthread_mutex_unlock(&v->lock[1].mutex);
    pthread_mutex_unlock(&v->lock[2].mutex);
    p->workload->end(p, &b->run);
    bench_free(b);
}

/* Between rounds, --time ends an event that would take for ever. */
static void cut_short(const char *name, const char *option, const char *value)
{
    struct bench *b = small_bench(primitive_find(name), "");
    part_set(b, option, value);
    bench_set(b, "time", "0.2");
    bench_set(b, "hard-stop", "50");
    bench_set(b, "events", "0");
    bench_begin(b, 0);
    assert_int_equal(run_go(&b->run, &b->err), 0);
    assert_true(run_seconds(&b->run) < 50);
    assert_int_equal(b->run.hung_count, 0);
    assert_string_equal(run_limit_name(&b->run), "time");
    assert_int_equal(snapshot_events(run_totals(&b->run)), 0);
    bench_free(b);
}

static void test_time_ends_endless_events(void **state)
{
    (void)state;
    cut_short("threads", "thread-yields", "2147483647");
    cut_short("mutex", "mutex-locks", "2147483647");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_option_names_are_unique),
        cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_each_runs),
        cmocka_unit_test(test_cpu_does_the_work_of_sysbench),
        cmocka_unit_test(test_cpu_of_nothing),
        cmocka_unit_test(test_cpu_result_is_counted),
        cmocka_unit_test(test_memory_seq_write),
        cmocka_unit_test(test_memory_rnd_write),
        cmocka_unit_test(test_memory_rnd_write_reaches_every_word),
        cmocka_unit_test(test_memory_reads_change_nothing),
        cmocka_unit_test(test_memory_deals_out_the_remainder),
        cmocka_unit_test(test_memory_counts_bytes),
        cmocka_unit_test(test_memory_refuses_odd_blocks),
        cmocka_unit_test(test_memory_needs_a_block),
        cmocka_unit_test(test_memory_of_0_4),
        cmocka_unit_test(test_mutex_is_one_event_of_each_thread),
        cmocka_unit_test(test_mutex_adds_under_the_lock),
        cmocka_unit_test(test_threads_take_the_locks_in_turn),
        cmocka_unit_test(test_time_ends_endless_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
