/* Files and folders of our own: results, small files, work folders. */
#ifndef FS_FILES_H
#define FS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Creates path (it must not exist), writes size bytes, optionally fsyncs, closes. */
int files_make(const char *path, const void *data, size_t size, bool sync, struct err *e);
int files_remove(const char *path, struct err *e);

/* mkdir -p. */
int files_make_dirs(const char *path, struct err *e);
/* Removes dir and what is in it, never crossing into another file system. */
int files_remove_tree(const char *dir, struct err *e);

#endif
