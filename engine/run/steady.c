#include "run/steady.h"

#include <math.h>

/* The i-th of the last windows, oldest first. */
static double value(const struct steady *s, unsigned i)
{
    return s->value[(s->seen + i) % STEADY_WINDOWS];
}

static double mean(const struct steady *s)
{
    double sum = 0;
    for (unsigned i = 0; i < STEADY_WINDOWS; i++)
        sum += s->value[i];
    return sum / STEADY_WINDOWS;
}

static double largest_distance(const struct steady *s, double from)
{
    double most = 0;
    for (unsigned i = 0; i < STEADY_WINDOWS; i++)
        most = fmax(most, fabs(s->value[i] - from));
    return most;
}

/* Slope of the least-squares line, per window. */
static double slope(const struct steady *s, double m)
{
    double middle = (STEADY_WINDOWS - 1) / 2.0, xy = 0, xx = 0;
    for (unsigned i = 0; i < STEADY_WINDOWS; i++) {
        xy += (i - middle) * (value(s, i) - m);
        xx += (i - middle) * (i - middle);
    }
    return xy / xx;
}

bool steady_add(struct steady *s, double rate)
{
    s->value[s->seen % STEADY_WINDOWS] = rate;
    s->seen++;
    if (s->seen < STEADY_WINDOWS)
        return false;
    double m = mean(s);
    if (m <= 0)
        return false;
    s->spread = largest_distance(s, m) / m * 100;
    s->slope = slope(s, m) * STEADY_WINDOWS / m * 100;
    s->reached = s->spread <= s->level && fabs(s->slope) <= s->level;
    return s->reached;
}
