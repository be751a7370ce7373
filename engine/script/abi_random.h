/* Random numbers. See abi.h. */
#ifndef SCRIPT_ABI_RANDOM_H
#define SCRIPT_ABI_RANDOM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A distribution of 1.1, as the others of abi.h. */
uint32_t sb_rand_zipfian(uint32_t a, uint32_t b);
/* out: room for `most` bytes; returns how many were written. */
uint32_t sb_rand_varstr(char *out, uint32_t least, uint32_t most);
/* Whole numbers up to 2^53; kind 0 uniform, 1 gaussian, 2 special, 3 pareto,
 * 4 zipfian, -1 what --rand-type says. */
double sb_rand_wide(int kind, double a, double b);
/* As sb_rand_str, for n bytes of any value and without an end. */
void sb_rand_fill(const char *format, size_t n, char *out);
#endif
