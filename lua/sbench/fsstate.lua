-- State of the machine round a cell: heat, clock, supply voltage, bus of the card. What
-- differs between cells is a reason not to compare them. Pure but for read(path), which
-- gives a file's text or nil, so that a test can make a machine up.

local state = {}

local PLACES = 64 -- thermal zones, cooling devices and the like are numbered from 0
local SPAN_C = 3  -- warmer than at the first cell by more than this is warmer

-- ---- reading ----

local function trimmed(read, path)
   local text = read(path)
   return text and text:match("^%s*(.-)[%s%z]*$")
end

local function number(read, path)
   return tonumber(trimmed(read, path) or "")
end

-- The hottest zone; sensors that are not there report absolute zero.
function state.temperature(read)
   local hottest
   for i = 0, PLACES - 1 do
      local milli = number(read, "/sys/class/thermal/thermal_zone" .. i .. "/temp")
      if milli and milli > -40000 and milli < 200000 and milli / 1000 > (hottest or -math.huge) then
         hottest = milli / 1000
      end
   end
   return hottest
end

-- What slows the processors down now: "" nothing does, nil nothing could.
local function throttling(read)
   local found, busy = false, {}
   for i = 0, PLACES - 1 do
      local place = "/sys/class/thermal/cooling_device" .. i
      local kind, level = trimmed(read, place .. "/type"), number(read, place .. "/cur_state")
      if kind and level and (kind:find("cpufreq", 1, true) or kind == "Processor") then
         found = true
         if level > 0 then busy[#busy + 1] = kind end
      end
   end
   return found and table.concat(busy, " ") or nil
end

-- A Raspberry Pi's alarm, by the sensor's name: its number differs from boot to boot.
local function undervoltage(read)
   for i = 0, PLACES - 1 do
      local place = "/sys/class/hwmon/hwmon" .. i
      if trimmed(read, place .. "/name") == "rpi_volt" then
         return number(read, place .. "/in0_lcrit_alarm")
      end
   end
end

-- "sd uhs SDR104, 200000000 Hz" of the card behind a device; only root may read it.
local function bus(read, sysfs)
   local host = sysfs and sysfs:match("/(mmc%d+)/mmc%d+:")
   local ios = host and read("/sys/kernel/debug/" .. host .. "/ios")
   local mode = ios and ios:match("timing spec:%s*%d+ %((.-)%)")
   return mode and mode .. ", " .. (ios:match("^clock:%s*(%d+ Hz)") or "clock unknown")
end

-- sysfs: the folder of the measured device, or nil. Facts that cannot be known are nil.
function state.look(read, sysfs)
   return {
      temperature_c = state.temperature(read), throttling = throttling(read),
      undervoltage = undervoltage(read), bus = bus(read, sysfs),
      clock_khz = number(read, "/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq"),
   }
end

-- What the kernel says of the disk's queue: it decides about discards and flushes.
function state.queue(read, sysfs)
   local facts, disk = {}, read(sysfs .. "/partition") and sysfs .. "/.." or sysfs
   for _, name in ipairs({"discard_max_bytes", "write_cache", "fua", "rotational", "scheduler",
      "read_ahead_kb", "physical_block_size"}) do
      local text = trimmed(read, disk .. "/queue/" .. name)
      facts[name] = tonumber(text or "") or text
   end
   return facts
end

-- Where a card tells the size of what it erases at once and the partition does not begin
-- at a multiple of it: first byte and that size.
function state.misaligned(read, sysfs)
   local start = number(read, sysfs .. "/start")
   local erase = number(read, sysfs .. "/../device/preferred_erase_size")
   if start and erase and erase > 0 and start * 512 % erase ~= 0 then return start * 512, erase end
end

-- ---- waiting ----

-- Waits until temperature() is no longer above the reference, at most limit_s.
-- time: {now, sleep}. Seconds waited, the temperature, and whether that is low enough.
function state.cool(temperature, reference, limit_s, time)
   local began, t = time.now(), temperature()
   local function warm() return t and reference and t > reference + SPAN_C end
   while warm() and time.now() - began < limit_s do
      time.sleep(1)
      t = temperature()
   end
   return time.now() - began, t, not warm()
end

-- ---- judging ----

local must_match = {
   "governor", "cpu_max_khz", "cpus_allowed", "cpu_quota", "memory_limit_bytes", "swappiness",
   "dirty_ratio_percent", "dirty_background_ratio_percent", "dirty_bytes",
   "dirty_background_bytes", "dirty_expire_centisecs", "dirty_writeback_centisecs",
}

-- Of a fact that is read before and after: what it was at its worst.
local function either(r, fact, bad)
   local a, b = r.start and r.start[fact], r.stop and r.stop[fact]
   if a == nil and b == nil then return nil end
   return (bad(a) or bad(b)) and "yes" or "no"
end

local function slowed(x) return x ~= nil and x ~= "" end
local function alarm(x) return (x or 0) > 0 end

-- The facts of one cell that should be alike in all; text for each that is known.
local function facts_of(r)
   local facts, env = {}, r.result and r.result.env or {}
   for _, key in ipairs(must_match) do
      local value = env[key] and env[key].value
      if type(value) == "string" or type(value) == "number" then facts[key] = tostring(value) end
   end
   facts.throttling = either(r, "throttling", slowed)
   facts.undervoltage = either(r, "undervoltage", alarm)
   local a, b = r.start and r.start.bus, r.stop and r.stop.bus
   facts.bus = a and b and a ~= b and (a .. " to " .. b) or a or b
   -- targets differ in these on purpose; one target should not
   facts["mount options of " .. tostring(r.target)] = r.mount_options
   return facts
end

-- Facts with more than one value: a list of {fact, values (sorted)}.
function state.differences(records)
   local seen, list = {}, {}
   for _, r in ipairs(records) do
      for fact, value in pairs(facts_of(r)) do
         seen[fact] = seen[fact] or {}
         seen[fact][value] = (seen[fact][value] or 0) + 1
      end
   end
   for fact, counts in pairs(seen) do
      local values = {}
      for value in pairs(counts) do values[#values + 1] = value end
      table.sort(values)
      if #values > 1 then list[#list + 1] = {fact = fact, values = values} end
   end
   table.sort(list, function(a, b) return a.fact < b.fact end)
   return list
end

local function count(records, want)
   local n = 0
   for _, r in ipairs(records) do n = n + (want(r) and 1 or 0) end
   return n
end

-- Sentences for the report.
function state.notes(records)
   local notes = {}
   local function note(n, words)
      if n > 0 then notes[#notes + 1] = string.format(words, n, #records) end
   end
   note(count(records, function(r) return either(r, "throttling", slowed) == "yes" end),
      "In %d of %d cells the processor was slowed down for heat.")
   note(count(records, function(r) return either(r, "undervoltage", alarm) == "yes" end),
      "In %d of %d cells the supply voltage was too low (under-voltage).")
   note(count(records, function(r) return r.cool and not r.cool.reached end),
      "%d of %d cells began more than " .. SPAN_C .. " °C warmer than the first.")
   for _, d in ipairs(state.differences(records)) do
      if d.fact ~= "throttling" and d.fact ~= "undervoltage" then
         notes[#notes + 1] = string.format("Not alike in all cells: %s (%s).", d.fact,
            table.concat(d.values, "; "))
      end
   end
   return notes
end

-- Why the cells of one test must not be compared; nil when they may.
function state.unfair(records)
   local first = state.differences(records)[1]
   if not first then return nil end
   local words = first.values[1] == "no" and " in some cells only" or " changed between cells"
   return first.fact .. words
end

return state
