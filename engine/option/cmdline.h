/*
 * The command line in sysbench's grammar: words and options in any order, an
 * option is --name or --name=value, `-` and `_` are the same in names, the last
 * one wins. Options keep waiting until somebody knows their name: the general
 * ones at once, those of a test when it is known.
 */
#ifndef OPTION_CMDLINE_H
#define OPTION_CMDLINE_H

#include "option/general.h"
#include "option/option.h"

struct setting {
    char *name;
    char *value; /* NULL: no value; "": an empty one */
    char *shown; /* as typed, or "FILE:LINE: name" */
    bool used;
};

struct cmdline {
    int argc;
    char **argv;
    struct setting *setting;
    size_t count;
    char *test, *command;    /* the words; NULL: not given */
    unsigned test_by_option; /* how often --test=NAME was used */
    bool malformed;          /* the error is about the line itself, not about what it asks for */
    struct buf notes;        /* lines for standard error: what was understood how */
    struct buf warnings;     /* lines that sysbench 1.0 prints in front of the banner */
};

/* Splits the arguments, mends what a web page made of them, with a note, and reads
 * --config-file where it stands. Values of options with secrets are blanked in
 * argv. */
int cmdline_parse(struct cmdline *c, int argc, char **argv, struct err *e);
void cmdline_release(struct cmdline *c);

/* Which sysbench is asked for, by --compat or by the program's name. */
int cmdline_compat(const struct cmdline *c, const char *program, int *compat, struct err *e);

/* Is that switch on, whatever is wrong with the rest of the line? */
bool cmdline_asks(const struct cmdline *c, const char *name, int compat);

/* Gives every setting that is a general option, old spellings included, its
 * place. */
int cmdline_general(struct cmdline *c, struct general_options *g, struct err *e);

/* Gives the rest to the sets of the chosen test. What nobody knows is an error
 * that suggests the nearest name; with `open` it is left unused instead. */
int cmdline_rest(struct cmdline *c, struct optset *const *sets, size_t n, struct general_options *g,
                 bool open, struct err *e);

/* --- for the files beside this one --- */

/* One more setting; value NULL: none was given. */
int cmdline_add(struct cmdline *c, const char *name, size_t size, const char *value,
                const char *shown, struct err *e);
/* Gives a setting its row. An error names where it came from. */
int cmdline_give(struct cmdline *c, struct setting *s, struct optset *set, size_t row,
                 enum opt_manner manner, struct err *e);
/* How strictly the form that is spoken reads values. */
enum opt_manner cmdline_manner(const struct general *g);

#endif
