-- Planning and reporting a comparison: no disk is touched here.

local plan = require("sbench.fsplan")
local report = require("sbench.fsreport")

local tests = {}

local function options(more)
   local opt = {
      fs_targets = "ext4:image,f2fs:image", fs_profile = "defaults", fs_erase = "",
      fs_image_size = "256M", fs_image_dir = "/tmp", fs_data_size = "auto", fs_blocks = 3,
      fs_seed = 7, fs_tests = "seqwr,smallfiles", fs_time = 2, fs_settle = 0, fs_noise = 5,
      fs_cool = 60, fs_overwrite = false,
   }
   for name, value in pairs(more or {}) do opt[name] = value end
   return opt
end

local function refused(more, ...)
   local ok, why = pcall(plan.make, options(more))
   assert(not ok, "accepted")
   for _, word in ipairs({...}) do
      assert(tostring(why):find(word, 1, true), tostring(why) .. " lacks " .. word)
   end
end

function tests.cells_are_all_there_once()
   local p = plan.make(options())
   assert(#p.cells == 2 * 2 * 2 * 3)
   local count = {}
   for i, c in ipairs(p.cells) do
      assert(c.number == i)
      local key = c.test.name .. c.target.name .. c.block .. c.half
      assert(not count[key], key)
      count[key] = true
   end
end

function tests.blocks_are_mirrored()
   local both = {}
   for _, block in ipairs(plan.order(2, 40, 1)) do
      local word = table.concat(block)
      assert(word == "1221" or word == "2112", word)
      both[word] = true
   end
   assert(both["1221"] and both["2112"])
   for _, block in ipairs(plan.order(4, 20, 3)) do
      local sum = 0
      for i = 1, 4 do
         assert(block[i] == block[9 - i])
         sum = sum + block[i]
      end
      assert(sum == 10)
   end
end

function tests.order_follows_the_seed()
   local function word(seed) return plan.order_words(plan.order(2, 12, seed)) end
   assert(word(5) == word(5))
   assert(word(5) ~= word(6) or word(5) ~= word(8))
   assert(plan.order_words({{1, 2, 2, 1}, {2, 1, 1, 2}}) == "ABBA BAAB")
end

function tests.identities_belong_to_a_block()
   local one, again, two = plan.uuid(7, 1), plan.uuid(7, 1), plan.uuid(7, 2)
   assert(one == again and one ~= two)
   assert(one:match("^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-8%x%x%x%-%x+$") and #one == 36, one)
end

function tests.sizes_are_strict()
   assert(plan.size("x", "256M") == 256 * 2 ^ 20)
   assert(plan.size("x", "4096") == 4096)
   assert(plan.size("x", "1T") == 2 ^ 40)
   for _, bad in ipairs({"", "M", "1.5G", "-1M", "0", "1MB", "10 M", "0x10", "1e9"}) do
      local ok, why = pcall(plan.size, "fs-image-size", bad)
      assert(not ok and tostring(why):find("--fs-image-size", 1, true), bad)
   end
end

function tests.bad_targets_name_the_forms()
   refused({fs_targets = "ext4"}, "'ext4'", "FS:image")
   refused({fs_targets = "ext4:image"}, "needs two targets")
   refused({fs_targets = ("ext4:image,"):rep(10) .. "ext4:image"}, "can have 10")
   refused({fs_targets = "ext4:image,"}, "empty word")
   refused({fs_targets = "ext4:image,f2fs:disk=/dev/sda"}, "f2fs:disk=/dev/sda", "FS:device=PATH")
   refused({fs_targets = "ext4:image=/x,f2fs:image"}, "takes no a path")
   refused({fs_targets = "ext4:image,f2fs:device"}, "needs a path")
   refused({fs_targets = "ext4:image,zfs:image"}, "zfs", "ext4-defaults", "f2fs-matched")
end

function tests.bad_values_name_their_option()
   refused({fs_profile = "fast"}, "--fs-profile=fast", "defaults", "matched")
   refused({fs_profile = "defaults,matched,defaults"}, "3 profiles", "2 targets")
   refused({fs_tests = "seqwr,seqxx"}, "seqxx", "rndrw", "smallfiles")
   refused({fs_blocks = 0}, "--fs-blocks=0")
   refused({fs_time = 0}, "--fs-time=0")
   refused({fs_noise = -1}, "--fs-noise")
   refused({fs_image_size = "1M"}, "--fs-image-size=1M", "64M")
   refused({fs_data_size = "lots"}, "--fs-data-size=lots")
   -- values that would fill the memory, or never end
   refused({fs_blocks = 100000000}, "--fs-blocks=100000000", "from 1 to 1000")
   refused({fs_time = 1e9}, "--fs-time", "86400")
   refused({fs_settle = 1e9}, "--fs-settle")
   refused({fs_cool = -1}, "--fs-cool")
   refused({fs_noise = 1e9}, "--fs-noise")
   refused({fs_tests = "seqwr,rndrd,seqwr"}, "'seqwr' is named twice")
end

function tests.second_names_go_to_their_devices()
   local p = plan.make(options({
      fs_targets = "ext4:device=/dev/sdx1,f2fs:device=/dev/sdx2",
      fs_erase = "PARTUUID=a,PARTUUID=b",
   }))
   assert(p.targets[1].erase == "PARTUUID=a" and p.targets[2].erase == "PARTUUID=b")
   p = plan.make(options({
      fs_targets = "ext4:device=/dev/sdx1,f2fs:device=/dev/sdx1", fs_erase = "PARTUUID=a",
   }))
   assert(p.targets[1].erase == "PARTUUID=a" and p.targets[2].erase == "PARTUUID=a")
   -- one name must not open two devices
   p = plan.make(options({
      fs_targets = "ext4:device=/dev/sdx1,f2fs:device=/dev/sdx2", fs_erase = "PARTUUID=a",
   }))
   assert(p.targets[1].erase == "PARTUUID=a" and p.targets[2].erase == nil)
   refused({fs_erase = "PARTUUID=a"}, "--fs-erase")
end

function tests.targets_have_names_of_their_own()
   local p = plan.make(options({
      fs_targets = "ext4:image,ext4:image", fs_profile = "defaults,matched",
   }))
   assert(p.targets[1].name == "ext4-defaults" and p.targets[2].name == "ext4-matched")
   p = plan.make(options({fs_targets = "ext4:image,ext4:image"}))
   assert(p.targets[1].name ~= p.targets[2].name)
end

-- A plan for targets of these many bytes.
local function sized(bytes, more, place)
   local p = plan.make(options(more))
   for _, t in ipairs(p.targets) do t.bytes, t.place = bytes, place or "image" end
   return p
end

local function data_of(bytes, more)
   local p = sized(bytes, more)
   plan.choose_data(p)
   return p.data_bytes
end

-- Nothing is formatted there, so that no profile may be claimed, and none is needed.
function tests.folders_are_as_they_were_mounted()
   local p = plan.make(options({fs_targets = "xfs:dir=/a,ext4:dir=/b", fs_profile = "matched"}))
   for _, t in ipairs(p.targets) do
      assert(t.profile.name == "as mounted" and #t.profile.never > 0)
   end
   assert(p.targets[1].name == "xfs" and p.targets[2].name == "ext4")
   assert(#report.not_run(p) == 0)
   p = plan.make(options({fs_targets = "ext4:dir=/a,ext4:dir=/b"}))
   assert(p.targets[1].name == "ext4-1" and p.targets[2].name == "ext4-2")
   p = plan.make(options({fs_targets = "ext4:dir=/a,ext4:image"}))
   assert(p.targets[1].name == "ext4" and p.targets[2].name == "ext4-defaults")
   refused({fs_targets = "xfs:image,ext4:dir=/b"}, "no profile for the file system 'xfs'")
end

function tests.data_fits_the_smallest()
   assert(data_of(256 * 2 ^ 20) == 52 * 2 ^ 20)
   assert(data_of(64 * 2 ^ 20) == 4 * 2 ^ 20)
   assert(data_of(2 ^ 40) == 2 ^ 30)
   assert(data_of(2 ^ 40, {fs_data_size = "10M"}) == 8 * 2 ^ 20) -- whole MiB for each of 4 files
   local p = sized(2 ^ 40)
   p.targets[2].bytes = 256 * 2 ^ 20
   plan.choose_data(p)
   assert(p.data_bytes == 52 * 2 ^ 20)
end

function tests.data_that_cannot_be_is_refused_before_anything_is_made()
   local function no(bytes, size, place, ...)
      local ok, why = pcall(plan.choose_data, sized(bytes, {fs_data_size = size}, place))
      assert(not ok, size .. " was accepted")
      for _, word in ipairs({"--fs-data-size", "Nothing was changed", ...}) do
         assert(tostring(why):find(word, 1, true), tostring(why))
      end
   end
   no(256 * 2 ^ 20, "1", "image", "at least 4 MiB")
   no(256 * 2 ^ 20, "1T", "image", "1048576 MiB are wanted", "ext4:image has room for 219 MiB")
   no(256 * 2 ^ 20, "240M", "device")
   no(10 * 2 ^ 20, "12M", "dir", "room for 10 MiB")
   assert(data_of(256 * 2 ^ 20, {fs_data_size = "200M"}) == 200 * 2 ^ 20)
end

function tests.what_is_written_is_counted()
   local p = sized(2 ^ 40, {fs_data_size = "8M"})
   plan.choose_data(p)
   local prepared, seconds = plan.writes(p, p.targets[1])
   assert(prepared == 6 * 8 * 2 ^ 20) -- seqwr alone has prepared files
   assert(seconds == 2 * 6 * 2)
   p.targets[2].overwritten = true
   assert(plan.writes(p, p.targets[2]) == 6 * 8 * 2 ^ 20 + 12 * 2 ^ 40)
end

function tests.plans_that_differ_are_told_apart()
   local function record(more, disk)
      local p = sized(2 ^ 30, more)
      plan.choose_data(p)
      for _, t in ipairs(p.targets) do t.disk = disk end
      return plan.record(p)
   end
   assert(plan.difference(record(nil, "loop0"), record(nil, "loop1")) == nil)
   assert(plan.difference(record(), record({fs_time = 3})) == "time_s")
   assert(plan.difference({order = {{1, 2}}}, {order = {{2, 1}}}) == "order")
   assert(plan.difference({order = {{1, 2}}}, {order = {{1, 2}, {2, 1}}}) == "order")
   assert(plan.difference(record(), record({fs_blocks = 4})) ~= nil)
   assert(plan.difference(record(), record({fs_tests = "seqwr"})) ~= nil)
   assert(plan.difference(record({fs_tests = "seqwr"}), record()) ~= nil)
   assert(plan.difference(record(), record({fs_profile = "matched"})) ~= nil)
end

function tests.profiles_are_complete()
   for _, kind in ipairs({"ext4", "f2fs"}) do
      for _, name in ipairs({"defaults", "matched"}) do
         local profile = plan.profile(kind, name)
         assert(profile.fs == kind and profile.name == name)
         local fields = {"summary", "mkfs", "check", "mount", "sysfs", "expect", "never"}
         for _, field in ipairs(fields) do
            assert(profile[field], kind .. "-" .. name .. " lacks " .. field)
         end
         for _, word in ipairs(profile.never) do
            assert(not profile.mount:find(word, 1, true))
         end
      end
   end
   assert(plan.profile("f2fs", "defaults").page_size == 4096)
end

-- ---- reports ----

-- Records of all cells; value(c) gives the figure.
local function records_of(p, value)
   local records = {}
   for i, c in ipairs(p.cells) do
      records[i] = {
         number = i, block = c.block, half = c.half, test = c.test.name, target = c.target.name,
         value = value(c), unit = "x/s", app_write_bytes = 1000, app_read_bytes = 0,
         device = {writes = 10, write_sectors = 4, reads = 0, read_sectors = 0, flushes = 2},
      }
   end
   return records
end

local function planned(more)
   local p = sized(256 * 2 ^ 20, more)
   plan.choose_data(p)
   p.notes, p.not_run = {}, report.not_run(p)
   for _, t in ipairs(p.targets) do t.disk, t.virtual = "a disk", true end
   for _, test in ipairs(p.tests) do test.unit = "x/s" end
   return p
end

function tests.ratio_is_paired_within_halves()
   local p = planned()
   -- drift doubles everything from half to half; the ratio is 3 in each pair
   local summary = report.summary(p, records_of(p, function(c)
      return (c.target.name == "f2fs" and 3 or 1) * 2 ^ (2 * c.block + c.half)
   end), true)
   local c = summary.tests[1].comparisons[1]
   assert(math.abs(c.ratio - 3) < 1e-9 and math.abs(c.lo - 3) < 1e-9 and math.abs(c.hi - 3) < 1e-9)
   assert(c.verdict == "faster" and c.pairs == 6 and math.abs(c.p - 2 / 64) < 1e-12)
   assert(summary.tests[1].sides.ext4.n == 6)
end

function tests.device_figures_are_ratios_to_the_application()
   local p = planned()
   local summary = report.summary(p, records_of(p, function() return 1 end), true)
   local d = summary.tests[1].sides.f2fs.device
   assert(d.write_bytes / d.app_write_bytes == 4 * 512 / 1000)
   local text = report.text(p, summary)
   assert(text:find("2.05", 1, true) and text:find("same (within ±5%)", 1, true), text)
   for _, word in ipairs({"ABBA", "seed 7", "a disk"}) do assert(text:find(word, 1, true), word) end
end

function tests.stopped_comparisons_are_called_so()
   local p = planned()
   local records = records_of(p, function() return 1 end)
   while #records > 3 do table.remove(records) end
   local text = report.text(p, report.summary(p, records, false))
   assert(text:find("INCOMPLETE", 1, true) and text:find("3 of 24 cells", 1, true), text)
   text = report.text(p, report.summary(p, {}, false))
   assert(text:find("0 of 24 cells", 1, true))
end

function tests.what_cannot_be_compared_is_said()
   local p = planned()
   p.targets[2].virtual = false
   local summary = report.summary(p, records_of(p, function() return 1 end), true)
   assert(summary.tests[1].comparisons[1].verdict == "not comparable")
   assert(report.text(p, summary):find("not comparable (one disk is virtual", 1, true))
end

-- A governor that somebody changed half-way makes figures of different things.
function tests.cells_of_different_machines_are_not_compared()
   local p = planned()
   local records = records_of(p, function() return 1 end)
   for i, r in ipairs(records) do
      r.result = {env = {governor = {value = i > 12 and "powersave" or "performance"}}}
   end
   local summary = report.summary(p, records, true)
   local c = summary.tests[1].comparisons[1]
   assert(c.verdict == "not comparable" and c.why == "governor changed between cells", c.why)
   for _, r in ipairs(records) do r.result.env.governor.value = "performance" end
   assert(report.summary(p, records, true).tests[1].comparisons[1].verdict == "same")
end

function tests.the_profile_that_was_not_run_is_named()
   local p = planned()
   local function text() return report.text(p, report.summary(p, {}, false)) end
   assert(text():find("This compares profile defaults; not run: matched.\n", 1, true), text())
   p = planned({fs_profile = "defaults,matched"})
   assert(text():find("This compares profiles defaults with matched.\n", 1, true), text())
end

function tests.small_and_large_ratios_have_digits()
   local function text(factor)
      local p = planned({fs_blocks = 1})
      return report.text(p, report.summary(p, records_of(p, function(c)
         return c.target.name == "f2fs" and factor or 1
      end), true))
   end
   assert(text(0.0012):find("0.0012 (0.0012 to 0.0012)", 1, true))
   assert(text(1234.4):find("1234 (1234 to 1234)", 1, true))
   assert(text(0.5):find("0.50 (0.50 to 0.50)", 1, true))
end

function tests.csv_has_a_line_for_each_cell()
   local p = planned()
   local records = records_of(p, function(c) return c.block + 0.25 end)
   records[2].device = nil
   local lines = {}
   for line in report.csv(records):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
   assert(#lines == 1 + #records)
   local _, columns = lines[1]:gsub(",", "")
   for _, line in ipairs(lines) do
      local _, n = line:gsub(",", "")
      assert(n == columns, line)
   end
   assert(lines[1]:find("^number,block,half,test,target,fs,profile,started,value,unit,"))
   assert(lines[2]:find("^1,1,1,seqwr,[%w]+,,,,1.25,x/s,0,1000,0,0,10,2048,2,"), lines[2])
   assert(lines[3]:find(",0,1000,,,,,,", 1, true), lines[3])
end

function tests.one_block_has_no_verdict()
   local p = planned({fs_blocks = 1})
   local summary = report.summary(p, records_of(p, function(c)
      return c.target.name == "f2fs" and 2 or 1
   end), true)
   local text = report.text(p, summary)
   assert(text:find("unclear (need n≥6)", 1, true) and text:find("--fs-blocks=3", 1, true), text)
   assert(text:find("2.00 (2.00 to 2.00)", 1, true), text)
end

return tests
