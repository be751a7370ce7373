#include "option/pasted.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- characters ----------------------------------------------------------------- */

enum kind { PLAIN, DASH, BLANK, QUOTE, APOSTROPHE, INVISIBLE };

static const char *const kind_names[] = {
    [DASH] = "a typographic dash",          [BLANK] = "a stray blank or line end",
    [QUOTE] = "typographic quotes",         [APOSTROPHE] = "typographic quotes",
    [INVISIBLE] = "an invisible character",
};

/* Ranges of what stands for something plain, in Unicode. */
static const struct {
    unsigned first, last;
    enum kind kind;
} ranges[] = {
    {0x00a0, 0x00a0, BLANK},     {0x00ab, 0x00ab, QUOTE},      {0x00ad, 0x00ad, INVISIBLE},
    {0x00bb, 0x00bb, QUOTE},     {0x2000, 0x200a, BLANK},      {0x200b, 0x200f, INVISIBLE},
    {0x2010, 0x2015, DASH},      {0x2018, 0x201b, APOSTROPHE}, {0x201c, 0x201f, QUOTE},
    {0x2028, 0x2029, BLANK},     {0x202f, 0x202f, BLANK},      {0x205f, 0x205f, BLANK},
    {0x2060, 0x2060, INVISIBLE}, {0x2212, 0x2212, DASH},       {0x3000, 0x3000, BLANK},
    {0xfeff, 0xfeff, INVISIBLE}, {0xff0d, 0xff0d, DASH},
};

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The character at s, of two or three bytes, else 0. All that is looked for is
 * of these lengths. */
static unsigned decode(const char *s, size_t *size)
{
    unsigned first = (unsigned char)s[0];
    *size = 1;
    if ((first & 0xe0) == 0xc0 && continues(s[1])) {
        *size = 2;
        return (first & 0x1f) << 6 | ((unsigned char)s[1] & 0x3f);
    }
    if ((first & 0xf0) == 0xe0 && continues(s[1]) && continues(s[2])) {
        *size = 3;
        return (first & 0x0f) << 12 | ((unsigned char)s[1] & 0x3fu) << 6 |
               ((unsigned char)s[2] & 0x3f);
    }
    return 0;
}

static enum kind kind_at(const char *s, size_t *size)
{
    unsigned c = decode(s, size);
    for (size_t i = 0; c && i < sizeof ranges / sizeof ranges[0]; i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return ranges[i].kind;
    return PLAIN;
}

static bool is_quote(enum kind k)
{
    return k == QUOTE || k == APOSTROPHE;
}

/* --- trimming --------------------------------------------------------------------- */

/* A part of a text, and what has been found in it so far. */
struct span {
    const char *at, *end;
    unsigned kinds; /* a bit for each enum kind */
};

static void drop_front(struct span *s, bool quotes)
{
    for (size_t n; s->at < s->end; s->at += n) {
        enum kind k = kind_at(s->at, &n);
        bool blank = isspace((unsigned char)*s->at);
        if (!blank && k != BLANK && k != INVISIBLE && !(quotes && is_quote(k)))
            return;
        s->kinds |= 1u << (blank ? BLANK : k);
    }
}

/* Blanks of the keyboard at the end of an option may belong to its value. */
static void drop_back(struct span *s, bool quotes, bool option)
{
    const char *blanks = option ? "\r\n" : " \t\r\n\v\f";
    while (s->at < s->end) {
        const char *last = s->end - 1;
        size_t n;
        while (last > s->at && continues(*last))
            last--;
        enum kind k = kind_at(last, &n);
        bool blank = strchr(blanks, *last) != NULL;
        if (!blank && k != BLANK && k != INVISIBLE && !(quotes && is_quote(k)))
            return;
        s->kinds |= 1u << (blank ? BLANK : k);
        s->end = last;
    }
}

/* Quotes round a value go if there are two of them. */
static bool quoted(const struct span *s)
{
    const char *last = s->end;
    size_t n;
    if (s->at == s->end || !is_quote(kind_at(s->at, &n)) || s->at + n >= s->end)
        return false;
    do
        last--;
    while (last > s->at && continues(*last));
    return is_quote(kind_at(last, &n));
}

/* --- one argument ------------------------------------------------------------------- */

static bool begins_with_dash(const char *s)
{
    size_t n;
    return *s == '-' || kind_at(s, &n) == DASH;
}

/* Dashes in front become two if any of them was a typographic one. */
static void put_front(struct span *s, struct buf *out)
{
    const char *at = s->at;
    bool typographic = false;
    for (size_t n; at < s->end && begins_with_dash(at); at += n)
        typographic |= kind_at(at, &n) == DASH;
    if (!typographic)
        return;
    s->kinds |= 1u << DASH;
    buf_puts(out, "--");
    s->at = at;
}

static void put_name(struct span *s, struct buf *out)
{
    size_t n;
    for (; s->at < s->end && *s->at != '='; s->at += n) {
        enum kind k = kind_at(s->at, &n);
        s->kinds |= 1u << k;
        if (k == PLAIN)
            buf_add(out, s->at, n);
        else if (k == DASH)
            buf_putc(out, '-');
    }
}

static void put_value(struct span *s, struct buf *out)
{
    struct span value = {.at = s->at + 1, .end = s->end};
    size_t n;
    buf_putc(out, '=');
    if (kind_at(value.at, &n) != PLAIN)
        drop_front(&value, false);
    if (quoted(&value)) {
        drop_front(&value, true);
        drop_back(&value, true, true);
    }
    s->kinds |= value.kinds;
    buf_add(out, value.at, (size_t)(value.end - value.at));
}

static int put_argument(struct span *s, struct strlist *out, struct err *e)
{
    struct buf text = {0};
    drop_front(s, true);
    bool option = begins_with_dash(s->at);
    drop_back(s, !option || (s->kinds & (1u << QUOTE | 1u << APOSTROPHE)), option);
    if (s->at == s->end)
        return 0;
    put_front(s, &text);
    put_name(s, &text);
    if (s->at < s->end)
        put_value(s, &text);
    int rc = text.failed ? err_set(e, "out of memory for an argument")
                         : strlist_add(out, buf_text(&text), text.size, e);
    buf_release(&text);
    return rc;
}

/* --- several ------------------------------------------------------------------------- */

static bool is_command(const char *s)
{
    static const char *const words[] = {"run", "prepare", "cleanup", "help"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0 &&
            !isalnum((unsigned char)s[strlen(words[i])]))
            return true;
    return false;
}

/* Where the argument at `at` ends: at a blank that should have separated it from
 * a further one. A blank within a value may belong there. */
static const char *end_of(const char *at)
{
    bool option = begins_with_dash(at) || strchr(at, '=');
    for (size_t n; *at; at += n) {
        if (kind_at(at, &n) != BLANK)
            continue;
        const char *next = at + n;
        for (size_t m; kind_at(next, &m) == BLANK; next += m)
            ;
        if (!option || begins_with_dash(next) || is_command(next))
            return at;
    }
    return at;
}

static bool is_plain(const char *arg)
{
    size_t n = strlen(arg);
    if (n == 0)
        return true;
    if (isspace((unsigned char)arg[0]) || isspace((unsigned char)arg[n - 1]) ||
        strcmp(arg, "\\") == 0)
        return false;
    for (; *arg; arg += n)
        if (kind_at(arg, &n) != PLAIN)
            return false;
    return true;
}

static void tell(unsigned kinds, struct buf *found)
{
    const char *and = "";
    for (int k = DASH; k <= INVISIBLE; k++) {
        if (!(kinds & 1u << k) || (k == APOSTROPHE && kinds & 1u << QUOTE))
            continue;
        buf_printf(found, "%s%s", and, kind_names[k]);
        and = " and ";
    }
}

int pasted_arguments(const char *arg, struct strlist *out, struct buf *found, struct err *e)
{
    unsigned kinds = 0;
    bool file = !begins_with_dash(arg) && access(arg, F_OK) == 0;
    *out = (struct strlist){0};
    if (is_plain(arg) || file)
        return strlist_add(out, arg, strlen(arg), e);
    if (strcmp(arg, "\\") == 0) {
        buf_puts(found, "nothing but a backslash");
        return 0;
    }
    while (*arg) {
        struct span s = {.at = arg, .end = end_of(arg)};
        arg = s.end;
        if (put_argument(&s, out, e) != 0) {
            strlist_release(out);
            return -1;
        }
        kinds |= s.kinds;
        for (size_t n; kind_at(arg, &n) == BLANK; arg += n)
            kinds |= 1u << BLANK;
    }
    tell(kinds, found);
    return 0;
}

/* --- lines ------------------------------------------------------------------------------ */

bool pasted_line(const char *line, struct buf *out)
{
    static const char plain[] = {[DASH] = '-', [BLANK] = ' ', [QUOTE] = '"', [APOSTROPHE] = '\''};
    bool found = false, name = true;
    char quote = '\0';
    for (size_t n; *line; line += n) {
        enum kind k = kind_at(line, &n);
        name &= *line != '=';
        if (*line == '#' && !quote) {
            buf_puts(out, line);
            break;
        }
        if (!name && k == PLAIN && (*line == '"' || *line == '\''))
            quote = quote == *line ? '\0' : quote ? quote : *line;
        if (k == PLAIN || quote || (k == DASH && !name)) {
            buf_add(out, line, n);
            continue;
        }
        found = true;
        if (k != INVISIBLE)
            buf_putc(out, plain[k]);
    }
    return found;
}
