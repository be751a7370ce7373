/* All primitives of the engine: one file and one line each. What this build
 * lacks is listed too, with its reason in `unavailable`. */
#ifndef PRIMITIVE_LIST_H
#define PRIMITIVE_LIST_H

#include "run/workload.h"

/* In the order of sysbench's help; ends with NULL. */
extern const struct workload *const primitive_list[];
const struct workload *primitive_find(const char *name); /* NULL: there is none */

#endif
