#include "base/outfile.h"

#include "base/interrupt.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
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

static int start(struct outfile *f, const char *path)
{
    struct stat st;
    int there = stat(path, &st) == 0;
    f->path = there ? realpath(path, NULL) : strdup(path);
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

int outfile_write(const char *path, const char *text, size_t size, struct err *e)
{
    struct outfile f;
    if (outfile_open(&f, path, e) != 0)
        return -1;
    if (log_write_all(f.fd, text, size) != 0)
        return failed(&f, errno, e);
    return outfile_commit(&f, e);
}
