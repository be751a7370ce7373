#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *units_parse_int(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || isspace((unsigned char)*text))
        return "is not a whole number";
    if (errno == ERANGE)
        return "is out of range";
    *value = n;
    return NULL;
}

/* strtod, without the hexadecimal, infinite and blank forms that it takes. */
static const char *parse_decimal(const char *text, double *value, char **end)
{
    if (strspn(text, "+-0123456789.eE") == 0)
        return "is not a number";
    errno = 0;
    double n = strtod(text, end);
    if (*end == text || strcspn(text, "xX") < (size_t)(*end - text))
        return "is not a number";
    if (errno == ERANGE || !isfinite(n))
        return "is out of range";
    *value = n;
    return NULL;
}

const char *units_parse_double(const char *text, double *value)
{
    char *end;
    const char *why = parse_decimal(text, value, &end);
    if (!why && *end != '\0')
        why = "is not a number";
    return why;
}

/* The power of 1024 that a suffix stands for, or -1. */
static int size_power(const char *suffix)
{
    static const char letters[] = "KMGT";
    if (*suffix == '\0' || strcasecmp(suffix, "B") == 0)
        return 0;
    const char *at = strchr(letters, toupper((unsigned char)*suffix));
    if (!at)
        return -1;
    if (suffix[1] != '\0' && strcasecmp(suffix + 1, "B") != 0 && strcasecmp(suffix + 1, "iB") != 0)
        return -1;
    return (int)(at - letters) + 1;
}

/* Whole numbers keep all of their 64 bits. */
static const char *whole_size(const char *text, int power, uint64_t *bytes)
{
    errno = 0;
    unsigned long long n = strtoull(text, NULL, 10);
    if (errno == ERANGE || n > UINT64_MAX >> (10 * power))
        return "is out of range";
    *bytes = (uint64_t)n << (10 * power);
    return NULL;
}

static const char *fractional_size(const char *text, int power, uint64_t *bytes)
{
    double n = strtod(text, NULL) * (double)(UINT64_C(1) << (10 * power));
    if (n >= 9.2e18)
        return "is out of range";
    if (n != floor(n))
        return "is not a whole number of bytes";
    *bytes = (uint64_t)n;
    return NULL;
}

const char *units_parse_size(const char *text, uint64_t *bytes)
{
    size_t digits = strspn(text, "0123456789");
    size_t number = digits;
    if (*text == '-' && isdigit((unsigned char)text[1]))
        return "is negative";
    if (text[digits] == '.')
        number += 1 + strspn(text + digits + 1, "0123456789");
    if (digits == 0)
        return "is not a size (a number with K, M, G or T behind it)";
    int power = size_power(text + number);
    if (power < 0)
        return "has an unknown suffix (K, M, G or T are known)";
    return number == digits ? whole_size(text, power, bytes) : fractional_size(text, power, bytes);
}

const char *units_parse_seconds(const char *text, double *seconds)
{
    static const struct {
        const char *suffix;
        double factor;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}, {"h", 3600}};
    char *end;
    double n;
    const char *why = parse_decimal(text, &n, &end);
    if (why)
        return why;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].suffix) != 0)
            continue;
        n *= units[i].factor;
        if (!isfinite(n))
            return "is out of range";
        *seconds = n;
        return NULL;
    }
    return "is not a number of seconds";
}

char *units_size(uint64_t bytes, char *out, size_t room)
{
    static const char *const prefix[] = {"", "Ki", "Mi", "Gi", "Ti"};
    double n = (double)bytes;
    size_t i = 0;
    for (; n >= 1024 && i < 4; i++)
        n /= 1024;
    snprintf(out, room, "%.5g%s", n, prefix[i]);
    return out;
}

char *units_exact_size(uint64_t bytes, char *out, size_t room)
{
    static const char letters[] = " KMGT";
    size_t i = 0;
    while (bytes && bytes % 1024 == 0 && i < 4) {
        bytes /= 1024;
        i++;
    }
    if (i)
        snprintf(out, room, "%llu%c", (unsigned long long)bytes, letters[i]);
    else
        snprintf(out, room, "%llu", (unsigned long long)bytes);
    return out;
}
