/* Facts that change what a result means, as sentences. */
#include "env/cpus.h"
#include "env/env.h"

#include <stdarg.h>
#include <string.h>

#define HOT_C 80 /* from about here boards slow themselves down */

struct noter {
    const struct env *env;
    unsigned threads;
    env_note_fn *note;
    void *to;
};

static void say(const struct noter *n, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(const struct noter *n, const char *key, const char *fmt, ...)
{
    struct buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    n->note(n->to, key, buf_text(&text));
    buf_release(&text);
}

static unsigned count_of(const struct env *env, const char *key)
{
    struct cpuset set = {0};
    const char *list = env_value(env, key);
    return list && cpuset_parse(&set, list) == 0 ? cpuset_count(&set) : 0;
}

static void note_quota(const struct noter *n)
{
    double quota = env_number(n->env, "cpu_quota", 0);
    unsigned allowed = count_of(n->env, "cpus_allowed");
    unsigned wanted = n->threads && n->threads < allowed ? n->threads : allowed;
    if (quota > 0 && quota < wanted)
        say(n, "cpu_quota",
            "cgroup CPU quota: %.4g CPUs of the %u that the threads could use; the result is that "
            "of the quota, not of the processor",
            quota, wanted);
}

static void note_allowed(const struct noter *n)
{
    unsigned allowed = count_of(n->env, "cpus_allowed"), online = count_of(n->env, "cpus_online");
    if (allowed > 0 && allowed < online)
        say(n, "cpus_allowed",
            "CPU set: this process may use CPU %s of %s only (taskset, cpuset or container)%s",
            env_value(n->env, "cpus_allowed"), env_value(n->env, "cpus_online"),
            n->threads > allowed ? "; there are more threads than that" : "");
}

/* With the drivers that have their own idea of it "powersave" is the normal,
 * dynamic choice. */
static bool powersave_is_normal(const char *driver)
{
    return driver && (strcmp(driver, "intel_pstate") == 0 || strcmp(driver, "amd-pstate-epp") == 0);
}

static void note_governor(const struct noter *n)
{
    const char *governor = env_value(n->env, "governor");
    if (governor && strstr(governor, "powersave") &&
        !powersave_is_normal(env_value(n->env, "cpufreq_driver")))
        say(n, "governor",
            "CPU governor: %s, which keeps the lowest frequency; 'performance' or 'ondemand' "
            "lets the processor work at its speed",
            governor);
}

static void note_cap(const struct noter *n)
{
    const char *cap = env_value(n->env, "cpu_max_khz");
    const char *limit = env_value(n->env, "cpu_limit_khz");
    if (cap && limit && strcmp(cap, limit) != 0)
        say(n, "cpu_max_khz", "CPU frequency is capped at %s kHz of %s kHz (scaling_max_freq)", cap,
            limit);
}

static void note_undervoltage(const struct noter *n)
{
    if (env_number(n->env, "undervoltage", 0) > 0)
        say(n, "undervoltage",
            "under-voltage was seen: the board slows itself down; a better supply or cable is "
            "needed for a result that counts");
}

static void note_throttling(const struct noter *n)
{
    const char *what = env_value(n->env, "throttling");
    double celsius = env_number(n->env, "temperature_c", 0);
    if (what && strcmp(what, "none") != 0)
        say(n, "throttling", "thermal throttling: the kernel is slowing processors down (%s)",
            what);
    else if (celsius >= HOT_C)
        say(n, "temperature_c",
            "temperature: %.1f C; boards slow themselves down from about %d C, so cool it and "
            "repeat",
            celsius, HOT_C);
}

static void note_kinds(const struct noter *n)
{
    const char *kinds = env_value(n->env, "core_kinds");
    if (kinds && strcmp(kinds, "one kind") != 0)
        say(n, "core_kinds",
            "cores of different speed (%s): the result depends on where threads run; "
            "--cpu-list=big "
            "or --cpu-list=little keeps them on one kind",
            kinds);
}

void env_notes(const struct env *env, unsigned threads, env_note_fn *note, void *to)
{
    const struct noter n = {env, threads, note, to};
    note_quota(&n);
    note_allowed(&n);
    note_governor(&n);
    note_cap(&n);
    note_undervoltage(&n);
    note_throttling(&n);
    note_kinds(&n);
}
