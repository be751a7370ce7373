/* The command `sbench env`: what machine this is, and what differs between two. */
#ifndef ENV_ENV_COMMAND_H
#define ENV_ENV_COMMAND_H

#include "env/env.h"
#include "option/general.h"

struct env_command {
    enum output_format format;
    bool reveal;             /* show host name and serial number */
    const char *const *word; /* what stands behind "env": nothing, or "diff" and two files */
    size_t words;
    const struct env *known; /* facts of others to show as well, such as the Lua version; or NULL */
};

/* Writes the answer to out. 0, or -1 and e. */
int env_command(const struct env_command *c, struct buf *out, struct err *e);

#endif
