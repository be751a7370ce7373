#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void json_init(struct json *j, struct buf *out)
{
    *j = (struct json){.out = out};
}

static void newline(struct json *j)
{
    buf_putc(j->out, '\n');
    for (int i = 0; i < j->depth; i++)
        buf_puts(j->out, "  ");
}

static void put_escaped(struct buf *out, unsigned char c)
{
    static const char *const names[] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t"};
    if (c < sizeof names / sizeof names[0] && names[c])
        buf_puts(out, names[c]);
    else if (c < 0x20)
        buf_printf(out, "\\u%04x", c);
    else
        buf_putc(out, (char)c);
}

/* Length of the UTF-8 sequence at s, 0 if there is none. The second byte has
 * narrower bounds behind some first ones, which keeps out overlong forms,
 * surrogates and what lies beyond U+10FFFF (Unicode, table 3-7). */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high, length;
    } forms[] = {{0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
                 {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
                 {0xe1, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                 {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    size_t k = 0, n = sizeof forms / sizeof forms[0];
    while (k < n && (*s < forms[k].first || *s > forms[k].last))
        k++;
    if (k == n || (forms[k].length > 1 && (s[1] < forms[k].low || s[1] > forms[k].high)))
        return 0;
    for (size_t i = 2; i < forms[k].length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return forms[k].length;
}

static void put_quoted(struct buf *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    buf_putc(out, '"');
    while (*s) {
        size_t n = utf8_length(s);
        if (n > 1)
            buf_add(out, (const char *)s, n);
        else if (n == 1)
            put_escaped(out, *s);
        else
            buf_puts(out, "\xef\xbf\xbd"); /* U+FFFD for a byte that is no UTF-8 */
        s += n ? n : 1;
    }
    buf_putc(out, '"');
}

static void begin(struct json *j, const char *key)
{
    if (j->comma)
        buf_putc(j->out, ',');
    if (j->depth > 0)
        newline(j);
    if (key) {
        put_quoted(j->out, key);
        buf_puts(j->out, ": ");
    }
    j->comma = true;
}

void json_open(struct json *j, const char *key, char bracket)
{
    begin(j, key);
    buf_putc(j->out, bracket);
    j->depth++;
    j->comma = false;
}

void json_close(struct json *j, char bracket)
{
    bool empty = !j->comma;
    j->depth--;
    if (!empty)
        newline(j);
    buf_putc(j->out, bracket);
    j->comma = true;
    if (j->depth == 0)
        buf_putc(j->out, '\n');
}

void json_text(struct json *j, const char *key, const char *value)
{
    if (!value) {
        json_none(j, key);
        return;
    }
    begin(j, key);
    put_quoted(j->out, value);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
    begin(j, key);
    buf_printf(j->out, "%llu", (unsigned long long)value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
    begin(j, key);
    buf_printf(j->out, "%lld", (long long)value);
}

/* The shortest text that reads back as the same number. */
void json_double(struct json *j, const char *key, double value)
{
    char text[40];
    if (!isfinite(value)) {
        json_none(j, key);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    begin(j, key);
    buf_puts(j->out, text);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin(j, key);
    buf_puts(j->out, value ? "true" : "false");
}

void json_none(struct json *j, const char *key)
{
    begin(j, key);
    buf_puts(j->out, "null");
}

void json_splice(struct json *j, const struct buf *made)
{
    if (j->comma)
        buf_putc(j->out, ',');
    buf_add(j->out, buf_text(made), made->size);
    j->out->failed |= made->failed;
    j->comma = true;
}
