/* The commands prepare and cleanup. Single-threaded. */
#ifndef FILEIO_CREATE_H
#define FILEIO_CREATE_H

#include "base/err.h"
#include "base/log.h"
#include "primitive/fileio/options.h"

/* Makes the files, or extends and reuses what is there. Nothing is written
 * unless all of it may be and there is room for it; what was made is removed
 * again when writing fails. With validate, blocks carry checksums. */
int files_prepare(const struct fileio_options *o, bool validate, struct log *l, struct err *e);
/* Removes the set and further files of its kind that follow it. Anything that
 * prepare cannot have made stays and is an error. */
int files_cleanup(const struct fileio_options *o, struct log *l, struct err *e);

#endif
