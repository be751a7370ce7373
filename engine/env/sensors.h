/*
 * What changes while a benchmark runs: temperature, clock, voltage. Cheap
 * enough to be read once a second. Any thread. root: see env/source.h.
 */
#ifndef ENV_SENSORS_H
#define ENV_SENSORS_H

#include "env/source.h"

/* The hottest thermal zone in degrees Celsius; its type goes to zone. Falls
 * back to the processor's own sensor. False if the machine tells nothing. */
bool sensors_temperature(const char *root, double *celsius, char *zone, size_t room);
/* "cpu-thermal=48.3 gpu-thermal=47.1": all zones by type. */
void sensors_zones(const char *root, struct buf *out);
/* Lowest and highest current clock of the processors, kHz, of at most 16
 * frequency domains, since some kernels take long to answer. */
bool sensors_clock(const char *root, uint64_t *low_khz, uint64_t *high_khz);
/* The firmware's under-voltage alarm of a Raspberry Pi: 0 or 1. source gets the
 * file's path. Never reads the old get_throttled file, which makes kernels
 * that have it write warnings. */
bool sensors_undervoltage(const char *root, int64_t *alarm, char *source, size_t room);
/* Names of the cooling devices that slow down processors just now; empty if
 * none does. False if the machine has none that could. */
bool sensors_throttling(const char *root, struct buf *out);

#endif
