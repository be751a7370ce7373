/*
 * SIGINT, SIGTERM and SIGHUP while a session holds mounts and loop devices.
 * The handler only notes the signal; whoever waits asks interrupt_seen() and
 * returns an error, so that the session's undo list is worked off by ordinary
 * code. Main thread only.
 */
#ifndef FS_INTERRUPT_H
#define FS_INTERRUPT_H

#include <signal.h>

#include "base/err.h"

enum { INTERRUPT_N = 3 };

struct interrupt {
    struct sigaction before[INTERRUPT_N]; /* what interrupt_end puts back */
};

void interrupt_begin(struct interrupt *i);
void interrupt_end(struct interrupt *i);

/* Number of the last signal since interrupt_begin, 0 for none. */
int interrupt_seen(void);
/* -1 and an error that names the signal, or 0. */
int interrupt_check(struct err *e);
/* Sleeps; returns early (-1, with the error) when a signal arrives. */
int interrupt_sleep(double seconds, struct err *e);

#endif
