/*
 * All that was made and has to be undone: mounts, loop devices, folders. The
 * list is worked off backwards at the end, on error and after a signal; it
 * holds nothing the session did not make. The session also moves the process
 * into a mount namespace of its own, and its images have no names, so that
 * even SIGKILL leaves no mount, loop device or image behind.
 *
 * One session at a time, main thread.
 */
#ifndef FS_SESSION_H
#define FS_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "fs/interrupt.h"

enum { SESSION_MAX = 64 };

enum undo_kind { UNDO_MOUNT, UNDO_LOOP, UNDO_FOLDER, UNDO_TREE, UNDO_HOLD };

struct undo {
    enum undo_kind kind;
    char path[512]; /* mount point, loop device, folder */
    dev_t dev;      /* what is mounted there; number of the loop device or of what is held */
    int fd;         /* UNDO_LOOP, UNDO_HOLD: closing it detaches, lets go */
};

struct fs_session {
    struct undo list[SESSION_MAX];
    int used;
    struct interrupt interrupt;
};

int fs_session_begin(struct fs_session *s, struct err *e);
/* Undoes everything; goes on after a failure and reports the first one. */
int fs_session_end(struct fs_session *s, struct err *e);
/* Undoes what was done since the list had `mark` entries. */
int fs_session_undo(struct fs_session *s, int mark, struct err *e);

/* An image of that size on a loop device. */
int fs_session_image(struct fs_session *s, const char *dir, uint64_t bytes, char *device,
                     size_t size, struct err *e);
/* Mounts on a fresh folder, whose name comes back in where. */
int fs_session_mount(struct fs_session *s, const char *device, const char *type,
                     const char *options, char *where, size_t size, struct err *e);
/* A fresh folder in parent, removed with its content. */
int fs_session_work_dir(struct fs_session *s, const char *parent, char *dir, size_t size,
                        struct err *e);

/* Keeps other sessions (of other processes) off the device until the end: it
 * is free between two cells, and they would format it then. Nothing happens
 * when this session holds it already. */
int fs_session_hold(struct fs_session *s, const char *device, dev_t dev, struct err *e);

/* Did this session make that loop device? Then it may be formatted freely. */
bool fs_session_owns(const struct fs_session *s, dev_t dev);

#endif
