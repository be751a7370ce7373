#include "base/clock.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)
/* CPUID 80000007h EDX bit 8: the counter runs at one rate in all power states. */
static int has_invariant_tsc(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

/* The kernel watches the counters of all cores; where it found them to drift
 * it no longer lists the tsc, and then it is no clock for us either. */
static int kernel_trusts_tsc(void)
{
    char line[256] = "";
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "re");
    if (!f)
        return 1;
    if (!fgets(line, sizeof line, f))
        line[0] = '\0';
    fclose(f);
    return line[0] == '\0' || strstr(line, "tsc") != NULL;
}
#endif

static const char *counter_refused(void)
{
#if defined(__x86_64__)
    if (!has_invariant_tsc())
        return "the processor has no invariant TSC";
    if (!kernel_trusts_tsc())
        return "the kernel does not list tsc as a clock source";
    return NULL;
#elif defined(__aarch64__)
    return NULL;
#else
    return "no cycle counter is used on this architecture";
#endif
}

uint64_t clock_system_again(void)
{
    struct timespec t;
    for (int i = 0; i < 3; i++)
        if (clock_gettime(CLOCK_MONOTONIC, &t) == 0)
            return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
    return 0;
}

/* Cycles and system time at one moment; both 0 if the system's clock fails. Of several tries the
 * one with the fewest cycles between the two readings is taken, so that an interruption between
 * them does not count. */
static void read_both(uint64_t *cycles, uint64_t *ns)
{
    uint64_t best = UINT64_MAX;
    *cycles = *ns = 0;
    for (int i = 0; i < 5; i++) {
        uint64_t before = clock_cycles();
        uint64_t now = clock_system_ns();
        uint64_t after = clock_cycles();
        if (now == 0 || after - before >= best)
            continue;
        best = after - before;
        *cycles = before + (after - before) / 2;
        *ns = now;
    }
}

void clock_init(struct clock *c)
{
    *c = (struct clock){.source = CLOCK_BY_SYSTEM};
    c->why = counter_refused();
    if (!c->why)
        read_both(&c->base_cycles, &c->base_ns);
}

void clock_calibrate(struct clock *c, uint64_t span_ns)
{
    if (c->why || c->source != CLOCK_BY_SYSTEM)
        return;
    uint64_t cycles, ns;
    while (c->base_ns && clock_system_ns() - c->base_ns < span_ns)
        ;
    read_both(&cycles, &ns);
    if (c->base_ns == 0 || ns == 0) {
        c->why = "the system's clock, against which it is measured, cannot be read";
        return;
    }
    uint64_t passed = cycles - c->base_cycles, span = ns - c->base_ns;
    if (passed == 0 || span == 0) {
        c->why = "the cycle counter stands still";
        return;
    }
    c->shift = 32;
    c->mult = (uint64_t)((double)span / (double)passed * 4294967296.0);
    c->cycles_per_s = (double)passed / (double)span * (double)NS_PER_S;
    /* The later pair is the base, so that an error of the rate starts from 0. */
    c->base_cycles = cycles;
    c->base_ns = ns;
    c->source = CLOCK_BY_CYCLES;
}

void clock_init_by_hand(struct clock *c, _Atomic uint64_t *hand)
{
    *c = (struct clock){.source = CLOCK_BY_HAND, .why = "moved by hand", .hand = hand};
}

const char *clock_name(const struct clock *c)
{
    switch (c->source) {
    case CLOCK_BY_CYCLES:
#if defined(__aarch64__)
        return "cntvct";
#else
        return "tsc";
#endif
    case CLOCK_BY_HAND:
        return "hand";
    default:
        return "clock_gettime";
    }
}
