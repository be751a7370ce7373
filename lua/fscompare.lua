-- compares file systems on the same disk: ext4 and f2fs, image or partition
--
-- Blocks of cells in balanced order, each cell on a fresh file system, each number with
-- its spread, each ratio with its interval.
--
--    sbench fscompare run
--    sbench fscompare --fs-targets=ext4:device=/dev/sda1,f2fs:device=/dev/sda1
--                     --fs-erase=PARTUUID=... run
--
-- The parts: sbench/fsplan (what will be done), fscell (one cell), fsstate (the machine
-- round it), fsreport (what came out), fsguest (where this kernel cannot do it), fs (the C
-- functions).

local cmdline = sysbench.cmdline

cmdline.options = {
   fs_targets = {"what is compared, the first is the base: FS:image, FS:dir=PATH (mounted "
      .. "already, not formatted), FS:device=PATH (a partition, ERASED)",
      "ext4:image,f2fs:image", cmdline.ARG_STRING},
   fs_profile = {"profile of all targets, or one for each: defaults, matched", "defaults"},
   fs_erase = {"second name of each device that may be erased: PARTUUID=... or SERIAL=...", ""},
   fs_image_size = {"size of the image", "256M"},
   fs_image_dir = {"folder for the image (default: TMPDIR or /tmp)", ""},
   fs_data_size = {"bytes of the tests' files: auto is a quarter of the smallest target", "auto"},
   fs_blocks = {"blocks; a block runs each test on each target twice", 3, cmdline.ARG_INT},
   fs_seed = {"seed of the order, of file system identities and of requests; 0 takes one from "
      .. "the clock", 0, cmdline.ARG_INT},
   fs_tests = {"tests to run", "seqwr,seqrd,rndrd,rndwr,rndrw,smallfiles"},
   fs_time = {"seconds of each cell", 10, cmdline.ARG_DOUBLE},
   fs_settle = {"seconds that the disk has to be idle before a cell", 0.5, cmdline.ARG_DOUBLE},
   fs_cool = {"seconds to wait at most before a cell until the machine is as cool as before the "
      .. "first", 60, cmdline.ARG_DOUBLE},
   fs_overwrite = {"overwrite the whole disk before each cell where it takes no discard", false},
   fs_noise = {"differences up to so many per cent count as none", 5, cmdline.ARG_DOUBLE},
   fs_check = {"check each file system after its cell (fsck that changes nothing)", true},
   fs_results = {"folder for the results (default: sbench-fscompare-DATE)", ""},
   fs_resume = {"go on with the comparison in --fs-results that was stopped: cells that were done "
      .. "are kept", false},
   fs_guest = {"run in a user-mode-linux guest: auto (when it cannot be done here), on, off",
      "auto"},
}

local failure, fs, json, plan, cell, state, report, guest

-- Only a command needs them; `sbench list` and help do not.
local function load_parts()
   failure = require("sbench.failure")
   fs = require("sbench.fs")
   json = require("sbench.json")
   plan = require("sbench.fsplan")
   cell = require("sbench.fscell")
   state = require("sbench.fsstate")
   report = require("sbench.fsreport")
   guest = require("sbench.fsguest")
end

-- ---- what is said while it runs ----

-- With --output-format=json the engine sends what is printed to stderr.
local function say(...)
   io.stdout:write(string.format(...), "\n")
   io.stdout:flush()
end

local function terminal()
   local told = os.getenv("SBENCH_GUEST_TERMINAL") -- a guest's console always is one
   if told then return told == "1" end
   return fs.is_terminal(2)
end

local function clock(seconds)
   if seconds < 90 then return string.format("%.0f s", seconds) end
   if seconds < 90 * 60 then return string.format("%.0f min", seconds / 60) end
   return string.format("%.0f h", seconds / 3600)
end

local Progress = {}
Progress.__index = Progress

local function progress(p)
   return setmetatable({plan = p, began = fs.now(), on_terminal = terminal()}, Progress)
end

function Progress:before(c)
   if not self.on_terminal then return end
   local done = c.number - 1
   local left = done > 0 and (fs.now() - self.began) / done * (#self.plan.cells - done)
      or self.plan.minutes * 60
   io.stderr:write(string.format("\r\27[Kcell %d of %d: %s on %s, block %d; about %s left",
      c.number, #self.plan.cells, c.test.name, c.target.name, c.block, clock(left)))
   io.stderr:flush()
end

function Progress:after(c, record)
   if self.on_terminal then return end
   io.stderr:write(string.format("cell %d of %d: %s on %s, block %d: %s %s\n", c.number,
      #self.plan.cells, c.test.name, c.target.name, c.block, report.figure(record.value),
      record.unit))
   io.stderr:flush()
end

function Progress:finish()
   if self.on_terminal then io.stderr:write("\r\27[K") end
end

-- ---- before the first cell ----

-- A results folder holds one comparison: this file, made first, is its mark.
local function marked(folder) return fs.read(folder .. "/plan.json") ~= nil end

-- Two that begin in the same second have two folders.
local function fresh_name()
   local stem, n = os.date("sbench-fscompare-%Y%m%d-%H%M%S"), 1
   local name = stem
   while marked(name) do
      n = n + 1
      name = stem .. "-" .. n
   end
   return name
end

-- What a comparison that is resumed was to do.
local function begun_plan(opt)
   local text = fs.read(opt.fs_results .. "/plan.json")
   local ok, begun = pcall(json.decode, text or "")
   if not ok or type(begun) ~= "table" or not begun.seed then
      failure.raise("--fs-resume=on: --fs-results=%s names no folder with a comparison that was "
         .. "begun (no plan.json that can be read)", opt.fs_results)
   end
   return begun
end

-- Options whose default is not a constant.
local function fill_in(opt)
   if opt.fs_image_dir == "" then opt.fs_image_dir = os.getenv("TMPDIR") or "/tmp" end
   if opt.fs_results == "" then opt.fs_results = fresh_name() end
   if opt.fs_resume then
      opt.fs_seed = begun_plan(opt).seed
   elseif marked(opt.fs_results) then
      failure.raise("--fs-results=%s: this folder holds the results of a comparison already. Name "
         .. "another one, or add --fs-resume=on if it was stopped; nothing was changed",
         opt.fs_results)
   end
   if tonumber(opt.fs_seed) == 0 then opt.fs_seed = os.time() % 100000 end
   if opt.fs_guest ~= "auto" and opt.fs_guest ~= "on" and opt.fs_guest ~= "off" then
      failure.raise("--fs-guest=%s: must be auto, on or off", opt.fs_guest)
   end
end

-- Making, mounting, preparing, checking with small images: seconds a cell, as seen.
local OVERHEAD_S, GUEST_OVERHEAD_S = 0.7, 2

local function make_plan(opt)
   fill_in(opt)
   local p = plan.make(opt, fs.is_guest() and GUEST_OVERHEAD_S or OVERHEAD_S)
   p.check, p.notes = opt.fs_check, {}
   for _, test in ipairs(p.tests) do test.unit = cell.unit(test) end
   p.not_run = report.not_run(p)
   return p
end

-- One image for all image targets: then none has the better place on the disk.
local function attach_images(session, p)
   local device
   for _, t in ipairs(p.targets) do
      if t.place == "image" then
         device = device or (fs.is_guest() and fs.guest_disk(0)
            or session:image(p.image_dir, p.image_bytes))
         t.device = device
      end
   end
end

local function look_dir(t)
   local probe, why = io.open(t.path .. "/.", "r") -- folders can be opened, other files not
   if not probe then failure.raise("--fs-targets=%s: no usable folder: %s", t.spec, why) end
   probe:close()
   local kind = fs.mount_fact(t.path, "type")
   if kind ~= t.fs then
      failure.raise("--fs-targets=%s: %s is on %s, not on %s", t.spec, t.path, kind, t.fs)
   end
   local device = fs.mount_fact(t.path, "device")
   t.device = device ~= "" and device or nil
   t.bytes = fs.mount_fact(t.path, "free")
end

local function look_device(session, t)
   t.device = t.device or t.path
   session:hold(t.device, t.erase)
   t.bytes = fs.device_fact(t.device, "bytes")
end

local function look_disk(p, t)
   t.disk = t.device and fs.device_fact(t.device, "description") or "no block device"
   t.virtual = t.device ~= nil and fs.device_fact(t.device, "virtual") == 1
   if not t.device then return end
   t.number, t.sysfs = fs.device_fact(t.device, "devno"), fs.device_fact(t.device, "sysfs")
   t.queue = state.queue(fs.read, t.sysfs)
   t.overwritten = p.overwrite and t.place ~= "dir" and t.queue.discard_max_bytes == 0
end

-- All targets are looked at before the first is touched.
local function look(session, p)
   attach_images(session, p)
   for _, t in ipairs(p.targets) do
      if t.place == "dir" then look_dir(t) else look_device(session, t) end
      look_disk(p, t)
   end
   plan.choose_data(p)
end

-- ---- notes: what a reader has to know to judge the figures ----

local function note_alignment(t, note)
   if not t.sysfs then return end
   local start, erase = state.misaligned(fs.read, t.sysfs)
   if start then
      note("%s: the partition begins at byte %.0f, which is no multiple of what the card erases at "
         .. "once (%.0f): some cards do twice the work then.", t.name, start, erase)
   end
end

local function add_notes(opt, p)
   local base = p.targets[1]
   local function note(...) p.notes[#p.notes + 1] = string.format(...) end
   for _, t in ipairs(p.targets) do
      if t.virtual then
         note("A virtual disk: speeds are the host's, not a card's; bytes and operations are real.")
         break
      end
   end
   for _, t in ipairs(p.targets) do
      if t.number ~= base.number then
         note("%s is on another partition or disk than %s: the difference includes the place.",
            t.name, base.name)
      end
      if t.place == "dir" then
         note("%s was not formatted: its age and fill are part of the difference, and what reached "
            .. "its disk includes what other programs wrote.", t.name)
         if fs.mount_fact(opt.fs_results, "device") == t.device then
            note("The results are saved on %s itself, between the cells.", t.name)
         end
      end
      note_alignment(t, note)
   end
end

local function megabytes(bytes)
   return bytes >= 10 * 2 ^ 30 and string.format("%.1f GiB", bytes / 2 ^ 30)
      or string.format("%.0f MiB", bytes / 2 ^ 20)
end

local function print_plan(opt, p)
   say("Plan: %d cells (%d tests x %d targets x 2 x %d blocks), about %s", #p.cells, #p.tests,
      #p.targets, p.blocks, clock(p.minutes * 60))
   for i, t in ipairs(p.targets) do
      say("  %s  %s, profile %s: %s", ("ABCDEFGHIJ"):sub(i, i), t.spec, t.profile.name,
         t.profile.summary)
      if t.place == "device" then say("     %s WILL BE ERASED: %s", t.path, t.disk) end
   end
   for _, test in ipairs(p.tests) do say("  %-10s  %s", test.name, test.about) end
   say("Order: %s (seed %.0f)", plan.order_words(p.order), p.seed)
   for _, t in ipairs(p.targets) do
      local prepared, seconds = plan.writes(p, t)
      say("Written to %s: %s at least%s", t.name, megabytes(prepared),
         seconds > 0 and ", and what the writing tests manage in " .. clock(seconds) or "")
   end
   local done = 0
   for _, c in ipairs(p.cells) do done = done + (c.done and 1 or 0) end
   if done > 0 then say("%d of the cells are done already and kept.", done) end
   say("Results: %s", opt.fs_results)
end

-- ---- the comparison ----

local function save(opt, name, value)
   fs.save(opt.fs_results .. "/" .. name, type(value) == "string" and value
      or json.encode(value) .. "\n")
end

local function run_cells(session, opt, p, records)
   local first = records[1]
   local bar, shared = progress(p), {
      plan = p, reference_c = first and first.start and first.start.temperature_c,
   }
   local ok, why = pcall(function()
      for _, c in ipairs(p.cells) do
         if not c.done then
            bar:before(c)
            local record = cell.run(session, shared, c)
            records[#records + 1] = record
            save(opt, plan.cell_file(c), record)
            bar:after(c, record)
         end
      end
   end)
   table.sort(records, function(a, b) return a.number < b.number end)
   bar:finish()
   if not ok then error(why, 0) end
end

local function note_cells(p, records)
   local unsettled, before, cached = 0, {}, 0
   for _, r in ipairs(records) do
      if r.all_caches_dropped == false then cached = cached + 1 end
      if r.settled == false then unsettled = unsettled + 1 end
      if r.blocks_before then before[r.blocks_before] = true end
   end
   if unsettled > 0 then
      p.notes[#p.notes + 1] = unsettled .. " cell(s) began before the disk had come to rest."
   end
   if cached > 0 then
      p.notes[#p.notes + 1] = cached .. " cell(s) began with only their own files out of the page "
         .. "cache: emptying all of it needs root."
   end
   if before.nothing then
      p.notes[#p.notes + 1] = "The disk takes no discard: each file system met the blocks that the "
         .. "one before had used (--fs-overwrite=on makes them alike)."
   elseif before.overwrite then
      p.notes[#p.notes + 1] = "The disk takes no discard: it was overwritten before each cell, so "
         .. "these are figures of a full card."
   end
   for _, words in ipairs(state.notes(records)) do p.notes[#p.notes + 1] = words end
end

local documents = {json = "/summary.json", csv = "/cells.csv"}

-- The result, as --output-format and --output want it; text is that of report.txt.
local function publish(opt, text)
   local name = documents[opt.output_format]
   local document = name and fs.read(opt.fs_results .. name)
   if name and not document then return end
   local what = document or ("\n" .. text .. "\nResults: " .. opt.fs_results .. "\n")
   if document and opt.output ~= "" then
      fs.save(opt.output, what)
   else
      fs.write_result(what)
   end
end

-- Prints and saves what there is; also after a stop, for the cells that were done.
local function finish(opt, p, records, complete)
   note_cells(p, records)
   local summary = report.summary(p, records, complete)
   local text = report.text(p, summary)
   save(opt, "summary.json", summary)
   save(opt, "report.txt", text)
   save(opt, "cells.csv", report.csv(records))
   publish(opt, text)
end

-- Folders that hold something stay.
local function remove_empty(opt)
   os.remove(opt.fs_results .. "/cells")
   os.remove(opt.fs_results)
end

-- Makes the results folder ours; two that want the same one cannot both have it.
local function claim(opt, p)
   local function make()
      fs.make_dirs(opt.fs_results .. "/cells")
      fs.make_file(opt.fs_results .. "/plan.json", json.encode(plan.record(p)) .. "\n", false)
   end
   local ok, why = pcall(make)
   if ok then return end
   remove_empty(opt)
   failure.raise("--fs-results=%s: %s", opt.fs_results, tostring(why))
end

-- The cells that were done; the plan has to be the one they were done for.
local function done_already(opt, p)
   local records, other = {}, plan.difference(begun_plan(opt), json.decode(json.encode(
      plan.record(p))))
   if other then
      failure.raise("--fs-resume=on: %s was begun with another %s. Give the options it was begun "
         .. "with; nothing was changed", opt.fs_results, other)
   end
   for _, c in ipairs(p.cells) do
      local text = fs.read(opt.fs_results .. "/" .. plan.cell_file(c))
      local ok, record = pcall(json.decode, text or "")
      if ok then records[#records + 1] = record end
      c.done = ok
   end
   return records
end

-- A comparison that did not get through one cell leaves no results.
local function disclaim(opt)
   os.remove(opt.fs_results .. "/plan.json")
   remove_empty(opt)
end

local function compare_here(session, opt, p)
   look(session, p)
   local records = opt.fs_resume and done_already(opt, p) or {}
   if not opt.fs_resume then claim(opt, p) end
   add_notes(opt, p)
   print_plan(opt, p)
   local ok, why = pcall(run_cells, session, opt, p, records)
   if ok or #records > 0 then
      finish(opt, p, records, ok)
   elseif not opt.fs_resume then
      disclaim(opt)
   end
   if not ok then error(why, 0) end
end

local function arguments()
   local list = {}
   for i, word in ipairs(cmdline.argv) do list[i] = word end
   return list
end

-- The first real path: a results folder that the guest can reach under the same name.
local function compare_in_guest(session, opt, p, why)
   say("fscompare: %s: running in the user-mode-linux guest (its disk is a file of this "
      .. "machine)", why)
   local room, missing = fs.space(p.image_dir, p.image_bytes)
   if not room then error(missing, 0) end
   local made, trouble = pcall(fs.make_dirs, opt.fs_results)
   if not made then failure.raise("--fs-results=%s: %s", opt.fs_results, tostring(trouble)) end
   opt.fs_results = fs.real_path(opt.fs_results)
   local ran, status = pcall(guest.run, session, p, arguments(), opt.fs_results)
   local text = fs.read(opt.fs_results .. "/report.txt")
   if text and (documents[opt.output_format] or opt.output ~= "") then publish(opt, text) end
   os.remove(opt.fs_results) -- if it is empty
   if not ran then error(status, 0) end
   if status ~= 0 then
      error(failure.new(status, "the comparison in the guest ended with status " .. status), 0)
   end
end

-- Options of the engine that do nothing here, and what does.
local elsewhere = {
   time = "--fs-time sets the seconds of a cell", events = "cells end by --fs-time",
   threads = "the tests use one thread", ["rand-seed"] = "--fs-seed sets the seed",
   rate = "the tests run as fast as they can", ["warmup-time"] = "each cell begins on an idle disk",
   percentile = "the cells' files hold all latencies", ["report-interval"] = "each cell is told of",
   ["file-dir"] = "--fs-targets=FS:dir=PATH names a folder",
}

local function note_idle_options()
   for _, word in ipairs(cmdline.argv) do
      local name = word:match("^%-%-([%w%-_]+)")
      local why = name and elsewhere[name:gsub("_", "-")]
      if why then io.stderr:write("note: --", name, " has no effect on fscompare: ", why, "\n") end
   end
end

local function run()
   load_parts()
   if not fs.is_guest() then note_idle_options() end
   local opt = {}
   for name, value in pairs(sysbench.opt) do opt[name] = value end
   local p = make_plan(opt)
   guest.need_programs(p)
   local why = guest.decide(p, opt.fs_guest)
   local session = fs.open()
   local ok, reason = pcall(why and compare_in_guest or compare_here, session, opt, p, why)
   local closed, trouble = pcall(session.close, session)
   if not ok then error(reason, 0) end
   if not closed then error(trouble, 0) end
end

cmdline.commands = {run = {run}}
