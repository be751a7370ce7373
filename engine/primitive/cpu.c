#include "primitive/cpu.h"

#include "primitive/kernel/cpu.h"
#include "report/result.h"
#include "run/run.h"
#include "run/worker.h"

#include <stdio.h>

static const char *const words[] = {"64", "32", NULL};

static const struct option cpu_rows[] = {
    {"cpu-max-prime", "look for primes up to this number; more is more work in each event", "10000",
     OPT_ROW_INT(struct cpu_options, max_prime), .min = 1, .max = 2147483647},
    {"cpu-word",
     "bits of the numbers that are divided {64, 32}; 64 as sysbench does, which a 32-bit build "
     "must do in software",
     "64", OPT_ROW_CHOICE(struct cpu_options, word), .choices = words},
    {0},
};

uint64_t cpu_primes(const struct part *p, uint64_t max)
{
    const struct cpu_options *o = p->options;
    return o->word ? kernel_primes_32((uint32_t)max) : kernel_primes_64(max);
}

static int cpu_begin(struct part *p, struct run *r, struct err *e)
{
    int slot = run_counter(r, "primes");
    if (slot < 0)
        return err_set(e, "there is no counter left for the primes of cpu");
    p->shared = (void *)(intptr_t)slot;
    return 0;
}

/* The number of primes goes into a counter of the result: whoever computes it
 * cannot be optimised away. */
static enum step cpu_step(struct worker *w, struct part *p)
{
    const struct cpu_options *o = p->options;
    uint64_t primes = cpu_primes(p, (uint64_t)o->max_prime);
    stats_count(w->into, (unsigned)(intptr_t)p->shared, primes);
    return STEP_DONE;
}

static const struct metric cpu_metrics[] = {
    {"events_per_s", "1/s", false, result_events_per_s},
    {0},
};

static void cpu_describe(const struct part *p, const struct general *g, enum layout l,
                         struct log *log)
{
    const struct cpu_options *o = p->options;
    (void)g;
    log_put(log, LOG_INFO, "Doing CPU performance benchmark\n");
    if (l == LAYOUT_1_0)
        log_put(log, LOG_NOTICE, "Prime numbers limit: %lld\n", (long long)o->max_prime);
}

static void cpu_report(const struct figures *f, enum layout l, struct buf *out)
{
    const struct cpu_options *o = f->part->options;
    if (l == LAYOUT_0_4)
        buf_printf(out, "Maximum prime number checked in CPU test: %lld\n\n",
                   (long long)o->max_prime);
    else
        buf_printf(out, "CPU speed:\n    events per second: %8.2f\n", result_events_per_s(f));
}

static void cpu_notes(const struct figures *f, note_fn *note, void *to)
{
    const struct cpu_options *o = f->part->options;
    char text[300];
    note(to, "what_to_compare",
         "compare events per second (higher is better); the total time only repeats --time");
    if (sizeof(void *) < 8 && o->word == 0) {
        snprintf(text, sizeof text,
                 "this is a 32-bit build: it divides 64-bit numbers in software, so this figure "
                 "says more about the build than about the processor; --cpu-word=32 %s",
                 kernel_divides_32() ? "divides in hardware" : "does so with 32-bit numbers");
        note(to, "software_division", text);
    } else if (!kernel_divides_32() && o->word != 0) {
        note(to, "software_division",
             "neither this build nor this processor promises a division instruction: this is the "
             "speed of a routine");
    }
    snprintf(text, sizeof text,
             "a division test in %s-bit numbers, %d-bit build; compare only with runs of the same "
             "word size, --cpu-max-prime (%lld) and compiler",
             words[o->word], (int)sizeof(void *) * 8, (long long)o->max_prime);
    note(to, "word_size", text);
}

const struct workload cpu_workload = {
    .name = "cpu",
    .title = "CPU performance test",
    .summary = "primes by trial division: integer division and its compiler",
    .options = cpu_rows,
    .options_size = sizeof(struct cpu_options),
    .metrics = cpu_metrics,
    .begin = cpu_begin,
    .step = cpu_step,
    .describe = cpu_describe,
    .report = cpu_report,
    .notes = cpu_notes,
};
