-- compares file systems on the same disk: ext4 and f2fs, image or partition
--
-- Blocks of cells in balanced order, each cell on a fresh file system, each number with
-- its spread, each ratio with its interval.
--
--    sbench fscompare run
--    sbench fscompare --fs-targets=ext4:device=/dev/sda1,f2fs:device=/dev/sda1
--                     --fs-erase=PARTUUID=... run
--
-- The parts: sbench/fsplan (what will be done), fscell (one cell), fsreport (what came
-- out), fsguest (where this kernel cannot do it), fs (the C functions).

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
   fs_noise = {"differences up to so many per cent count as none", 5, cmdline.ARG_DOUBLE},
   fs_check = {"check each file system after its cell (fsck that changes nothing)", true},
   fs_results = {"folder for the results (default: sbench-fscompare-DATE)", ""},
   fs_guest = {"run in a user-mode-linux guest: auto (when it cannot be done here), on, off",
      "auto"},
}

local failure, fs, json, plan, cell, report, guest

-- Only a command needs them; `sbench list` and help do not.
local function load_parts()
   failure = require("sbench.failure")
   fs = require("sbench.fs")
   json = require("sbench.json")
   plan = require("sbench.fsplan")
   cell = require("sbench.fscell")
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
   return seconds < 90 and string.format("%.0f s", seconds)
      or string.format("%.0f min", seconds / 60)
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

-- Options whose default is not a constant.
local function fill_in(opt)
   if opt.fs_image_dir == "" then opt.fs_image_dir = os.getenv("TMPDIR") or "/tmp" end
   if opt.fs_results == "" then opt.fs_results = os.date("sbench-fscompare-%Y%m%d-%H%M%S") end
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
   p.check, p.notes, p.same_profile = opt.fs_check, {}, true
   for _, t in ipairs(p.targets) do
      p.same_profile = p.same_profile and t.profile.name == p.targets[1].profile.name
   end
   for _, test in ipairs(p.tests) do test.unit = cell.unit(test) end
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
   session:allowed(t.device, t.erase)
   t.bytes = fs.device_fact(t.device, "bytes")
end

-- All targets are looked at before the first is touched.
local function look(session, p)
   local smallest = math.huge
   attach_images(session, p)
   for _, t in ipairs(p.targets) do
      if t.place == "dir" then look_dir(t) else look_device(session, t) end
      t.disk = t.device and fs.device_fact(t.device, "description") or "no block device"
      t.virtual = t.device ~= nil and fs.device_fact(t.device, "virtual") == 1
      smallest = math.min(smallest, t.bytes)
   end
   plan.choose_data(p, smallest)
end

-- ---- notes: what a reader has to know to judge the figures ----

local function add_notes(p)
   local base = p.targets[1]
   local function note(...) p.notes[#p.notes + 1] = string.format(...) end
   for _, t in ipairs(p.targets) do
      if t.virtual then
         note("A virtual disk: speeds are the host's, not a card's; bytes and operations are real.")
         break
      end
   end
   for _, t in ipairs(p.targets) do
      if t.device ~= base.device then
         note("%s is on another partition or disk than %s: the difference includes the place.",
            t.name, base.name)
      end
      if t.place == "dir" then
         note("%s was not formatted: its age and fill are part of the difference.", t.name)
      end
   end
end

local function megabytes(bytes)
   return bytes >= 10 * 2 ^ 30 and string.format("%.1f GiB", bytes / 2 ^ 30)
      or string.format("%.0f MiB", bytes / 2 ^ 20)
end

local function print_plan(opt, p)
   local prepared, seconds = plan.writes(p)
   say("Plan: %d cells (%d tests x %d targets x 2 x %d blocks), about %s", #p.cells, #p.tests,
      #p.targets, p.blocks, clock(p.minutes * 60))
   for i, t in ipairs(p.targets) do
      say("  %s  %s, profile %s: %s", ("ABCDEFGHIJ"):sub(i, i), t.spec, t.profile.name,
         t.profile.summary)
      if t.place == "device" then say("     %s WILL BE ERASED: %s", t.path, t.disk) end
   end
   for _, test in ipairs(p.tests) do say("  %-10s  %s", test.name, test.about) end
   say("Order: %s (seed %.0f)", plan.order_words(p.order), p.seed)
   say("Written to each target: %s of files at least, and in %s what the writing tests manage",
      megabytes(prepared), clock(seconds))
   say("Results: %s", opt.fs_results)
end

-- ---- the comparison ----

local function save(opt, name, value)
   fs.save(opt.fs_results .. "/" .. name, type(value) == "string" and value
      or json.encode(value) .. "\n")
end

local function run_cells(session, opt, p, records)
   local bar = progress(p)
   local ok, why = pcall(function()
      for _, c in ipairs(p.cells) do
         bar:before(c)
         local record = cell.run(session, {plan = p}, c)
         records[#records + 1] = record
         save(opt, string.format("cells/%03d-%s-%s.json", c.number, c.test.name, c.target.name),
            record)
         bar:after(c, record)
      end
   end)
   bar:finish()
   if not ok then error(why, 0) end
end

local function note_cells(p, records)
   local unsettled, purged = 0, true
   for _, r in ipairs(records) do
      if r.settled == false then unsettled = unsettled + 1 end
      if r.purged == false then purged = false end
   end
   if unsettled > 0 then
      p.notes[#p.notes + 1] = unsettled .. " cell(s) began before the disk had come to rest."
   end
   if not purged then
      p.notes[#p.notes + 1] = "The disk takes no discard: each file system met the blocks that the "
         .. "one before had used."
   end
end

-- The result, as --output-format and --output want it; text is report.txt.
local function publish(opt, text)
   local document = opt.output_format == "json" and fs.read(opt.fs_results .. "/summary.json")
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
   publish(opt, text)
end

local function compare_here(session, opt, p)
   local records = {}
   look(session, p)
   add_notes(p)
   print_plan(opt, p)
   fs.make_dirs(opt.fs_results .. "/cells")
   save(opt, "plan.json", plan.record(p))
   local ok, why = pcall(run_cells, session, opt, p, records)
   if ok or #records > 0 then finish(opt, p, records, ok) end
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
   fs.make_dirs(opt.fs_results)
   opt.fs_results = fs.real_path(opt.fs_results)
   local status = guest.run(session, p, arguments(), opt.fs_results)
   if opt.output_format == "json" and status == 0 then publish(opt) end
   if status ~= 0 then
      error(failure.new(status, "the comparison in the guest ended with status " .. status), 0)
   end
end

local function run()
   load_parts()
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
