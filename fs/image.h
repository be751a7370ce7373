/* Image files and the loop devices on them. */
#ifndef FS_IMAGE_H
#define FS_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Is there room for `bytes` in dir? An error names the missing amount. */
int image_space(const char *dir, uint64_t bytes, struct err *e);

/* A nameless file of that size in dir: space is reserved, and the kernel frees
 * it when the last user closes it, whatever happens to this process. Returns
 * the descriptor or -1. */
int image_make(const char *dir, uint64_t bytes, struct err *e);

/* Attaches a free loop device to fd. The device goes by itself once the
 * returned descriptor and all mounts on it are closed. path: /dev/loopN. */
int image_attach(int fd, char *path, size_t size, struct err *e);

/* Could image_attach work here at all? -1 with ERR_UNABLE and the reason. */
int image_possible(struct err *e);

#endif
