#include "unit.h"

#include "script/shared.h"

#include <stdatomic.h>
#include <time.h>

static void test_built_once(void **state)
{
    struct shared s;
    struct err e = {0};
    (void)state;
    shared_init(&s);
    assert_int_equal(shared_claim(&s, "a", &e), 1);
    assert_null(shared_find(&s, "a")); /* not before it is published */
    char *data = shared_make(&s, "a", 3, &e);
    assert_non_null(data);
    assert_memory_equal(data, "\0\0\0", 3);
    assert_null(shared_make(&s, "a", 3, &e)); /* once only */
    assert_err(&e, ERR_FAILED, "'a'", "not this thread's");
    shared_publish(&s, "a");
    assert_int_equal(shared_claim(&s, "a", &e), 0);
    assert_ptr_equal(shared_find(&s, "a")->data, data);
    assert_int_equal(shared_find(&s, "a")->size, 3);
    assert_null(shared_find(&s, "b"));
    shared_release(&s);
}

static void test_abandoned_and_built_again(void **state)
{
    struct shared s;
    struct err e = {0};
    (void)state;
    shared_init(&s);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(shared_claim(&s, "a", &e), 1);
        assert_non_null(shared_make(&s, "a", 10, &e));
        shared_abandon(&s, "a");
    }
    assert_int_equal(shared_claim(&s, "a", &e), 1);
    assert_int_equal(shared_claim(&s, "a", &e), -1);
    assert_err(&e, ERR_FAILED, "'a'", "asks for it itself");
    shared_release(&s);
}

static void test_no_memory(void **state)
{
    struct shared s;
    struct err e = {0};
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it ends a program that asks for too much */
#endif
    shared_init(&s);
    assert_int_equal(shared_claim(&s, "huge", &e), 1);
    assert_null(shared_make(&s, "huge", SIZE_MAX - 65536, &e));
    assert_err(&e, ERR_FAILED, "'huge'", "no memory");
    shared_release(&s);
}

struct asker {
    struct shared *s;
    _Atomic int *builders;
    int seen;
};

static void *ask(void *arg)
{
    struct asker *a = arg;
    struct err e = {0};
    if (shared_claim(a->s, "x", &e) == 1) {
        struct timespec t = {.tv_nsec = 20000000}; /* long enough for others to wait */
        atomic_fetch_add(a->builders, 1);
        int *data = shared_make(a->s, "x", sizeof *data, &e);
        nanosleep(&t, NULL);
        *data = 42;
        shared_publish(a->s, "x");
    }
    a->seen = *(const int *)shared_find(a->s, "x")->data;
    return NULL;
}

static void test_others_wait_for_the_builder(void **state)
{
    enum { THREADS = 8 };
    struct shared s;
    _Atomic int builders = 0;
    struct asker a[THREADS];
    pthread_t t[THREADS];
    (void)state;
    shared_init(&s);
    for (int i = 0; i < THREADS; i++) {
        a[i] = (struct asker){.s = &s, .builders = &builders};
        assert_int_equal(pthread_create(&t[i], NULL, ask, &a[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        assert_int_equal(a[i].seen, 42);
    }
    assert_int_equal(builders, 1);
    shared_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_once),
        cmocka_unit_test(test_abandoned_and_built_again),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_others_wait_for_the_builder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
