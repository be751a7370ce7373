#include "option/general.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define G struct general

static const char *const rand_types[] = {"uniform", "gaussian", "special",
                                         "pareto",  "zipfian",  NULL};
static const char *const paces[] = {"poisson", "fixed", NULL};
static const char *const formats[] = {"text", "json", "csv", NULL};
static const char *const compats[] = {"native", "1.0", "0.4", NULL};
static const char *const ps_modes[] = {"auto", "disable", NULL};

/* Rows of 1.0.20 come first in each group, in its order. */
static const struct option general_rows[] = {
    {"threads", "worker threads", "1", OPT_ROW_INT(G, threads), .min = 1, .max = 65535},
    {"events", "stop after this many events of all threads together; 0: no limit", "0",
     OPT_ROW_INT(G, events), .min = 0, .max = 9e18, .negative_is_none = true},
    {"time", "stop after this many seconds; 0: no limit", "10", OPT_ROW_SECONDS(G, time), .min = 0,
     .max = 3e9, .negative_is_none = true, .was_whole = true},
    {"forced-shutdown",
     "seconds after --time (or N% of it) at which the run is ended by force with status 2; 'off' "
     "leaves it to --hard-stop",
     "off", OPT_ROW_STRING(G, forced_shutdown)},
    /* Less than 32K crashes in the C library or in Lua. */
    {"thread-stack-size", "stack of each thread; more where the system needs more", "64K",
     OPT_ROW_SIZE(G, thread_stack_size), .min = 32 << 10, .max = 1ULL << 40},
    {"rate",
     "start this many events a second, whether earlier ones are done or not; latency then counts "
     "from the planned start; 0: as fast as possible",
     "0", OPT_ROW_DOUBLE(G, rate), .min = 0, .max = 1e9, .was_whole = true},
    {"report-interval", "seconds between intermediate reports, also fractions; 0: none", "0",
     OPT_ROW_SECONDS(G, report_interval), .min = 0, .max = 3e9, .negative_is_none = true,
     .was_whole = true},
    {"report-checkpoints",
     "seconds after the start at which the full statistics are printed and begun anew", "",
     OPT_ROW_STRING(G, report_checkpoints), .shown_as = "=[LIST,...]"},
    {"debug", "print more about what happens", "off", OPT_ROW_BOOL(G, debug)},
    {"validate", "check data where a test can", "off", OPT_ROW_BOOL(G, validate)},
    {"help", "print this help", "off", OPT_ROW_BOOL(G, help)},
    {"version", "print the version", "off", OPT_ROW_BOOL(G, version)},
    {"config-file", "read further options from this file, NAME=VALUE on each line", NULL,
     .type = OPT_FILE},
    /* What 1.0.20 has not. */
    {"until-steady",
     "end the warm-up as soon as the rate is steady: five windows within this many percent of "
     "their "
     "mean, without a trend beyond that; --warmup-time (60 if not given) is the longest; 0: not",
     "0", OPT_ROW_DOUBLE(G, until_steady), .min = 0, .max = 100},
    {"steady-window", "seconds of one window of --until-steady", "1",
     OPT_ROW_SECONDS(G, steady_window), .min = 0.01, .max = 3600},
    {"warmup-time", "run this many seconds before anything counts", "0",
     OPT_ROW_SECONDS(G, warmup_time), .min = 0, .max = 3e9},
    {"hard-stop",
     "grace in seconds after --time before threads that are stuck in an event are given up; "
     "-1: 5 s or a tenth of --time, whichever is longer; 0: wait for ever",
     "-1", OPT_ROW_SECONDS(G, hard_stop), .min = -1, .max = 3e9},
    {"thread-init-timeout", "seconds that the threads may take to get ready", "30",
     OPT_ROW_SECONDS(G, thread_init_timeout), .min = 0, .max = 3e9},
    {"rate-pace", "gaps between planned starts {poisson, fixed}", "poisson",
     OPT_ROW_CHOICE(G, rate_pace), .choices = paces},
    {"rate-ramp", "seconds over which --rate climbs from nothing to its value", "0",
     OPT_ROW_SECONDS(G, rate_ramp), .min = 0, .max = 3e9},
    {"rate-drop",
     "with --rate: drop and count planned starts that are later than this many seconds; 0: run all",
     "0", OPT_ROW_SECONDS(G, rate_drop), .min = 0, .max = 3e9},
    {"rate-drain", "with --rate: also run the events that were planned but late at the time limit",
     "off", OPT_ROW_BOOL(G, rate_drain)},
    {"thread-ramp", "seconds over which the threads begin, one after the other", "0",
     OPT_ROW_SECONDS(G, thread_ramp), .min = 0, .max = 3e9},
    {"luajit-cmd", "command for the Lua compiler, as luajit -j takes it: on, off, flush", NULL,
     OPT_ROW_STRING(G, luajit_cmd), .not_empty = true},
    {"cpu-list",
     "processors to use, one thread on each in turn: 0-3,6 or one-per-core, big, little", NULL,
     OPT_ROW_STRING(G, cpu_list), .shown_as = "=[LIST,...]", .not_empty = true},
    {"hooks", "Lua file with report hooks, loaded after the scenario", NULL,
     OPT_ROW_STRING(G, hooks), .shown_as = "=FILENAME", .not_empty = true},
    {0},
};

static const struct option random_rows[] = {
    {"rand-type",
     "distribution behind sysbench.rand.default {uniform, gaussian, special, pareto, zipfian}",
     "special", OPT_ROW_CHOICE(G, rand_type), .choices = rand_types},
    {"rand-spec-iter", "numbers averaged for gaussian and special", "12",
     OPT_ROW_INT(G, rand_spec_iter), .min = 1, .max = 1e6},
    {"rand-spec-pct", "width of the special zone, percent of the range", "1",
     OPT_ROW_INT(G, rand_spec_pct), .min = 0, .max = 100},
    {"rand-spec-res", "numbers that fall into the special zone, percent", "75",
     OPT_ROW_INT(G, rand_spec_res), .min = 0, .max = 99},
    {"rand-seed", "seed of the random numbers; 0: from the time", "0", OPT_ROW_INT(G, rand_seed),
     .min = -2147483648.0, .max = 4294967295.0},
    {"rand-pareto-h", "parameter h of the Pareto distribution", "0.2",
     OPT_ROW_DOUBLE(G, rand_pareto_h), .min = 1e-6, .max = 0.999999},
    {"rand-zipfian-exp", "exponent theta of the Zipf distribution", "0.8",
     OPT_ROW_DOUBLE(G, rand_zipfian_exp), .min = 0, .max = 1e6},
    {0},
};

static const struct option log_rows[] = {
    {"verbosity", "how much to say: 0 only what is fatal … 3 notices … 5 debugging", "3",
     OPT_ROW_INT(G, verbosity), .min = 0, .max = 5},
    {0},
};

static const struct option statistics_rows[] = {
    {"percentile", "latency percentiles to report, such as 50,95,99.9; 0: none", "95",
     OPT_ROW_STRING(G, percentile), .shown_as = "=[LIST,...]", .not_empty = true},
    {"histogram", "print the latency histogram before the report", "off",
     OPT_ROW_BOOL(G, histogram)},
    {"output-format", "form of the result {text, json, csv}", "text",
     OPT_ROW_CHOICE(G, output_format), .choices = formats},
    {"output", "file for the result instead of standard output", NULL, OPT_ROW_STRING(G, output),
     .shown_as = "=FILENAME", .not_empty = true},
    {"compat", "layout, defaults and manners of that sysbench {native, 1.0, 0.4}", "native",
     OPT_ROW_CHOICE(G, compat), .choices = compats},
    {"watch",
     "on a terminal, draw rate, percentiles and temperature in one line that is kept current "
     "(every second, or as --report-interval says)",
     "off", OPT_ROW_BOOL(G, watch)},
    {"quiet-notes", "leave out the notes about what a result means", "off",
     OPT_ROW_BOOL(G, quiet_notes)},
    {0},
};

static const struct option database_rows[] = {
    {"db-driver", "database driver of SQL scripts; none is built in yet", NULL,
     OPT_ROW_STRING(G, db_driver)},
    {"db-ps-mode", "prepared statements {auto, disable}", "auto", OPT_ROW_STRING(G, db_ps_mode),
     .choices = ps_modes},
    {"db-debug", "print what the database driver does", "off", OPT_ROW_BOOL(G, db_debug)},
    {0},
};

static const struct option mysql_rows[] = {
    {"mysql-host", "MySQL hosts", "localhost", OPT_ROW_LIST(G, mysql_host)},
    {"mysql-port", "MySQL ports", "3306", OPT_ROW_LIST(G, mysql_port)},
    {"mysql-socket", "MySQL sockets", NULL, OPT_ROW_LIST(G, mysql_socket)},
    {"mysql-user", "MySQL user", "sbtest", OPT_ROW_STRING(G, mysql_user)},
    {"mysql-password", "MySQL password", "", OPT_ROW_STRING(G, mysql_password), .secret = true},
    {"mysql-db", "MySQL database", "sbtest", OPT_ROW_STRING(G, mysql_db)},
    {"mysql-ssl", "encrypt the connections", "off", OPT_ROW_BOOL(G, mysql_ssl)},
    {"mysql-ssl-cipher", "cipher of encrypted connections", "",
     OPT_ROW_STRING(G, mysql_ssl_cipher)},
    {"mysql-compression", "compress the protocol", "off", OPT_ROW_BOOL(G, mysql_compression)},
    {"mysql-debug", "trace calls of the client library", "off", OPT_ROW_BOOL(G, mysql_debug)},
    {"mysql-ignore-errors", "error numbers that restart an event, or \"all\"", "1213,1020,1205",
     OPT_ROW_LIST(G, mysql_ignore_errors)},
    {"mysql-dry-run", "let every call succeed without a server", "off",
     OPT_ROW_BOOL(G, mysql_dry_run)},
    {0},
};

static const struct option pgsql_rows[] = {
    {"pgsql-host", "PostgreSQL host", "localhost", OPT_ROW_STRING(G, pgsql_host)},
    {"pgsql-port", "PostgreSQL port", "5432", OPT_ROW_INT(G, pgsql_port), .min = 1, .max = 65535},
    {"pgsql-user", "PostgreSQL user", "sbtest", OPT_ROW_STRING(G, pgsql_user)},
    {"pgsql-password", "PostgreSQL password", "", OPT_ROW_STRING(G, pgsql_password),
     .secret = true},
    {"pgsql-db", "PostgreSQL database", "sbtest", OPT_ROW_STRING(G, pgsql_db)},
    {0},
};

int general_init(struct general_options *g, struct err *e)
{
    static const struct {
        const char *title;
        const struct option *rows;
    } groups[GENERAL_SETS] = {
        {"General options", general_rows},
        {"Pseudo-Random Numbers Generator options", random_rows},
        {"Log options", log_rows},
        {"Statistics and output", statistics_rows},
        {"General database options", database_rows},
        {"mysql options", mysql_rows},
        {"pgsql options", pgsql_rows},
    };
    memset(g, 0, sizeof *g);
    for (int i = 0; i < GENERAL_SETS; i++)
        if (optset_init(&g->set[i], groups[i].title, groups[i].rows, &g->values, e) != 0)
            return -1;
    return 0;
}

void general_release(struct general_options *g)
{
    for (int i = 0; i < GENERAL_SETS; i++)
        optset_release(&g->set[i]);
}

double general_warmup_s(const struct general *g)
{
    return g->warmup_time > 0 ? g->warmup_time : g->until_steady > 0 ? 60 : 0;
}

struct optset *general_find(struct general_options *g, const char *name, size_t *row)
{
    for (int i = 0; i < GENERAL_SETS; i++) {
        int at = optset_find(&g->set[i], name);
        if (at < 0)
            continue;
        *row = (size_t)at;
        return &g->set[i];
    }
    return NULL;
}

/* Reads numbers with commas between them into out, at most room of them. */
static int read_numbers(const char *option, const char *text, double min, double max, double *out,
                        unsigned room, unsigned *count, struct err *e)
{
    struct strlist items;
    int rc = strlist_split(&items, text ? text : "", e);
    *count = 0;
    for (size_t i = 0; rc == 0 && i < items.count; i++) {
        double n = 0;
        const char *why = units_parse_double(items.item[i], &n);
        if (!why && !(n >= min && n <= max))
            why = "is out of range";
        if (!why && *count == room)
            why = "is one value too many";
        if (why)
            rc = err_set(e, "option --%s: '%s' in '%s' %s; numbers from %.15g to %.15g are needed",
                         option, items.item[i], text, why, min, max);
        else
            out[(*count)++] = n;
    }
    strlist_release(&items);
    return rc;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The second of two equal ones says nothing new, and would be a second member of
 * that name in JSON. The order is the user's. */
static void drop_repeated(double *n, unsigned *count)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < *count; i++) {
        unsigned k = 0;
        while (k < kept && n[k] != n[i])
            k++;
        if (k == kept)
            n[kept++] = n[i];
    }
    *count = kept;
}

static int finish_percentiles(struct general *g, struct err *e)
{
    if (read_numbers("percentile", g->percentile, 0, 100, g->percentiles,
                     sizeof g->percentiles / sizeof g->percentiles[0], &g->percentile_count,
                     e) != 0)
        return -1;
    drop_repeated(g->percentiles, &g->percentile_count);
    if (g->percentile_count == 1 && g->percentiles[0] == 0)
        g->percentile_count = 0;
    if (g->histogram && g->percentile_count == 0)
        return err_set(e, "--histogram cannot be printed with --percentile=0; give a percentile");
    return 0;
}

static int finish_checkpoints(struct general *g, struct err *e)
{
    if (read_numbers("report-checkpoints", g->report_checkpoints, 0, 2147483647, g->checkpoints,
                     sizeof g->checkpoints / sizeof g->checkpoints[0], &g->checkpoint_count,
                     e) != 0)
        return -1;
    qsort(g->checkpoints, g->checkpoint_count, sizeof *g->checkpoints, by_value);
    return 0;
}

/* Reports that are nearer to each other than that would be the work that is measured. */
static int finish_interval(struct general *g, struct err *e)
{
    static const double least = 0.001;
    if (g->report_interval > 0 && g->report_interval < least)
        return err_set(e,
                       "option --report-interval: %g s is too short, the least is %g s (0: no "
                       "intermediate reports)",
                       g->report_interval, least);
    if (g->watch && g->report_interval == 0)
        g->report_interval = 1;
    return 0;
}

static int finish_forced_shutdown(struct general *g, struct err *e)
{
    const char *text = g->forced_shutdown ? g->forced_shutdown : "";
    size_t n = strlen(text);
    bool percent = n > 1 && text[n - 1] == '%';
    char number[64];
    double value = 0;
    g->forced_s = -1;
    if (strcasecmp(text, "off") == 0 || g->time == 0)
        return 0;
    if (n == 0) { /* given without a value: a twentieth, in whole seconds */
        g->forced_s = floor(g->time / 20);
        return 0;
    }
    snprintf(number, sizeof number, "%.*s", (int)(n - percent), text);
    const char *why = units_parse_double(number, &value);
    if (why || value < 0)
        return err_set(e, "option --forced-shutdown: '%s' is not a number of seconds, N%% or off",
                       text);
    g->forced_s = percent ? g->time * value / 100 : value;
    if (g->forced_s > 3e9)
        return err_set(e,
                       "option --forced-shutdown: '%s' is out of range, at most 3000000000 "
                       "seconds are possible",
                       text);
    return 0;
}

int general_finish(struct general_options *o, struct err *e)
{
    struct general *g = &o->values;
    if (finish_percentiles(g, e) != 0 || finish_checkpoints(g, e) != 0 ||
        finish_interval(g, e) != 0 || finish_forced_shutdown(g, e) != 0)
        return -1;
    if (g->debug)
        g->verbosity = 5;
    return 0;
}
