#include "env/cgroup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Version 1 says "no limit" with the largest number of whole pages. */
#define MEMORY_UNLIMITED (UINT64_C(1) << 62)

typedef void look_fn(struct cgroup_limits *l, const char *root, const char *folder);

static void note_cpus(struct cgroup_limits *l, double cpus, const char *folder, const char *file)
{
    if (!l->has_cpu || (cpus > 0 && (l->cpus == 0 || cpus < l->cpus))) {
        l->cpus = cpus;
        snprintf(l->cpu_source, sizeof l->cpu_source, "%s/%s", folder, file);
    }
    l->has_cpu = true;
}

static void note_memory(struct cgroup_limits *l, uint64_t bytes, const char *folder,
                        const char *file)
{
    if (bytes >= MEMORY_UNLIMITED)
        bytes = 0;
    if (!l->has_memory || (bytes > 0 && (l->memory == 0 || bytes < l->memory))) {
        l->memory = bytes;
        snprintf(l->memory_source, sizeof l->memory_source, "%s/%s", folder, file);
    }
    l->has_memory = true;
}

static void look_v2(struct cgroup_limits *l, const char *root, const char *folder)
{
    char text[128], quota[64];
    double period;
    if (source_readf(root, text, sizeof text, "%s/cpu.max", folder) == FACT_OK &&
        sscanf(text, "%63s %lf", quota, &period) == 2 && period > 0)
        note_cpus(l, strcmp(quota, "max") == 0 ? 0 : atof(quota) / period, folder, "cpu.max");
    if (source_readf(root, text, sizeof text, "%s/memory.max", folder) == FACT_OK)
        note_memory(l, strcmp(text, "max") == 0 ? 0 : strtoull(text, NULL, 10), folder,
                    "memory.max");
}

static void look_v1_cpu(struct cgroup_limits *l, const char *root, const char *folder)
{
    char quota[64], period[64];
    if (source_readf(root, quota, sizeof quota, "%s/cpu.cfs_quota_us", folder) != FACT_OK ||
        source_readf(root, period, sizeof period, "%s/cpu.cfs_period_us", folder) != FACT_OK ||
        atof(period) <= 0)
        return;
    note_cpus(l, atof(quota) > 0 ? atof(quota) / atof(period) : 0, folder, "cpu.cfs_quota_us");
}

static void look_v1_memory(struct cgroup_limits *l, const char *root, const char *folder)
{
    char text[64];
    if (source_readf(root, text, sizeof text, "%s/memory.limit_in_bytes", folder) == FACT_OK)
        note_memory(l, strtoull(text, NULL, 10), folder, "memory.limit_in_bytes");
}

/* Looks at the group and all above it, up to the mount point. In a container
 * the path may be that of the host: then only the mount point exists, and that
 * is the own group. A path through ".." lies outside of what is visible. */
static void walk(struct cgroup_limits *l, const char *root, const char *mount, const char *path,
                 look_fn *look)
{
    char folder[SOURCE_PATH];
    int n = snprintf(folder, sizeof folder, "%s%s", mount, strstr(path, "/..") ? "" : path);
    if (n < 0 || (size_t)n >= sizeof folder - sizeof "/memory.limit_in_bytes")
        snprintf(folder, sizeof folder, "%s", mount);
    size_t top = strlen(mount), length = strlen(folder);
    while (length > top && folder[length - 1] == '/')
        folder[--length] = '\0';
    for (;;) {
        look(l, root, folder);
        if (strlen(folder) <= top)
            break;
        *strrchr(folder, '/') = '\0';
    }
}

static bool lists(const char *controllers, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return false;
}

static void look_at_controller(struct cgroup_limits *l, const char *root, const char *controllers,
                               const char *path)
{
    static const struct {
        const char *name;
        look_fn *look;
    } wanted[] = {{"cpu", look_v1_cpu}, {"memory", look_v1_memory}};
    char mount[SOURCE_PATH];
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (!lists(controllers, wanted[i].name))
            continue;
        snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controllers);
        walk(l, root, mount, path, wanted[i].look);
        if (strcmp(controllers, wanted[i].name) == 0)
            continue;
        snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", wanted[i].name); /* often a link */
        walk(l, root, mount, path, wanted[i].look);
    }
}

/* A line is "ID:CONTROLLERS:PATH"; no controllers at all stand for version 2. */
static void look_at_line(struct cgroup_limits *l, const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return;
    controllers++;
    *path++ = '\0';
    if (*controllers) {
        look_at_controller(l, root, controllers, path);
        return;
    }
    walk(l, root, "/sys/fs/cgroup", path, look_v2);
    walk(l, root, "/sys/fs/cgroup/unified", path, look_v2);
}

void cgroup_read(struct cgroup_limits *l, const char *root)
{
    struct buf text = {0};
    char *rest = NULL;
    memset(l, 0, sizeof *l);
    if (source_add(root, "/proc/self/cgroup", &text, 65536, NULL) == FACT_OK)
        for (char *line = strtok_r(text.text, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest))
            look_at_line(l, root, line);
    buf_release(&text);
}
