/* The table of facts: one row says how a fact is read and what it means. */
#ifndef ENV_FACTS_H
#define ENV_FACTS_H

#include "env/cgroup.h"
#include "env/cpus.h"
#include "env/env.h"

#define ROW_NUMBER 1u /* the value is a number wherever it reads as one */
#define ROW_REDACT 2u /* identifies a machine or a person */
#define ROW_STATE 4u  /* changes while programs run */
#define ROW_SLOW 8u   /* only with ENV_SLOW */

/* What readers share, so that each file is read once, and what they fill in. */
struct reader {
    const char *root;
    struct cgroup_limits limits;
    struct cpus cpus;
    bool cpus_known;
    char meminfo[4096];
    struct buf value;
    char source[SOURCE_PATH]; /* preset from the row; readers that know better set it */
};

/* from: path, field or name, as the reader takes it. */
typedef enum fact_status read_fn(struct reader *r, const char *from);

struct fact_row {
    const char *key;
    read_fn *read;    /* NULL: others put it */
    const char *from; /* also the source, unless the reader sets one */
    enum fact_class class;
    unsigned flags;
};

extern const struct fact_row fact_rows[];
extern const size_t fact_row_count;
const struct fact_row *fact_row_find(const char *key); /* NULL if there is none */

/* Reads what is shared. A reader is large: not for small stacks. */
void reader_init(struct reader *r, const char *root);
void reader_release(struct reader *r);
void reader_source(struct reader *r, const char *source);

/* read_machine.c */
read_fn read_file, read_chosen, read_board, read_serial, read_os, read_machine, read_kernel_bits,
    read_elf_bits, read_sizes, read_page_size, read_compiler, read_flags, read_version;
/* read_processor.c */
read_fn read_model, read_online, read_allowed, read_kinds, read_quota, read_cache, read_policies,
    read_clock, read_speed, read_temperature, read_zones, read_undervoltage, read_throttling;
/* read_system.c */
read_fn read_meminfo, read_memory_limit, read_swaps, read_cmdline, read_vulnerabilities,
    read_first_number, read_pressure, read_steal;

#endif
