-- The table sysbench in the main thread, where no run is under way.
local ffi = require("ffi")
local tests = {}

local function refused(word, f, ...)
   local ok, e = pcall(f, ...)
   assert(not ok, "accepted")
   assert(tostring(e):find(word, 1, true), e)
end

function tests.versions_and_constants()
   assert(sysbench.version == "1.0.20" and sysbench.version_string == "sysbench 1.0.20")
   assert(sysbench.tid == 0 and thread_id == 0)
   assert(sysbench.error.NONE == 0 and sysbench.error.RESTART_EVENT == 1)
   assert(DB_ERROR_NONE == 0 and DB_ERROR_RESTART_TRANSACTION == 1 and DB_ERROR_FAILED == 2)
   assert(mysql_table_engine == "innodb" and myisam_max_rows == 1000000)
   assert(_G.ffi == ffi and type(thread_run) == "function" and type(sysbench.hooks) == "table")
   assert(test == sysbench.cmdline.script_path and test:find("harness.lua", 1, true))
end

function tests.cmdline()
   local c = sysbench.cmdline
   local types = { "NULL", "BOOL", "INT", "SIZE", "DOUBLE", "STRING", "LIST", "FILE", "MAX" }
   for i, name in ipairs(types) do
      assert(c["ARG_" .. name] == i - 1, name)
   end
   assert(c.PARALLEL_COMMAND == true and c.command == "check")
   assert(c.argv[#c.argv] == "check" and c.argv[0])
   assert(c.command_defined("check") and not c.command_defined("other"))
   assert(not c.command_parallel("check"))
   assert(c.read_cmdline_options())
   refused("no command 'other'", c.call_command, "other")
   assert(type(c.print_test_options) == "function")
   assert(c.no_such_member == nil)
end

function tests.options()
   assert(sysbench.opt.threads == 1 and sysbench.opt.time == 10 and sysbench.opt.debug == false)
   assert(sysbench.opt.thread_stack_size == 65536 and sysbench.opt.percentile == 95)
   assert(type(sysbench.opt.report_checkpoints) == "table" and sysbench.opt.rand_type == "special")
   assert(sysbench.opt.max_time == 0 and sysbench.opt.num_threads == 1)
   assert(sysbench.opt.file:find("test_api", 1, true) and sysbench.opt["no-such"] == nil)
   assert(rawget(_G, "threads") == nil and threads == nil) -- not for a script that declares some
end

function tests.histogram()
   local h = sysbench.histogram.new(1000, 1, 10)
   for _, v in ipairs({ 1, 2, 0, 10, 100, 5.001 }) do
      h:update(v)
   end
   assert(tostring(h) == "<sb_histogram>")
   h:update(0 / 0)
   h:update(-1)
   refused("at least 2", sysbench.histogram.new, 1, 1, 10)
   refused("log scale", sysbench.histogram.new, 10, 0, 10)
   refused("log scale", sysbench.histogram.new, 10, 10, 1)
   refused("log scale", sysbench.histogram.new, 10, 1, 0 / 0)
   refused("cannot convert", h.update, h, "x")
   assert(type(h.print) == "function" and type(h.update) == "function")
end

function tests.sql_is_told_to_be_missing()
   assert(sysbench.sql.type.VARCHAR == 12 and sysbench.sql.type.NONE == 0)
   assert(sysbench.sql.error.NONE == 0 and sysbench.sql.error.FATAL == 2)
   refused("no SQL driver is built into sbench", sysbench.sql.driver)
   refused("'pgsql'", sysbench.sql.driver, "pgsql")
   refused("test_api.lua", function() sysbench.sql.driver() end)
   local calls = {
      "connect", "disconnect", "query", "bulk_insert_init", "bulk_insert_next",
      "bulk_insert_done", "prepare", "bind_param", "bind_result", "execute", "store_results",
      "free_results", "close",
   }
   for _, name in ipairs(calls) do
      refused("no SQL driver", sysbench.db[name])
      assert(_G["db_" .. name] == sysbench.db[name], name)
   end
end

function tests.unknown_names_are_nil()
   assert(sb_no_such_name == nil and db_no_such_name == nil and sysbench.no_such_name == nil)
end

function tests.measures_belong_to_a_run()
   refused("name must be a string", sysbench.counter)
   refused("name must be a string", sysbench.latency, "")
   refused("counted by the engine", sysbench.counter, "events")
   refused("measured by the engine", sysbench.latency, "event")
   local c, l = sysbench.counter("things"), sysbench.latency("doing")
   refused("in the threads of a run only", c.inc, c)
   refused("in the threads of a run only", c.add, c, 1)
   refused("in the threads of a run only", c.value, c)
   refused("in the threads of a run only", l.record, l, 1)
   refused("in the threads of a run only", l.since, l, 1)
   refused("in the threads of a run only", l.time, l, function() end)
   assert(sysbench.event_number() == 0)
   local before = sysbench.now()
   assert(before > 0 and sysbench.now() >= before)
end

function tests.shared_arrays()
   local calls = 0
   local function fill(a, n)
      calls = calls + 1
      for i = 0, n - 1 do
         a[i] = i * i
      end
   end
   local a, n = sysbench.shared.array("squares", "uint32_t", 100, fill)
   assert(n == 100 and a[0] == 0 and a[99] == 99 * 99)
   local b = sysbench.shared.array("squares", "uint32_t", 100, fill)
   assert(calls == 1 and b == a)
   refused("constant", function() a[1] = 5 end)
   refused("another size", sysbench.shared.array, "squares", "uint32_t", 101, fill)
   refused("above 0", sysbench.shared.array, "none", "int", 0, fill)
   refused("must be the function", sysbench.shared.array, "none", "int", 5)
   refused("name must be", sysbench.shared.array, nil, "int", 5, fill)
end

function tests.shared_strings()
   local p, n = sysbench.shared.string("text", function() return "abc\0def" end)
   assert(n == 7 and ffi.string(p, n) == "abc\0def")
   local q = sysbench.shared.string("text", function() error("built twice") end)
   assert(q == p)
   refused("returned a number", sysbench.shared.string, "bad", function() return 5 end)
end

function tests.a_builder_that_fails_may_be_tried_again()
   refused("boom", sysbench.shared.string, "again", function() error("boom") end)
   local p, n = sysbench.shared.string("again", function() return "x" end)
   assert(n == 1 and ffi.string(p, 1) == "x")
   refused("asks for it itself", sysbench.shared.string, "self", function()
      return ffi.string(sysbench.shared.string("self", function() return "" end), 0)
   end)
end

function tests.declarations_of_scripts_do_not_clash()
   ffi.cdef([[
      uint32_t sb_rand_uniform(uint32_t, uint32_t);
      void sb_rand_str(const char *, char *);
      typedef struct histogram sb_histogram_t;
      void sb_histogram_update(sb_histogram_t *, double);
      bool sb_more_events(int);
      void sb_counter_inc(int, sb_counter_type);
   ]])
   local v = ffi.C.sb_rand_uniform(1, 5)
   assert(v >= 1 and v <= 5)
   local out = ffi.new("char[4]")
   ffi.C.sb_rand_str("#@#", out)
   assert(ffi.string(out):match("^%d%l%d$"))
   ffi.C.sb_counter_inc(0, ffi.C.SB_CNT_READ) -- outside of a run: counts nowhere
   local h = sysbench.histogram.new(10, 1, 10)
   ffi.C.sb_histogram_update(h, 5)
end

return tests
