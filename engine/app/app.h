/*
 * The program between its command line and its exit status: what one invocation
 * knows, and what it may be asked for. main.c walks the steps; nothing here ends
 * the program. All of it runs in the main thread.
 */
#ifndef APP_APP_H
#define APP_APP_H

#include "base/outfile.h"
#include "env/affinity.h"
#include "env/env.h"
#include "option/cmdline.h"
#include "script/script.h"

#define DONE (-1) /* a step or tool has nothing to say; go on */

struct app {
    struct cmdline cmdline;
    struct general_options options;
    struct general *general;
    struct log log;
    struct script script;
    bool script_open;
    int result_fd;         /* where JSON and CSV go; standard output is for them alone */
    bool gave_up;          /* threads still run: end without touching their memory */
    struct outfile output; /* of --output in text; fd -1: none */
    struct clock clock;
    struct env env;
    struct affinity affinity;
    struct run_signal *caught; /* what the signal handler notes */
};

/* --- signals.c: SIGINT, SIGTERM and SIGUSR1 are noted, in *caught from then on. */
int signals_catch(struct run_signal **caught, struct err *e);

/* --- say.c: messages. Those that return a status return that of the error. */
const char *program_of(const struct app *a); /* the name for help and messages */
int usage_error(const struct err *e);
int fatal(struct app *a, const struct err *e);
/* What is wrong with options: on standard error if the line itself is not to be
 * understood, and as FATAL where the values do not fit, as in sysbench. */
int option_error(struct app *a, const struct err *e);
/* In the form 1.0: of each --test=NAME, before anything else is said. */
void warn_of_test(struct app *a);
void print_version(struct app *a);
void print_banner(struct app *a);
/* What was understood of old spellings and pasted characters, as far as it has
 * not been said. */
void say_notes(struct app *a);
void warn_endless(struct app *a); /* if neither events nor time limit the run */
/* Writes the answer to standard output and frees it. */
int print_buf(struct buf *out);

/* --- help.c */
void general_help(struct app *a, struct buf *out);
int test_help(struct app *a);
void test_options(struct app *a, struct buf *out); /* the tables of the scenario */

/* --- tools.c: `list`, `env`, `options`, which have arguments of their own. DONE if
 * the first word is none of them. */
int tool_step(struct app *a, int argc, char **argv);
/* The same words behind options: refused with a hint, else DONE. */
int tool_too_late(const struct app *a);
/* The facts that env/ cannot know: it does not know Lua. */
int put_engine(struct env *env, bool compiles, struct err *e);

/* --- commands.c: what the command says is done with the scenario. */
int command_step(struct app *a);

#endif
