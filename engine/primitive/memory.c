#include "primitive/memory.h"

#include "base/units.h"
#include "env/env.h"
#include "primitive/kernel/memory.h"
#include "run/run.h"
#include "run/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define O struct memory_options
#define MIB 1048576.0

static const char *const scopes[] = {"global", "local", NULL};
static const char *const opers[] = {"read", "write", "none", NULL};
static const char *const accesses[] = {"seq", "rnd", NULL};

static const struct option memory_rows[] = {
    {"memory-block-size",
     "bytes of the block that each event goes over once, a power of two of at least one machine "
     "word; "
     "a block that fits a cache measures the cache",
     "1K", OPT_ROW_SIZE(O, block_size), .min = 4},
    {"memory-total-size",
     "bytes to process over all events, not memory in use; the run ends there if --time does not "
     "end it before; 0: no limit",
     "100G", OPT_ROW_SIZE(O, total_size)},
    {"memory-scope",
     "one block shared by all threads or one for each {global, local}; shared blocks measure "
     "contention as soon as several threads write",
     "global", OPT_ROW_CHOICE(O, scope), .choices = scopes},
    {"memory-hugetlb", "take the blocks from reserved huge pages", "off", OPT_ROW_BOOL(O, hugetlb)},
    {"memory-oper", "what to do with each word {read, write, none}", "write",
     OPT_ROW_CHOICE(O, oper), .choices = opers},
    {"memory-access-mode",
     "order of the words {seq, rnd}; rnd draws a new place for each word, evenly", "seq",
     OPT_ROW_CHOICE(O, access), .choices = accesses},
    {0},
};

static kernel_memory_pass *const passes[][2] = {
    [MEMORY_READ] = {kernel_read_seq, kernel_read_rnd},
    [MEMORY_WRITE] = {kernel_write_seq, kernel_write_rnd},
    [MEMORY_NONE] = {kernel_none_seq, kernel_none_rnd},
};

struct memory_shared {
    size_t *block; /* of scope global */
    size_t mapped;
};

struct memory_state {
    size_t *block;
    size_t mapped;  /* 0: the block is the shared one */
    uint64_t left;  /* events that this worker still has; UINT64_MAX: no limit */
    struct rng rng; /* the worker's, in a place of its own */
};

/* 0.4 went over its blocks in steps of four bytes, and drew no places for nothing. */
static int check_0_4(const O *o, struct err *e)
{
    if (o->block_size == 0 || o->block_size % 4 != 0)
        return err_set(e, "option --memory-block-size: %llu bytes are not a multiple of 4",
                       (unsigned long long)o->block_size);
    if (o->oper == MEMORY_NONE && o->access != 0)
        return err_set(e, "option --memory-access-mode: 'rnd' does not go with "
                          "--memory-oper=none in sysbench 0.4; leave one of them out");
    return 0;
}

static int memory_check(struct part *p, const struct general *g, struct err *e)
{
    const O *o = p->options;
    bool power = (o->block_size & (o->block_size - 1)) == 0;
    if (o->block_size > SIZE_MAX / 2)
        return err_set(e, "option --memory-block-size: %llu bytes do not fit the address space",
                       (unsigned long long)o->block_size);
    if (g->compat == COMPAT_0_4)
        return check_0_4(o, e);
    if (o->block_size < sizeof(size_t) || !power)
        return err_set(e,
                       "option --memory-block-size: %llu bytes are not a power of two of at least "
                       "%zu (one machine word)",
                       (unsigned long long)o->block_size, sizeof(size_t));
    return 0;
}

/* --- memory for blocks ------------------------------------------------------ */

static uint64_t meminfo(const char *key, uint64_t unit)
{
    char line[256];
    uint64_t value = 0;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtoull(line + strlen(key), NULL, 10) * unit;
    if (f)
        fclose(f);
    return value;
}

static int refuse_huge(uint64_t pages, uint64_t page, unsigned blocks, int errnum, struct err *e)
{
    char size[32];
    return err_sys(e, errnum,
                   "option --memory-hugetlb: no huge pages to be had: %llu pages of %sB are needed "
                   "(%u block%s), %llu are free; reserve them with 'sysctl vm.nr_hugepages=%llu' "
                   "or leave the option out.",
                   (unsigned long long)pages, units_size(page, size, sizeof size), blocks,
                   blocks == 1 ? "" : "s", (unsigned long long)meminfo("HugePages_Free:", 1),
                   (unsigned long long)pages);
}

static size_t *map_block(const O *o, unsigned blocks, size_t *mapped, struct err *e)
{
    uint64_t page = o->hugetlb ? meminfo("Hugepagesize:", 1024) : (uint64_t)sysconf(_SC_PAGESIZE);
    if (page == 0) {
        err_set(e, "option --memory-hugetlb: this kernel has no huge pages");
        return NULL;
    }
    *mapped = (size_t)((o->block_size + page - 1) / page * page);
    void *block = mmap(NULL, *mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | (o->hugetlb ? MAP_HUGETLB : 0), -1, 0);
    if (block != MAP_FAILED) {
        memset(block, 0, *mapped); /* the first touch is not part of the measurement */
        return block;
    }
    if (o->hugetlb)
        refuse_huge(*mapped / page * blocks, page, blocks, errno, e);
    else
        err_sys(e, errno, "option --memory-block-size: no memory for a block of %llu bytes.",
                (unsigned long long)o->block_size);
    return NULL;
}

static int memory_begin(struct part *p, struct run *r, struct err *e)
{
    const O *o = p->options;
    struct memory_shared *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(e, "out of memory");
    p->shared = s;
    if (o->scope != 0) {
        /* Huge pages are counted before any thread starts. */
        uint64_t page = meminfo("Hugepagesize:", 1024);
        uint64_t pages = page ? (o->block_size + page - 1) / page * r->worker_count : 0;
        if (o->hugetlb && pages > meminfo("HugePages_Free:", 1))
            return refuse_huge(pages, page, r->worker_count, ENOMEM, e);
        return 0;
    }
    s->block = map_block(o, 1, &s->mapped, e);
    return s->block ? 0 : -1;
}

static void memory_end(struct part *p, struct run *r)
{
    struct memory_shared *s = p->shared;
    (void)r;
    if (s && s->block)
        munmap(s->block, s->mapped);
    free(s);
    p->shared = NULL;
}

/* The whole blocks of the total, dealt out so that none is lost. */
static uint64_t share(const O *o, uint32_t worker, unsigned workers)
{
    uint64_t events = o->total_size / o->block_size;
    if (o->total_size == 0)
        return UINT64_MAX;
    return events / workers + (worker < events % workers);
}

static int memory_open(struct worker *w, struct part *p)
{
    const O *o = p->options;
    struct memory_shared *s = p->shared;
    struct memory_state *own = calloc(1, sizeof *own);
    if (!own)
        return err_set(&w->err, "out of memory");
    w->state[p->index] = own;
    own->left = share(o, w->id, w->run->worker_count);
    own->rng = w->rng;
    own->block = s->block ? s->block : map_block(o, 1, &own->mapped, &w->err);
    return own->block ? 0 : -1;
}

static void memory_close(struct worker *w, struct part *p)
{
    struct memory_state *own = w->state[p->index];
    if (own && own->mapped && own->block)
        munmap(own->block, own->mapped);
    free(own);
    w->state[p->index] = NULL;
}

/* --- events ------------------------------------------------------------------ */

/* The four bytes that a block of 0.4 may have behind its last word. */
static void pass_rest(const size_t *block, size_t words, enum memory_oper oper)
{
    volatile uint32_t *rest = (volatile uint32_t *)(block + words);
    if (oper == MEMORY_READ)
        (void)*rest;
    else if (oper == MEMORY_WRITE)
        *rest = 1;
}

static void pass(struct worker *w, size_t *block, size_t bytes, enum memory_oper oper, bool random,
                 struct rng *rng)
{
    size_t words = bytes / sizeof(size_t);
    passes[oper][random](block, words, rng);
    if (bytes - words * sizeof(size_t) >= sizeof(uint32_t))
        pass_rest(block, words, oper);
    if (oper != MEMORY_NONE)
        stats_count(w->into, oper == MEMORY_READ ? CNT_BYTES_READ : CNT_BYTES_WRITTEN, bytes);
}

void memory_touch(struct worker *w, void *block, size_t bytes, enum memory_oper oper, bool random)
{
    pass(w, block, bytes, oper, random, &w->rng);
}

void memory_pass(struct worker *w, struct part *p, enum memory_oper oper, bool random)
{
    const O *o = p->options;
    struct memory_state *own = w->state[p->index];
    pass(w, own->block, (size_t)o->block_size, oper, random, &own->rng);
}

static enum step memory_step(struct worker *w, struct part *p)
{
    const O *o = p->options;
    struct memory_state *own = w->state[p->index];
    /* The warm-up does not eat up the total. */
    if (own->left == 0)
        return STEP_NO_MORE;
    if (own->left != UINT64_MAX && w->into == w->main_stats)
        own->left--;
    memory_pass(w, p, (enum memory_oper)o->oper, o->access != 0);
    return STEP_DONE;
}

/* --- results ------------------------------------------------------------------- */

static double events(const struct figures *f)
{
    return (double)snapshot_events(f->in);
}

static double per_second(const struct figures *f, double n)
{
    return f->seconds > 0 ? n / f->seconds : 0;
}

static double operations_per_s(const struct figures *f)
{
    return per_second(f, events(f));
}

static double mib(const struct figures *f)
{
    const O *o = f->part->options;
    return events(f) * (double)o->block_size / MIB;
}

static double mib_per_s(const struct figures *f)
{
    return per_second(f, mib(f));
}

static double ns_per_access(const struct figures *f)
{
    const O *o = f->part->options;
    uint64_t words = (o->block_size + sizeof(size_t) - 1) / sizeof(size_t);
    double accesses = events(f) * (double)words;
    return accesses > 0 ? (double)f->in->tally[LAT_EVENT].sum_ns / accesses : 0;
}

static const struct metric memory_metrics[] = {
    {"mib_per_s", "MiB/s", false, mib_per_s},
    {"operations_per_s", "1/s", false, operations_per_s},
    {"mib_transferred", "MiB", false, mib},
    {"ns_per_access", "ns", true, ns_per_access},
    {0},
};

static void describe_1_0(const O *o, const struct general *g, struct log *log)
{
    char size[64];
    if (o->block_size % 1024 != 0 && !general_as_sysbench(g))
        snprintf(size, sizeof size, "%lluB", (unsigned long long)o->block_size);
    else
        snprintf(size, sizeof size, "%lluKiB", (unsigned long long)o->block_size / 1024);
    log_put(log, LOG_NOTICE, "Running memory speed test with the following options:");
    log_put(log, LOG_NOTICE, "  block size: %s", size);
    log_put(log, LOG_NOTICE, "  total size: %lluMiB", (unsigned long long)o->total_size >> 20);
    log_put(log, LOG_NOTICE, "  operation: %s", opers[o->oper]);
    log_put(log, LOG_NOTICE, "  scope: %s", scopes[o->scope]);
    log_put(log, LOG_NOTICE, "%s", "");
}

static void describe_0_4(const O *o, struct log *log)
{
    log_put(log, LOG_INFO, "Doing memory operations speed test");
    log_put(log, LOG_INFO, "Memory block size: %lluK\n", (unsigned long long)o->block_size / 1024);
    log_put(log, LOG_INFO, "Memory transfer size: %lluM\n",
            (unsigned long long)o->total_size >> 20);
    log_put(log, LOG_INFO, "Memory operations type: %s", opers[o->oper]);
    log_put(log, LOG_INFO, "Memory scope type: %s", scopes[o->scope]);
}

static void memory_describe(const struct part *p, const struct general *g, enum layout l,
                            struct log *log)
{
    if (l == LAYOUT_0_4)
        describe_0_4(p->options, log);
    else
        describe_1_0(p->options, g, log);
}

static void memory_interval(const struct figures *f, enum layout l, struct buf *out)
{
    buf_printf(out, l == LAYOUT_0_4 ? "%4.2f MB/sec," : "%4.2f MiB/sec", mib_per_s(f));
}

static void memory_report(const struct figures *f, enum layout l, struct buf *out)
{
    const O *o = f->part->options;
    buf_printf(out,
               l == LAYOUT_0_4 ? "Operations performed: %llu (%8.2f ops/sec)\n\n"
                               : "Total operations: %llu (%8.2f per second)\n\n",
               (unsigned long long)snapshot_events(f->in), operations_per_s(f));
    if (o->oper != MEMORY_NONE)
        buf_printf(out,
                   l == LAYOUT_0_4 ? "%4.2f MB transferred (%4.2f MB/sec)\n\n"
                                   : "%4.2f MiB transferred (%4.2f MiB/sec)\n\n",
                   mib(f), mib_per_s(f));
}

static void note_cache(const O *o, note_fn *note, void *to)
{
    char text[320], size[32], cache[32];
    int level = 1;
    while (level <= 4 && (env_cache_size(level) == 0 || o->block_size > env_cache_size(level)))
        level++;
    if (level <= 4) {
        snprintf(text, sizeof text,
                 "the block of %sB fits the level %d cache (%sB): this is the speed of the cache "
                 "and the cost of each event, not of the memory; --memory-block-size=64M goes "
                 "beyond most caches",
                 units_size(o->block_size, size, sizeof size), level,
                 units_size(env_cache_size(level), cache, sizeof cache));
        note(to, "cache_resident", text);
    } else if (env_cache_size(1) == 0 && o->block_size < 32 << 20) {
        note(to, "cache_resident",
             "the sizes of the caches are not known here; a block below 32 MiB may well lie in a "
             "cache, and then this is not the speed of the memory");
    }
}

static void note_footprint(const struct figures *f, const O *o, note_fn *note, void *to)
{
    unsigned blocks = o->scope ? f->run->worker_count : 1;
    char text[200], size[32];
    snprintf(text, sizeof text,
             "memory in use: %u block%s of %sB; --memory-total-size is what was to be processed, "
             "not what is occupied",
             blocks, blocks == 1 ? "" : "s", units_size(o->block_size, size, sizeof size));
    note(to, "footprint", text);
}

static void note_random(const struct figures *f, note_fn *note, void *to)
{
    char text[320];
    snprintf(text, sizeof text,
             "random access draws a place for each word: compare ns per access (%.3g here) or "
             "operations per second, which say the same, and never with sysbench 0.4 or 0.5, which "
             "drew one place for each block",
             ns_per_access(f));
    note(to, "random_access", text);
}

static void memory_notes(const struct figures *f, note_fn *note, void *to)
{
    const O *o = f->part->options;
    note_cache(o, note, to);
    note_footprint(f, o, note, to);
    if (o->scope == 0 && f->run->worker_count > 1)
        note(to, "shared_block",
             o->oper == MEMORY_WRITE
                 ? "all threads write the same block, so its cache lines travel between the cores; "
                   "--memory-scope=local gives each thread a block of its own"
                 : "all threads share one block; --memory-scope=local gives each a block of its "
                   "own");
    if (f->general->events > 0 && f->general->compat != COMPAT_0_4) /* there it is the default */
        note(to, "events_ignored",
             "--events has no effect on memory; --memory-total-size and --time end it");
    if (o->total_size > 0 && o->total_size % o->block_size != 0)
        note(to, "remainder",
             "the total size is not a multiple of the block size; the rest below "
             "one block was not processed");
    if (o->access)
        note_random(f, note, to);
}

const struct workload memory_workload = {
    .name = "memory",
    .title = "Memory functions speed test",
    .summary = "passes over a block of memory, word by word",
    .options = memory_rows,
    .options_size = sizeof(O),
    .metrics = memory_metrics,
    .own_work = true,
    .check = memory_check,
    .begin = memory_begin,
    .open = memory_open,
    .step = memory_step,
    .close = memory_close,
    .end = memory_end,
    .describe = memory_describe,
    .interval = memory_interval,
    .report = memory_report,
    .notes = memory_notes,
};
