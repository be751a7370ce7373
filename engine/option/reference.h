/*
 * The reference of all options, written from the rows: what the help shows, and
 * beside it what values are taken. One group after the other is added, because
 * the options of a scenario live no longer than the scenario.
 */
#ifndef OPTION_REFERENCE_H
#define OPTION_REFERENCE_H

#include "base/buf.h"
#include "option/option.h"

enum reference_format { REFERENCE_TEXT, REFERENCE_MARKDOWN, REFERENCE_MAN };

struct reference_group {
    const char *heading;      /* "General options", or the name of a test */
    const char *summary;      /* of a test: what it does; NULL: no test */
    const char *unavailable;  /* of a test: why this build lacks it; or NULL */
    const char *takes;        /* of a scenario: whose options it takes over, a sentence; or NULL */
    const struct optset *set; /* NULL: it has no options */
};

struct reference {
    enum reference_format format;
    struct buf tests; /* the man page lists tests in a section of their own */
    struct buf options;
};

void reference_init(struct reference *r, enum reference_format format);
void reference_release(struct reference *r);
void reference_add(struct reference *r, const struct reference_group *g);
/* Everything that was added, in the format. Memory that ran out shows as
 * out->failed. */
void reference_text(const struct reference *r, struct buf *out);

#endif
