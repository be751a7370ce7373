/* What the running kernel can mount. */
#ifndef FS_KERNEL_H
#define FS_KERNEL_H

#include <stdbool.h>

#include "base/err.h"

/* Is type known, after asking for its module when we may? -1 and ERR_UNABLE if not. */
int kernel_has(const char *type, struct err *e);

/* A file system that works only with blocks as large as a memory page:
 * needed = that block size (0 = any), here = the page size (0 = ask the system). */
int kernel_page_size(const char *type, long needed, long here, struct err *e);

/* Is this the user-mode-linux guest? */
bool kernel_is_guest(void);

#endif
