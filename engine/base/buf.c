#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_release(struct buf *b)
{
    free(b->text);
    *b = (struct buf){0};
}

void buf_clear(struct buf *b)
{
    b->size = 0;
    if (b->text)
        b->text[0] = '\0';
}

static bool reserve(struct buf *b, size_t more)
{
    if (b->failed)
        return false;
    if (b->size + more + 1 <= b->room)
        return true;
    size_t room = b->room ? b->room * 2 : 256;
    while (room < b->size + more + 1)
        room *= 2;
    char *text = realloc(b->text, room);
    if (!text) {
        b->failed = true;
        return false;
    }
    b->text = text;
    b->room = room;
    return true;
}

void buf_add(struct buf *b, const char *text, size_t size)
{
    if (!reserve(b, size))
        return;
    memcpy(b->text + b->size, text, size);
    b->size += size;
    b->text[b->size] = '\0';
}

void buf_puts(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_putc(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && reserve(b, (size_t)n)) {
        vsnprintf(b->text + b->size, (size_t)n + 1, fmt, again);
        b->size += (size_t)n;
    }
    va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(b, fmt, ap);
    va_end(ap);
}

const char *buf_text(const struct buf *b)
{
    return b->text ? b->text : "";
}
