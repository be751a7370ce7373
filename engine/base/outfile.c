#include "base/outfile.h"

#include "base/interrupt.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void forget(struct outfile *f)
{
    interrupt_removes(f->temporary, false);
    free(f->path);
    free(f->temporary);
    *f = (struct outfile){.fd = -1};
}

static int failed(struct outfile *f, int why, struct err *e)
{
    err_sys(e, why, "'%s' cannot be written.", f->path ? f->path : "the file");
    outfile_discard(f);
    return -1;
}

/* Where a link leads, seen from the folder that it is in. NULL with errno. */
static char *target_of(const char *link)
{
    char to[PATH_MAX], *full = NULL;
    ssize_t n = readlink(link, to, sizeof to - 1);
    if (n < 0)
        return NULL;
    to[n] = '\0';
    const char *slash = strrchr(link, '/');
    int folder = *to != '/' && slash ? (int)(slash - link) + 1 : 0;
    return asprintf(&full, "%.*s%s", folder, link, to) < 0 ? NULL : full;
}

#define LINKS_MAX 40 /* as in the kernel */

/* The place itself, all links resolved, where there need not be anything yet. */
static char *place_of(const char *path, bool there)
{
    struct stat st;
    if (there)
        return realpath(path, NULL);
    char *at = strdup(path);
    for (int i = 0; at && lstat(at, &st) == 0 && S_ISLNK(st.st_mode); i++) {
        char *next = i < LINKS_MAX ? target_of(at) : NULL;
        if (i == LINKS_MAX)
            errno = ELOOP;
        free(at);
        at = next;
    }
    return at;
}

static int start(struct outfile *f, const char *path)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    f->path = place_of(path, there);
    if (!f->path)
        return -1;
    if (there && !S_ISREG(st.st_mode)) {
        f->fd = TEMP_FAILURE_RETRY(open(f->path, O_WRONLY | O_CLOEXEC));
        return f->fd;
    }
    char *temporary;
    if (asprintf(&temporary, "%s.%ld.tmp", f->path, (long)getpid()) < 0)
        return -1;
    f->temporary = temporary;
    f->fd = TEMP_FAILURE_RETRY(open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    interrupt_removes(f->temporary, f->fd >= 0);
    return f->fd;
}

int outfile_open(struct outfile *f, const char *path, struct err *e)
{
    *f = (struct outfile){.fd = -1};
    if (start(f, path) >= 0)
        return 0;
    int why = errno;
    err_sys(e, why, "'%s' cannot be written.", path);
    forget(f);
    return -1;
}

int outfile_commit(struct outfile *f, struct err *e)
{
    /* Devices and pipes cannot be flushed, and need not be. */
    if (TEMP_FAILURE_RETRY(fsync(f->fd)) != 0 && errno != EINVAL && errno != EROFS)
        return failed(f, errno, e);
    int fd = f->fd;
    f->fd = -1;
    if (close(fd) != 0 && errno != EINTR) /* Linux has closed it also where a signal came */
        return failed(f, errno, e);
    if (f->temporary && rename(f->temporary, f->path) != 0)
        return failed(f, errno, e);
    forget(f);
    return 0;
}

void outfile_discard(struct outfile *f)
{
    if (f->fd >= 0)
        close(f->fd);
    if (f->temporary)
        unlink(f->temporary);
    forget(f);
}

int outfile_check(const char *path, struct err *e)
{
    struct outfile f;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return 0; /* to open a pipe and close it again would be its end */
    if (outfile_open(&f, path, e) != 0)
        return -1;
    outfile_discard(&f);
    return 0;
}

int outfile_write(const char *path, const char *text, size_t size, struct err *e)
{
    struct outfile f;
    if (outfile_open(&f, path, e) != 0)
        return -1;
    if (log_write_all(f.fd, text, size) != 0)
        return failed(&f, errno, e);
    return outfile_commit(&f, e);
}
