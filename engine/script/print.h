/*
 * print() of Lua, a line at a time: the one of the library writes its arguments
 * and the line's end one by one, so that lines of several threads run into each
 * other. Here a line is one call of fwrite(), which the stream's lock keeps whole.
 */
#ifndef SCRIPT_PRINT_H
#define SCRIPT_PRINT_H

#include <lua.h>

/* Makes it the state's global print. Throws on lack of memory. */
void print_open(lua_State *L);

#endif
