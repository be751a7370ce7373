/* Random numbers for Lua: sysbench's own functions, which calculate in 32 bits,
 * and those of the wide range behind sysbench.rand. */
#include "script/abi_random.h"

#include "base/dist.h"
#include "script/abi.h"
#include "script/here.h"

#include <string.h>

/* sysbench draws one number after each event, for its histogram. The worker's
 * sequence is to be the same, but only scripts that draw should pay: what is
 * missing is made up for before the next draw. */
static void catch_up(struct worker *w)
{
    uint64_t events = here_events(w);
    if (w->run->general->percentile_count > 0)
        for (uint64_t n = events - here.caught_up; n > 0; n--)
            rng_next(here.rng);
    here.caught_up = events;
}

struct rng *here_generator(void)
{
    if (here.worker)
        catch_up(here.worker);
    return here.rng;
}

static const struct dist *dist(void)
{
    return &here.script->dist;
}

/* --- 32 bits --------------------------------------------------------------------- */

uint32_t sb_rand_default(uint32_t a, uint32_t b)
{
    return dist_narrow(dist(), dist()->options.kind, here_generator(), a, b);
}

uint32_t sb_rand_uniform(uint32_t a, uint32_t b)
{
    return dist_narrow(dist(), DIST_UNIFORM, here_generator(), a, b);
}

uint32_t sb_rand_gaussian(uint32_t a, uint32_t b)
{
    return dist_narrow(dist(), DIST_GAUSSIAN, here_generator(), a, b);
}

uint32_t sb_rand_special(uint32_t a, uint32_t b)
{
    return dist_narrow(dist(), DIST_SPECIAL, here_generator(), a, b);
}

uint32_t sb_rand_pareto(uint32_t a, uint32_t b)
{
    return dist_narrow(dist(), DIST_PARETO, here_generator(), a, b);
}

uint32_t sb_rand_zipfian(uint32_t a, uint32_t b)
{
    return dist_narrow(dist(), DIST_ZIPFIAN, here_generator(), a, b);
}

uint32_t sb_rand_unique(void)
{
    return unique_next(&here.script->unique);
}

uint64_t sb_rand_uniform_uint64(void)
{
    return rng_next(here_generator());
}

double sb_rand_uniform_double(void)
{
    return rng_double(here_generator());
}

void sb_rand_str(const char *format, char *out)
{
    sb_rand_fill(format, strlen(format), out);
    out[strlen(format)] = '\0';
}

uint32_t sb_rand_varstr(char *out, uint32_t least, uint32_t most)
{
    return dist_varstring(here_generator(), out, least, most);
}

/* --- wide -------------------------------------------------------------------------- */

void sb_rand_fill(const char *format, size_t n, char *out)
{
    dist_string(here_generator(), format, n, out);
}

double sb_rand_wide(int kind, double a, double b)
{
    enum dist_kind k = kind < 0 || kind >= DIST_KINDS ? dist()->options.kind : (enum dist_kind)kind;
    return dist_wide(dist(), k, here_generator(), a, b);
}
