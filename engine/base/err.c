#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int put(struct err *e, enum err_status status, int errnum, const char *fmt, va_list ap)
{
    if (!e || e->status != ERR_NONE)
        return -1;
    e->status = status;
    int n = vsnprintf(e->text, sizeof e->text, fmt, ap);
    if (errnum && n >= 0 && (size_t)n < sizeof e->text)
        snprintf(e->text + n, sizeof e->text - (size_t)n, " errno = %d (%s)", errnum,
                 strerrordesc_np(errnum) ? strerrordesc_np(errnum) : "unknown error");
    return -1;
}

int err_set(struct err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put(e, ERR_FAILED, 0, fmt, ap);
    va_end(ap);
    return -1;
}

int err_sys(struct err *e, int errnum, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put(e, ERR_FAILED, errnum, fmt, ap);
    va_end(ap);
    return -1;
}

int err_unable(struct err *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put(e, ERR_UNABLE, 0, fmt, ap);
    va_end(ap);
    return -1;
}

void err_clear(struct err *e)
{
    e->status = ERR_NONE;
    e->of_options = false;
    e->text[0] = '\0';
}
