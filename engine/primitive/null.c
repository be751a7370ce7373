/* An event that does nothing: what remains is the cost of the engine itself. */
#include "report/result.h"
#include "run/worker.h"
#include "run/workload.h"

static enum step null_step(struct worker *w, struct part *p)
{
    (void)w;
    (void)p;
    return STEP_DONE;
}

static const struct metric null_metrics[] = {
    {"events_per_s", "1/s", false, result_events_per_s},
    {0},
};

const struct workload null_workload = {
    .name = "null",
    .title = "Empty events: the cost of the engine itself",
    .summary = "an event that does nothing, to see what measuring costs",
    .metrics = null_metrics,
    .step = null_step,
};
