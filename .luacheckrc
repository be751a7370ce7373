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

files["tests"] = {
   allow_defined_top = true,
   -- the global names of sysbench 0.5
   read_globals = {
      "thread_id", "thread_run", "test", "threads", "DB_ERROR_NONE", "DB_ERROR_RESTART_TRANSACTION",
      "DB_ERROR_FAILED", "mysql_table_engine", "myisam_max_rows", "sb_rnd", "sb_rand_uniq",
      "sb_no_such_name", "db_no_such_name",
   },
}

-- Scripts that tests feed to sysbench as well, some of them wrong on purpose.
exclude_files = { "tests/compat/files/*.lua" }
