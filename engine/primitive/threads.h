/* threads: operations for events of other scenarios. */
#ifndef PRIMITIVE_THREADS_H
#define PRIMITIVE_THREADS_H

#include "run/worker.h"
#include "run/workload.h"

#include <stdint.h>

extern const struct workload threads_workload;

/* Takes the mutex `which` (-1: the next in turn), yields the processor, frees
 * it. -1 with w->err if there is no such mutex. */
int threads_yield(struct worker *w, struct part *p, int64_t which);

#endif
