/* Lua states: making one with the sysbench library and the script in it, and
 * calling functions with a readable error. One state belongs to one thread. */
#ifndef SCRIPT_STATE_H
#define SCRIPT_STATE_H

#include "script/script.h"

#include <lua.h>

/* NULL with e: no memory, or the top level of the script failed. */
lua_State *state_new(struct script *s, int tid, struct err *e);
void state_close(lua_State *L);

/* Calls what lies on the stack: the function under nargs arguments. Results
 * are left there. name is what the message calls the function. */
int state_call(struct script *s, lua_State *L, const char *name, int nargs, int nresults,
               struct err *e);
/* Pushes a member of the engine's Lua half (lua/sysbench/init.lua returns it). */
void state_push_engine(lua_State *L, const char *member);
/* The script that the state is of. */
struct script *script_of(lua_State *L);
/* From now on there is sysbench.opt. */
int state_export_options(struct script *s, lua_State *L, struct err *e);

/* Compiles a file's text once; the chunk is the caller's. */
struct chunk *chunk_new(lua_State *L, const char *text, size_t size, const char *name,
                        struct err *e);
void chunk_free(struct chunk *c);
/* Text of a file, without a first line that begins with #. */
char *read_script(const char *path, size_t *size);
/* The embedded file, or the one below SBENCH_LUA_PATH that replaces it. free()
 * the text; NULL: there is none. path: "cpu.lua", "sysbench/rand.lua". */
char *library_text(const char *path, size_t *size);

#endif
