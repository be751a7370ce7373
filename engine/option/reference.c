#include "option/reference.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

void reference_init(struct reference *r, enum reference_format format)
{
    *r = (struct reference){.format = format};
}

void reference_release(struct reference *r)
{
    buf_release(&r->tests);
    buf_release(&r->options);
}

/* --- what a row says ----------------------------------------------------------- */

static const char *const kinds[] = {
    [OPT_BOOL] = "on or off", [OPT_INT] = "whole number", [OPT_SIZE] = "size",
    [OPT_DOUBLE] = "number",  [OPT_SECONDS] = "seconds",  [OPT_STRING] = "text",
    [OPT_LIST] = "list",      [OPT_CHOICE] = "one of",    [OPT_FLAGS] = "any of",
    [OPT_FILE] = "file",
};

static void number(const struct option *o, double n, struct buf *out)
{
    char text[32];
    if (o->type == OPT_SIZE)
        buf_puts(out, units_exact_size((uint64_t)n, text, sizeof text));
    else
        buf_printf(out, "%.15g", n);
}

/* As the check has it: bounds that are both 0 are none, nor is a maximum that is
 * not above the minimum. A maximum that nobody comes near is left out. */
static void range(const struct option *o, struct buf *out)
{
    bool bounded = o->max > o->min && o->max < (o->type == OPT_SIZE ? 9e15 : 1e9);
    if (o->min == 0 && o->max == 0)
        return;
    buf_puts(out, bounded ? ", from " : ", at least ");
    number(o, o->min, out);
    if (bounded) {
        buf_puts(out, " to ");
        number(o, o->max, out);
    }
}

static void values(const struct option *o, struct buf *out)
{
    bool choice = o->choices != NULL;
    if (!choice && o->shown_as && strcmp(o->shown_as, "=FILENAME") == 0)
        buf_puts(out, kinds[OPT_FILE]);
    else if (!choice && o->shown_as && strchr(o->shown_as, ','))
        buf_puts(out, kinds[OPT_LIST]);
    else
        buf_puts(out, kinds[choice && o->type == OPT_STRING ? OPT_CHOICE : o->type]);
    for (int i = 0; choice && o->choices[i]; i++)
        buf_printf(out, "%s %s", i ? "," : ":", o->choices[i]);
    range(o, out);
}

/* The help without the choices in braces: `values` has them. */
static void meaning(const struct option *o, struct buf *out)
{
    const char *open = o->choices ? strstr(o->help, " {") : NULL;
    const char *close = open ? strchr(open, '}') : NULL;
    if (!close) {
        buf_puts(out, o->help);
        return;
    }
    buf_add(out, o->help, (size_t)(open - o->help));
    buf_puts(out, close + 1);
}

static bool has_default(const struct option *o)
{
    return o->fallback && *o->fallback && !o->secret;
}

/* --- markdown -------------------------------------------------------------------- */

/* What would end a cell or begin an emphasis. */
static void cell(const char *text, struct buf *out)
{
    for (; *text; text++) {
        if (strchr("|\\*_<", *text))
            buf_putc(out, '\\');
        buf_putc(out, *text == '\n' ? ' ' : *text);
    }
}

static void cell_of(void (*part)(const struct option *, struct buf *), const struct option *o,
                    struct buf *out)
{
    struct buf text = {0};
    part(o, &text);
    cell(buf_text(&text), out);
    out->failed |= text.failed;
    buf_release(&text);
}

static void markdown_row(const struct option *o, struct buf *out)
{
    buf_printf(out, "| `--%s", o->name);
    for (const char *at = opt_suffix(o); *at; at++)
        buf_printf(out, "%s%c", *at == '|' ? "\\" : "", *at);
    buf_puts(out, "` | ");
    if (has_default(o))
        buf_printf(out, "`%s`", o->fallback);
    buf_puts(out, " | ");
    cell_of(values, o, out);
    buf_puts(out, " | ");
    cell_of(meaning, o, out);
    buf_puts(out, " |\n");
}

static void markdown(struct reference *r, const struct reference_group *g)
{
    struct buf *out = &r->options;
    buf_printf(out, "## %s\n\n", g->heading);
    if (g->summary) {
        cell(g->summary, out);
        buf_puts(out, ".\n\n");
    }
    if (g->takes) {
        cell(g->takes, out);
        buf_puts(out, "\n\n");
    }
    if (!g->set || g->set->count == 0) {
        buf_puts(out, g->takes ? "" : "No options.\n\n");
        return;
    }
    buf_puts(out, "| option | default | values | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < g->set->count; i++)
        markdown_row(&g->set->rows[i], out);
    buf_putc(out, '\n');
}

/* --- man page --------------------------------------------------------------------- */

/* One character of UTF-8 that roff shall not see as such; its length. */
static size_t wide(const char *text, struct buf *out)
{
    const unsigned char *u = (const unsigned char *)text;
    size_t n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    uint32_t code = u[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return i; /* not UTF-8: left out */
        code = code << 6 | (u[i] & 0x3f);
    }
    if (code == 0x2026) /* the one that terminals of the C locale lack */
        buf_puts(out, "...");
    else
        buf_printf(out, "\\[u%04X]", (unsigned)code);
    return n;
}

/* Text that is data to roff wherever it stands. */
static void roff(const char *text, struct buf *out)
{
    if (*text == '.' || *text == '\'')
        buf_puts(out, "\\&");
    while (*text) {
        if ((unsigned char)*text >= 0x80) {
            text += wide(text, out);
            continue;
        }
        if (*text == '\\')
            buf_puts(out, "\\e");
        else if (*text == '-')
            buf_puts(out, "\\-");
        else
            buf_putc(out, *text == '\n' ? ' ' : *text);
        text++;
    }
}

static void roff_of(void (*part)(const struct option *, struct buf *), const struct option *o,
                    struct buf *out)
{
    struct buf text = {0};
    part(o, &text);
    roff(buf_text(&text), out);
    out->failed |= text.failed;
    buf_release(&text);
}

static void man_row(const struct option *o, struct buf *out)
{
    buf_puts(out, ".TP\n.B ");
    roff("--", out);
    roff(o->name, out);
    roff(opt_suffix(o), out);
    buf_putc(out, '\n');
    roff_of(meaning, o, out);
    buf_puts(out, "\n.br\n[");
    roff_of(values, o, out);
    if (has_default(o)) {
        buf_puts(out, "; default ");
        roff(o->fallback, out);
    }
    buf_puts(out, "]\n");
}

static void man(struct reference *r, const struct reference_group *g)
{
    struct buf *out = &r->options;
    if (g->summary) {
        buf_puts(&r->tests, ".TP\n.B ");
        roff(g->heading, &r->tests);
        buf_putc(&r->tests, '\n');
        roff(g->summary, &r->tests);
        buf_puts(&r->tests, ".\n");
    }
    if (g->takes) {
        roff(g->takes, &r->tests);
        buf_putc(&r->tests, '\n');
    }
    if (!g->set || g->set->count == 0)
        return;
    buf_puts(out, ".SS \"");
    roff(g->heading, out);
    buf_puts(out, "\"\n");
    for (size_t i = 0; i < g->set->count; i++)
        man_row(&g->set->rows[i], out);
}

/* --- text -------------------------------------------------------------------------- */

static void text(struct reference *r, const struct reference_group *g)
{
    struct buf *out = &r->options;
    buf_printf(out, "%s%s:\n", g->heading, g->summary ? " options" : "");
    if (g->unavailable)
        buf_printf(out, "  (not in this build: %.*s)\n", (int)strcspn(g->unavailable, "\n"),
                   g->unavailable);
    if (g->set && g->set->count > 0)
        optset_help(g->set, out);
    else if (!g->takes)
        buf_puts(out, "  none\n");
    if (g->takes)
        buf_printf(out, "  %s\n", g->takes);
    buf_putc(out, '\n');
}

/* The documents are the same for every build, so only the text tells what this
 * one lacks. */
void reference_add(struct reference *r, const struct reference_group *g)
{
    static void (*const writers[])(struct reference *, const struct reference_group *) = {
        [REFERENCE_TEXT] = text, [REFERENCE_MARKDOWN] = markdown, [REFERENCE_MAN] = man};
    writers[r->format](r, g);
}

void reference_text(const struct reference *r, struct buf *out)
{
    if (r->format == REFERENCE_MAN) {
        buf_puts(out, ".SH TESTS\n");
        buf_puts(out, buf_text(&r->tests));
        buf_puts(out, ".SH OPTIONS\n");
    }
    buf_puts(out, buf_text(&r->options));
    out->failed |= r->tests.failed || r->options.failed;
}
