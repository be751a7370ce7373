/*
 * What a program costs from start to exit: the median of the wall time of some
 * runs, the largest resident memory of them. Its output is thrown away.
 * Usage: child RUNS PROGRAM ARGUMENTS...
 */
#include "base/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct cost {
    uint64_t ns;
    long kib;
    int status;
};

static struct cost run_once(char **command)
{
    struct cost c = {0};
    struct rusage used;
    uint64_t began = clock_system_ns();
    /* fork would copy the page tables, and that would be measured. */
    pid_t pid = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (pid == 0) {
        int nowhere = open("/dev/null", O_WRONLY); // NOLINT(clang-analyzer-unix.Vfork)
        dup2(nowhere, STDOUT_FILENO);              // NOLINT(clang-analyzer-unix.Vfork)
        dup2(nowhere, STDERR_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &c.status, 0, &used) < 0) {
        perror("child");
        exit(1);
    }
    c.ns = clock_system_ns() - began;
    c.kib = used.ru_maxrss;
    return c;
}

static int by_time(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    int runs = argc > 2 ? atoi(argv[1]) : 0;
    uint64_t *ns = runs > 0 ? calloc((size_t)runs, sizeof *ns) : NULL;
    long most = 0;
    if (!ns) {
        fprintf(stderr, "usage: child RUNS PROGRAM ARGUMENTS...\n");
        return 1;
    }
    int failed = 0;
    for (int i = 0; !failed && i < runs; i++) {
        struct cost c = run_once(argv + 2);
        if (c.status != 0) {
            fprintf(stderr, "%s ended with status %d\n", argv[2],
                    WIFEXITED(c.status) ? WEXITSTATUS(c.status) : 128 + WTERMSIG(c.status));
            failed = 1;
        }
        ns[i] = c.ns;
        most = c.kib > most ? c.kib : most;
    }
    qsort(ns, (size_t)runs, sizeof *ns, by_time);
    uint64_t median = ns[runs / 2];
    if (!failed)
        printf("ms %.4f\nmib %.3f\n", (double)median / 1e6, (double)most / 1024);
    free(ns);
    return failed;
}
