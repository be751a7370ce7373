#include "script/abi_primitive.h"

#include "primitive/list.h"
#include "script/here.h"

#include <string.h>

static int fail(const char *fmt, const char *a, const char *b)
{
    err_clear(&here.err);
    return err_set(&here.err, fmt, a, b);
}

static int find_part(const struct script *s, const char *name)
{
    for (unsigned i = 0; i < s->part_count; i++)
        if (strcmp(s->part[i].workload->name, name) == 0)
            return (int)i;
    return -1;
}

int sb_primitive(const char *name)
{
    struct script *s = here.script;
    const struct workload *w = primitive_find(name);
    int at = find_part(s, name);
    if (at >= 0)
        return at;
    if (!w)
        return fail("there is no primitive called '%s'%s", name, "");
    if (w->unavailable)
        return fail("the primitive '%s' is not in this build: %s", name, w->unavailable);
    if (!s->loading)
        return fail("sysbench.primitive('%s') must be called at the top level of the script%s",
                    name, "");
    if (s->part_count == PARTS_MAX - 1)
        return fail("there is no room for the primitive '%s'%s", name, "");
    err_clear(&here.err);
    if (part_init(&s->part[s->part_count], w, &here.err) != 0)
        return -1;
    return (int)s->part_count++;
}

static struct part *part_at(int part)
{
    return here.script && part >= 0 && (unsigned)part < here.script->part_count
               ? &here.script->part[part]
               : NULL;
}

int sb_primitive_preset(int part, const char *option, const char *value)
{
    struct part *p = part_at(part);
    int row = p ? optset_find(&p->set, option) : -1;
    if (row < 0)
        return fail("the primitive '%s' has no option '%s'", p ? p->workload->name : "?", option);
    if (!here.script->loading)
        return 0; /* the global state has done it for all */
    err_clear(&here.err);
    return optset_set(&p->set, (size_t)row, value, OPT_BY_SCRIPT, OPT_STRICT, &here.err);
}

int sb_primitive_prepare(int part)
{
    struct part *p = part_at(part);
    if (!p || !p->workload->prepare)
        return fail("the primitive '%s' has nothing to prepare%s", p ? p->workload->name : "?", "");
    err_clear(&here.err);
    return p->workload->prepare(p, &here.script->general->values, here.script->log, &here.err);
}

int sb_primitive_cleanup(int part)
{
    struct part *p = part_at(part);
    if (!p || !p->workload->cleanup)
        return fail("the primitive '%s' has nothing to clean up%s", p ? p->workload->name : "?",
                    "");
    err_clear(&here.err);
    return p->workload->cleanup(p, &here.script->general->values, here.script->log, &here.err);
}
