/*
 * The functions that Lua calls. This text is also what LuaJIT's ffi.cdef reads:
 * plain prototypes, no macros, no includes. Rules: scalars and strings in, a
 * status out (0 or an exit status of base/err.h), the reason in message, of
 * SB_FS_MESSAGE bytes. Nothing here throws or keeps a pointer it was given.
 */
enum { SB_FS_VERSION = 2, SB_FS_MESSAGE = 1000, SB_FS_COUNTERS = 17 };

struct sb_fs; /* a session: what was made and is to be undone */

int sb_fs_version(void);

/* Takes over SIGINT, SIGTERM and SIGHUP until sb_fs_close. */
int sb_fs_open(struct sb_fs **s, char *message);
/* Undoes everything and frees s, also when it reports a failure. */
int sb_fs_close(struct sb_fs *s, char *message);
int sb_fs_mark(const struct sb_fs *s);
int sb_fs_undo(struct sb_fs *s, int mark, char *message);
/* Number of the signal that came, 0 for none. */
int sb_fs_signal(void);

/* What is possible here. */
int sb_fs_kernel_has(const char *type, char *message);
int sb_fs_page_size(const char *type, long needed, long here, char *message);
int sb_fs_can_make_images(char *message);
int sb_fs_has_program(const char *name, char *message);
int sb_fs_is_guest(void);
int sb_fs_is_root(void);
long sb_fs_system_page_size(void);
int sb_fs_space(const char *dir, uint64_t bytes, char *message);

/* Disks. erase is the value of --fs-erase, or NULL. */
int sb_fs_image(struct sb_fs *s, const char *dir, uint64_t bytes, char *device, size_t size,
                char *message);
int sb_fs_guest_disk(int n, char *device, size_t size, char *message);
int sb_fs_allowed(const struct sb_fs *s, const char *device, const char *erase, char *message);
/* Looks as sb_fs_allowed does, then keeps other sessions off it until the end. */
int sb_fs_hold(struct sb_fs *s, const char *device, const char *erase, char *message);
/* Discards all blocks; overwrite: writes them where the device takes no discard.
 * done: 0 neither, 1 discarded, 2 overwritten. */
int sb_fs_purge(const struct sb_fs *s, const char *device, const char *erase, int overwrite,
                int *done, char *message);
int sb_fs_format(const struct sb_fs *s, const char *device, const char *erase,
                 const char *const *argv, char *message);
/* argv: a fsck that changes nothing; its complaint is an error. */
int sb_fs_check(const char *device, const char *const *argv, char *message);
int sb_fs_counters(const char *device, uint64_t *counters, char *message);
int sb_fs_settle(const char *device, double quiet_s, double limit_s, double *waited, int *quiet,
                 char *message);
/* fact: description, name (the kernel's), sysfs (its folder), disk, model, serial, partuuid, bytes,
 * virtual (0 or 1), devno. */
int sb_fs_device_fact(const char *device, const char *fact, char *text, size_t size, char *message);

/* Mounted file systems. fact: type, options, device, size, free (bytes). */
int sb_fs_mount(struct sb_fs *s, const char *device, const char *type, const char *options,
                char *where, size_t size, char *message);
int sb_fs_mount_fact(const char *dir, const char *fact, char *text, size_t size, char *message);
/* /sys/fs/TYPE/DEVICE/NAME; reading gives what is in force. */
int sb_fs_tune(const char *device, const char *type, const char *name, const char *value,
               char *message);
int sb_fs_tuned(const char *device, const char *type, const char *name, char *text, size_t size,
                char *message);
int sb_fs_work_dir(struct sb_fs *s, const char *parent, char *dir, size_t size, char *message);
int sb_fs_sync(const char *dir, char *message);
int sb_fs_drop_caches(const char *dir, int *all, char *message);

/* Programs: argv ends with NULL; output and errors are files or NULL. */
int sb_fs_run(const char *const *argv, double limit_s, double grace_s, const char *output,
              const char *errors, int *status, char *message);

/* Files. */
int sb_fs_make_file(const char *path, const char *data, size_t size, int sync, char *message);
int sb_fs_remove_file(const char *path, char *message);
int sb_fs_save(const char *path, const char *text, size_t size, char *message);
int sb_fs_make_dirs(const char *path, char *message);
int sb_fs_remove_tree(const char *dir, char *message);
/* Absolute, without links; the last part need not exist. */
int sb_fs_real_path(const char *path, char *text, size_t size, char *message);

double sb_fs_now(void); /* seconds, monotonic */
int sb_fs_sleep(double seconds, char *message);
int sb_fs_is_terminal(int fd);
