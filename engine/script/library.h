/*
 * Texts of Lua and what becomes of them: files and embedded files, bytecode that all states
 * share, and where require() looks.
 */
#ifndef SCRIPT_LIBRARY_H
#define SCRIPT_LIBRARY_H

#include "script/script.h"

struct lua_State;

/* Compiles a file's text once; the chunk is the caller's. */
struct chunk *chunk_new(struct lua_State *L, const char *text, size_t size, const char *name,
                        struct err *e);
void chunk_free(struct chunk *c);
/* Leaves it on the stack as a function; else 1 and an error text. */
int chunk_push(struct lua_State *L, const struct chunk *c);
/* Text of a file, without a first line that begins with #. */
char *read_script(const char *path, size_t *size);
/* The embedded file, or the one below SBENCH_LUA_PATH that replaces it. free()
 * the text; NULL: there is none. path: "cpu.lua", "sysbench/rand.lua". */
char *library_text(const char *path, size_t *size);

/* A module of the library, compiled by whichever state asks first; it stays the script's.
 * NULL: there is none, or with e it cannot be compiled. */
const struct chunk *library_chunk(struct script *s, struct lua_State *L, const char *path,
                                  struct err *e);
/* In a section: modules of the program are found by require(), before files of the user. */
void library_add_searcher(struct lua_State *L);
/* package.path and package.cpath, from the environment or as sysbench has them. */
void library_set_paths(const struct script *s, struct lua_State *L);

#endif
