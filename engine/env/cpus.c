#include "env/cpus.h"

#include "env/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu"
#define POLICY_MAX 256

unsigned cpuset_count(const struct cpuset *s)
{
    unsigned n = 0;
    for (size_t i = 0; i < CPUS_MAX / 64; i++)
        n += (unsigned)__builtin_popcountll(s->bits[i]);
    return n;
}

/* One number below CPUS_MAX at *at; moves *at behind it. -1 if there is none. */
static int take_number(const char **at)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return -1;
    unsigned long n = strtoul(*at, &end, 10);
    *at = end;
    return n < CPUS_MAX ? (int)n : -1;
}

int cpuset_parse(struct cpuset *s, const char *text)
{
    while (*text) {
        int first = take_number(&text), last = first;
        if (first >= 0 && *text == '-') {
            text++;
            last = take_number(&text);
        }
        if (first < 0 || last < first || (*text && !strchr(", \t\n", *text)))
            return -1;
        for (int cpu = first; cpu <= last; cpu++)
            cpuset_add(s, (unsigned)cpu);
        text += strspn(text, ", \t\n");
    }
    return 0;
}

void cpuset_print(const struct cpuset *s, struct buf *out)
{
    const char *comma = "";
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!cpuset_has(s, cpu))
            continue;
        unsigned last = cpu;
        while (cpuset_has(s, last + 1))
            last++;
        buf_printf(out, last > cpu ? "%s%u-%u" : "%s%u", comma, cpu, last);
        comma = ",";
        cpu = last;
    }
}

static int read_set(const char *root, const char *path, struct cpuset *out)
{
    char text[4096];
    if (source_read(root, path, text, sizeof text) != FACT_OK)
        return -1;
    return cpuset_parse(out, text);
}

/* The list in /proc is that of the process's first thread, which starts all
 * others; sched_getaffinity would say the same. */
static int read_allowed(const char *root, struct cpuset *out)
{
    char text[4096], list[2048];
    if (source_read(root, "/proc/self/status", text, sizeof text) != FACT_OK ||
        !source_field(text, "Cpus_allowed_list", list, sizeof list))
        return -1;
    return cpuset_parse(out, list);
}

int cpus_read(struct cpus *c, const char *root)
{
    bool online, allowed;
    memset(c, 0, sizeof *c);
    online = read_set(root, CPU_FOLDER "/online", &c->online) == 0;
    allowed = read_allowed(root, &c->allowed) == 0;
    if (!online && !allowed)
        return -1;
    if (!online)
        c->online = c->allowed;
    if (!allowed)
        c->allowed = c->online;
    for (size_t i = 0; i < CPUS_MAX / 64; i++)
        c->allowed.bits[i] &= c->online.bits[i];
    return 0;
}

static bool rank_by_capacity(struct cpus *c, const char *root)
{
    int64_t value;
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!cpuset_has(&c->online, cpu))
            continue;
        if (!source_numberf(root, &value, CPU_FOLDER "/cpu%u/cpu_capacity", cpu) || value <= 0 ||
            value > UINT32_MAX)
            return false;
        c->rank[cpu] = (uint32_t)value;
    }
    return true;
}

static void give_rank(struct cpus *c, const struct cpuset *set, uint32_t rank)
{
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
        if (cpuset_has(set, cpu))
            c->rank[cpu] = rank;
}

/* x86 lists its two kinds of cores as two performance counter units. */
static bool rank_by_hybrid(struct cpus *c, const char *root)
{
    struct cpuset core = {0}, atom = {0};
    if (read_set(root, "/sys/devices/cpu_core/cpus", &core) != 0 ||
        read_set(root, "/sys/devices/cpu_atom/cpus", &atom) != 0)
        return false;
    give_rank(c, &atom, 1);
    give_rank(c, &core, 2);
    return true;
}

static bool rank_by_frequency(struct cpus *c, const char *root)
{
    char(*names)[SOURCE_NAME] = malloc(POLICY_MAX * sizeof *names);
    char path[SOURCE_PATH];
    int64_t khz;
    size_t n = names ? source_names(root, CPU_FOLDER "/cpufreq", "policy", names, POLICY_MAX) : 0;
    for (size_t i = 0; i < n; i++) {
        struct cpuset members = {0};
        if (!source_numberf(root, &khz, CPU_FOLDER "/cpufreq/%s/cpuinfo_max_freq", names[i]) ||
            khz <= 0 || khz > UINT32_MAX)
            continue;
        snprintf(path, sizeof path, CPU_FOLDER "/cpufreq/%s/related_cpus", names[i]);
        if (read_set(root, path, &members) == 0)
            give_rank(c, &members, (uint32_t)khz);
    }
    free(names);
    return n > 0;
}

void cpus_read_ranks(struct cpus *c, const char *root)
{
    memset(c->rank, 0, sizeof c->rank);
    c->ranked_by = RANK_NONE;
    if (rank_by_hybrid(c, root))
        c->ranked_by = RANK_HYBRID;
    else if (rank_by_capacity(c, root))
        c->ranked_by = RANK_CAPACITY;
    else if (rank_by_frequency(c, root))
        c->ranked_by = RANK_FREQUENCY;
}

/* Lowest and highest rank of online processors; false while one is unknown. */
static bool extremes(const struct cpus *c, uint32_t *low, uint32_t *high)
{
    *low = UINT32_MAX;
    *high = 0;
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!cpuset_has(&c->online, cpu))
            continue;
        if (c->rank[cpu] == 0)
            return false;
        *low = c->rank[cpu] < *low ? c->rank[cpu] : *low;
        *high = c->rank[cpu] > *high ? c->rank[cpu] : *high;
    }
    return *high > 0;
}

bool cpus_have_kinds(const struct cpus *c)
{
    uint32_t low, high;
    return c->ranked_by != RANK_NONE && extremes(c, &low, &high) && low < 0.9 * high;
}

bool cpus_is_big(const struct cpus *c, unsigned cpu)
{
    uint32_t low, high;
    return extremes(c, &low, &high) && cpuset_has(&c->online, cpu) && c->rank[cpu] >= 0.9 * high;
}

bool cpus_is_little(const struct cpus *c, unsigned cpu)
{
    uint32_t low, high;
    return extremes(c, &low, &high) && cpuset_has(&c->online, cpu) && 0.9 * c->rank[cpu] <= low;
}

void cpus_siblings(const char *root, unsigned cpu, struct cpuset *out)
{
    char path[SOURCE_PATH];
    memset(out, 0, sizeof *out);
    snprintf(path, sizeof path, CPU_FOLDER "/cpu%u/topology/thread_siblings_list", cpu);
    if (read_set(root, path, out) != 0)
        memset(out, 0, sizeof *out);
    cpuset_add(out, cpu);
}

/* The lowest rank above `above` among online processors, 0 if there is none. */
static uint32_t next_rank(const struct cpus *c, uint32_t above)
{
    uint32_t next = 0;
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
        if (cpuset_has(&c->online, cpu) && c->rank[cpu] > above &&
            (next == 0 || c->rank[cpu] < next))
            next = c->rank[cpu];
    return next;
}

void cpus_print_ranks(const struct cpus *c, struct buf *out)
{
    const char *blank = "";
    for (uint32_t rank = next_rank(c, 0); rank; rank = next_rank(c, rank)) {
        struct cpuset same = {0};
        for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
            if (cpuset_has(&c->online, cpu) && c->rank[cpu] == rank)
                cpuset_add(&same, cpu);
        buf_puts(out, blank);
        cpuset_print(&same, out);
        buf_printf(out, "=%u", rank);
        blank = " ";
    }
}
