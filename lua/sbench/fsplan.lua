-- What a comparison of file systems will do: targets, tests, order. Pure: nothing
-- here touches a disk, so that a plan can be printed, checked and tested by itself.

local embedded = require("sbench.embedded")
local fail = require("sbench.failure").raise
local stats = require("sbench.stats")

local plan = {}

-- ---- the tests: one row each ----

-- kind: what is counted ("bytes" -> MiB/s, "ops" -> operations/s, "files" -> files/s).
-- scenario: what runs it where that is not fileio; it needs no prepared files.
-- direct: past the page cache, so that a disk is measured and not memory.
local rows = {
   {
      name = "seqwr", kind = "bytes",
      about = "sequential writing, 1 MiB blocks, direct, fsync at the end",
      options = {"--file-test-mode=seqwr", "--file-block-size=1M", "--file-extra-flags=direct",
         "--file-fsync-freq=0", "--file-fsync-end=on"},
      writes = true,
   },
   {
      name = "seqrd", kind = "bytes", about = "sequential reading, 1 MiB blocks, direct",
      options = {"--file-test-mode=seqrd", "--file-block-size=1M", "--file-extra-flags=direct"},
   },
   {
      name = "rndrd", kind = "ops", about = "random reading, 4 KiB blocks, direct",
      options = {"--file-test-mode=rndrd", "--file-block-size=4K", "--file-extra-flags=direct"},
   },
   {
      name = "rndwr", kind = "ops",
      about = "random writing, 4 KiB blocks, buffered, fsync after each",
      options = {"--file-test-mode=rndwr", "--file-block-size=4K", "--file-fsync-all=on"},
      writes = true,
   },
   {
      name = "rndrw", kind = "ops",
      about = "random, 3 reads to 2 writes, 4 KiB blocks, direct, all files flushed every 100",
      options = {"--file-test-mode=rndrw", "--file-block-size=4K", "--file-extra-flags=direct",
         "--file-rw-ratio=1.5", "--file-fsync-freq=100"},
      writes = true,
   },
   {
      name = "smallfiles", kind = "files", scenario = "files",
      about = "create, write 4 KiB, fsync, close; each file is deleted 200 files later",
      options = {"--files-size=4096", "--files-keep=200", "--files-sync=on"},
      writes = true,
   },
}

plan.FILES = 4 -- files of the fileio tests: few, since flushing many clean ones is not the question

function plan.test_names()
   local names = {}
   for i, row in ipairs(rows) do names[i] = row.name end
   return names
end

local function find_test(name)
   for _, row in ipairs(rows) do
      if row.name == name then return row end
   end
   fail("--fs-tests: there is no test '%s'; there are %s", name,
      table.concat(plan.test_names(), ", "))
end

-- ---- values of options ----

local suffixes = {[""] = 0, K = 1, M = 2, G = 3, T = 4}

function plan.size(option, value)
   local number, suffix = tostring(value):match("^(%d+)([KMGT]?)$")
   if not number or tonumber(number) < 1 then
      fail("--%s=%s: not a size; write a whole number with K, M, G or T, e.g. 256M", option,
         value)
   end
   return tonumber(number) * 1024 ^ suffixes[suffix]
end

local function number(option, value, least, most, whole)
   local n = tonumber(value)
   if not n or n ~= n or n < least or n > most or (whole and n ~= math.floor(n)) then
      fail("--%s=%s: must be a %snumber from %.14g to %.14g", option, tostring(value),
         whole and "whole " or "", least, most)
   end
   return n
end

-- Split at commas; empty words are an error, since they are a slip of the hand.
local function words(option, value)
   local list = {}
   if type(value) == "table" then value = table.concat(value, ",") end
   for word in (value .. ","):gmatch("([^,]*),") do
      if word == "" then fail("--%s=%s: an empty word in the list", option, value) end
      list[#list + 1] = word
   end
   return list
end

-- ---- profiles ----

-- "ext4-defaults", ... or, of one file system, "defaults", ...
function plan.profile_names(kind)
   local names = {}
   for _, path in ipairs(embedded.list("fs/profiles/")) do
      local fs_name, profile = path:match("^fs/profiles/([^/]+)%-([^/-]+)%.lua$")
      if fs_name and (not kind or fs_name == kind) then
         names[#names + 1] = kind and profile or (fs_name .. "-" .. profile)
      end
   end
   table.sort(names)
   return names
end

function plan.profile(kind, name)
   local found, profile = pcall(require, "fs.profiles." .. kind .. "-" .. name)
   if found then return profile end
   if not profile:find("module 'fs.profiles.", 1, true) then error(profile, 0) end
   local names = plan.profile_names(kind)
   if #names == 0 then
      fail("--fs-targets: there is no profile for the file system '%s'; there are %s", kind,
         table.concat(plan.profile_names(), ", "))
   end
   fail("--fs-profile=%s: %s has no such profile; it has %s", name, kind,
      table.concat(names, ", "))
end

-- ---- targets ----

local letters = "ABCDEFGHIJ" -- what targets are called in the order of cells

local forms = "write FS:image, FS:dir=PATH or FS:device=PATH, e.g. ext4:image"

local function parse_target(text)
   local kind, place, path = text:match("^(%w+):(%w+)=?(.*)$")
   local takes_path = {image = false, dir = true, device = true}
   if not kind or takes_path[place] == nil then
      fail("--fs-targets: '%s' is no target: %s", text, forms)
   end
   if takes_path[place] ~= (path ~= "") then
      fail("--fs-targets: '%s' %s a path: %s", text, path == "" and "needs" or "takes no", forms)
   end
   return {fs = kind, place = place, path = path ~= "" and path or nil, spec = text}
end

-- Two targets of one file system are told apart by profile, then by number.
local function label(targets)
   local function twice(field)
      local seen = {}
      for _, t in ipairs(targets) do
         if seen[t[field]] then return true end
         seen[t[field]] = true
      end
   end
   for _, t in ipairs(targets) do t.name = t.fs end
   if twice("name") then
      for _, t in ipairs(targets) do
         if t.place ~= "dir" then t.name = t.fs .. "-" .. t.profile.name end
      end
   end
   if twice("name") then
      for i, t in ipairs(targets) do t.name = t.name .. "-" .. i end
   end
end

-- What is mounted already has the options it was mounted with, and may be any file system.
local as_mounted = {
   name = "as mounted", summary = "not formatted, with the options it was mounted with",
   never = {"nobarrier", "barrier=0", "fsync_mode=nobarrier"}, expect = {}, sysfs = {},
}

local function parse_targets(opt)
   local targets, profiles = {}, words("fs-profile", opt.fs_profile)
   for i, text in ipairs(words("fs-targets", opt.fs_targets)) do targets[i] = parse_target(text) end
   if #targets < 2 or #targets > #letters then
      fail("--fs-targets=%s: a comparison needs two targets, and can have %d", opt.fs_targets,
         #letters)
   end
   if #profiles ~= 1 and #profiles ~= #targets then
      fail("--fs-profile names %d profiles for %d targets: name one, or one for each", #profiles,
         #targets)
   end
   for i, t in ipairs(targets) do
      t.profile = t.place == "dir" and as_mounted
         or plan.profile(t.fs, profiles[#profiles == 1 and 1 or i])
   end
   label(targets)
   return targets
end

-- ---- erasing: devices are named twice ----

-- --fs-erase is a list in the order of the device targets; one name may serve all
-- that are on one device.
local function assign_erase(targets, value)
   local devices, names = {}, value ~= "" and words("fs-erase", value) or {}
   for _, t in ipairs(targets) do
      if t.place == "device" then devices[#devices + 1] = t end
   end
   if #names > math.max(1, #devices) or (#names > 0 and #devices == 0) then
      fail("--fs-erase names %d device(s), --fs-targets has %d", #names, #devices)
   end
   for i, t in ipairs(devices) do
      local same = devices[1].path == t.path
      t.erase = names[i] or (same and names[1]) or nil
   end
end

-- ---- order ----

-- A random permutation and its mirror: ABBA or BAAB for two targets. Each half holds
-- each target once, so halves give pairs and drift cancels.
function plan.order(count, blocks, seed)
   local rng, order = stats.rng(seed), {}
   for b = 1, blocks do
      local half, block = {}, {}
      for i = 1, count do half[i] = i end
      rng:shuffle(half)
      for i = 1, count do
         block[i] = half[i]
         block[2 * count + 1 - i] = half[i]
      end
      order[b] = block
   end
   return order
end

function plan.order_words(order)
   local list = {}
   for b, block in ipairs(order) do
      local word = ""
      for _, t in ipairs(block) do word = word .. letters:sub(t, t) end
      list[b] = word
   end
   return table.concat(list, " ")
end

-- The same identity for all file systems of one block, another for the next.
function plan.uuid(seed, block)
   local rng, hex = stats.rng(seed * 1009 + block), {}
   for i = 1, 32 do hex[i] = string.format("%x", rng:index(16) - 1) end
   hex[13] = "4"
   hex[17] = "8"
   local text = table.concat(hex)
   return table.concat({text:sub(1, 8), text:sub(9, 12), text:sub(13, 16), text:sub(17, 20),
      text:sub(21, 32)}, "-")
end

local function cells_of(p)
   local cells = {}
   for b, block in ipairs(p.order) do
      for _, test in ipairs(p.tests) do
         for position, target in ipairs(block) do
            cells[#cells + 1] = {
               number = #cells + 1, block = b, test = test, target = p.targets[target],
               half = position <= #p.targets and 1 or 2,
            }
         end
      end
   end
   return cells
end

-- ---- the plan ----

local function parse_tests(value)
   local tests, seen = {}, {}
   for i, name in ipairs(words("fs-tests", value)) do
      tests[i] = find_test(name)
      if seen[name] then fail("--fs-tests=%s: '%s' is named twice", value, name) end
      seen[name] = true
   end
   return tests
end

-- opt: values of the options; overhead_s: what a cell takes besides its test.
function plan.make(opt, overhead_s)
   local p = {
      blocks = number("fs-blocks", opt.fs_blocks, 1, 1000, true),
      time_s = number("fs-time", opt.fs_time, 0.1, 86400),
      settle_s = number("fs-settle", opt.fs_settle, 0, 3600),
      cool_s = number("fs-cool", opt.fs_cool, 0, 3600),
      noise = number("fs-noise", opt.fs_noise, 0.1, 100) / 100,
      seed = number("fs-seed", opt.fs_seed, 0, 2 ^ 31 - 1, true),
      overwrite = opt.fs_overwrite,
      image_bytes = plan.size("fs-image-size", opt.fs_image_size),
      image_dir = opt.fs_image_dir, tests = parse_tests(opt.fs_tests),
      targets = parse_targets(opt),
   }
   if p.image_bytes < 64 * 2 ^ 20 then
      fail("--fs-image-size=%s: at least 64M, or there is no room for files beside the file "
         .. "systems' own tables", opt.fs_image_size)
   end
   assign_erase(p.targets, opt.fs_erase)
   p.data_bytes = opt.fs_data_size ~= "auto" and plan.size("fs-data-size", opt.fs_data_size) or nil
   p.order = plan.order(#p.targets, p.blocks, p.seed)
   p.cells = cells_of(p)
   p.minutes = #p.cells * (p.time_s + p.settle_s + (overhead_s or 0)) / 60
   return p
end

local TABLES_BYTES = 48 * 2 ^ 20 -- what f2fs keeps for itself, however small the disk is

local UNIT = plan.FILES * 2 ^ 20 -- whole MiB for each file

-- Room for files on a target at most, as far as that can be known before it is made.
local function room(t)
   return t.place == "dir" and t.bytes or t.bytes * 0.95 - TABLES_BYTES / 2
end

-- Bytes of the files that the tests work on: a quarter of the smallest target's room, at
-- most 1 GiB; or what the user wants, if that can be.
function plan.choose_data(p)
   local smallest = p.targets[1]
   for _, t in ipairs(p.targets) do
      if t.bytes < smallest.bytes then smallest = t end
   end
   local wanted = p.data_bytes
   if wanted and (wanted < UNIT or wanted > room(smallest)) then
      fail("--fs-data-size: %.0f MiB are wanted; it must be at least %.0f MiB, and %s has room for "
         .. "%.0f MiB at most. Nothing was changed", wanted / 2 ^ 20, UNIT / 2 ^ 20, smallest.spec,
         math.max(0, room(smallest) / 2 ^ 20))
   end
   wanted = wanted or math.min(2 ^ 30, (smallest.bytes - TABLES_BYTES) / 4)
   p.data_bytes = math.max(UNIT, math.floor(wanted / UNIT) * UNIT)
end

-- What is written to a target at least (bytes), and for how long (seconds) tests write as
-- fast as the disk lets them.
function plan.writes(p, t)
   local prepared, seconds = 0, 0
   for _, test in ipairs(p.tests) do
      local cells = 2 * p.blocks
      if t.overwritten then prepared = prepared + cells * t.bytes end
      if not test.scenario then prepared = prepared + cells * p.data_bytes end
      if test.writes then seconds = seconds + cells * p.time_s end
   end
   return prepared, seconds
end

-- Where a cell's record is, below the results folder.
function plan.cell_file(c)
   return string.format("cells/%03d-%s-%s.json", c.number, c.test.name, c.target.name)
end

-- Of two records of plans, as JSON gives them: the name of something in which they differ,
-- nil when nothing does. What the machine says of a disk does not count: a loop device has
-- another name each time.
function plan.difference(a, b)
   if type(a) ~= "table" or type(b) ~= "table" then return a ~= b and "value" or nil end
   for _, pair in ipairs({{a, b}, {b, a}}) do
      for name, value in pairs(pair[1]) do
         local inner = name ~= "disk" and name ~= "queue" and plan.difference(value, pair[2][name])
         if inner then return inner == "value" and type(name) == "string" and name or inner end
      end
   end
end

-- For plan.json: plain values only.
function plan.record(p)
   local targets, tests = {}, {}
   for i, t in ipairs(p.targets) do
      targets[i] = {
         name = t.name, fs = t.fs, place = t.place, path = t.path, profile = t.profile.name,
         mkfs = t.profile.mkfs, mount = t.profile.mount, sysfs = t.profile.sysfs, disk = t.disk,
         queue = t.queue,
      }
   end
   for i, test in ipairs(p.tests) do
      tests[i] = {name = test.name, about = test.about, options = test.options}
   end
   return {
      schema = "sbench-fscompare-plan/1", targets = targets, tests = tests, blocks = p.blocks,
      seed = p.seed, order = p.order, time_s = p.time_s, settle_s = p.settle_s,
      data_bytes = p.data_bytes, image_bytes = p.image_bytes, cells = #p.cells, noise = p.noise,
      overwrite = p.overwrite, cool_s = p.cool_s,
   }
end

return plan
