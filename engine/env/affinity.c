#include "env/affinity.h"

#include "env/cpus.h"

#include <ctype.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is needed while a list is read. */
struct reading {
    struct affinity *list;
    const char *root;
    struct cpus *cpus;
    struct err *err;
};

typedef int word_fn(struct reading *r, const char *item);

static int add(struct reading *r, unsigned cpu)
{
    struct affinity *a = r->list;
    int *grown = realloc(a->cpu, (a->count + 1) * sizeof *grown);
    if (!grown)
        return err_set(r->err, "option --cpu-list: no memory is left for the list");
    a->cpu = grown;
    a->cpu[a->count++] = (int)cpu;
    return 0;
}

static int refuse(struct reading *r, const char *item, const char *why, const struct cpuset *good)
{
    struct buf list = {0};
    cpuset_print(good, &list);
    err_set(r->err, "option --cpu-list: '%s' %s; usable here: %s", item, why, buf_text(&list));
    buf_release(&list);
    return -1;
}

static int add_checked(struct reading *r, unsigned cpu, const char *item)
{
    char why[160];
    if (cpuset_has(&r->cpus->allowed, cpu))
        return add(r, cpu);
    if (cpuset_has(&r->cpus->online, cpu))
        snprintf(why, sizeof why,
                 "names CPU %u, which this process may not use (taskset, cpuset or container)",
                 cpu);
    else if (cpu < CPUS_MAX)
        snprintf(why, sizeof why, "names CPU %u, which is not online or does not exist", cpu);
    else
        snprintf(why, sizeof why, "goes beyond CPU %d, the highest there can be", CPUS_MAX - 1);
    return refuse(r, item, why, &r->cpus->allowed);
}

/* The first of a core's processors that may be used stands for the core. */
static int add_one_per_core(struct reading *r, const char *item)
{
    struct cpuset siblings, seen = {0};
    (void)item;
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!cpuset_has(&r->cpus->allowed, cpu) || cpuset_has(&seen, cpu))
            continue;
        cpus_siblings(r->root, cpu, &siblings);
        for (size_t i = 0; i < CPUS_MAX / 64; i++)
            seen.bits[i] |= siblings.bits[i];
        if (add(r, cpu) != 0)
            return -1;
    }
    return 0;
}

static int add_kind(struct reading *r, const char *item,
                    bool (*wanted)(const struct cpus *c, unsigned cpu))
{
    size_t before = r->list->count;
    cpus_read_ranks(r->cpus, r->root);
    if (!cpus_have_kinds(r->cpus))
        return refuse(r, item, "needs fast and slow cores, but this machine shows one kind only",
                      &r->cpus->allowed);
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
        if (cpuset_has(&r->cpus->allowed, cpu) && wanted(r->cpus, cpu) && add(r, cpu) != 0)
            return -1;
    if (r->list->count == before)
        return refuse(r, item, "names cores none of which this process may use", &r->cpus->allowed);
    return 0;
}

static int add_big(struct reading *r, const char *item)
{
    return add_kind(r, item, cpus_is_big);
}

static int add_little(struct reading *r, const char *item)
{
    return add_kind(r, item, cpus_is_little);
}

/* A number at *at that ends where one of `ends` or the text does; -1 if not. */
static long take(const char **at, const char *ends)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return -1;
    long n = strtol(*at, &end, 10);
    if (*end && !strchr(ends, *end))
        return -1;
    *at = end;
    return n < CPUS_MAX ? n : CPUS_MAX;
}

static int add_range(struct reading *r, const char *item)
{
    const char *at = item;
    long first = take(&at, "-"), last = first, step = 1;
    if (first >= 0 && *at == '-') {
        at++;
        last = take(&at, ":");
        if (last >= 0 && *at == ':') {
            at++;
            step = take(&at, "");
        }
    }
    if (first < 0 || last < 0 || step < 0)
        return refuse(r, item,
                      "is no CPU number, range such as 0-3 or 0-7:2, nor one of one-per-core, big, "
                      "little",
                      &r->cpus->allowed);
    if (last < first || step == 0)
        return refuse(r, item, step ? "runs backwards" : "has a step of 0", &r->cpus->allowed);
    for (long cpu = first; cpu <= last; cpu += step)
        if (add_checked(r, (unsigned)cpu, item) != 0)
            return -1;
    return 0;
}

static int add_item(struct reading *r, const char *item)
{
    static const struct {
        const char *name;
        word_fn *add;
    } words[] = {
        {"one-per-core", add_one_per_core},
        {"big", add_big},
        {"little", add_little},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(item, words[i].name) == 0)
            return words[i].add(r, item);
    return add_range(r, item);
}

static int add_items(struct reading *r, const char *text)
{
    char *copy = strdup(text), *rest = copy, *item;
    int rc = copy ? 0 : err_set(r->err, "option --cpu-list: no memory is left for the list");
    while (rc == 0 && (item = strsep(&rest, ",")))
        rc = add_item(r, item);
    free(copy);
    return rc;
}

int affinity_init_at(struct affinity *a, const char *text, const char *root, struct err *e)
{
    struct reading r = {.root = root, .err = e};
    int rc;
    *a = (struct affinity){0};
    r.list = a;
    if (!text || !text[0])
        return 0;
    r.cpus = malloc(sizeof *r.cpus);
    if (!r.cpus)
        return err_set(e, "option --cpu-list: no memory is left for the list");
    if (cpus_read(r.cpus, root) != 0)
        rc = err_unable(e, "option --cpu-list: neither /sys nor /proc tells which CPUs there are; "
                           "leave the option out, or use taskset");
    else
        rc = add_items(&r, text);
    free(r.cpus);
    if (rc != 0)
        affinity_release(a);
    return rc;
}

int affinity_init(struct affinity *a, const char *text, struct err *e)
{
    return affinity_init_at(a, text, "", e);
}

void affinity_release(struct affinity *a)
{
    free(a->cpu);
    *a = (struct affinity){0};
}

int affinity_pick(const struct affinity *a, uint32_t worker_id)
{
    return a->count > 0 ? a->cpu[worker_id % a->count] : -1;
}

int affinity_apply(int cpu, struct err *e)
{
    if (cpu < 0)
        return 0;
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    if (!set)
        return err_set(e, "option --cpu-list: no memory is left to bind a thread to CPU %d", cpu);
    size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)cpu, size, set);
    int errnum = pthread_setaffinity_np(pthread_self(), size, set);
    CPU_FREE(set);
    if (errnum != 0)
        return err_sys(e, errnum, "option --cpu-list: a thread cannot be bound to CPU %d;", cpu);
    return 0;
}
