#include "script/options_command.h"

#include "option/reference.h"
#include "primitive/list.h"
#include "script/script.h"

#include <stdio.h>
#include <string.h>

struct own_options {
    int format; /* enum reference_format */
};

static const char *const formats[] = {"text", "markdown", "man", NULL};

static const struct option own_rows[] = {
    {"output-format", "form of the reference {text, markdown, man}", "text",
     OPT_ROW_CHOICE(struct own_options, format), .choices = formats},
    {0},
};

static int read_word(struct optset *own, const char *word, struct err *e)
{
    char name[64] = "";
    const char *value = strchr(word, '=');
    int row = -1;
    if (strncmp(word, "--", 2) == 0 && value && (size_t)(value - word) < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)(value - word - 2), word + 2);
        row = optset_find(own, name);
    }
    if (row < 0)
        return err_set(e, "options: '%s' is not known; there is --output-format=text|markdown|man",
                       word);
    return optset_set(own, (size_t)row, value + 1, OPT_BY_USER, OPT_STRICT, e);
}

static int read_format(int count, char **words, enum reference_format *format, struct err *e)
{
    struct own_options values = {0};
    struct optset own;
    int rc = optset_init(&own, "options", own_rows, &values, e);
    for (int i = 0; rc == 0 && i < count; i++)
        rc = read_word(&own, words[i], e);
    *format = (enum reference_format)values.format;
    optset_release(&own);
    return rc;
}

static void add_general(struct reference *r, const struct general_options *g)
{
    for (size_t i = 0; i < GENERAL_SETS; i++)
        reference_add(r, &(struct reference_group){.heading = g->set[i].title, .set = &g->set[i]});
}

static int add_primitives(struct reference *r, struct err *e)
{
    for (const struct workload *const *w = primitive_list; *w; w++) {
        struct part p;
        int rc = part_init(&p, *w, e);
        if (rc == 0)
            reference_add(r, &(struct reference_group){.heading = (*w)->name,
                                                       .summary = (*w)->summary,
                                                       .unavailable = (*w)->unavailable,
                                                       .set = &p.set});
        part_release(&p);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* --- bundled scenarios that are no primitives -------------------------------------- */

struct adding {
    struct reference *reference;
    struct general_options *general;
    struct log *log;
    struct err *err;
};

static void put_presets(const struct optset *s, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        if (s->origin[i] != OPT_BY_SCRIPT)
            continue;
        buf_printf(out, "%s--%s=", any ? " " : ", here with ", s->rows[i].name);
        optset_text(s, i, out);
        any = true;
    }
}

static void put_taken(const struct script *s, struct buf *out)
{
    for (unsigned i = 0; i < s->part_count; i++) {
        buf_printf(out, "%s%s", i ? "; those of " : "Takes the options of ",
                   s->part[i].workload->name);
        put_presets(&s->part[i].set, out);
    }
    if (out->size)
        buf_putc(out, '.');
}

static int add_opened(struct adding *a, struct script *s, struct reference_group *g, struct err *e)
{
    struct buf taken = {0};
    if (script_open(s, g->heading, a->general, NULL, a->log, e) != 0 || script_declared(s, e) != 0)
        return -1;
    put_taken(s, &taken);
    g->takes = taken.size ? buf_text(&taken) : NULL;
    g->set = &s->options;
    reference_add(a->reference, g);
    int rc = taken.failed ? err_set(e, "no memory is left for the answer") : 0;
    buf_release(&taken);
    return rc;
}

/* What a scenario takes over from primitives is described with those. One that cannot
 * be opened in this build is told in the text; the documents are for all builds,
 * so there it is an error. */
static void add_scenario(void *to, const char *name, const char *summary)
{
    struct adding *a = to;
    struct script s;
    struct err e = {0};
    struct reference_group g = {.heading = name, .summary = summary};
    if (primitive_find(name) || a->err->status != ERR_NONE)
        return;
    if (add_opened(a, &s, &g, &e) != 0 && a->reference->format == REFERENCE_TEXT) {
        g.unavailable = e.text;
        reference_add(a->reference, &g);
    } else if (e.status != ERR_NONE) {
        err_set(a->err, "options: the scenario '%s' cannot be opened: %s", name, e.text);
    }
    script_close(&s);
}

static int add_all(struct reference *r, struct log *l, struct err *e)
{
    struct general_options g;
    struct adding a = {.reference = r, .general = &g, .log = l, .err = e};
    int rc = general_init(&g, e);
    if (rc == 0) {
        add_general(r, &g);
        rc = add_primitives(r, e);
    }
    if (rc == 0)
        script_each_bundled(add_scenario, &a);
    general_release(&g);
    return rc == 0 && e->status == ERR_NONE ? 0 : -1;
}

int options_command(int count, char **words, struct log *l, struct buf *out, struct err *e)
{
    enum reference_format format;
    struct reference r;
    if (read_format(count, words, &format, e) != 0)
        return -1;
    reference_init(&r, format);
    int rc = add_all(&r, l, e);
    if (rc == 0)
        reference_text(&r, out);
    reference_release(&r);
    if (rc == 0 && out->failed)
        return err_set(e, "options: no memory is left for the answer");
    return rc;
}
