/* What kind of processor this is, and its caches. */
#ifndef ENV_PROCESSOR_H
#define ENV_PROCESSOR_H

#include "env/source.h"

/* The processor's name: "AMD EPYC 9354", "Cortex-A72", or "4x Cortex-A55 + 4x
 * Cortex-A76" where cores differ. Adds nothing if the kernel does not tell. */
enum fact_status processor_model(const char *root, struct buf *out);
/* Size in bytes of the first processor's data or unified cache of that level
 * (1 …), 0: unknown. */
uint64_t processor_cache(const char *root, int level);
/* The calling thread's clock in kHz, measured with additions that wait for one
 * another. Takes about 30 ms, in which the clock may rise to its working speed. */
double processor_measured_khz(void);

#endif
