/* Data that all threads read. See abi.h. */
#ifndef SCRIPT_ABI_SHARED_H
#define SCRIPT_ABI_SHARED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data that all threads read, built by the first that asks. Claim: 1 it is the
 * caller's to build (make, fill, then publish or abandon), 0 it is there, maybe
 * after waiting for its builder, -1 see sb_error(). */
int sb_shared_claim(const char *name);
void *sb_shared_make(const char *name, size_t size);
void sb_shared_publish(const char *name);
void sb_shared_abandon(const char *name);
const void *sb_shared_data(const char *name);
size_t sb_shared_size(const char *name);
#endif
