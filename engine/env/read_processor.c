/* Processors: which, how many, how fast just now. */
#include "env/facts.h"

#include "env/processor.h"
#include "env/sensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUFREQ "/sys/devices/system/cpu/cpufreq"
#define POLICIES 64

/* --- processors ------------------------------------------------------------ */

enum fact_status read_model(struct reader *r, const char *from)
{
    (void)from;
    return processor_model(r->root, &r->value);
}

enum fact_status read_online(struct reader *r, const char *from)
{
    (void)from;
    if (!r->cpus_known)
        return FACT_MISSING;
    cpuset_print(&r->cpus.online, &r->value);
    return FACT_OK;
}

enum fact_status read_allowed(struct reader *r, const char *from)
{
    (void)from;
    if (!r->cpus_known)
        return FACT_MISSING;
    cpuset_print(&r->cpus.allowed, &r->value);
    return FACT_OK;
}

enum fact_status read_kinds(struct reader *r, const char *from)
{
    static const char *const sources[] = {
        [RANK_NONE] = "/sys/devices/system/cpu",
        [RANK_CAPACITY] = "/sys/devices/system/cpu/cpu*/cpu_capacity",
        [RANK_HYBRID] = "/sys/devices/cpu_core, /sys/devices/cpu_atom",
        [RANK_FREQUENCY] = CPUFREQ "/policy*/cpuinfo_max_freq",
    };
    (void)from;
    if (!r->cpus_known)
        return FACT_MISSING;
    cpus_read_ranks(&r->cpus, r->root);
    reader_source(r, sources[r->cpus.ranked_by]);
    if (r->cpus.ranked_by == RANK_NONE)
        return FACT_MISSING;
    if (cpus_have_kinds(&r->cpus))
        cpus_print_ranks(&r->cpus, &r->value);
    else
        buf_puts(&r->value, "one kind");
    return FACT_OK;
}

enum fact_status read_quota(struct reader *r, const char *from)
{
    (void)from;
    if (!r->limits.has_cpu)
        return FACT_MISSING;
    reader_source(r, r->limits.cpu_source);
    if (r->limits.cpus > 0)
        buf_printf(&r->value, "%.4g", r->limits.cpus);
    else
        buf_puts(&r->value, "none");
    return FACT_OK;
}

enum fact_status read_cache(struct reader *r, const char *level)
{
    uint64_t bytes = processor_cache(r->root, atoi(level));
    reader_source(r, "/sys/devices/system/cpu/cpu0/cache");
    buf_printf(&r->value, "%" PRIu64, bytes);
    return bytes ? FACT_OK : FACT_MISSING;
}

/* --- frequency, temperature, power ----------------------------------------- */

struct policies {
    size_t count;
    char name[POLICIES][SOURCE_NAME], value[POLICIES][SOURCE_NAME];
};

static bool all_alike(const struct policies *p)
{
    for (size_t i = 1; i < p->count; i++)
        if (strcmp(p->value[i], p->value[0]) != 0)
            return false;
    return true;
}

/* "0-3=ondemand 4-5=performance": the processors of policies with one value. */
static void print_grouped(struct reader *r, const struct policies *p)
{
    char text[1024];
    bool done[POLICIES] = {false};
    for (size_t i = 0; i < p->count; i++) {
        struct cpuset members = {0};
        for (size_t k = i; k < p->count; k++) {
            if (done[k] || strcmp(p->value[k], p->value[i]) != 0)
                continue;
            done[k] = true;
            source_readf(r->root, text, sizeof text, CPUFREQ "/%s/related_cpus", p->name[k]);
            cpuset_parse(&members, text);
        }
        if (cpuset_count(&members) == 0)
            continue;
        buf_puts(&r->value, r->value.size ? " " : "");
        cpuset_print(&members, &r->value);
        buf_printf(&r->value, "=%s", p->value[i]);
    }
}

/* A file that each frequency domain has: one value if all agree. */
enum fact_status read_policies(struct reader *r, const char *file)
{
    struct policies p;
    enum fact_status s = FACT_MISSING;
    snprintf(r->source, sizeof r->source, CPUFREQ "/policy*/%s", file);
    p.count = source_names(r->root, CPUFREQ, "policy", p.name, POLICIES);
    for (size_t i = 0; i < p.count; i++) {
        s = source_readf(r->root, p.value[i], SOURCE_NAME, CPUFREQ "/%s/%s", p.name[i], file);
        if (s != FACT_OK)
            return s;
    }
    if (p.count > 0 && all_alike(&p))
        buf_puts(&r->value, p.value[0]);
    else
        print_grouped(r, &p);
    return s;
}

enum fact_status read_clock(struct reader *r, const char *which)
{
    uint64_t low, high;
    reader_source(r, CPUFREQ "/policy*/scaling_cur_freq");
    if (!sensors_clock(r->root, &low, &high))
        return FACT_MISSING;
    buf_printf(&r->value, "%" PRIu64, which[0] == 'l' ? low : high);
    return FACT_OK;
}

/* What the processor does, whatever the kernel believes: firmware may cap it. */
enum fact_status read_speed(struct reader *r, const char *from)
{
    (void)from;
    buf_printf(&r->value, "%.0f", processor_measured_khz());
    return FACT_OK;
}

enum fact_status read_temperature(struct reader *r, const char *from)
{
    char zone[SOURCE_NAME];
    double celsius;
    if (!sensors_temperature(r->root, &celsius, zone, sizeof zone))
        return FACT_MISSING;
    snprintf(r->source, sizeof r->source, "%s (%s)", from, zone);
    buf_printf(&r->value, "%.1f", celsius);
    return FACT_OK;
}

enum fact_status read_zones(struct reader *r, const char *from)
{
    (void)from;
    sensors_zones(r->root, &r->value);
    return r->value.size ? FACT_OK : FACT_MISSING;
}

enum fact_status read_undervoltage(struct reader *r, const char *from)
{
    int64_t alarm;
    char source[SOURCE_PATH];
    (void)from;
    if (!sensors_undervoltage(r->root, &alarm, source, sizeof source))
        return FACT_MISSING;
    reader_source(r, source);
    buf_printf(&r->value, "%" PRId64, alarm);
    return FACT_OK;
}

enum fact_status read_throttling(struct reader *r, const char *from)
{
    (void)from;
    if (!sensors_throttling(r->root, &r->value))
        return FACT_MISSING;
    if (r->value.size == 0)
        buf_puts(&r->value, "none");
    return FACT_OK;
}
