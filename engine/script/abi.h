/*
 * What Lua may call. This text is C for the compiler and, without the lines
 * that begin with #, the text of ffi.cdef: so it has plain prototypes only.
 *
 * All functions work on the calling thread's own worker and state; they take
 * and return scalars and strings, never throw and never touch the Lua stack.
 * A function that can fail returns a negative number; sb_error() then gives
 * the reason, valid until the thread's next call.
 */
#ifndef SCRIPT_ABI_H
#define SCRIPT_ABI_H
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#define SB_ABI_VERSION 1

int sb_abi_version(void);
const char *sb_error(void);

/* Ends the event before, if one is running, counts it, and starts the next.
 * False: there is none, the loop is over. */
bool sb_event_turn(void);
/* The running event is not counted. */
void sb_event_drop(void);
/* May the running event, which asked for it, be run again? */
bool sb_event_again(void);
/* Number of the running event, from 1 in the order in which events of all
 * threads ask for it; 0: no event is running. */
uint64_t sb_event_number(void);

/* The same in the steps of sysbench 1.0, for scripts with a thread_run of their
 * own. tid must be the caller's. */
bool sb_more_events(int tid);
void sb_event_start(int tid);
void sb_event_stop(int tid);

/* Counters: 0 other, 1 reads, 2 writes, 3 events, 4 errors, 5 reconnects,
 * 6 bytes read, 7 bytes written; then those that scripts name. */
enum {
    SB_CNT_OTHER, SB_CNT_READ, SB_CNT_WRITE, SB_CNT_TRX, SB_CNT_ERROR, SB_CNT_RECONNECT,
    SB_CNT_BYTES_READ, SB_CNT_BYTES_WRITTEN
};
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

/* Makes a primitive part of the scenario; only while a script is loaded. Index
 * of the part, or -1. */
int sb_primitive(const char *name);
/* Sets an option of that part unless the user has given it. */
int sb_primitive_preset(int part, const char *option, const char *value);
/* Its prepare and cleanup. */
int sb_primitive_prepare(int part);
int sb_primitive_cleanup(int part);

/* Text of an embedded file, NULL: there is none. */
const char *sb_embedded(const char *path);
/* Path of the i-th embedded file, NULL behind the last. */
const char *sb_embedded_path(int i);

/* For commands that make their own result: writes to standard output, or where
 * --output-format has set it aside. 0, or -1. */
int sb_result_write(const char *text, size_t size);

void sb_print_test_options(void);

/* Random numbers in [a, b] as sysbench 1.0 draws them, modulo 2^32. */
uint32_t sb_rand_default(uint32_t a, uint32_t b);
uint32_t sb_rand_uniform(uint32_t a, uint32_t b);
uint32_t sb_rand_gaussian(uint32_t a, uint32_t b);
uint32_t sb_rand_special(uint32_t a, uint32_t b);
uint32_t sb_rand_pareto(uint32_t a, uint32_t b);
uint32_t sb_rand_zipfian(uint32_t a, uint32_t b);
/* No number comes twice within 2^32 calls of all threads. */
uint32_t sb_rand_unique(void);
uint64_t sb_rand_uniform_uint64(void);
/* In [0, 1). */
double sb_rand_uniform_double(void);
/* out: room for the format and its end; '#' is a digit, '@' a letter. */
void sb_rand_str(const char *format, char *out);
/* out: room for `most` bytes; returns how many were written. */
uint32_t sb_rand_varstr(char *out, uint32_t least, uint32_t most);
/* Whole numbers up to 2^53; kind 0 uniform, 1 gaussian, 2 special, 3 pareto,
 * 4 zipfian, -1 what --rand-type says. */
double sb_rand_wide(int kind, double a, double b);
/* As sb_rand_str, for n bytes of any value and without an end. */
void sb_rand_fill(const char *format, size_t n, char *out);

/* Histograms with bins on a log scale. NULL: see sb_error(). */
typedef struct sb_histogram sb_histogram_t;
sb_histogram_t *sb_histogram_new(size_t size, double low, double high);
void sb_histogram_delete(sb_histogram_t *h);
void sb_histogram_update(sb_histogram_t *h, double value);
void sb_histogram_print(sb_histogram_t *h);

/* Data that all threads read, built by the first that asks. Claim: 1 it is the
 * caller's to build (make, fill, then publish or abandon), 0 it is there, maybe
 * after waiting for its builder, -1 see sb_error(). */
int sb_shared_claim(const char *name);
void *sb_shared_make(const char *name, size_t size);
void sb_shared_publish(const char *name);
void sb_shared_abandon(const char *name);
const void *sb_shared_data(const char *name);
size_t sb_shared_size(const char *name);
#endif
