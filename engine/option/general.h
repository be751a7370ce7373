/* The options that every invocation accepts, and the struct that holds them. */
#ifndef OPTION_GENERAL_H
#define OPTION_GENERAL_H

#include "option/option.h"

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };
/* Layout and manners of which sysbench; NATIVE has the layout of 1.0. */
enum compat { COMPAT_NATIVE, COMPAT_1_0, COMPAT_0_4 };
enum rand_type {
    RAND_UNIFORM,
    RAND_GAUSSIAN,
    RAND_SPECIAL,
    RAND_PARETO,
    RAND_ZIPFIAN,
};
enum rate_pace { PACE_POISSON, PACE_FIXED };

struct general {
    int64_t threads, events;
    double time, warmup_time; /* seconds; 0: no limit, no warm-up */
    char *forced_shutdown;
    double hard_stop; /* seconds of grace; negative: choose */
    uint64_t thread_stack_size;
    double thread_init_timeout;
    double rate; /* events per second over all threads; 0: no limit */
    int rate_pace;
    double rate_ramp; /* seconds over which the rate climbs */
    double rate_drop; /* seconds; later starts are dropped; 0: none */
    bool rate_drain;
    double thread_ramp;   /* seconds over which the workers begin */
    double until_steady;  /* percent; 0: the warm-up has a fixed length */
    double steady_window; /* seconds */
    double report_interval;
    char *report_checkpoints;
    bool debug, validate, help, version;
    /* Of 0.4: seeded from the time, which its report says; lines of latencies. */
    bool init_rng, batch;
    double batch_delay; /* seconds */
    char *luajit_cmd;
    char *cpu_list;

    int rand_type;
    int64_t rand_spec_iter, rand_spec_pct, rand_spec_res, rand_seed;
    double rand_pareto_h, rand_zipfian_exp;

    int64_t verbosity;
    char *percentile;
    bool histogram;
    int output_format;
    char *output;
    int compat;
    bool quiet_notes, watch;
    char *hooks;

    char *db_driver, *db_ps_mode;
    bool db_debug;
    struct strlist mysql_host, mysql_port, mysql_socket;
    char *mysql_user, *mysql_password, *mysql_db;
    bool mysql_ssl;
    char *mysql_ssl_cipher;
    bool mysql_compression, mysql_debug;
    struct strlist mysql_ignore_errors;
    bool mysql_dry_run;
    char *pgsql_host;
    int64_t pgsql_port;
    char *pgsql_user, *pgsql_password, *pgsql_db;

    /* parsed from the texts above by general_finish */
    double percentiles[16];
    unsigned percentile_count; /* 0: none wanted */
    double checkpoints[256];   /* seconds, sorted */
    unsigned checkpoint_count;
    double forced_s; /* seconds after --time; negative: off */
};

/* The groups of rows, in the order of the help. */
#define GENERAL_SETS 7
struct general_options {
    struct general values;
    struct optset set[GENERAL_SETS];
};

int general_init(struct general_options *g, struct err *e);
void general_release(struct general_options *g);
/* Reads lists out of their texts and checks what concerns several options.
 * Call it when every value is known. */
int general_finish(struct general_options *g, struct err *e);
/* Set and row of that name; NULL if it is no general option. */
struct optset *general_find(struct general_options *g, const char *name, size_t *row);
/* How long the warm-up may last, seconds; 0: there is none. */
double general_warmup_s(const struct general *g);
/* Layout of 1.0 or 0.4 with all of its faults that a parser may rely on? */
static inline bool general_as_sysbench(const struct general *g)
{
    return g->compat != COMPAT_NATIVE;
}

#endif
