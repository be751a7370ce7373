/*
 * The signal that asked the program to end: the one mutable global, for a
 * signal handler can reach nothing else. main's handler sets it; whoever works
 * for long outside of a run looks at it, takes back what is half done and
 * returns an error. Runs have a signal of their own, see run.h. Where nobody
 * looks, such as in a function of a script, the signal ends the program at once.
 */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

/* Keeps the number; 0 forgets it. Safe in signal handlers. */
void interrupt_set(int number);
/* Number of the signal, 0: none so far. Any thread. */
int interrupt_caught(void);

/* 1: the caller looks at it from now on; -1: no more. Any thread; calls nest. */
void interrupt_heed(int by);
/* Does anybody? Safe in signal handlers. */
bool interrupt_heeded(void);

/* While impatient, whoever looks at it gets INTERRUPT_GRACE_S, then SIGALRM comes. For the
 * time in which the main thread runs what may never return. */
#define INTERRUPT_GRACE_S 5
void interrupt_impatient(bool yes);

/* A half-written file goes with the program then, but only one at a time. The path stays
 * the caller's and valid until it is said that it is no longer half written. */
void interrupt_removes(const char *path, bool half_written);

/* Removes it, for an end that comes without warning. Safe in signal handlers. */
void interrupt_clean_up(void);

/* From the signal handler: ends the program by the signal's usual effect as soon as the
 * handler returns. */
void interrupt_end_program(int number);

#endif
