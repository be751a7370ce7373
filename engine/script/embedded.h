/* The Lua files that are part of the program, made by scripts/embed. */
#ifndef SCRIPT_EMBEDDED_H
#define SCRIPT_EMBEDDED_H

#include <stddef.h>

struct embedded {
    const char *path;          /* as in the source tree: "lua/cpu.lua" */
    const unsigned char *text; /* a zero byte follows */
    size_t size;
};

extern const struct embedded embedded_files[]; /* ends with a row without path */

#endif
