#include "env/source.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum fact_status status_of(int errnum)
{
    return errnum == EACCES || errnum == EPERM ? FACT_PERMISSION : FACT_MISSING;
}

static int open_below(const char *root, const char *path)
{
    char full[PATH_MAX];
    if ((size_t)snprintf(full, sizeof full, "%s%s", root, path) >= sizeof full) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static ssize_t read_some(int fd, char *out, size_t room)
{
    ssize_t n;
    do
        n = read(fd, out, room);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Device-tree texts end with NUL, sysfs texts with a newline. */
static size_t trimmed(const char *text, size_t n)
{
    while (n > 0 && (text[n - 1] == '\0' || isspace((unsigned char)text[n - 1])))
        n--;
    return n;
}

enum fact_status source_read(const char *root, const char *path, char *out, size_t room)
{
    int fd = open_below(root, path);
    out[0] = '\0';
    if (fd < 0)
        return status_of(errno);
    ssize_t n = read_some(fd, out, room - 1);
    int errnum = errno;
    close(fd);
    if (n < 0) {
        out[0] = '\0';
        return status_of(errnum);
    }
    size_t length = trimmed(out, (size_t)n);
    out[length] = '\0';
    return length > 0 ? FACT_OK : FACT_MISSING;
}

static enum fact_status source_vreadf(const char *root, char *out, size_t room, const char *fmt,
                                      va_list ap)
{
    char path[SOURCE_PATH];
    int n = vsnprintf(path, sizeof path, fmt, ap);
    out[0] = '\0';
    if (n < 0 || (size_t)n >= sizeof path)
        return FACT_MISSING;
    return source_read(root, path, out, room);
}

enum fact_status source_readf(const char *root, char *out, size_t room, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    enum fact_status status = source_vreadf(root, out, room, fmt, ap);
    va_end(ap);
    return status;
}

enum fact_status source_add(const char *root, const char *path, struct buf *out, size_t max,
                            const char *enough)
{
    char piece[4096];
    ssize_t n = 0;
    int fd = open_below(root, path);
    if (fd < 0)
        return status_of(errno);
    while (out->size < max && (n = read_some(fd, piece, sizeof piece)) > 0) {
        buf_add(out, piece, (size_t)n);
        if (enough && strstr(buf_text(out), enough))
            break;
    }
    int errnum = errno;
    close(fd);
    if (n < 0)
        return status_of(errnum);
    return out->size > 0 && !out->failed ? FACT_OK : FACT_MISSING;
}

static bool number_of(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return false;
    *value = n;
    return true;
}

bool source_number(const char *root, const char *path, int64_t *value)
{
    char text[64];
    return source_read(root, path, text, sizeof text) == FACT_OK && number_of(text, value);
}

bool source_numberf(const char *root, int64_t *value, const char *fmt, ...)
{
    char text[64];
    va_list ap;
    va_start(ap, fmt);
    enum fact_status status = source_vreadf(root, text, sizeof text, fmt, ap);
    va_end(ap);
    return status == FACT_OK && number_of(text, value);
}

static int by_number(const void *a, const void *b)
{
    size_t m = strlen(a), n = strlen(b);
    return m != n ? (m > n) - (m < n) : strcmp(a, b);
}

size_t source_names(const char *root, const char *folder, const char *prefix,
                    char (*names)[SOURCE_NAME], size_t room)
{
    char full[PATH_MAX];
    size_t count = 0;
    struct dirent *entry;
    if ((size_t)snprintf(full, sizeof full, "%s%s", root, folder) >= sizeof full)
        return 0;
    DIR *dir = opendir(full);
    if (!dir)
        return 0;
    while (count < room && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            strlen(entry->d_name) >= SOURCE_NAME)
            continue;
        memcpy(names[count++], entry->d_name, strlen(entry->d_name) + 1);
    }
    closedir(dir);
    qsort(names, count, SOURCE_NAME, by_number);
    return count;
}

/* The value behind key and colon if this line has that key, NULL otherwise. */
static const char *value_in(const char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0)
        return NULL;
    line += n;
    line += strspn(line, " \t");
    return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

bool source_field(const char *text, const char *key, char *out, size_t room)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *value = value_in(line, key);
        if (!value)
            continue;
        snprintf(out, room, "%.*s", (int)trimmed(value, strcspn(value, "\n")), value);
        return true;
    }
    return false;
}
