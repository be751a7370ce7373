#include "primitive/kernel/cpu.h"

#ifdef KERNEL_FOR_DIVIDERS
#include <asm/hwcap.h>
#include <sys/auxv.h>

bool kernel_divides_32(void)
{
    /* One flag for each of the two instruction sets, whichever the build uses. */
    return (getauxval(AT_HWCAP) & HWCAP_IDIV) == HWCAP_IDIV;
}

#else

bool kernel_divides_32(void)
{
#ifdef KERNEL_WITHOUT_DIVISION
    return false;
#else
    return true;
#endif
}

#endif
