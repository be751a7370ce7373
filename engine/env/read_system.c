/* Memory and the kernel's state. */
#include "env/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VULNERABILITIES 64

/* --- memory ---------------------------------------------------------------- */

enum fact_status read_meminfo(struct reader *r, const char *field)
{
    char text[64], unit[8] = "";
    uint64_t n;
    reader_source(r, "/proc/meminfo");
    if (!source_field(r->meminfo, field, text, sizeof text) ||
        sscanf(text, "%" SCNu64 " %7s", &n, unit) < 1)
        return FACT_MISSING;
    buf_printf(&r->value, "%" PRIu64, strcmp(unit, "kB") == 0 ? n * 1024 : n);
    return FACT_OK;
}

enum fact_status read_memory_limit(struct reader *r, const char *from)
{
    (void)from;
    if (!r->limits.has_memory)
        return FACT_MISSING;
    reader_source(r, r->limits.memory_source);
    if (r->limits.memory > 0)
        buf_printf(&r->value, "%" PRIu64, r->limits.memory);
    else
        buf_puts(&r->value, "none");
    return FACT_OK;
}

/* Name, kind and size of each swap; not its path, nor how full it is. */
enum fact_status read_swaps(struct reader *r, const char *path)
{
    char text[4096], *rest = NULL;
    enum fact_status s = source_read(r->root, path, text, sizeof text);
    char *line = s == FACT_OK ? strtok_r(text, "\n", &rest) : NULL;
    while (line && (line = strtok_r(NULL, "\n", &rest))) {
        char name[256], kind[32], size[32];
        if (sscanf(line, "%255s %31s %31s", name, kind, size) != 3)
            continue;
        const char *slash = strrchr(name, '/');
        buf_printf(&r->value, "%s%s (%s, %s KiB)", r->value.size ? ", " : "",
                   slash ? slash + 1 : name, kind, size);
    }
    if (s == FACT_OK && r->value.size == 0)
        buf_puts(&r->value, "none");
    return s;
}

/* --- the kernel's state ---------------------------------------------------- */

/* Only words that change speed: others hold addresses and serial numbers. */
static bool matters(const char *word)
{
    static const char *const names[] = {
        "mitigations",  "spectre",    "spec_",      "pti",         "nopti",        "kpti",
        "nosmt",        "isolcpus",   "nohz",       "rcu_nocbs",   "maxcpus",      "nr_cpus",
        "mem",          "numa",       "cgroup_",    "psi",         "transparent_", "hugepage",
        "default_huge", "preempt",    "threadirqs", "idle",        "cpuidle",      "cpufreq",
        "intel_pstate", "intel_idle", "amd_pstate", "processor.",  "clocksource",  "tsc",
        "elevator",     "scsi_mod",   "init_on_",   "page_poison", "slub_debug",   "swapaccount",
        "zswap.",       "coherent_",  "cma",        "nosmp",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

enum fact_status read_cmdline(struct reader *r, const char *path)
{
    char text[4096], *rest = NULL;
    enum fact_status s = source_read(r->root, path, text, sizeof text);
    char *word = s == FACT_OK ? strtok_r(text, " \n", &rest) : NULL;
    for (; word && strcmp(word, "--") != 0; word = strtok_r(NULL, " \n", &rest))
        if (matters(word))
            buf_printf(&r->value, "%s%s", r->value.size ? " " : "", word);
    if (s == FACT_OK && r->value.size == 0)
        buf_puts(&r->value, "none");
    return s;
}

enum fact_status read_vulnerabilities(struct reader *r, const char *folder)
{
    char names[VULNERABILITIES][SOURCE_NAME], text[256];
    size_t n = source_names(r->root, folder, "", names, VULNERABILITIES);
    for (size_t i = 0; i < n; i++)
        if (source_readf(r->root, text, sizeof text, "%s/%s", folder, names[i]) == FACT_OK &&
            strcmp(text, "Not affected") != 0)
            buf_printf(&r->value, "%s%s: %s", r->value.size ? "; " : "", names[i], text);
    if (n > 0 && r->value.size == 0)
        buf_puts(&r->value, "none");
    return n > 0 ? FACT_OK : FACT_MISSING;
}

/* A file whose first number counts, whatever follows. */
enum fact_status read_first_number(struct reader *r, const char *path)
{
    char text[256];
    enum fact_status s = source_read(r->root, path, text, sizeof text);
    text[strcspn(text, " \t\n")] = '\0';
    buf_puts(&r->value, text);
    return s;
}

/* The share of the last 10 s in which something waited for this resource. */
enum fact_status read_pressure(struct reader *r, const char *path)
{
    char text[256];
    enum fact_status s = source_read(r->root, path, text, sizeof text);
    const char *avg = s == FACT_OK ? strstr(text, "avg10=") : NULL;
    if (!avg)
        return s == FACT_OK ? FACT_MISSING : s;
    buf_add(&r->value, avg + 6, strcspn(avg + 6, " \n"));
    return FACT_OK;
}

/* Time that a hypervisor gave to others, in seconds since the start. */
enum fact_status read_steal(struct reader *r, const char *path)
{
    char text[512];
    uint64_t ticks;
    enum fact_status s = source_read(r->root, path, text, sizeof text);
    if (s != FACT_OK)
        return s;
    if (sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) != 1)
        return FACT_MISSING;
    buf_printf(&r->value, "%.2f", (double)ticks / (double)sysconf(_SC_CLK_TCK));
    return FACT_OK;
}
