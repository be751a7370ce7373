#include "tree.h"

#include "env/affinity.h"
#include "env/cpus.h"

#include <pthread.h>
#include <sched.h>

/* "0 1 2": what a list means on this tree, or the text of the error. */
static char *read_list(const char *root, const char *text)
{
    struct affinity a;
    struct err e = {0};
    struct buf out = {0};
    if (affinity_init_at(&a, text, root, &e) != 0) {
        assert_int_not_equal(e.status, ERR_NONE);
        assert_null(a.cpu);
        return strdup(e.text);
    }
    for (size_t i = 0; i < a.count; i++)
        buf_printf(&out, i ? " %d" : "%d", a.cpu[i]);
    affinity_release(&a);
    char *copy = strdup(buf_text(&out));
    buf_release(&out);
    return copy;
}

static void expect(const char *root, const char *text, const char *cpus)
{
    char *got = read_list(root, text);
    assert_string_equal(got, cpus);
    free(got);
}

/* All of the words have to stand in the error, the option first of all. */
static void expect_refusal(const char *root, const char *text, const char *one, const char *two)
{
    char *got = read_list(root, text);
    if (!strstr(got, "--cpu-list") || !strstr(got, one) || !strstr(got, two))
        fail_msg("'%s' gave: %s", text, got);
    free(got);
}

static void test_numbers_and_ranges(void **state)
{
    tree_put_cpus(*state, "0-7\n", "0-7");
    expect(*state, "3", "3");
    expect(*state, "0-3,6", "0 1 2 3 6");
    expect(*state, "6,0-1", "6 0 1"); /* the order is the user's */
    expect(*state, "2,2", "2 2");
    expect(*state, "0-7:2", "0 2 4 6");
    expect(*state, "1-7:3", "1 4 7");
    expect(*state, "", "");
    expect(*state, NULL, "");
}

static void test_bad_items(void **state)
{
    tree_put_cpus(*state, "0-7\n", "0-7");
    expect_refusal(*state, "x", "'x'", "one-per-core");
    expect_refusal(*state, "0,", "''", "0-7");
    expect_refusal(*state, ",0", "''", "0-7");
    expect_refusal(*state, "0,,1", "''", "0-7");
    expect_refusal(*state, "1x", "'1x'", "range");
    expect_refusal(*state, "-1", "'-1'", "range");
    expect_refusal(*state, "0-", "'0-'", "range");
    expect_refusal(*state, " 1", "' 1'", "range");
    expect_refusal(*state, "0-3:", "'0-3:'", "range");
    expect_refusal(*state, "0-3:0", "'0-3:0'", "step of 0");
    expect_refusal(*state, "0:2", "'0:2'", "range");
    expect_refusal(*state, "3-1", "'3-1'", "backwards");
    expect_refusal(*state, "Big", "'Big'", "little");
}

static void test_unusable_cpus(void **state)
{
    tree_put_cpus(*state, "0-2,4-7\n", "0-1,5");
    expect(*state, "5,0", "5 0");
    expect_refusal(*state, "3", "CPU 3", "not online");
    expect_refusal(*state, "0-9", "CPU 2", "may not use");
    expect_refusal(*state, "9", "CPU 9", "0-1,5");
    expect_refusal(*state, "99999999999999999999", "beyond CPU 4095", "0-1,5");
}

static void test_one_per_core(void **state)
{
    static const char *const siblings[] = {"0,4", "1,5", "2,6", "3,7"};
    tree_put_cpus(*state, "0-7\n", "0-7");
    expect(*state, "one-per-core", "0 1 2 3 4 5 6 7"); /* nothing known: each is a core */
    for (int cpu = 0; cpu < 8; cpu++)
        tree_putn(*state, cpu, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                  siblings[cpu % 4]);
    expect(*state, "one-per-core", "0 1 2 3");
    tree_put_cpus(*state, "0-7\n", "1,4-7"); /* core 0 by its second thread */
    expect(*state, "one-per-core", "1 4 6 7");
}

static void test_kinds_by_capacity(void **state)
{
    tree_put_cpus(*state, "0-5\n", "0-5");
    expect_refusal(*state, "big", "'big'", "one kind only");
    tree_put_big_little(*state);
    expect(*state, "big", "4 5");
    expect(*state, "little", "0 1 2 3");
    expect(*state, "big,0", "4 5 0");
    tree_put_cpus(*state, "0-5\n", "1-2,5");
    expect(*state, "little", "1 2");
    expect(*state, "big", "5");
    tree_put_cpus(*state, "0-5\n", "0-3");
    expect_refusal(*state, "big", "'big'", "none of which");
}

static void put_policy(const char *root, int number, const char *members, const char *khz)
{
    tree_putn(root, number, "/sys/devices/system/cpu/cpufreq/policy%d/related_cpus", members);
    tree_putn(root, number, "/sys/devices/system/cpu/cpufreq/policy%d/cpuinfo_max_freq", khz);
}

static void test_kinds_by_frequency(void **state)
{
    tree_put_cpus(*state, "0-3\n", "0-3");
    put_policy(*state, 0, "0 1", "1416000");
    expect_refusal(*state, "little", "'little'", "one kind only"); /* two are unknown */
    put_policy(*state, 2, "2 3", "1400000");
    expect_refusal(*state, "little", "'little'", "one kind only"); /* too near each other */
    put_policy(*state, 2, "2 3", "1800000");
    expect(*state, "little", "0 1");
    expect(*state, "big", "2 3");
}

static void test_kinds_of_x86(void **state)
{
    tree_put_cpus(*state, "0-7\n", "0-7");
    tree_put(*state, "/sys/devices/cpu_core/cpus", "0-3\n");
    tree_put(*state, "/sys/devices/cpu_atom/cpus", "4-7\n");
    expect(*state, "big", "0 1 2 3");
    expect(*state, "little", "4 5 6 7");
}

static void test_no_tree(void **state)
{
    struct affinity a;
    struct err e = {0};
    assert_int_equal(affinity_init_at(&a, "0", *state, &e), -1);
    assert_int_equal(e.status, ERR_UNABLE);
}

static void test_pick(void **state)
{
    int list[] = {4, 5, 0};
    struct affinity a = {list, 3}, none = {0};
    (void)state;
    assert_int_equal(affinity_pick(&a, 0), 4);
    assert_int_equal(affinity_pick(&a, 2), 0);
    assert_int_equal(affinity_pick(&a, 3), 4);
    assert_int_equal(affinity_pick(&a, UINT32_MAX), 4);
    assert_int_equal(affinity_pick(&none, 7), -1);
}

struct binding {
    int cpu;              /* wanted */
    int idle, rc, beyond; /* what the three calls returned */
    cpu_set_t seen;
    int ran_on;
    struct err err;
};

/* Only notes what happens: a failed assertion would jump out of the thread. */
static void *bind_and_look(void *arg)
{
    struct binding *b = arg;
    b->idle = affinity_apply(-1, &b->err);
    b->rc = affinity_apply(b->cpu, &b->err);
    pthread_getaffinity_np(pthread_self(), sizeof b->seen, &b->seen);
    b->ran_on = sched_getcpu();
    b->beyond = affinity_apply(CPUS_MAX - 1, &b->err);
    return NULL;
}

/* On the real machine, in a thread of its own so that the others stay free. */
static void test_apply(void **state)
{
    struct cpus cpus;
    struct binding b = {0};
    pthread_t thread;
    (void)state;
    assert_int_equal(cpus_read(&cpus, ""), 0);
    while (!cpuset_has(&cpus.allowed, (unsigned)b.cpu))
        b.cpu++;
    assert_int_equal(pthread_create(&thread, NULL, bind_and_look, &b), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(b.idle, 0);
    assert_int_equal(b.rc, 0);
    assert_int_equal(CPU_COUNT(&b.seen), 1);
    assert_true(CPU_ISSET((unsigned)b.cpu, &b.seen));
    assert_int_equal(b.ran_on, b.cpu);
    assert_int_equal(b.beyond, -1);
    assert_err(&b.err, ERR_FAILED, "--cpu-list", "CPU 4095");
}

static void test_sets(void **state)
{
    struct cpuset s = {0};
    struct buf out = {0};
    (void)state;
    assert_int_equal(cpuset_parse(&s, "0-2,5, 7\t4095\n"), 0);
    assert_int_equal(cpuset_count(&s), 6);
    assert_true(cpuset_has(&s, 4095));
    assert_false(cpuset_has(&s, 4096));
    cpuset_print(&s, &out);
    assert_string_equal(buf_text(&out), "0-2,5,7,4095");
    buf_release(&out);
    assert_int_equal(cpuset_parse(&s, "4096"), -1);
    assert_int_equal(cpuset_parse(&s, "2-1"), -1);
    assert_int_equal(cpuset_parse(&s, "1;2"), -1);
}

#define WITH_TREE(f) cmocka_unit_test_setup_teardown(f, tree_make, tree_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_TREE(test_numbers_and_ranges), WITH_TREE(test_bad_items),
        WITH_TREE(test_unusable_cpus),      WITH_TREE(test_one_per_core),
        WITH_TREE(test_kinds_by_capacity),  WITH_TREE(test_kinds_by_frequency),
        WITH_TREE(test_kinds_of_x86),       WITH_TREE(test_no_tree),
        cmocka_unit_test(test_pick),        cmocka_unit_test(test_apply),
        cmocka_unit_test(test_sets),
    };
    return cmocka_run_group_tests_name("affinity", tests, NULL, NULL);
}
