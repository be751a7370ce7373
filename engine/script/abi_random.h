/* Random numbers. See abi.h. */
#ifndef SCRIPT_ABI_RANDOM_H
#define SCRIPT_ABI_RANDOM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Random numbers in [a, b] as sysbench 1.0 draws them, modulo 2^32. */
uint32_t sb_rand_default(uint32_t a, uint32_t b);
uint32_t sb_rand_uniform(uint32_t a, uint32_t b);
uint32_t sb_rand_gaussian(uint32_t a, uint32_t b);
uint32_t sb_rand_special(uint32_t a, uint32_t b);
uint32_t sb_rand_pareto(uint32_t a, uint32_t b);
uint32_t sb_rand_zipfian(uint32_t a, uint32_t b);
/* No number comes twice within 2^32 calls of all threads. */
uint32_t sb_rand_unique(void);
uint64_t sb_rand_uniform_uint64(void);
/* In [0, 1). */
double sb_rand_uniform_double(void);
/* out: room for the format and its end; '#' is a digit, '@' a letter. */
void sb_rand_str(const char *format, char *out);
/* out: room for `most` bytes; returns how many were written. */
uint32_t sb_rand_varstr(char *out, uint32_t least, uint32_t most);
/* Whole numbers up to 2^53; kind 0 uniform, 1 gaussian, 2 special, 3 pareto,
 * 4 zipfian, -1 what --rand-type says. */
double sb_rand_wide(int kind, double a, double b);
/* As sb_rand_str, for n bytes of any value and without an end. */
void sb_rand_fill(const char *format, size_t n, char *out);
#endif
