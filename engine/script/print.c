#include "script/print.h"

#include <lauxlib.h>
#include <stdio.h>

/* Puts what tostring() says of each argument in the argument's place. As in
 * Lua, a tostring() of the script's own counts. */
static void to_strings(lua_State *L, int n)
{
    lua_getglobal(L, "tostring");
    for (int i = 1; i <= n; i++) {
        lua_pushvalue(L, -1);
        lua_pushvalue(L, i);
        lua_call(L, 1, 1);
        if (!lua_isstring(L, -1))
            luaL_error(L, "'tostring' must return a string to 'print'");
        lua_replace(L, i);
    }
    lua_pop(L, 1);
}

static int print(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_Buffer line;
    size_t size;
    luaL_checkstack(L, LUA_MINSTACK, "too many arguments to 'print'");
    to_strings(L, n);
    luaL_buffinit(L, &line);
    for (int i = 1; i <= n; i++) {
        if (i > 1)
            luaL_addlstring(&line, "\t", 1);
        lua_pushvalue(L, i);
        luaL_addvalue(&line);
    }
    luaL_addlstring(&line, "\n", 1);
    luaL_pushresult(&line);
    const char *text = lua_tolstring(L, -1, &size);
    /* A failed write is found at the end of the run, as for all of standard output. */
    fwrite(text, 1, size, stdout);
    return 0;
}

void print_open(lua_State *L)
{
    lua_pushcfunction(L, print);
    lua_setglobal(L, "print");
}
