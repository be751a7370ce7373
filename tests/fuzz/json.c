/*
 * JSON: two files that env diff reads, and the same bytes as what the writer and
 * the library of scripts have to cope with. The input is one document, a line
 * "----", and the other.
 */
#include "fuzz.h"

#include "base/json.h"
#include "env/env_diff.h"

#include <jansson.h>
#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- reading ---------------------------------------------------------------------- */

static int file_of(const char *text, size_t size, char *path, size_t room)
{
    int fd = memfd_create("json", MFD_CLOEXEC);
    claim(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    snprintf(path, room, "/proc/self/fd/%d", fd);
    return fd;
}

static void claim_json(const struct buf *out)
{
    json_error_t why;
    json_t *doc = json_loadb(out->text, out->size, JSON_REJECT_DUPLICATES, &why);
    if (!doc)
        fprintf(stderr, "%s\n%s\n", why.text, out->text);
    claim(doc != NULL);
    json_decref(doc);
}

static void diff(const char *a, size_t size_a, const char *b, size_t size_b)
{
    char path[2][64];
    struct err e = {0};
    struct env_diff d;
    struct buf out = {0};
    int fd[2] = {file_of(a, size_a, path[0], sizeof path[0]),
                 file_of(b, size_b, path[1], sizeof path[1])};
    int rc = env_diff_init(&d, path[0], path[1], &e);
    fuzz_claim_error(rc, &e);
    if (rc == 0) {
        env_diff_text(&d, &out);
        env_diff_csv(&d, &out);
        buf_clear(&out);
        env_diff_json(&d, &out);
        claim_json(&out);
        env_diff_release(&d);
    }
    buf_release(&out);
    close(fd[0]);
    close(fd[1]);
}

/* --- writing ---------------------------------------------------------------------- */

static double number_in(const char *text, size_t size)
{
    double x = 0;
    memcpy(&x, text, size < sizeof x ? size : sizeof x);
    return x;
}

/* Any text, valid UTF-8 or not, any number: what was written can be read. */
static void written(const char *text, size_t size)
{
    struct buf out = {0};
    struct json j;
    double x = number_in(text, size), back = 0;
    json_init(&j, &out);
    json_open(&j, NULL, '{');
    json_text(&j, "text", text);
    json_double(&j, "number", x);
    json_uint(&j, "unsigned", size);
    json_int(&j, "signed", -(int64_t)size);
    json_open(&j, "list", '[');
    for (size_t i = 0; i < size && i < 4; i++)
        json_bool(&j, NULL, text[i] & 1);
    json_none(&j, NULL);
    json_close(&j, ']');
    json_open(&j, "empty", '{');
    json_close(&j, '}');
    json_close(&j, '}');
    claim_json(&out);
    json_t *doc = json_loadb(out.text, out.size, 0, NULL);
    back = json_number_value(json_object_get(doc, "number"));
    claim(!isfinite(x) || back == x);
    json_decref(doc);
    buf_release(&out);
}

/* --- in Lua ------------------------------------------------------------------------- */

/* lua/sbench/json.lua reads what Jansson does, and what it reads it writes so
 * that it reads the same. */
static const char check[] =
    "local json, text, right = ...\n"
    "local ok, value = pcall(json.decode, text)\n"
    "if not ok then assert(type(value) == 'string'); return not right, value end\n"
    "local written = json.encode(value)\n"
    "if type(value) == 'table' and value.is_array then assert(written:match('^{')) end\n"
    "return json.encode(json.decode(written)) == written, written\n";

/* To Jansson a zero byte is the end of a document. */
static bool is_right(const char *text, size_t size)
{
    if (strlen(text) < size)
        return false;
    json_t *doc = json_loadb(text, size, JSON_DECODE_ANY, NULL);
    json_decref(doc);
    return doc != NULL;
}

static lua_State *library(void)
{
    static lua_State *L;
    if (L)
        return L;
    L = luaL_newstate();
    claim(L != NULL);
    luaL_openlibs(L);
    claim(luaL_dofile(L, "lua/sbench/json.lua") == 0);
    lua_setglobal(L, "json");
    return L;
}

static void in_lua(const char *text, size_t size)
{
    lua_State *L = library();
    claim(luaL_loadbuffer(L, check, sizeof check - 1, "=check") == 0);
    lua_getglobal(L, "json");
    lua_pushlstring(L, text, size);
    lua_pushboolean(L, is_right(text, size));
    int rc = lua_pcall(L, 3, 2, 0);
    if (rc != 0 || !lua_toboolean(L, -2))
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
    claim(rc == 0 && lua_toboolean(L, -2));
    lua_settop(L, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *gap = strstr(text, "\n----\n");
    size_t n = gap ? (size_t)(gap - text) : size;
    const char *b = gap ? gap + 6 : text;
    diff(text, n, b, gap ? size - n - 6 : size);
    written(text, size);
    in_lua(text, n);
    free(text);
    return 0;
}
