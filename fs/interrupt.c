#include "fs/interrupt.h"

#include <string.h>
#include <time.h>

static const int signals[INTERRUPT_N] = {SIGINT, SIGTERM, SIGHUP};

/* The one thing a signal handler can reach. */
static volatile sig_atomic_t seen;

static void note(int number)
{
    seen = number;
}

void interrupt_begin(struct interrupt *i)
{
    struct sigaction sa = {.sa_handler = note}; /* no SA_RESTART: waits must end */
    sigemptyset(&sa.sa_mask);
    seen = 0;
    for (int k = 0; k < INTERRUPT_N; k++)
        sigaction(signals[k], &sa, &i->before[k]);
}

void interrupt_end(struct interrupt *i)
{
    for (int k = 0; k < INTERRUPT_N; k++)
        sigaction(signals[k], &i->before[k], NULL);
}

int interrupt_seen(void)
{
    return seen;
}

int interrupt_check(struct err *e)
{
    int number = seen;
    if (!number)
        return 0;
    return err_set(e, "stopped by SIG%s", sigabbrev_np(number));
}

int interrupt_sleep(double seconds, struct err *e)
{
    struct timespec t;
    t.tv_sec = (time_t)seconds;
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    while (!seen && nanosleep(&t, &t) != 0)
        ;
    return interrupt_check(e);
}
