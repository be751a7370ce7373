#include "fs/interrupt.h"

#include "base/interrupt.h"

#include <string.h>
#include <time.h>

static const int signals[INTERRUPT_N] = {SIGINT, SIGTERM, SIGHUP};

static void note(int number)
{
    interrupt_set(number);
}

void interrupt_begin(struct interrupt *i)
{
    struct sigaction sa = {.sa_handler = note}; /* no SA_RESTART: waits must end */
    sigemptyset(&sa.sa_mask);
    interrupt_set(0);
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
    return interrupt_caught();
}

int interrupt_check(struct err *e)
{
    int number = interrupt_caught();
    if (!number)
        return 0;
    return err_set(e, "stopped by SIG%s", sigabbrev_np(number));
}

int interrupt_sleep(double seconds, struct err *e)
{
    struct timespec t;
    t.tv_sec = (time_t)seconds;
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    while (!interrupt_caught() && nanosleep(&t, &t) != 0)
        ;
    return interrupt_check(e);
}
