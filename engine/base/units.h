/* Numbers with units, read strictly: the whole text must be a number. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* What a text is not. NULL stands for "it is one". The reason continues a
 * sentence that began with the text: "is not a whole number". */
const char *units_parse_int(const char *text, int64_t *value);
const char *units_parse_double(const char *text, double *value);
/* Bytes: a number, optionally K, M, G, T (powers of 1024, any case) with an
 * optional B or iB behind. Fractions are fine where they give whole bytes. */
const char *units_parse_size(const char *text, uint64_t *bytes);
/* Seconds: a number, optionally us, ms, s, m or h. */
const char *units_parse_seconds(const char *text, double *seconds);

/* As sysbench 1.0 prints sizes: "%.5g" below 1024 with the unit's prefix and
 * no "B": "8Mi", "244.14Ki", "100". Returns out. */
char *units_size(uint64_t bytes, char *out, size_t room);
/* The shortest exact form for options and commands: "16K", "1536", "2G". */
char *units_exact_size(uint64_t bytes, char *out, size_t room);

#endif
