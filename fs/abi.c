/* The seam to Lua: converts, and adds nothing of its own. See abi.h. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "fs/abi.h"

#include "base/outfile.h"
#include "fs/child.h"
#include "fs/device.h"
#include "fs/files.h"
#include "fs/format.h"
#include "fs/image.h"
#include "fs/interrupt.h"
#include "fs/kernel.h"
#include "fs/mount.h"
#include "fs/session.h"
#include "fs/settle.h"
#include "fs/sysfs.h"

struct sb_fs {
    struct fs_session session;
};

_Static_assert(SB_FS_MESSAGE >= sizeof(((struct err *)0)->text), "a message has room for an error");
_Static_assert((int)SB_FS_COUNTERS == (int)DEVICE_COUNTERS, "two names for one number");

/* rc and e of a function of ours as the status and message that Lua wants. */
static int answer(int rc, const struct err *e, char *message)
{
    if (rc == 0)
        return 0;
    snprintf(message, SB_FS_MESSAGE, "%s", e->text[0] ? e->text : "failed");
    return e->status == ERR_NONE ? ERR_FAILED : (int)e->status;
}

static int give(char *buf, size_t size, const char *text, struct err *e)
{
    if (strlen(text) >= size)
        return err_set(e, "%s: longer than %zu bytes", text, size);
    memcpy(buf, text, strlen(text) + 1);
    return 0;
}

int sb_fs_version(void)
{
    return SB_FS_VERSION;
}

/* ---- session ---- */

int sb_fs_open(struct sb_fs **s, char *message)
{
    struct err e = {0};
    *s = calloc(1, sizeof **s);
    int rc = *s ? fs_session_begin(&(*s)->session, &e) : err_set(&e, "out of memory");
    if (rc != 0) {
        free(*s);
        *s = NULL;
    }
    return answer(rc, &e, message);
}

int sb_fs_close(struct sb_fs *s, char *message)
{
    struct err e = {0};
    int rc = fs_session_end(&s->session, &e);
    free(s);
    return answer(rc, &e, message);
}

int sb_fs_mark(const struct sb_fs *s)
{
    return s->session.used;
}

int sb_fs_undo(struct sb_fs *s, int mark, char *message)
{
    struct err e = {0};
    return answer(fs_session_undo(&s->session, mark, &e), &e, message);
}

int sb_fs_signal(void)
{
    return interrupt_seen();
}

/* ---- what is possible ---- */

int sb_fs_kernel_has(const char *type, char *message)
{
    struct err e = {0};
    return answer(kernel_has(type, &e), &e, message);
}

int sb_fs_page_size(const char *type, long needed, long here, char *message)
{
    struct err e = {0};
    return answer(kernel_page_size(type, needed, here, &e), &e, message);
}

int sb_fs_can_make_images(char *message)
{
    struct err e = {0};
    return answer(image_possible(&e), &e, message);
}

int sb_fs_has_program(const char *name, char *message)
{
    struct err e = {0};
    char path[PATH_MAX];
    return answer(child_find(name, path, sizeof path, &e), &e, message);
}

int sb_fs_is_guest(void)
{
    return kernel_is_guest();
}

int sb_fs_is_root(void)
{
    return geteuid() == 0;
}

long sb_fs_system_page_size(void)
{
    return sysconf(_SC_PAGESIZE);
}

int sb_fs_space(const char *dir, uint64_t bytes, char *message)
{
    struct err e = {0};
    return answer(image_space(dir, bytes, &e), &e, message);
}

/* ---- disks ---- */

int sb_fs_image(struct sb_fs *s, const char *dir, uint64_t bytes, char *device, size_t size,
                char *message)
{
    struct err e = {0};
    return answer(fs_session_image(&s->session, dir, bytes, device, size, &e), &e, message);
}

int sb_fs_guest_disk(int n, char *device, size_t size, char *message)
{
    struct err e = {0};
    return answer(format_guest_disk(n, device, size, &e), &e, message);
}

int sb_fs_allowed(const struct sb_fs *s, const char *device, const char *erase, char *message)
{
    struct err e = {0};
    struct device d;
    return answer(format_allowed(&s->session, device, erase, &d, &e), &e, message);
}

int sb_fs_hold(struct sb_fs *s, const char *device, const char *erase, char *message)
{
    struct err e = {0};
    struct device d;
    int rc = format_allowed(&s->session, device, erase, &d, &e);
    if (rc == 0)
        rc = fs_session_hold(&s->session, device, d.dev, &e);
    return answer(rc, &e, message);
}

int sb_fs_purge(const struct sb_fs *s, const char *device, const char *erase, int overwrite,
                int *done, char *message)
{
    struct err e = {0};
    enum purge how = PURGE_NOTHING;
    int rc = format_purge(&s->session, device, erase, overwrite != 0, &how, &e);
    *done = (int)how;
    return answer(rc, &e, message);
}

int sb_fs_format(const struct sb_fs *s, const char *device, const char *erase,
                 const char *const *argv, char *message)
{
    struct err e = {0};
    return answer(format_run(&s->session, device, erase, argv, &e), &e, message);
}

int sb_fs_check(const char *device, const char *const *argv, char *message)
{
    struct err e = {0};
    return answer(format_check(device, argv, &e), &e, message);
}

int sb_fs_counters(const char *device, uint64_t *counters, char *message)
{
    struct err e = {0};
    struct device d;
    int rc = device_look(device, &d, &e);
    if (rc == 0)
        rc = device_counters(&d, counters, &e);
    return answer(rc, &e, message);
}

int sb_fs_settle(const char *device, double quiet_s, double limit_s, double *waited, int *quiet,
                 char *message)
{
    struct err e = {0};
    struct device d;
    bool rest = false;
    int rc = device_look(device, &d, &e);
    if (rc == 0)
        rc = settle_wait(&d, quiet_s, limit_s, waited, &rest, &e);
    *quiet = rest;
    return answer(rc, &e, message);
}

static int device_fact(const struct device *d, const char *fact, char *text, size_t size,
                       struct err *e)
{
    char number[32];
    const struct {
        const char *name, *value;
    } texts[] = {{"name", device_name(d)}, {"sysfs", d->sysfs},   {"disk", d->disk},
                 {"model", d->model},      {"serial", d->serial}, {"partuuid", d->partuuid}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!strcmp(texts[i].name, fact))
            return give(text, size, texts[i].value, e);
    if (!strcmp(fact, "description")) {
        device_describe(d, text, size);
        return 0;
    }
    if (!strcmp(fact, "bytes"))
        snprintf(number, sizeof number, "%" PRIu64, d->bytes);
    else if (!strcmp(fact, "virtual"))
        snprintf(number, sizeof number, "%d", device_is_virtual(d));
    else if (!strcmp(fact, "devno"))
        snprintf(number, sizeof number, "%u:%u", major(d->dev), minor(d->dev));
    else
        return err_set(e, "no such fact of a device: %s", fact);
    return give(text, size, number, e);
}

int sb_fs_device_fact(const char *device, const char *fact, char *text, size_t size, char *message)
{
    struct err e = {0};
    struct device d;
    int rc = device_look(device, &d, &e);
    if (rc == 0)
        rc = device_fact(&d, fact, text, size, &e);
    return answer(rc, &e, message);
}

/* ---- mounted file systems ---- */

int sb_fs_mount(struct sb_fs *s, const char *device, const char *type, const char *options,
                char *where, size_t size, char *message)
{
    struct err e = {0};
    int rc = fs_session_mount(&s->session, device, type, options, where, size, &e);
    return answer(rc, &e, message);
}

static int space_fact(const char *dir, const char *fact, char *text, size_t size, struct err *e)
{
    struct statvfs st;
    char number[32];
    bool all = !strcmp(fact, "size");
    if (!all && strcmp(fact, "free") != 0)
        return err_set(e, "no such fact of a file system: %s", fact);
    if (statvfs(dir, &st) != 0)
        return err_sys(e, errno, "%s:", dir);
    snprintf(number, sizeof number, "%" PRIu64,
             (uint64_t)(all ? st.f_blocks : st.f_bavail) * st.f_frsize);
    return give(text, size, number, e);
}

int sb_fs_mount_fact(const char *dir, const char *fact, char *text, size_t size, char *message)
{
    static const struct {
        const char *name;
        int (*get)(const char *, char *, size_t, struct err *);
    } facts[] = {{"type", mount_type}, {"options", mount_options}, {"device", mount_source}};
    struct err e = {0};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (!strcmp(facts[i].name, fact))
            return answer(facts[i].get(dir, text, size, &e), &e, message);
    return answer(space_fact(dir, fact, text, size, &e), &e, message);
}

/* Names come from profiles: they stay inside the file system's own folder. */
static int tune_path(const char *device, const char *type, const char *name, char *path,
                     size_t size, struct err *e)
{
    struct device d;
    if (strchr(name, '/') || strchr(type, '/'))
        return err_set(e, "%s/%s is no setting of a file system", type, name);
    if (device_look(device, &d, e) != 0)
        return -1;
    int n = snprintf(path, size, "/sys/fs/%s/%s/%s", type, device_name(&d), name);
    return n > 0 && (size_t)n < size ? 0 : err_set(e, "%s: the name is too long", name);
}

int sb_fs_tune(const char *device, const char *type, const char *name, const char *value,
               char *message)
{
    struct err e = {0};
    char path[PATH_MAX];
    int rc = tune_path(device, type, name, path, sizeof path, &e);
    int why = rc == 0 ? sysfs_write(path, value) : 0;
    if (why)
        rc = err_sys(&e, why, "%s cannot be set to %s:", path, value);
    return answer(rc, &e, message);
}

int sb_fs_tuned(const char *device, const char *type, const char *name, char *text, size_t size,
                char *message)
{
    struct err e = {0};
    char path[PATH_MAX];
    int rc = tune_path(device, type, name, path, sizeof path, &e);
    if (rc == 0 && !sysfs_read(path, text, size))
        rc = err_unable(&e, "%s cannot be read", path);
    return answer(rc, &e, message);
}

int sb_fs_work_dir(struct sb_fs *s, const char *parent, char *dir, size_t size, char *message)
{
    struct err e = {0};
    return answer(fs_session_work_dir(&s->session, parent, dir, size, &e), &e, message);
}

int sb_fs_sync(const char *dir, char *message)
{
    struct err e = {0};
    return answer(settle_sync(dir, &e), &e, message);
}

int sb_fs_drop_caches(const char *dir, int *all, char *message)
{
    struct err e = {0};
    bool everything = false;
    int rc = settle_drop_caches(dir, &everything, &e);
    *all = everything;
    return answer(rc, &e, message);
}

/* ---- programs and files ---- */

int sb_fs_run(const char *const *argv, double limit_s, double grace_s, const char *output,
              const char *errors, int *status, char *message)
{
    struct err e = {0};
    struct child_order o = {
        .argv = argv, .limit_s = limit_s, .grace_s = grace_s, .output = output, .errors = errors};
    *status = -1;
    return answer(child_run(&o, status, &e), &e, message);
}

int sb_fs_make_file(const char *path, const char *data, size_t size, int sync, char *message)
{
    struct err e = {0};
    return answer(files_make(path, data, size, sync != 0, &e), &e, message);
}

int sb_fs_remove_file(const char *path, char *message)
{
    struct err e = {0};
    return answer(files_remove(path, &e), &e, message);
}

int sb_fs_save(const char *path, const char *text, size_t size, char *message)
{
    struct err e = {0};
    return answer(outfile_write(path, text, size, &e), &e, message);
}

int sb_fs_make_dirs(const char *path, char *message)
{
    struct err e = {0};
    return answer(files_make_dirs(path, &e), &e, message);
}

int sb_fs_remove_tree(const char *dir, char *message)
{
    struct err e = {0};
    return answer(files_remove_tree(dir, &e), &e, message);
}

/* The folder part must exist; what it holds may be made later. */
static int real_path(const char *path, char *text, size_t size, struct err *e)
{
    char whole[PATH_MAX], dir[PATH_MAX];
    if (realpath(path, whole))
        return give(text, size, whole, e);
    const char *slash = strrchr(path, '/');
    int n = slash ? (int)(slash - path) : 1;
    snprintf(dir, sizeof dir, "%.*s", n ? n : 1, slash ? path : ".");
    if (!realpath(dir, whole))
        return err_sys(e, errno, "%s:", dir);
    if (snprintf(dir, sizeof dir, "%s/%s", strcmp(whole, "/") ? whole : "",
                 slash ? slash + 1 : path) >= (int)sizeof dir)
        return err_set(e, "%s: the name is too long", path);
    return give(text, size, dir, e);
}

int sb_fs_real_path(const char *path, char *text, size_t size, char *message)
{
    struct err e = {0};
    return answer(real_path(path, text, size, &e), &e, message);
}

double sb_fs_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int sb_fs_sleep(double seconds, char *message)
{
    struct err e = {0};
    return answer(interrupt_sleep(seconds, &e), &e, message);
}

int sb_fs_is_terminal(int fd)
{
    return isatty(fd) == 1;
}
