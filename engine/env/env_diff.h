/*
 * Two recorded environments side by side: which facts differ, and what that
 * means for a comparison of the results.
 */
#ifndef ENV_ENV_DIFF_H
#define ENV_ENV_DIFF_H

#include "env/env.h"

struct env_difference {
    char *key;
    enum fact_class class;
    char *a, *b; /* values as text; NULL: unknown there */
};

struct env_diff {
    char *name_a, *name_b;       /* of the files */
    struct env_difference *item; /* by class, then in the order of the table */
    size_t count, same;          /* differences; facts that are alike */
};

/* Reads the object "env" of two JSON files: results, or what `sbench env` wrote.
 * 0, or -1 and e names the file and what is wrong with it. */
int env_diff_init(struct env_diff *d, const char *file_a, const char *file_b, struct err *e);
void env_diff_release(struct env_diff *d);
size_t env_diff_count(const struct env_diff *d, enum fact_class c);
void env_diff_text(const struct env_diff *d, struct buf *out);
void env_diff_json(const struct env_diff *d, struct buf *out);
void env_diff_csv(const struct env_diff *d, struct buf *out);

#endif
