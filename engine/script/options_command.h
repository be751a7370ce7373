/* The command `sbench options`: every option there is, as text or as the parts
 * of the documentation that are made from the rows. */
#ifndef SCRIPT_OPTIONS_COMMAND_H
#define SCRIPT_OPTIONS_COMMAND_H

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"

/* words: what stands behind "options" on the command line. Writes the answer to
 * out. 0, or -1 and e. */
int options_command(int count, char **words, struct log *l, struct buf *out, struct err *e);

#endif
