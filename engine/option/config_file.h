/* Files of options: NAME=VALUE on each line, `#` begins a comment. */
#ifndef OPTION_CONFIG_FILE_H
#define OPTION_CONFIG_FILE_H

#include "option/cmdline.h"

/* Adds the settings of the file to those of the command line, where it stands.
 * Errors name file and line. */
int config_file_read(struct cmdline *c, const char *path, struct err *e);

#endif
