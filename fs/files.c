#include "fs/files.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Everything that can fail between open and close; 0 or an errno. */
static int fill(int fd, const void *data, size_t size, bool sync)
{
    int why = write_all(fd, data, size);
    if (!why && sync && fsync(fd) != 0)
        why = errno;
    if (close(fd) != 0 && !why)
        why = errno;
    return why;
}

int files_make(const char *path, const void *data, size_t size, bool sync, struct err *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_sys(e, errno, "cannot create %s:", path);
    int why = fill(fd, data, size, sync);
    if (!why)
        return 0;
    unlink(path);
    return err_sys(e, why, "cannot write %s (%zu bytes):", path, size);
}

int files_remove(const char *path, struct err *e)
{
    return unlink(path) == 0 ? 0 : err_sys(e, errno, "cannot remove %s:", path);
}

int files_make_dirs(const char *path, struct err *e)
{
    char part[PATH_MAX];
    struct stat st;
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return err_set(e, "%s: the name is too long", path);
    for (char *at = part + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(part, 0777); /* the last one tells */
        *at = '/';
    }
    if (mkdir(part, 0777) == 0 || (stat(part, &st) == 0 && S_ISDIR(st.st_mode)))
        return 0;
    return err_sys(e, errno, "the folder %s cannot be made:", path);
}

static int remove_entry(const FTSENT *entry)
{
    switch (entry->fts_info) {
    case FTS_D:
        return 0;
    case FTS_DP:
        return rmdir(entry->fts_accpath);
    default:
        return unlink(entry->fts_accpath);
    }
}

int files_remove_tree(const char *dir, struct err *e)
{
    char *roots[] = {(char *)(uintptr_t)dir, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    FTSENT *entry;
    int rc = walk ? 0 : err_sys(e, errno, "%s cannot be removed:", dir);
    while (walk && (entry = fts_read(walk)))
        if (remove_entry(entry) != 0 && errno != ENOENT)
            rc = err_sys(e, errno, "%s cannot be removed:", entry->fts_path);
    if (walk)
        fts_close(walk);
    return rc;
}
