/*
 * Operations of primitives that a script may use inside of event(). The rules
 * are those of abi.h; the text is given to ffi.cdef when a script first asks
 * for a primitive. `part` is what sb_primitive returned. Each operation records
 * its latency under a name of its own. -1: see sb_error().
 */
#ifndef SCRIPT_ABI_OPERATIONS_H
#define SCRIPT_ABI_OPERATIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Primes from 3 to below max. */
int64_t sb_cpu_primes(int part, double max);

/* One pass over the primitive's own block: 0 read, 1 write, 2 none. */
int sb_memory_pass(int part, int oper, bool random);
/* The same over memory of the script's; bytes is rounded down to whole words. */
int sb_memory_touch(void *block, double bytes, int oper, bool random);
/* Makes the memory one random cycle of pointers, `stride` bytes apart. */
int sb_memory_chain(void *block, double bytes, double stride);
/* Follows it from *at that many loads and moves *at on. */
int sb_memory_chase(void **at, double steps);

/* Takes a mutex (-1: at random, the next in turn). */
int sb_mutex_take(int part, double which);
int sb_threads_yield(int part, double which);

/* kind: 1 read, 2 write, 3 flush; -1: chosen as --file-test-mode would; size 0:
 * one block. Bytes moved. */
double sb_fileio(int part, int kind, double file, double offset, double size);
double sb_fileio_files(int part);
double sb_fileio_file_size(int part);

/* Files by name, see primitive/files.h. how: 0 read, 1 write, 2 create, 3 append. */
int sb_files_open(int part, const char *name, int how);
double sb_files_write(int part, int fd, double offset, double size);
double sb_files_read(int part, int fd, double offset, double size);
int sb_files_sync(int part, int fd, bool data_only);
int sb_files_close(int part, int fd);
int sb_files_delete(int part, const char *name);
double sb_files_size(int part, const char *name);
int sb_files_make_dir(int part, const char *name);
#endif
