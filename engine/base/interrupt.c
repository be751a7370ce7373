#include "base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static atomic_int heeding;
static atomic_bool impatient;
static const char *_Atomic doomed;

void interrupt_set(int number)
{
    caught = number;
    if (number && atomic_load(&impatient))
        alarm(INTERRUPT_GRACE_S);
}

int interrupt_caught(void)
{
    return caught;
}

void interrupt_heed(int by)
{
    atomic_fetch_add(&heeding, by);
}

bool interrupt_heeded(void)
{
    return atomic_load(&heeding) > 0;
}

void interrupt_impatient(bool yes)
{
    atomic_store(&impatient, yes);
    if (caught)
        alarm(yes ? INTERRUPT_GRACE_S : 0);
}

void interrupt_removes(const char *path, bool half_written)
{
    const char *now = half_written ? NULL : path;
    atomic_compare_exchange_strong(&doomed, &now, half_written ? path : NULL);
}

void interrupt_clean_up(void)
{
    const char *path = atomic_load(&doomed);
    if (path)
        unlink(path);
}

void interrupt_end_program(int number)
{
    interrupt_clean_up();
    signal(number, SIG_DFL);
    raise(number);
}
