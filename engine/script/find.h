/* Finding the text of a scenario: a bundled one, a file, or a module on the search path. */
#ifndef SCRIPT_FIND_H
#define SCRIPT_FIND_H

#include "script/script.h"

struct lua_State;

bool find_is_file(const char *path);

/* Text of the scenario `name`, to free(); NULL with e. The built-in tests win over files of
 * their name; other bundled ones give way to a file. The state has the search path; *found
 * becomes the path of what was found there, to free(). */
char *find_text(struct script *s, struct lua_State *L, const char *name, char **found, size_t *size,
                struct err *e);
/* All of standard input, to free(). */
char *find_stdin(size_t *size, struct err *e);

#endif
