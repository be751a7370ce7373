#include "script/abi_operations.h"

#include "primitive/cpu.h"
#include "primitive/fileio.h"
#include "primitive/files.h"
#include "primitive/kernel/memory.h"
#include "primitive/memory.h"
#include "primitive/mutex.h"
#include "primitive/threads.h"
#include "script/here.h"

#include <math.h>

/* Of operations whose primitive keeps no latency statistic for them itself. */
enum operation { OP_PRIMES, OP_READ, OP_WRITE, OP_NONE, OP_CHASE, OP_MUTEX, OP_YIELD, OP_N };
static const char *const names[OP_N] = {
    [OP_PRIMES] = "cpu.primes",   [OP_READ] = "memory.read",   [OP_WRITE] = "memory.write",
    [OP_NONE] = "memory.none",    [OP_CHASE] = "memory.chase", [OP_MUTEX] = "mutex.take",
    [OP_YIELD] = "threads.yield",
};

static int fail(const char *text)
{
    err_clear(&here.err);
    return err_set(&here.err, "%s", text);
}

/* Numbers of Lua are doubles: only those that an integer can hold may become one. */
static bool within(const char *what, double value, double least)
{
    if (value >= least && value <= 0x1p53)
        return true;
    err_clear(&here.err);
    err_set(&here.err, "%s: %.15g is not a number from %g to 2^53", what, value, least);
    return false;
}

/* The worker's part; NULL, with the reason, outside of events or for a wrong
 * number. */
static struct part *part_of(int part, const struct workload *w)
{
    if (!here.worker) {
        fail("operations of primitives are for thread_init, event and thread_done");
        return NULL;
    }
    if (part < 0 || (unsigned)part >= here.script->part_count ||
        here.script->part[part].workload != w) {
        fail("this is no part of that primitive");
        return NULL;
    }
    return &here.script->part[part];
}

static void record(enum operation op, uint64_t from)
{
    int slot = run_latency(here.worker->run, names[op]);
    if (slot > 0)
        worker_record(here.worker, (unsigned)slot, from);
}

/* Gives the worker's error to the script, which may go on after it. */
static int pass_error(void)
{
    here.err = here.worker->err;
    err_clear(&here.worker->err);
    return -1;
}

static uint64_t now(void)
{
    return clock_now(here.worker->clock);
}

int64_t sb_cpu_primes(int part, double max)
{
    struct part *p = part_of(part, &cpu_workload);
    if (!p)
        return -1;
    if (!(max >= 0 && max <= 4294967295.0))
        return fail("cpu.primes: the limit must be from 0 to 4294967295");
    uint64_t from = now();
    int64_t primes = (int64_t)cpu_primes(p, (uint64_t)max);
    record(OP_PRIMES, from);
    return primes;
}

/* --- memory -------------------------------------------------------------------- */

static const enum operation memory_ops[] = {
    [MEMORY_READ] = OP_READ, [MEMORY_WRITE] = OP_WRITE, [MEMORY_NONE] = OP_NONE};

int sb_memory_pass(int part, int oper, bool random)
{
    struct part *p = part_of(part, &memory_workload);
    if (!p)
        return -1;
    uint64_t from = now();
    memory_pass(here.worker, p, (enum memory_oper)oper, random);
    record(memory_ops[oper], from);
    return 0;
}

int sb_memory_touch(void *block, double bytes, int oper, bool random)
{
    if (!here.worker)
        return fail("memory operations are for thread_init, event and thread_done");
    uint64_t from = now();
    memory_touch(here.worker, block, (size_t)bytes, (enum memory_oper)oper, random);
    record(memory_ops[oper], from);
    return 0;
}

int sb_memory_chain(void *block, double bytes, double stride)
{
    if (!(stride >= sizeof(void *) && bytes >= 2 * stride))
        return fail("memory.chain: at least two lines of one pointer each are needed");
    if (!within("memory.chain: size", bytes, 0))
        return -1;
    if (fmod(stride, sizeof(void *)) != 0)
        return fail("memory.chain: the stride must be a multiple of the size of a pointer");
    kernel_chain_make(block, (size_t)bytes, (size_t)stride, here.rng);
    return 0;
}

int sb_memory_chase(void **at, double steps)
{
    if (!here.worker)
        return fail("memory operations are for thread_init, event and thread_done");
    if (!within("memory.chase: loads", steps, 0))
        return -1;
    uint64_t from = now();
    *at = kernel_chain_walk(*at, (uint64_t)steps);
    record(OP_CHASE, from);
    return 0;
}

/* --- locks ------------------------------------------------------------------------ */

int sb_mutex_take(int part, double which)
{
    struct part *p = part_of(part, &mutex_workload);
    if (!p || !within("mutex: number of the mutex", which, -1))
        return -1;
    uint64_t from = now();
    if (mutex_take(here.worker, p, (int64_t)which) != 0)
        return pass_error();
    record(OP_MUTEX, from);
    return 0;
}

int sb_threads_yield(int part, double which)
{
    struct part *p = part_of(part, &threads_workload);
    if (!p || !within("threads: number of the mutex", which, -1))
        return -1;
    uint64_t from = now();
    if (threads_yield(here.worker, p, (int64_t)which) != 0)
        return pass_error();
    record(OP_YIELD, from);
    return 0;
}

/* --- files ------------------------------------------------------------------------- */

double sb_fileio(int part, int kind, double file, double offset, double size)
{
    struct part *p = part_of(part, &fileio_workload);
    if (!p || !within("fileio: number of the file", file, -1) ||
        !within("fileio: offset", offset, -1) || !within("fileio: size", size, 0))
        return -1;
    int64_t n = fileio_op(here.worker, p, kind, (int64_t)file, (int64_t)offset, (uint64_t)size);
    return n < 0 ? pass_error() : (double)n;
}

double sb_fileio_files(int part)
{
    struct part *p = part_of(part, &fileio_workload);
    return p ? (double)fileio_files(p) : -1;
}

double sb_fileio_file_size(int part)
{
    struct part *p = part_of(part, &fileio_workload);
    return p ? (double)fileio_file_size(p) : -1;
}

int sb_files_open(int part, const char *name, int how)
{
    struct part *p = part_of(part, &files_workload);
    int fd = p ? files_open(here.worker, p, name, how) : -1;
    return p && fd < 0 ? pass_error() : fd;
}

static bool may_move(double offset, double size)
{
    return within("files: offset", offset, -1) && within("files: size", size, 0);
}

double sb_files_write(int part, int fd, double offset, double size)
{
    struct part *p = part_of(part, &files_workload);
    if (!p || !may_move(offset, size))
        return -1;
    int64_t n = files_write(here.worker, p, fd, (int64_t)offset, (uint64_t)size);
    return n < 0 ? pass_error() : (double)n;
}

double sb_files_read(int part, int fd, double offset, double size)
{
    struct part *p = part_of(part, &files_workload);
    if (!p || !may_move(offset, size))
        return -1;
    int64_t n = files_read(here.worker, p, fd, (int64_t)offset, (uint64_t)size);
    return n < 0 ? pass_error() : (double)n;
}

int sb_files_sync(int part, int fd, bool data_only)
{
    struct part *p = part_of(part, &files_workload);
    return p && files_sync(here.worker, p, fd, data_only) != 0 ? pass_error() : p ? 0 : -1;
}

int sb_files_close(int part, int fd)
{
    struct part *p = part_of(part, &files_workload);
    return p && files_close(here.worker, p, fd) != 0 ? pass_error() : p ? 0 : -1;
}

int sb_files_delete(int part, const char *name)
{
    struct part *p = part_of(part, &files_workload);
    return p && files_delete(here.worker, p, name) != 0 ? pass_error() : p ? 0 : -1;
}

double sb_files_size(int part, const char *name)
{
    struct part *p = part_of(part, &files_workload);
    if (!p)
        return -1;
    int64_t n = files_size(here.worker, p, name);
    return n == -1 ? pass_error() : (double)n;
}

int sb_files_make_dir(int part, const char *name)
{
    struct part *p = part_of(part, &files_workload);
    return p && files_make_dir(here.worker, p, name) != 0 ? pass_error() : p ? 0 : -1;
}
