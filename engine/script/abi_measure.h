/* Counters and latencies. See abi.h. */
#ifndef SCRIPT_ABI_MEASURE_H
#define SCRIPT_ABI_MEASURE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of the running event, from 1 in the order in which events of all
 * threads ask for it; 0: no event is running. */
uint64_t sb_event_number(void);

/* Counters: sb_counter_type, then those that scripts name. */
void sb_counter_inc(int tid, int counter);
void sb_counter_add(int tid, int counter, uint64_t n);
uint64_t sb_counter_val(int tid, int counter);
/* Slot of a named counter or latency statistic; -1: no room left. */
int sb_counter_slot(const char *name);
int sb_latency_slot(const char *name);
/* Now, ns of the run's clock; records now minus from_ns, returns now. */
uint64_t sb_now_ns(void);
uint64_t sb_latency_record(int slot, uint64_t from_ns);
void sb_latency_add(int slot, uint64_t ns);
#endif
