-- The Lua half of the engine: makes the global `sysbench` in a new state and
-- returns the functions that the C half calls. It is given what C knows: the
-- declarations for FFI, the thread's number, the command line.
local given = ...

local ffi = require("ffi")
ffi.cdef(given.cdef)
given.cdef = nil
local C = ffi.C
_G.ffi = ffi
package.loaded["sysbench.given"] = given

-- Declares the functions of a header of the program, for the modules that call
-- them.
function given.declare(header)
   ffi.cdef((ffi.string(C.sb_embedded(header)):gsub("\n#[^\n]*", "\n")))
end

local ABI = 1
if C.sb_abi_version() ~= ABI then
   error("the Lua library is of another version than the program; is SBENCH_LUA_PATH set " ..
         "to an old one?")
end

if given.luajit_cmd and given.luajit_cmd ~= "" then
   local known = { on = true, off = true, flush = true }
   if not known[given.luajit_cmd] then
      error("option --luajit-cmd: '" .. given.luajit_cmd .. "' is not one of: on, off, flush", 0)
   end
   jit[given.luajit_cmd]()
end

-- --- the table -------------------------------------------------------------

local sysbench = {
   version = "1.0.20",
   version_string = "sysbench 1.0.20",
   tid = given.tid,
   error = { NONE = 0, RESTART_EVENT = 1 },
   hooks = {},
}
_G.sysbench = sysbench

sysbench.cmdline = require("sysbench.cmdline")(given)

-- Parts of the library that most scripts do not use are loaded when they are.
local parts = {
   rand = "sysbench.rand",
   histogram = "sysbench.histogram",
   sql = "sysbench.sql",
   metric = "sysbench.metric",
   primitive = "sysbench.primitive",
   counter = "sysbench.measure",
   latency = "sysbench.measure",
   now = "sysbench.measure",
   event_number = "sysbench.measure",
   shared = "sysbench.shared",
   report_default = "sysbench.report",
   report_csv = "sysbench.report",
   report_json = "sysbench.report",
   json = "sbench.json",
   db = "sysbench.legacy",
}
-- These modules return one value; the others a table of several members.
local single = { rand = true, histogram = true, sql = true, primitive = true, shared = true,
                 json = true }

setmetatable(sysbench, {
   parts = parts,
   __index = function(t, name)
      local module = parts[name]
      if not module then
         if name ~= "opt" or not given.options_known then
            return nil
         end
         t.opt = given.options()
         return t.opt
      end
      local value = require(module)
      if not single[name] then
         value = value[name]
      end
      rawset(t, name, value)
      return value
   end,
})

require("sysbench.legacy_names")(given)

-- --- errors ----------------------------------------------------------------

local function is_restart(e)
   return type(e) == "table" and e.errcode == sysbench.error.RESTART_EVENT
end

local engine = {}

-- A message handler. What has been described once is left as it is.
function engine.describe_error(e)
   return require("sysbench.describe")(e)
end

-- --- the event loop ----------------------------------------------------------

-- One call of C for each event: it ends the one before and starts the next. The
-- function is looked up each time, for it may replace itself.
local function loop(tid, again)
   local turn = C.sb_event_turn
   if not again and not turn() then
      return
   end
   repeat
      if _G.event(tid) then
         C.sb_event_drop()
         return
      end
   until not turn()
end

local function handler(e)
   if is_restart(e) then
      return e
   end
   return engine.describe_error(e)
end

-- The loop runs unprotected inside of one protected call, so that it costs
-- nothing until an error leaves it.
local default_thread_run = function(tid)
   local again = false
   while true do
      local ok, e = xpcall(loop, handler, tid, again)
      if ok then
         return
      end
      if not is_restart(e) then
         error(e, 0)
      end
      local hook = sysbench.hooks.before_restart_event
      if hook then
         hook(e)
      end
      if not C.sb_event_again() then
         C.sb_event_drop()
         return
      end
      again = true
   end
end
_G.thread_run = default_thread_run

function engine.run_thread(tid)
   _G.thread_run(tid)
end

function engine.has_thread_hooks()
   return type(rawget(_G, "thread_init")) == "function"
      or type(rawget(_G, "thread_done")) == "function" or _G.thread_run ~= default_thread_run
end

-- --- options -------------------------------------------------------------------

local function gives_way(value)
   return type(value) ~= "function" and type(value) ~= "table"
end

-- Globals of these names that the script has set itself give way.
local function replace_globals()
   for name, value in pairs(_G) do
      if gives_way(value) and type(name) == "string" then
         local option = given.option(name)
         if option ~= nil then
            _G[name] = option
         end
      end
   end
end

local function set_all_globals()
   for name, value in pairs(given.options()) do
      if gives_way(rawget(_G, name)) then
         rawset(_G, name, value)
      end
   end
end

-- sysbench.opt and the globals are made when a script looks at them; globals are
-- for scripts of the 0.5 days, which declare no options.
function engine.set_options(as_globals)
   given.options_known = true
   given.globals_known = as_globals
   if as_globals then
      (given.own_metatable and set_all_globals or replace_globals)()
   end
end

-- What is needed of declarations and commands beyond the table sysbench.cmdline.
local function declared(name)
   return function(...)
      return require("sysbench.declare")[name](...)
   end
end
engine.option_rows = declared("rows")
engine.validate_option = declared("validate")
engine.command_kind = declared("kind")
engine.call_command = declared("call_command")

-- Only a script that has declared figures has loaded the module.
function engine.metrics(stat)
   local module = package.loaded["sysbench.metric"]
   return module and module.evaluate(stat) or {}
end

return engine
