/*
 * The set of test files: test_file.0, test_file.1 … in one directory.
 *
 * Opening never follows a symbolic link and never takes a file that cannot be
 * one of ours. During a run everything here is read-only but the mappings.
 */
#ifndef FILEIO_FILES_H
#define FILEIO_FILES_H

#include "base/buf.h"
#include "base/err.h"
#include "primitive/fileio/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define FILE_NAME_ROOM 32

struct test_file {
    int fd;        /* shared by all threads */
    uint64_t size; /* when it was opened */
    bool made;     /* by this run */
    void *map;     /* by the engine mmap */
};

struct file_set {
    const struct fileio_options *options;
    int dir; /* descriptor of the directory */
    uint32_t count;
    uint64_t nominal; /* bytes that were asked for each file */
    uint64_t whole;   /* the same in whole blocks: what prepare makes */
    uint64_t size;    /* bytes of each that a run uses */
    struct test_file *file;
    bool restore; /* grow files to `whole` at the end */
};

enum file_use {
    USE_READ,       /* they exist and are only read */
    USE_CHANGE,     /* they exist */
    USE_CHANGE_ANY, /* they exist, of whatever size */
    USE_CREATE,     /* what is missing is made */
    USE_RENEW,      /* all are made anew */
};

/* Opens the directory. */
int file_set_init(struct file_set *s, const struct fileio_options *o, struct err *e);
void file_set_release(struct file_set *s);
/* Opens all files and settles s->size. `validate` is for the hint in errors. */
int file_set_open(struct file_set *s, enum file_use use, bool validate, struct err *e);
/* Is there room for that many bytes more? Errors name what is missing. */
int file_set_check_space(const struct file_set *s, uint64_t need, struct err *e);
/* Removes the files that this set has made. */
void file_set_undo(struct file_set *s);
/* Gives files that a run wrote from the start their full size again. */
void file_set_restore(struct file_set *s);
/* How many of the open files have no name any more. */
uint32_t file_set_removed(const struct file_set *s);
/* Can direct I/O do the requests of this set? Errors name the multiple. */
int file_set_check_direct(const struct file_set *s, int fd, struct err *e);

char *file_name(uint32_t i, char out[FILE_NAME_ROOM]); /* in its directory */
/* How messages call it: "test_file.3", "/mnt/test_file.3". Returns out's text. */
const char *file_path(const struct fileio_options *o, uint32_t i, struct buf *out);
/* The flags of open for --file-extra-flags. */
int open_flags(const struct fileio_options *o);
/* Could prepare have made it? NULL, or why not. A size is one of ours if it is
 * a whole number of blocks or of sectors. */
const char *why_foreign(const struct stat *st, uint64_t block);
/* What an error of opening or removing a file may end with. */
const char *file_way_out(int why);
/* The command that prepares this set. */
void prepare_command(const struct fileio_options *o, bool validate, struct buf *out);

#endif
