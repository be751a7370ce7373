/*
 * What web pages and editors make of a command line: dashes that are no dashes,
 * blanks that do not separate, quotes that quote nothing, carriage returns. The
 * shell hands them on as they are.
 */
#ifndef OPTION_PASTED_H
#define OPTION_PASTED_H

#include "base/buf.h"
#include "base/err.h"
#include "option/option.h"

/* What an argument was meant to be: usually itself; several where blanks that do
 * not separate stood between them; none if there is nothing but blanks or a
 * backslash. The name of a file that is there is left alone. *found tells what
 * was mended, for a note; NULL if nothing was. */
int pasted_arguments(const char *arg, struct strlist *out, struct buf *found, struct err *e);

/* The same for a line of a file of options, which has blanks, quotes and a
 * comment of its own. Whether there was anything to mend. */
bool pasted_line(const char *line, struct buf *out);

#endif
