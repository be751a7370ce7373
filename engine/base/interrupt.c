#include "base/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t caught;

void interrupt_set(int number)
{
    caught = number;
}

int interrupt_caught(void)
{
    return caught;
}
