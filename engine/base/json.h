/* A JSON writer that streams into a buf. It puts the commas; the caller opens
 * and closes in the right order. Numbers keep full precision; what is not
 * finite becomes null, for JSON has no word for it. The reader is Jansson, whose
 * json_string and json_null are other functions; hence json_text, json_none. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct json {
    struct buf *out;
    int depth;
    bool comma; /* the next value needs one in front */
};

void json_init(struct json *j, struct buf *out);
/* key is NULL inside of arrays and at the top. */
void json_open(struct json *j, const char *key, char bracket);      /* '{' or '[' */
void json_close(struct json *j, char bracket);                      /* '}' or ']' */
void json_text(struct json *j, const char *key, const char *value); /* NULL gives null */
void json_uint(struct json *j, const char *key, uint64_t value);
void json_int(struct json *j, const char *key, int64_t value);
void json_double(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);
void json_none(struct json *j, const char *key);
/* Members or items that another writer made at the same depth; at least one. */
void json_splice(struct json *j, const struct buf *made);

#endif
