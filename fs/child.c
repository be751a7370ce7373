#include "fs/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fs/interrupt.h"

static const struct {
    const char *program, *package;
} packages[] = {
    {"mkfs.ext4", "e2fsprogs"},    {"mkfs.f2fs", "f2fs-tools"},      {"mkfs.xfs", "xfsprogs"},
    {"mkfs.btrfs", "btrfs-progs"}, {"linux.uml", "user-mode-linux"}, {"fsck.ext4", "e2fsprogs"},
    {"fsck.f2fs", "f2fs-tools"},   {"xfs_repair", "xfsprogs"},       {"btrfs", "btrfs-progs"},
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *package_of(const char *program)
{
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++)
        if (!strcmp(packages[i].program, program))
            return packages[i].package;
    return program;
}

int child_find(const char *name, char *path, size_t size, struct err *e)
{
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        return access(path, X_OK) == 0 ? 0 : err_sys(e, errno, "cannot run %s:", name);
    }
    const char *env = getenv("PATH");
    char *places, *rest, *dir;
    if (asprintf(&places, "%s:/usr/local/sbin:/usr/sbin:/sbin", env ? env : "/usr/bin:/bin") < 0)
        return err_set(e, "out of memory");
    int found = 0;
    for (rest = places; !found && (dir = strsep(&rest, ":"));) {
        snprintf(path, size, "%s/%s", *dir ? dir : ".", name);
        found = access(path, X_OK) == 0;
    }
    free(places);
    return found ? 0
                 : err_unable(e, "the program %s is not installed: apt-get install %s", name,
                              package_of(name));
}

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

/* ---- in the child, between fork and exec: only async-signal-safe calls ---- */

static void become(const char *path, const struct child_order *o, int out, int err, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before the line above could matter */
        _exit(127);
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        dup2(null, 0);
    if (out >= 0)
        dup2(out, 1);
    if (err >= 0)
        dup2(err, 2);
    /* what we ignore, a child would ignore too: but signals are how it is stopped */
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++)
        signal(passed_on[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(path, (char *const *)(uintptr_t)o->argv);
    _exit(127);
}

/* ---- in the parent ---- */

static int open_one(const char *path, struct err *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return fd >= 0 ? fd : err_sys(e, errno, "cannot write %s:", path);
}

static int open_outputs(const struct child_order *o, int *out, int *errors, struct err *e)
{
    *out = *errors = -1;
    if (o->capture)
        *out = memfd_create("output", MFD_CLOEXEC);
    else if (o->output && (*out = open_one(o->output, e)) < 0)
        return -1;
    if (o->errors && (*errors = open_one(o->errors, e)) < 0)
        return -1;
    return 0;
}

static void close_outputs(int out, int errors)
{
    if (out >= 0)
        close(out);
    if (errors >= 0)
        close(errors);
}

/* Waits for the end of pid, a signal to us, or the deadline (0 = none). */
static bool ended(pid_t pid, double deadline, bool heed_signals, int *wstatus)
{
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    bool done = false;
    while (!done && !(heed_signals && interrupt_seen()) && !(deadline > 0 && now_s() > deadline)) {
        /* a signal between the check and the sleep costs one round, not a hang */
        if (pidfd >= 0)
            poll(&p, 1, 100);
        else
            interrupt_sleep(0.02, NULL);
        done = waitpid(pid, wstatus, WNOHANG) == pid;
    }
    if (pidfd >= 0)
        close(pidfd);
    return done;
}

/* The polite signal, some time, then the other one, to the whole group. */
static void put_down(pid_t pid, int polite, double grace_s, int *wstatus)
{
    kill(-pid, polite);
    if (ended(pid, now_s() + grace_s, false, wstatus))
        return;
    kill(-pid, SIGKILL);
    while (waitpid(pid, wstatus, 0) < 0 && errno == EINTR)
        ;
}

static int await(pid_t pid, const struct child_order *o, int *wstatus, struct err *e)
{
    double deadline = o->limit_s > 0 ? now_s() + o->limit_s : 0;
    if (ended(pid, deadline, true, wstatus))
        return interrupt_check(e);
    int seen = interrupt_seen();
    put_down(pid, seen ? seen : SIGTERM, o->grace_s, wstatus);
    if (seen)
        return interrupt_check(e);
    return err_set(e, "%s had not ended after %.0f s and was stopped", o->argv[0], o->limit_s);
}

static int start(const struct child_order *o, int out, int errors, pid_t *pid, struct err *e)
{
    char path[4096];
    if (child_find(o->argv[0], path, sizeof path, e) != 0)
        return -1;
    pid_t parent = getpid();
    fflush(NULL);
    *pid = fork();
    if (*pid < 0)
        return err_sys(e, errno, "cannot start %s:", path);
    if (*pid == 0)
        become(path, o, out, errors < 0 ? (o->capture || o->output ? out : -1) : errors, parent);
    setpgid(*pid, *pid); /* here too: a signal may be due before the child has done it */
    return 0;
}

static int run_with(const struct child_order *o, int out, int errors, int *status, struct err *e)
{
    pid_t pid;
    int wstatus = 0;
    if (start(o, out, errors, &pid, e) != 0)
        return -1;
    int rc = await(pid, o, &wstatus, e);
    *status = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : 128 + WTERMSIG(wstatus);
    return rc;
}

int child_run(const struct child_order *o, int *status, struct err *e)
{
    int out, errors;
    int rc = open_outputs(o, &out, &errors, e);
    if (rc == 0)
        rc = run_with(o, out, errors, status, e);
    close_outputs(out, errors);
    return rc;
}

/* The end of what a program wrote is where it says what went wrong. */
static void read_end(int fd, char *buf, size_t size)
{
    off_t end = lseek(fd, 0, SEEK_END);
    off_t from = end > (off_t)size - 1 ? end - ((off_t)size - 1) : 0;
    ssize_t n = pread(fd, buf, size - 1, from);
    if (n < 0)
        n = 0;
    while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
        n--;
    buf[n] = '\0';
}

int child_must(const char *const *argv, double limit_s, struct err *e)
{
    struct child_order o = {.argv = argv, .limit_s = limit_s, .grace_s = 2, .capture = true};
    char said[500];
    int out, errors, status = 0;
    if (open_outputs(&o, &out, &errors, e) != 0)
        return -1;
    int rc = run_with(&o, out, errors, &status, e);
    read_end(out, said, sizeof said);
    close_outputs(out, errors);
    if (rc == 0 && status != 0)
        rc = err_set(e, "%s failed with status %d. It said: %s", argv[0], status, said);
    return rc;
}
