/*
 * What sysbench 0.4 and 0.5 called their options, and what only they had. The
 * names are taken in every form; what they do depends on it.
 */
#ifndef OPTION_LEGACY_H
#define OPTION_LEGACY_H

#include "option/cmdline.h"

/* The old names, for suggestions; it has no values. */
extern const struct optset legacy_names;

/* Whether that is an old name whose value cannot be left out. */
bool legacy_needs_value(const char *name);

/* Lines of the general help on old names, with the defaults of that form. */
void legacy_help(enum compat form, struct buf *out);

/* The defaults of 0.4.12 where they are other ones. */
int legacy_defaults(struct general_options *g, struct err *e);

/* Gives old names their place; they win over the new ones, wherever they stand. */
int legacy_give(struct cmdline *c, struct general_options *g, struct err *e);

/* Takes settings of these rows for known and of no effect, with a note: 0.4 took
 * the options of all tests together. */
void legacy_ignore(struct cmdline *c, const struct option *rows, const char *owner);

#endif
