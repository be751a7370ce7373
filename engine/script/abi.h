/*
 * What Lua may call. This text is C for the compiler and, without the lines
 * that begin with #, the text of ffi.cdef: so it has plain prototypes only. Each
 * state declares this file, with what sysbench declares everywhere; the others,
 * abi_TOPIC.h, are declared by the modules that call them, since a declaration
 * costs memory in each of a thousand states.
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
/* The same in the steps of sysbench 1.0, for scripts with a thread_run of their
 * own. tid must be the caller's. */
bool sb_more_events(int tid);
void sb_event_start(int tid);
void sb_event_stop(int tid);

/* Random numbers in [a, b] as sysbench 1.0 draws them, modulo 2^32. */
uint32_t sb_rand_default(uint32_t a, uint32_t b);
uint32_t sb_rand_uniform(uint32_t a, uint32_t b);
uint32_t sb_rand_gaussian(uint32_t a, uint32_t b);
uint32_t sb_rand_special(uint32_t a, uint32_t b);
uint32_t sb_rand_pareto(uint32_t a, uint32_t b);
/* No number comes twice within 2^32 calls of all threads. */
uint32_t sb_rand_unique(void);
uint64_t sb_rand_uniform_uint64(void);
/* In [0, 1). */
double sb_rand_uniform_double(void);
/* out: room for the format and its end; '#' is a digit, '@' a letter. */
void sb_rand_str(const char *format, char *out);

/* Histograms with bins on a log scale. NULL: see sb_error(). */
typedef struct histogram sb_histogram_t;
sb_histogram_t *sb_histogram_new(size_t size, double low, double high);
void sb_histogram_delete(sb_histogram_t *h);
void sb_histogram_update(sb_histogram_t *h, double value);
void sb_histogram_print(sb_histogram_t *h);

/* The counters of reports, for sb_counter_inc of abi_measure.h. */
typedef enum {
    SB_CNT_OTHER,
    SB_CNT_READ,
    SB_CNT_WRITE,
    SB_CNT_TRX,
    SB_CNT_ERROR,
    SB_CNT_RECONNECT,
    SB_CNT_BYTES_READ,
    SB_CNT_BYTES_WRITTEN
} sb_counter_type;

/* Text of an embedded file, NULL: there is none. */
const char *sb_embedded(const char *path);
/* Path of the i-th embedded file, NULL behind the last. */
const char *sb_embedded_path(int i);

/* For commands that make their own result: writes to standard output, or where
 * --output-format has set it aside. 0, or -1. */
int sb_result_write(const char *text, size_t size);

void sb_print_test_options(void);
#endif
