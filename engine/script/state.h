/* Lua states: making one with the sysbench library and the script in it, and
 * calling functions with a readable error. One state belongs to one thread. */
#ifndef SCRIPT_STATE_H
#define SCRIPT_STATE_H

#include "script/script.h"

#include <lua.h>

/* NULL with e: no memory, or the top level of the script failed. */
lua_State *state_new(struct script *s, int tid, struct err *e);
void state_close(lua_State *L);

/* Lua's interface throws when memory runs out, also where nothing is called. So
 * whatever uses a state does it in a section, for which that is an error like
 * others. A section begins with an empty stack, and nothing on it remains. */
typedef int section_fn(struct script *s, lua_State *L, void *arg, struct err *e);
int state_section(struct script *s, lua_State *L, section_fn *run, void *arg, struct err *e);

/* In a section: calls what lies on the stack, the function under nargs arguments. Results
 * are left there. name is what the message calls the function. */
int state_call(struct script *s, lua_State *L, const char *name, int nargs, int nresults,
               struct err *e);
/* In a section: is there a global function of that name? Without metamethods: what is not
 * there must not be looked for elsewhere. */
bool state_defines(lua_State *L, const char *function);
/* Pushes a member of the engine's Lua half (lua/sysbench/init.lua returns it). */
void state_push_engine(lua_State *L, const char *member);
/* Pushes what the script's file returned. */
void state_push_result(lua_State *L);
/* The script that the state is of. */
struct script *script_of(lua_State *L);
/* From now on there is sysbench.opt. A section_fn; arg is not used. */
int state_export_options(struct script *s, lua_State *L, void *arg, struct err *e);

#endif
