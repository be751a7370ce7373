/* mutex: operations for events of other scenarios. */
#ifndef PRIMITIVE_MUTEX_H
#define PRIMITIVE_MUTEX_H

#include "run/worker.h"
#include "run/workload.h"

#include <stdint.h>

extern const struct workload mutex_workload;

/* Takes the mutex `which` (-1: a random one), adds to the common sum, frees it.
 * -1 with w->err if there is no such mutex. */
int mutex_take(struct worker *w, struct part *p, int64_t which);

#endif
