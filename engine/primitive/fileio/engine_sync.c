/* pread and pwrite: a request is over when the call returns. */
#include "primitive/fileio/engine.h"

#include <errno.h>
#include <unistd.h>

/* One call does it all but at the end of a file, on a full disk and when a
 * signal comes; what is left is asked for again, so that the reason shows. */
static int sync_transfer(const struct file_set *s, const struct request *q, void *buffer)
{
    int fd = s->file[q->file].fd;
    char *at = buffer;
    uint32_t left = q->size;
    off_t offset = (off_t)q->offset;
    while (left > 0) {
        ssize_t n =
            q->kind == REQUEST_READ ? pread(fd, at, left, offset) : pwrite(fd, at, left, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = engine_stuck(q->kind, left < q->size, n < 0 ? errno : 0);
            return -1;
        }
        at += n;
        left -= (uint32_t)n;
        offset += n;
    }
    return 0;
}

int flush_descriptor(int fd, bool data_only)
{
    int rc;
    do {
        rc = data_only ? fdatasync(fd) : fsync(fd);
    } while (rc != 0 && errno == EINTR);
    return rc;
}

int flush_file(const struct file_set *s, uint32_t file, bool data_only)
{
    return flush_descriptor(s->file[file].fd, data_only);
}

const struct io_engine io_sync = {
    .name = "sync",
    .label = "synchronous",
    .summary = "pread and pwrite",
    .transfer = sync_transfer,
    .flush = flush_file,
};
