/*
 * Small text files of /proc and /sys, read below a root: "" is the machine, any
 * folder is a made-up machine of the tests. Nothing here prints or needs root.
 * All functions may be called from any thread.
 */
#ifndef ENV_SOURCE_H
#define ENV_SOURCE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_PATH 300 /* room for a path without the root */
#define SOURCE_NAME 64  /* room for a name in a folder */

/* What became of an attempt to learn something: all three are answers. */
enum fact_status { FACT_OK, FACT_MISSING, FACT_PERMISSION };

/* The text of a file without the blanks, newlines and NULs at its end, cut at
 * room. An empty file counts as missing: it says nothing. */
enum fact_status source_read(const char *root, const char *path, char *out, size_t room);
/* The same for a name made by printf. */
enum fact_status source_readf(const char *root, char *out, size_t room, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a longer file to out, at most max bytes, and stops as soon as the text
 * holds `enough` (if not NULL). */
enum fact_status source_add(const char *root, const char *path, struct buf *out, size_t max,
                            const char *enough);
/* A whole number that stands in a file: false if there is none. */
bool source_number(const char *root, const char *path, int64_t *value);
bool source_numberf(const char *root, int64_t *value, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Names in a folder that begin with prefix, in the order 0, 1, 2 … 10; at most room. */
size_t source_names(const char *root, const char *folder, const char *prefix,
                    char (*names)[SOURCE_NAME], size_t room);
/* The value in a "Key: value" or "key<tab>: value" line of text, blanks cut, in
 * out. False if there is no such line. */
bool source_field(const char *text, const char *key, char *out, size_t room);

#endif
