/* A made-up /proc and /sys below a folder for temporary files. tree_make and
 * tree_remove are meant as set-up and tear-down, so nothing is left behind. */
#ifndef UNIT_TREE_H
#define UNIT_TREE_H

#include "unit.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int tree_make(void **state)
{
    const char *folder = getenv("TMPDIR");
    char *root = NULL;
    if (asprintf(&root, "%s/sbench-unit-XXXXXX", folder && folder[0] ? folder : "/tmp") < 0)
        return -1;
    *state = root;
    return mkdtemp(root) ? 0 : -1;
}

static int tree_remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static int tree_remove(void **state)
{
    if (!*state)
        return -1;
    int rc = nftw(*state, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return rc;
}

/* Writes a file of the tree and makes the folders above it. */
static void tree_put(const char *root, const char *path, const char *text)
{
    char full[1024];
    assert_true((size_t)snprintf(full, sizeof full, "%s%s", root, path) < sizeof full);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* The same for path patterns with a number in them. */
#define tree_putn(root, number, path, text)                                                        \
    do {                                                                                           \
        char named[512];                                                                           \
        snprintf(named, sizeof named, path, number);                                               \
        tree_put(root, named, text);                                                               \
    } while (0)

/* Processors 0 to online - 1, of which this process may use the allowed ones. */
static inline void tree_put_cpus(const char *root, const char *online, const char *allowed)
{
    char status[256];
    snprintf(status, sizeof status,
             "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t%s\nMems:\t1\n", allowed);
    tree_put(root, "/sys/devices/system/cpu/online", online);
    tree_put(root, "/proc/self/status", status);
}

/* A big.LITTLE machine by capacity: 0-3 slow, 4-5 fast, in two policies. */
static inline void tree_put_big_little(const char *root)
{
    for (int cpu = 0; cpu < 6; cpu++)
        tree_putn(root, cpu, "/sys/devices/system/cpu/cpu%d/cpu_capacity",
                  cpu < 4 ? "485\n" : "1024\n");
}

#endif
