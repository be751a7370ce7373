#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void log_init(struct log *l)
{
    *l = (struct log){.out = STDOUT_FILENO,
                      .result = STDOUT_FILENO,
                      .serious = STDERR_FILENO,
                      .verbosity = LOG_NOTICE,
                      .loud_report = true};
    pthread_mutex_init(&l->lock, NULL);
}

void log_release(struct log *l)
{
    pthread_mutex_destroy(&l->lock);
}

int log_write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        text += n;
        size -= (size_t)n;
    }
    return 0;
}

static void emit(struct log *l, int fd, const char *text)
{
    if (log_write_all(fd, text, strlen(text)) != 0)
        l->failed = true;
}

static int descriptor(const struct log *l, enum log_level level)
{
    return level <= LOG_WARNING ? l->serious : l->out;
}

/* Whether this message is to be swallowed; says how many were before it. */
static bool is_repetition(struct log *l, int fd, const char *text)
{
    char line[64];
    if (l->said && strcmp(l->last, text) == 0) {
        l->repeats++;
        return true;
    }
    if (l->repeats > 0) {
        snprintf(line, sizeof line, "(last message repeated %u times)\n", l->repeats);
        emit(l, fd, line);
    }
    l->repeats = 0;
    l->said = true;
    snprintf(l->last, sizeof l->last, "%s", text);
    return false;
}

void log_put(struct log *l, enum log_level level, const char *fmt, ...)
{
    static const char *const prefix[] = {
        [LOG_FATAL] = "FATAL: ", [LOG_ALERT] = "ALERT: ", [LOG_WARNING] = "WARNING: ",
        [LOG_NOTICE] = "",       [LOG_INFO] = "",         [LOG_DEBUG] = "DEBUG: "};
    char text[2048], line[2100];
    va_list ap;
    if ((int)level > l->verbosity)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&l->lock);
    int fd = descriptor(l, level);
    if (!is_repetition(l, fd, text)) {
        snprintf(line, sizeof line, "%s%s\n", prefix[level], text);
        emit(l, fd, line);
    }
    pthread_mutex_unlock(&l->lock);
}

void log_report(struct log *l, enum log_level level, const char *text)
{
    if ((int)level > l->verbosity && !l->loud_report)
        return;
    pthread_mutex_lock(&l->lock);
    emit(l, l->out, text);
    pthread_mutex_unlock(&l->lock);
}
