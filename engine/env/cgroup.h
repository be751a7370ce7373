/* Limits that control groups, of version 1 or 2 or both, put on this process. */
#ifndef ENV_CGROUP_H
#define ENV_CGROUP_H

#include "env/source.h"

#include <stdbool.h>
#include <stdint.h>

struct cgroup_limits {
    bool has_cpu, has_memory; /* the controller was found, limited or not */
    double cpus;              /* processors' worth of time; 0: no limit */
    uint64_t memory;          /* bytes; 0: no limit */
    char cpu_source[SOURCE_PATH], memory_source[SOURCE_PATH]; /* of the limit that binds */
};

/* The smallest limit from the own group up to the top, as each of them holds. */
void cgroup_read(struct cgroup_limits *l, const char *root);

#endif
