/* Options for Lua: sysbench.opt, and the globals of scripts that declare none.
 * They are made when a script looks at them, for most never do. */
#ifndef SCRIPT_EXPORT_H
#define SCRIPT_EXPORT_H

#include <lua.h>

/* Functions for Lua: a table of all options, keys with `_` for `-`; the value of
 * one of them, nothing if there is none of that name. */
int export_options(lua_State *L);
int export_option(lua_State *L);

#endif
