/*
 * Time in nanoseconds since some fixed point, monotonic, from one of three
 * sources: a calibrated cycle counter (invariant TSC, CNTVCT_EL0), the system
 * call clock_gettime, or a number that a test moves by hand.
 *
 * A clock is written by clock_init and clock_calibrate before threads start and
 * only read afterwards, so it may be shared by any number of threads.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

enum clock_source { CLOCK_BY_SYSTEM, CLOCK_BY_CYCLES, CLOCK_BY_HAND };

struct clock {
    enum clock_source source;
    uint32_t shift; /* ns = cycles * mult >> shift */
    uint64_t mult;
    uint64_t base_cycles; /* both taken at the same moment */
    uint64_t base_ns;
    double cycles_per_s;    /* 0 unless the source is CLOCK_BY_CYCLES */
    const char *why;        /* why the counter is not used; NULL if it is */
    _Atomic uint64_t *hand; /* CLOCK_BY_HAND: the test's number, ns */
};

/* Starts with the best source that this machine has. A cycle counter is usable
 * after clock_calibrate; until then the clock reads the system's. */
void clock_init(struct clock *c);
/* Waits until at least span_ns have passed since clock_init, then fixes the
 * counter's frequency against CLOCK_MONOTONIC. No effect on other sources. */
void clock_calibrate(struct clock *c, uint64_t span_ns);
/* A clock that shows *hand. The number stays the test's. */
void clock_init_by_hand(struct clock *c, _Atomic uint64_t *hand);
/* "tsc", "cntvct", "clock_gettime" or "hand". */
const char *clock_name(const struct clock *c);

/* What the system's clock shows; 0: it cannot be read, though it was tried again. */
uint64_t clock_system_again(void);
static inline uint64_t clock_system_ns(void)
{
    struct timespec t;
    if (__builtin_expect(clock_gettime(CLOCK_MONOTONIC, &t) != 0, 0))
        return clock_system_again();
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_cycles(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
}

static inline uint64_t clock_now(const struct clock *c)
{
#if defined(__SIZEOF_INT128__)
    if (__builtin_expect(c->source == CLOCK_BY_CYCLES, 1))
        return c->base_ns +
               (uint64_t)((unsigned __int128)(clock_cycles() - c->base_cycles) * c->mult >>
                          c->shift);
#endif
    if (c->source == CLOCK_BY_HAND)
        return atomic_load_explicit(c->hand, memory_order_relaxed);
    return clock_system_ns();
}

#endif
