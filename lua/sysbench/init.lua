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
   __index = function(t, name)
      local module = parts[name]
      if not module then
         return nil
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

local function show_table(t)
   local fields = {}
   for k, v in pairs(t) do
      fields[#fields + 1] = tostring(k) .. " = " .. tostring(v)
   end
   table.sort(fields)
   return "{" .. table.concat(fields, ", ") .. "}"
end

local function text_of(e)
   if type(e) == "string" then
      return e
   end
   if type(e) ~= "table" or (getmetatable(e) and getmetatable(e).__tostring) then
      return tostring(e)
   end
   return "an error object " .. show_table(e)
end

local function is_restart(e)
   return type(e) == "table" and e.errcode == sysbench.error.RESTART_EVENT
end

-- Where it happened, without the lines of the engine itself.
local function trace(level)
   local lines = {}
   for line in debug.traceback("", level):gmatch("[^\n]+") do
      if line:find("^\t") and not line:find("sysbench/init.lua", 1, true)
         and not line:find("[C]: in", 1, true) then
         lines[#lines + 1] = line
      end
   end
   return #lines > 0 and "\nstack traceback:\n" .. table.concat(lines, "\n") or ""
end

local engine = {}

-- A message handler. What has been described once is left as it is.
function engine.describe_error(e)
   if type(e) == "table" and e.status and e.text then -- a refusal with its exit status
      return e
   end
   if given.as_sysbench then
      return type(e) == "string" and e or "(not a string)"
   end
   local text = text_of(e)
   if text:find("\nstack traceback:", 1, true) then
      return text
   end
   return text .. trace(3)
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
   return type(_G.thread_init) == "function" or type(_G.thread_done) == "function"
      or _G.thread_run ~= default_thread_run
end

-- --- options -------------------------------------------------------------------

local unknown = {}

function engine.take_unknown(name, value)
   unknown[name:gsub("-", "_")] = value
end

-- Scripts of the 0.5 days, which declare no options, find them as globals.
function engine.set_options(values, as_globals)
   for name, value in pairs(unknown) do
      values[name] = value
   end
   sysbench.opt = values
   if not as_globals then
      return
   end
   for name, value in pairs(values) do
      local t = type(_G[name])
      if t ~= "function" and t ~= "table" then
         _G[name] = value
      end
   end
end

engine.option_rows = sysbench.cmdline._rows
engine.validate_options = sysbench.cmdline._validate
engine.command_kind = sysbench.cmdline._kind
engine.call_command = sysbench.cmdline.call_command
sysbench.cmdline._rows, sysbench.cmdline._validate, sysbench.cmdline._kind = nil, nil, nil

return engine
