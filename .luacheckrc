-- LuaJIT is Lua 5.1 with a few library additions; scenarios define their hooks as globals.
std = "luajit"
max_line_length = 100
allow_defined_top = false

globals = {
   "sysbench",
   "init", "thread_init", "event", "thread_done", "done",
   "prepare", "cleanup", "help",
   "ffi",
}

files["tests"] = { allow_defined_top = true }
