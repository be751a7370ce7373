/* What the fuzz targets share. Each reads arbitrary bytes as a file or a text
 * would bring them; a crash, a leak or a failed claim is a finding. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/err.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define claim(true_) ((true_) ? (void)0 : fuzz_refuted(#true_, __FILE__, __LINE__))

static inline void fuzz_refuted(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
    abort();
}

/* What fails says why, and what succeeds says nothing. */
static inline void fuzz_claim_error(int rc, const struct err *e)
{
    claim(rc == 0 || rc == -1);
    claim((rc != 0) == (e->status != ERR_NONE));
    claim((rc != 0) == (e->text[0] != '\0'));
}

/* The bytes as a text; free() it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    claim(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
