/*
 * Random numbers of certain distributions, drawn from a `struct rng`.
 *
 * The formulas are those of sysbench 1.0, so that the same seed gives the same
 * numbers. They exist in two widths: 32 bits, where arguments wrap around as
 * they do there, and wide, for whole numbers up to 2^53 on either side of zero,
 * which equals the narrow one wherever that is right.
 *
 * A `struct dist` is set once and then only read: threads may share it.
 */
#ifndef BASE_DIST_H
#define BASE_DIST_H

#include "base/rng.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum dist_kind { DIST_UNIFORM, DIST_GAUSSIAN, DIST_SPECIAL, DIST_PARETO, DIST_ZIPFIAN, DIST_KINDS };

struct dist_options {
    enum dist_kind kind;  /* what dist_narrow and dist_wide draw by default */
    unsigned iterations;  /* numbers averaged by gaussian and special */
    unsigned special_pct; /* width of the special zone, percent of the range */
    unsigned special_res; /* numbers that fall into it, percent, below 100 */
    double pareto_h;      /* in (0, 1) */
    double zipfian_theta; /* 0 or more */
};

struct dist {
    struct dist_options options;
    double mean;       /* 1 / iterations */
    double spread;     /* special: 100 / (100 - special_res) */
    double power;      /* pareto: exponent of u */
    double zipf_first; /* zipfian: see dist.c */
    double zipf_shift;
};

void dist_init(struct dist *d, const struct dist_options *o);

/* A number in [a, b]. Narrow: arithmetic modulo 2^32. Wide: a and b without their
 * fractions, up to 2^53 in size; where b is below a the result is a. */
uint32_t dist_narrow(const struct dist *d, enum dist_kind kind, struct rng *r, uint32_t a,
                     uint32_t b);
double dist_wide(const struct dist *d, enum dist_kind kind, struct rng *r, double a, double b);

/* Copies n bytes of format to out, each '#' a random digit, each '@' a letter. */
void dist_string(struct rng *r, const char *format, size_t n, char *out);
/* Fills out with between least and most bytes from '0' to 'z', returns how many. */
uint32_t dist_varstring(struct rng *r, char *out, uint32_t least, uint32_t most);

/* Numbers of 32 bits of which none comes twice within 2^32, whoever draws. */
struct unique {
    _Atomic uint32_t index;
    uint32_t offset;
};
void unique_init(struct unique *u, uint32_t seed1, uint32_t seed2);
uint32_t unique_next(struct unique *u); /* any thread */

#endif
