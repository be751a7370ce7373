/*
 * The machine a run happens on, as a list of facts. Each fact has a value, the
 * place it comes from and a status: that something cannot be known is an answer
 * too. Collecting them takes about a millisecond, prints nothing, changes
 * nothing and needs no privileges. An env belongs to who collected it; what it
 * returns is valid until env_release or env_put.
 */
#ifndef ENV_ENV_H
#define ENV_ENV_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "env/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fact {
    char *key;    /* the unit is the end of the key: _bytes, _bits, _khz, _c, _s, _percent */
    char *value;  /* NULL unless status is FACT_OK */
    char *source; /* a path, or who said so */
    enum fact_status status;
    bool number; /* value reads as a number */
};

struct env {
    struct fact *fact;
    size_t count, room;
};

/* What a difference in this fact means when two results are compared. */
enum fact_class {
    FACT_FACTOR,        /* what may be the subject: board, processor, word size … */
    FACT_MUST_MATCH,    /* a difference makes the comparison unfair */
    FACT_INFORMATIONAL, /* differs from run to run */
};

#define ENV_SLOW 1u   /* also what takes longer: vulnerabilities, the measured clock */
#define ENV_REVEAL 2u /* host name and serial number as they are, not as marks */

/* The cheap facts of this machine, names redacted. 0, or -1 without memory. */
int env_collect(struct env *env, struct err *e);
/* The same for the tree below root, which must be absolute or "", with flags. */
int env_collect_at(struct env *env, const char *root, unsigned flags, struct err *e);
void env_release(struct env *env);
/* NULL if there is no fact of that key. */
const struct fact *env_get(const struct env *env, const char *key);
/* The value; NULL if it is unknown. */
const char *env_value(const struct env *env, const char *key);
/* The value as a number; otherwise if it is unknown or none. */
double env_number(const struct env *env, const char *key, double otherwise);
/* Adds a fact or replaces it: what others know, such as the Lua version. value
 * NULL: missing. Takes copies. */
int env_put(struct env *env, const char *key, const char *value, const char *source, struct err *e);

enum fact_class env_class(const char *key);      /* informational for unknown keys */
const char *env_class_name(enum fact_class c);   /* "factor", "must match", "informational" */
const char *env_status_name(enum fact_status s); /* "ok", "missing", "permission" */

/* The object "env": per key {"value", "source", "status"}. */
void env_json(const struct env *env, struct json *j);
/* Under another key only what changes while a program runs, as key: value; for
 * a second look after the run. */
void env_json_state(const struct env *env, const char *key, struct json *j);
void env_text(const struct env *env, struct buf *out); /* an aligned table */
void env_csv(const struct env *env, struct buf *out);  /* key,value,source,status,class */
void env_csv_field(struct buf *out, const char *text); /* one quoted field */

/* Facts that change what a result means, one line each. threads: workers of the
 * run, 0 if there is none. */
typedef void env_note_fn(void *to, const char *key, const char *text);
void env_notes(const struct env *env, unsigned threads, env_note_fn *note, void *to);

/* Bytes of the data cache of that level, 0: unknown. */
uint64_t env_cache_size(int level);
/* The largest cache and its level; 0: unknown. */
uint64_t env_cache_last(int *level);

#endif
