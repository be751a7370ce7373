-- A script's own measures: sysbench.counter(name) and sysbench.latency(name),
-- with sysbench.now() and sysbench.event_number(). They show in the report.
--
-- A name gets its place in the statistics at the first use in a thread of the
-- run, so that objects may be made at the top level of the script.
local ffi = require("ffi")
local C = ffi.C
require("sysbench.given").declare("engine/script/abi_measure.h")

local measure = {}

local function check_name(what, name)
   if type(name) ~= "string" or name == "" then
      error("sysbench." .. what .. "(name): the name must be a string that is not empty", 3)
   end
end

local function place(self, find)
   local slot = find(self.name)
   if slot < 0 then
      error(ffi.string(C.sb_error()), 3)
   end
   self.slot = slot
   return slot
end

-- --- counters -----------------------------------------------------------------

local counter = {}
counter.__index = counter

function counter:add(n)
   local slot = self.slot
   if slot < 0 then
      slot = place(self, C.sb_counter_slot)
   end
   if n < 0 or n ~= n then
      error("counter '" .. self.name .. "': " .. tostring(n) .. " cannot be added", 2)
   end
   C.sb_counter_add(0, slot, n)
end

function counter:inc()
   local slot = self.slot
   if slot < 0 then
      slot = place(self, C.sb_counter_slot)
   end
   C.sb_counter_add(0, slot, 1)
end

-- What this thread has counted.
function counter:value()
   local slot = self.slot
   if slot < 0 then
      slot = place(self, C.sb_counter_slot)
   end
   return tonumber(C.sb_counter_val(0, slot))
end

function measure.counter(name)
   check_name("counter", name)
   if name == "events" then
      error("sysbench.counter: 'events' are counted by the engine", 2)
   end
   return setmetatable({ name = name, slot = -1 }, counter)
end

-- --- latencies ------------------------------------------------------------------

local latency = {}
latency.__index = latency

function latency:record(ns)
   local slot = self.slot
   if slot < 0 then
      slot = place(self, C.sb_latency_slot)
   end
   if ns < 0 or ns ~= ns then
      error("latency '" .. self.name .. "': " .. tostring(ns) .. " ns cannot be recorded", 2)
   end
   C.sb_latency_add(slot, ns)
end

-- Records what has passed since a reading of sysbench.now(); returns the new one.
function latency:since(from)
   local slot = self.slot
   if slot < 0 then
      slot = place(self, C.sb_latency_slot)
   end
   return tonumber(C.sb_latency_record(slot, from))
end

local function record_and_return(self, from, ...)
   self:since(from)
   return ...
end

-- Calls f(...) and records how long it took, unless it throws.
function latency:time(f, ...)
   return record_and_return(self, tonumber(C.sb_now_ns()), f(...))
end

function measure.latency(name)
   check_name("latency", name)
   if name == "event" then
      error("sysbench.latency: 'event' is measured by the engine", 2)
   end
   return setmetatable({ name = name, slot = -1 }, latency)
end

-- --- where we are ------------------------------------------------------------------

function measure.now()
   return tonumber(C.sb_now_ns())
end

function measure.event_number()
   return tonumber(C.sb_event_number())
end

return measure
