/* A growable text. Running out of memory is remembered in `failed` instead of
 * being checked at each append; whoever writes the text out asks once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
    char *text; /* always terminated once something was added; may be NULL before */
    size_t size, room;
    bool failed;
};

void buf_release(struct buf *b);
void buf_clear(struct buf *b); /* empty it, keep its memory */
void buf_add(struct buf *b, const char *text, size_t size);
void buf_puts(struct buf *b, const char *text);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
const char *buf_text(const struct buf *b); /* "" when empty */

#endif
