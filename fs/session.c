#include "fs/session.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/files.h"
#include "fs/image.h"
#include "fs/mount.h"

/* Mounts of ours stay with us; the system's unmounts still reach us, so that
 * a stick can be pulled while we run. Without root there is nothing to mount. */
static int own_namespace(struct err *e)
{
    if (geteuid() != 0)
        return 0;
    if (unshare(CLONE_NEWNS) != 0)
        return err_unable(e, "mounting is not allowed here (unshare: %s)", strerrordesc_np(errno));
    if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) != 0 && errno != EINVAL)
        return err_sys(e, errno, "the mounts of this process cannot be kept apart:");
    return 0;
}

int fs_session_begin(struct fs_session *s, struct err *e)
{
    s->used = 0;
    if (own_namespace(e) != 0)
        return -1;
    interrupt_begin(&s->interrupt);
    return 0;
}

/* ---- the list ---- */

static int undo_mount(struct undo *u, struct err *e)
{
    return mount_undo(u->path, u->dev, e);
}

static int undo_close(struct undo *u, struct err *e)
{
    (void)e;
    close(u->fd);
    return 0;
}

static int undo_folder(struct undo *u, struct err *e)
{
    return rmdir(u->path) == 0 || errno == ENOENT
               ? 0
               : err_sys(e, errno, "the folder %s cannot be removed:", u->path);
}

static int undo_tree(struct undo *u, struct err *e)
{
    return files_remove_tree(u->path, e);
}

int fs_session_undo(struct fs_session *s, int mark, struct err *e)
{
    static int (*const how[])(struct undo *, struct err *) = {
        [UNDO_MOUNT] = undo_mount, [UNDO_LOOP] = undo_close, [UNDO_FOLDER] = undo_folder,
        [UNDO_TREE] = undo_tree,   [UNDO_HOLD] = undo_close,
    };
    int rc = 0;
    while (s->used > mark) {
        struct undo *u = &s->list[--s->used];
        if (how[u->kind](u, e) != 0)
            rc = -1;
    }
    return rc;
}

int fs_session_end(struct fs_session *s, struct err *e)
{
    int rc = fs_session_undo(s, 0, e);
    interrupt_end(&s->interrupt);
    return rc;
}

/* Room is asked for before the thing is made: what is made can be recorded. */
static int room(const struct fs_session *s, int n, struct err *e)
{
    return s->used + n <= SESSION_MAX ? 0 : err_set(e, "too many mounts in one session");
}

static void record(struct fs_session *s, enum undo_kind kind, const char *path, dev_t dev, int fd)
{
    struct undo *u = &s->list[s->used++];
    u->kind = kind;
    u->dev = dev;
    u->fd = fd;
    snprintf(u->path, sizeof u->path, "%s", path);
}

static bool has(const struct fs_session *s, enum undo_kind kind, dev_t dev)
{
    for (int i = 0; i < s->used; i++)
        if (s->list[i].kind == kind && s->list[i].dev == dev)
            return true;
    return false;
}

bool fs_session_owns(const struct fs_session *s, dev_t dev)
{
    return has(s, UNDO_LOOP, dev);
}

int fs_session_hold(struct fs_session *s, const char *device, dev_t dev, struct err *e)
{
    if (has(s, UNDO_HOLD, dev))
        return 0;
    if (room(s, 1, e) != 0)
        return -1;
    int fd = open(device, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(e, errno, "%s cannot be opened:", device);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int why = errno;
        close(fd);
        return why == EWOULDBLOCK ? err_set(e,
                                            "%s is refused: another program has locked it (another "
                                            "fscompare?). Wait until that has ended",
                                            device)
                                  : err_sys(e, why, "%s cannot be locked:", device);
    }
    record(s, UNDO_HOLD, device, dev, fd);
    return 0;
}

/* ---- making ---- */

static int fresh_folder(const char *parent, char *dir, size_t size, struct err *e)
{
    if (snprintf(dir, size, "%s/sbench-XXXXXX", parent) >= (int)size || size > 512)
        return err_set(e, "%s: the name is too long", parent);
    return mkdtemp(dir) ? 0 : err_sys(e, errno, "no folder can be made in %s:", parent);
}

int fs_session_image(struct fs_session *s, const char *dir, uint64_t bytes, char *device,
                     size_t size, struct err *e)
{
    struct stat st;
    if (room(s, 1, e) != 0 || image_possible(e) != 0)
        return -1;
    int file = image_make(dir, bytes, e);
    if (file < 0)
        return -1;
    int loop = image_attach(file, device, size, e);
    close(file); /* the loop device holds it now */
    if (loop < 0)
        return -1;
    dev_t dev = fstat(loop, &st) == 0 ? st.st_rdev : 0;
    record(s, UNDO_LOOP, device, dev, loop);
    return 0;
}

int fs_session_mount(struct fs_session *s, const char *device, const char *type,
                     const char *options, char *where, size_t size, struct err *e)
{
    const char *temp = getenv("TMPDIR");
    struct stat st;
    if (room(s, 2, e) != 0 || interrupt_check(e) != 0)
        return -1;
    if (fresh_folder(temp && *temp ? temp : "/tmp", where, size, e) != 0)
        return -1;
    record(s, UNDO_FOLDER, where, 0, -1);
    if (mount_do(device, where, type, options, e) != 0)
        return -1;
    record(s, UNDO_MOUNT, where, stat(where, &st) == 0 ? st.st_dev : 0, -1);
    return 0;
}

int fs_session_work_dir(struct fs_session *s, const char *parent, char *dir, size_t size,
                        struct err *e)
{
    if (room(s, 1, e) != 0 || fresh_folder(parent, dir, size, e) != 0)
        return -1;
    record(s, UNDO_TREE, dir, 0, -1);
    return 0;
}
