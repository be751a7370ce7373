/*
 * The signal that asked the program to end: the one mutable global, for a
 * signal handler can reach nothing else. main's handler sets it; whoever works
 * for long outside of a run looks at it, takes back what is half done and
 * returns an error. Runs have a signal of their own, see run.h.
 */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

/* Keeps the number; 0 forgets it. Safe in signal handlers. */
void interrupt_set(int number);
/* Number of the signal, 0: none so far. Any thread. */
int interrupt_caught(void);

#endif
