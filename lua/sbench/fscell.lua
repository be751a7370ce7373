-- One cell of a comparison: make the file system, mount it, prepare, let the disk come
-- to rest, empty the caches, run one test for its time in a process of its own, write
-- everything out, unmount, check. Whatever it makes is undone by the session.

local fail = require("sbench.failure").raise
local fs = require("sbench.fs")
local json = require("sbench.json")
local plan = require("sbench.fsplan")
local state = require("sbench.fsstate")

local cell = {}

local QUIET_S, QUIET_LIMIT_S = 0.3, 60
local CHILD_SPARE_S = 600 -- beyond the test's time: a slow card flushes for minutes

-- ---- running sbench itself ----

local function tail(path)
   local content = fs.read(path) or ""
   return content:sub(-600):gsub("%s+$", "")
end

-- words: arguments of sbench. Returns what it wrote to stdout.
local function sbench(session, words, limit_s)
   return session:undoing(function()
      local temp = session:work_dir(os.getenv("TMPDIR") or "/tmp")
      local output, errors = temp .. "/stdout", temp .. "/stderr"
      local argv = {"/proc/self/exe"}
      for i, word in ipairs(words) do argv[i + 1] = word end
      local where = {output = output, errors = errors, limit_s = limit_s, grace_s = 20}
      local status = fs.run(argv, where)
      if status ~= 0 then
         fail("sbench %s failed with status %d. It said: %s", table.concat(words, " "), status,
            tail(errors) ~= "" and tail(errors) or tail(output))
      end
      return fs.read(output)
   end)
end

local function words_of(run, c, dir, command)
   local words = {c.test.scenario or "fileio"}
   local function add(list)
      for _, word in ipairs(list) do words[#words + 1] = word end
   end
   if c.test.scenario then
      add({"--" .. c.test.scenario .. "-dir=" .. dir})
   else
      add({
         "--file-dir=" .. dir, "--file-num=" .. plan.FILES,
         string.format("--file-total-size=%.0f", run.plan.data_bytes),
      })
   end
   add(c.test.options)
   add({
      "--threads=1", "--events=0", "--time=" .. run.plan.time_s, "--output-format=json",
      -- the same requests for all file systems of a block
      string.format("--rand-seed=%.0f", (run.plan.seed * 1009 + c.block) % 2 ^ 31 + 1), command,
   })
   return words
end

-- ---- making and mounting ----

local function with_uuid(words, uuid)
   local list = {}
   for i, word in ipairs(words) do list[i] = word:gsub("%%{uuid}", uuid) end
   return list
end

-- Options in force: the mount table, and where a file system keeps a full list, that.
local function options_in_force(dir, device, kind)
   local all = fs.mount_fact(dir, "options")
   local full = fs.read("/proc/fs/" .. kind .. "/" .. fs.device_fact(device, "name") .. "/options")
   return full and (all .. "," .. full:gsub("\n", ",")):gsub(",+$", "") or all
end

local function has(options, word)
   return ("," .. options .. ","):find("," .. word .. ",", 1, true) ~= nil
end

-- A profile that did not take effect would compare something else than it says.
local function verify(target, options)
   for _, word in ipairs(target.profile.expect) do
      if not has(options, word) then
         fail("%s: the option '%s' of the profile %s is not in force after mounting; in force "
            .. "are: %s", target.name, word, target.profile.name, options)
      end
   end
   for _, word in ipairs(target.profile.never) do
      if has(options, word) then
         fail("%s: mounted with '%s', which switches off what makes data safe: not compared",
            target.name, word)
      end
   end
end

local function tune(target)
   local inforce = {}
   for name, value in pairs(target.profile.sysfs) do
      fs.tune(target.device, target.fs, name, value)
      inforce[name] = fs.tuned(target.device, target.fs, name)
   end
   return inforce
end

local function make(session, run, c, record)
   local target = c.target
   record.blocks_before = session:purge(target.device, target.erase, run.plan.overwrite)
   record.mkfs = with_uuid(target.profile.mkfs, plan.uuid(run.plan.seed, c.block))
   session:format(target.device, target.erase, record.mkfs)
   local dir = session:mount(target.device, target.fs, target.profile.mount)
   record.mount_options = options_in_force(dir, target.device, target.fs)
   verify(target, record.mount_options)
   record.sysfs = tune(target)
   return dir
end

-- A folder that is mounted already: nothing is formatted, all goes into a folder of
-- our own.
local function enter(session, target, record)
   local dir = session:work_dir(target.path)
   record.mount_options = fs.mount_fact(dir, "options")
   for _, word in ipairs(target.profile.never) do
      if has(record.mount_options, word) then verify(target, record.mount_options) end
   end
   return dir
end

-- ---- measuring ----

local function difference(before, after)
   local d = {}
   for name, value in pairs(after) do d[name] = value - before[name] end
   d.in_flight = nil -- not a counter
   return d
end

-- The first cell's temperature is what the others wait for.
local function cool(run, record)
   local function temperature() return state.temperature(fs.read) end
   local waited, t, reached = state.cool(temperature, run.reference_c, run.plan.cool_s, fs)
   run.reference_c = run.reference_c or t
   if t then record.cool = {waited_s = waited, reached = reached} end
end

local function settle(run, c, record)
   cool(run, record)
   if not c.target.device then return end
   record.settle_s, record.settled =
      fs.settle(c.target.device, math.max(QUIET_S, run.plan.settle_s), QUIET_LIMIT_S)
end

local function room(run, dir, target)
   local free = fs.mount_fact(dir, "free")
   -- 2 MiB besides the data: f2fs needs whole segments, and small files go beside
   if free < run.plan.data_bytes + 2 * 2 ^ 20 then
      fail("%s has %.0f MiB free, the tests' files need %.0f MiB: use a larger --fs-image-size "
         .. "or a smaller --fs-data-size", target.name, free / 2 ^ 20, run.plan.data_bytes / 2 ^ 20)
   end
end

local function measure(session, run, c, dir, record)
   room(run, dir, c.target)
   if not c.test.scenario then
      sbench(session, words_of(run, c, dir, "prepare"), CHILD_SPARE_S * 10)
   end
   fs.sync(dir)
   settle(run, c, record)
   record.all_caches_dropped = fs.drop_caches(dir)
   record.start = state.look(fs.read, c.target.sysfs)
   local before = c.target.device and fs.counters(c.target.device)
   record.arguments = words_of(run, c, dir, "run")
   record.result = json.decode(sbench(session, record.arguments, run.plan.time_s + CHILD_SPARE_S))
   local began = fs.now()
   fs.sync(dir) -- what still lies in memory belongs to the test's writes
   record.sync_s = fs.now() - began
   if before then record.device = difference(before, fs.counters(c.target.device)) end
   record.stop = state.look(fs.read, c.target.sysfs)
end

-- ---- numbers of a cell ----

local kinds = {
   bytes = {unit = "MiB/s", value = function(r, t)
      return (r.fileio.read.bytes + r.fileio.write.bytes) / 2 ^ 20 / t
   end},
   ops = {unit = "op/s", value = function(r, t)
      return (r.fileio.read.ops + r.fileio.write.ops) / t
   end},
   files = {unit = "files/s", value = function(r, t) return r.events / t end},
}

function cell.unit(test) return kinds[test.kind].unit end

-- More is better, for all kinds.
local function evaluate(c, record)
   local r, row = record.result, kinds[c.test.kind]
   if r.complete == false or not (r.time_s and r.time_s > 0) then
      fail("cell %d (%s on %s) did not end as planned", c.number, c.test.name, c.target.name)
   end
   record.value, record.unit = row.value(r, r.time_s), row.unit
   record.app_write_bytes = r.counters.bytes_written
   record.app_read_bytes = r.counters.bytes_read
   if record.value <= 0 then
      fail("cell %d (%s on %s) did no work in %g s: use a longer --fs-time", c.number,
         c.test.name, c.target.name, r.time_s)
   end
end

-- ---- the whole cell ----

-- run: {plan = ...}, the same for all cells; c: one of plan.cells. Returns the record that
-- is saved.
function cell.run(session, run, c)
   local record = {
      schema = "sbench-fscompare-cell/1", number = c.number, block = c.block, half = c.half,
      test = c.test.name, target = c.target.name, fs = c.target.fs,
      profile = c.target.profile.name, started = os.date("!%Y-%m-%dT%H:%M:%SZ"),
   }
   session:undoing(function()
      local dir = c.target.place == "dir" and enter(session, c.target, record)
         or make(session, run, c, record)
      measure(session, run, c, dir, record)
   end)
   if c.target.place ~= "dir" and run.plan.check then
      fs.check(c.target.device, c.target.profile.check)
      record.checked = true
   end
   evaluate(c, record)
   return record
end

return cell
