/* What sysbench.shared calls. */
#include "script/abi_shared.h"
#include "script/here.h"

int sb_shared_claim(const char *name)
{
    err_clear(&here.err);
    return shared_claim(&here.script->shared, name, &here.err);
}

void *sb_shared_make(const char *name, size_t size)
{
    err_clear(&here.err);
    return shared_make(&here.script->shared, name, size, &here.err);
}

void sb_shared_publish(const char *name)
{
    shared_publish(&here.script->shared, name);
}

void sb_shared_abandon(const char *name)
{
    shared_abandon(&here.script->shared, name);
}

const void *sb_shared_data(const char *name)
{
    const struct shared_block *b = shared_find(&here.script->shared, name);
    return b ? b->data : NULL;
}

size_t sb_shared_size(const char *name)
{
    const struct shared_block *b = shared_find(&here.script->shared, name);
    return b ? b->size : 0;
}
