#include "primitive/list.h"

#include <string.h>

extern const struct workload fileio_workload, cpu_workload, memory_workload, threads_workload,
    mutex_workload, files_workload, null_workload;

/* One line each. */
/* clang-format off */
const struct workload *const primitive_list[] = {
    &fileio_workload,
    &cpu_workload,
    &memory_workload,
    &threads_workload,
    &mutex_workload,
    &files_workload,
    &null_workload,
    NULL,
};
/* clang-format on */

const struct workload *primitive_find(const char *name)
{
    for (const struct workload *const *w = primitive_list; *w; w++)
        if (strcmp((*w)->name, name) == 0)
            return *w;
    return NULL;
}
