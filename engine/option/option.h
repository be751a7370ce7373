/*
 * Options are rows. One row is all there is to say about an option: how it is
 * parsed and checked, its default, its line in the help, its entry in
 * sysbench.opt and in the reference. A row is bound to a field of its owner's
 * struct by offset; a field of the wrong type does not compile.
 *
 * A `struct optset` joins rows with the struct that holds their values. Several
 * sets make up a command line: general options, those of a primitive, those of
 * a script. Nothing here is touched by more than one thread before the workers
 * start; afterwards all is read only.
 */
#ifndef OPTION_OPTION_H
#define OPTION_OPTION_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_type {              /* type of the field    text of a value */
                OPT_BOOL,    /* bool                 nothing, on, true, 1; off, false, 0 */
                OPT_INT,     /* int64_t              whole number */
                OPT_SIZE,    /* uint64_t, bytes      number with K, M, G, T */
                OPT_DOUBLE,  /* double               number */
                OPT_SECONDS, /* double, seconds      number, also 500ms, 2m */
                OPT_STRING,  /* char *               anything; "" is unset */
                OPT_LIST,    /* struct strlist       items with commas */
                OPT_CHOICE,  /* int, index           one of the choices */
                OPT_FLAGS,   /* unsigned, bit mask   any of the choices, with commas */
                OPT_FILE,    /* nothing              read as a file of options */
};

struct strlist {
    char **item;
    size_t count;
};

struct option {
    const char *name, *help;
    const char *fallback; /* the default as a user would type it; NULL: none */
    enum opt_type type;
    size_t at;                  /* offset of the field, from OPT_AT */
    double min, max;            /* for numbers; both 0: no bounds */
    const char *const *choices; /* ends with NULL */
    const char *shown_as;       /* suffix in the help where it differs from the type's */
    const char *also;           /* further spellings of choices: "old=new,old=new" */
    bool secret;                /* never printed; blanked in the argument list */
    bool negative_is_none;      /* sysbench 1.0 takes a negative number for "no limit" */
    bool was_whole;             /* it was an INT there: no rubbish behind it was ever taken */
    bool not_empty;             /* a text or list that stands for nothing when it is empty */
};

/* Offset of a field, only if it has the type that the option writes. */
#define OPT_AT(owner, field, type_) (_Generic(((owner *)0)->field, type_ : offsetof(owner, field)))
#define OPT_ROW_BOOL(o, f) .type = OPT_BOOL, .at = OPT_AT(o, f, bool)
#define OPT_ROW_INT(o, f) .type = OPT_INT, .at = OPT_AT(o, f, int64_t)
#define OPT_ROW_SIZE(o, f) .type = OPT_SIZE, .at = OPT_AT(o, f, uint64_t)
#define OPT_ROW_DOUBLE(o, f) .type = OPT_DOUBLE, .at = OPT_AT(o, f, double)
#define OPT_ROW_SECONDS(o, f) .type = OPT_SECONDS, .at = OPT_AT(o, f, double)
#define OPT_ROW_STRING(o, f) .type = OPT_STRING, .at = OPT_AT(o, f, char *)
#define OPT_ROW_LIST(o, f) .type = OPT_LIST, .at = OPT_AT(o, f, struct strlist)
#define OPT_ROW_CHOICE(o, f) .type = OPT_CHOICE, .at = OPT_AT(o, f, int)
#define OPT_ROW_FLAGS(o, f) .type = OPT_FLAGS, .at = OPT_AT(o, f, unsigned)

/* BY_FORM: the default of the sysbench that is spoken, where it is another one. */
enum opt_origin { OPT_BY_DEFAULT, OPT_BY_FORM, OPT_BY_SCRIPT, OPT_BY_USER };

struct optset {
    const char *title;         /* heading in the help: "fileio options" */
    const struct option *rows; /* ends with a row without name */
    size_t count;
    void *values;          /* the owner's struct */
    unsigned char *origin; /* enum opt_origin of each row */
};

/* Allocates the origins and sets every field to its default through the same
 * parser that reads the user's values. values is the caller's, zero-filled. */
int optset_init(struct optset *s, const char *title, const struct option *rows, void *values,
                struct err *e);
/* Frees what the set allocated and the strings and lists in the values. */
void optset_release(struct optset *s);

/* Row of that name, `-` and `_` being equal; -1 if there is none. */
int optset_find(const struct optset *s, const char *name);
bool opt_same_name(const char *a, const char *b);

/* How strictly values are read. Lenient is what sysbench 1.0 does: negative
 * counts stand for "no limit", rubbish behind a size is dropped. Old is what 0.4
 * did beyond that: of a switch, every value but `on` is off. */
enum opt_manner { OPT_STRICT, OPT_LENIENT, OPT_OLD };

/* Parses text (NULL: no value given) into row i. A value of lower origin never
 * replaces one of a higher. Errors name option, value and what is allowed. */
int optset_set(struct optset *s, size_t i, const char *text, enum opt_origin origin,
               enum opt_manner manner, struct err *e);
bool optset_given(const struct optset *s, const char *name); /* by the user */

/* The value of row i as text that optset_set would read back. */
void optset_text(const struct optset *s, size_t i, struct buf *out);
/* Address of row i's value. */
static inline void *optset_value(const struct optset *s, size_t i)
{
    return (char *)s->values + s->rows[i].at;
}

const char *opt_suffix(const struct option *o); /* "=N", "[=on|off]" … */
/* The table of the help: two blanks, name and suffix padded, text, default (that
 * of the form if there is one). */
void optset_help(const struct optset *s, struct buf *out);

/* The known name nearest to the given one, NULL if none is near. Looks through
 * n sets. */
const char *opt_nearest(const struct optset *const *sets, size_t n, const char *name);
/* Edit distance in which neighbouring letters swapped count once; `-` = `_`, and
 * capitals are letters like others. */
unsigned opt_distance(const char *a, const char *b);
/* Is name nearer than *best to what was typed? Then *best becomes its distance. */
bool opt_is_nearer(const char *typed, const char *name, unsigned *best);

int strlist_split(struct strlist *l, const char *text, struct err *e); /* at commas */
int strlist_add(struct strlist *l, const char *text, size_t size, struct err *e);
void strlist_release(struct strlist *l);

#endif
