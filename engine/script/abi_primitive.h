/* Primitives as parts of a scenario. See abi.h. */
#ifndef SCRIPT_ABI_PRIMITIVE_H
#define SCRIPT_ABI_PRIMITIVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a primitive part of the scenario; only while a script is loaded. Index
 * of the part, or -1. */
int sb_primitive(const char *name);
/* Sets an option of that part unless the user has given it. */
int sb_primitive_preset(int part, const char *option, const char *value);
/* Its prepare and cleanup. */
int sb_primitive_prepare(int part);
int sb_primitive_cleanup(int part);
#endif
