-- State of the machine, on machines that are made up.

local state = require("sbench.fsstate")

local tests = {}

local function machine(files)
   return function(path) return files[path] end
end

local SYSFS = "/sys/devices/platform/fe340000.mmc/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0/mmcblk0p2"
local IOS = "clock:\t\t200000000 Hz\nactual clock:\t100000000 Hz\nbus width:\t2 (4 bits)\n"
   .. "timing spec:\t6 (sd uhs SDR104)\nsignal voltage:\t1 (1.80 V)\n"

local pi = {
   ["/sys/class/thermal/thermal_zone0/temp"] = "48312\n",
   ["/sys/class/thermal/thermal_zone1/temp"] = "-274000\n", -- no sensor there
   ["/sys/class/thermal/thermal_zone3/temp"] = "51000\n",
   ["/sys/class/thermal/cooling_device0/type"] = "gpio-fan\n",
   ["/sys/class/thermal/cooling_device0/cur_state"] = "1\n",
   ["/sys/class/thermal/cooling_device1/type"] = "thermal-cpufreq-0\n",
   ["/sys/class/thermal/cooling_device1/cur_state"] = "0\n",
   ["/sys/class/hwmon/hwmon0/name"] = "cpu_thermal\n",
   ["/sys/class/hwmon/hwmon2/name"] = "rpi_volt\n",
   ["/sys/class/hwmon/hwmon2/in0_lcrit_alarm"] = "1\n",
   ["/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq"] = "1500000\n",
   ["/sys/kernel/debug/mmc0/ios"] = IOS,
}

function tests.a_pi_tells_all()
   local s = state.look(machine(pi), SYSFS)
   assert(s.temperature_c == 51 and s.throttling == "" and s.undervoltage == 1)
   assert(s.clock_khz == 1500000 and s.bus == "sd uhs SDR104, 200000000 Hz", s.bus)
end

function tests.a_machine_without_sensors_tells_nothing()
   assert(next(state.look(machine({}), "/sys/devices/pci0000:00/block/sda/sda1")) == nil)
   assert(next(state.look(machine({}), nil)) == nil)
end

function tests.fans_are_no_throttling()
   local files = {}
   for path, text in pairs(pi) do files[path] = text end
   files["/sys/class/thermal/cooling_device1/cur_state"] = "2"
   assert(state.look(machine(files)).throttling == "thermal-cpufreq-0")
end

function tests.queue_is_that_of_the_disk()
   local disk = {
      ["/sys/x/sdx/sdx1/partition"] = "1\n",
      ["/sys/x/sdx/sdx1/../queue/discard_max_bytes"] = "0\n",
      ["/sys/x/sdx/sdx1/../queue/write_cache"] = "write back\n",
      ["/sys/x/sdx/queue/discard_max_bytes"] = "4096\n",
   }
   local part, whole = state.queue(machine(disk), "/sys/x/sdx/sdx1"),
      state.queue(machine(disk), "/sys/x/sdx")
   assert(part.discard_max_bytes == 0 and part.write_cache == "write back")
   assert(whole.discard_max_bytes == 4096 and whole.write_cache == nil)
end

function tests.alignment_to_what_a_card_erases()
   local function card(start, erase)
      return machine({["/p/start"] = start, ["/p/../device/preferred_erase_size"] = erase})
   end
   assert(not state.misaligned(card("8192\n", "4194304\n"), "/p"))
   local start, erase = state.misaligned(card("2048\n", "4194304\n"), "/p")
   assert(start == 1048576 and erase == 4194304)
   assert(not state.misaligned(card("2048\n", nil), "/p"))
   assert(not state.misaligned(card(nil, "4194304"), "/p"))
end

-- A clock of its own; each second the machine cools by half a degree.
local function cooling(from)
   local now = 0
   return {now = function() return now end, sleep = function(s) now = now + s end},
      function() return from and from - now / 2 end
end

function tests.waits_until_cool()
   local time, temperature = cooling(60)
   local waited, t, reached = state.cool(temperature, 50, 60, time)
   assert(waited == 14 and t == 53 and reached)
end

function tests.the_wait_has_an_end()
   local time, temperature = cooling(60)
   local waited, t, reached = state.cool(temperature, 50, 5, time)
   assert(waited == 5 and t == 57.5 and not reached)
   time, temperature = cooling(60)
   waited, t, reached = state.cool(temperature, 50, 0, time)
   assert(waited == 0 and t == 60 and not reached)
end

function tests.nothing_to_wait_for()
   local time, temperature = cooling(60)
   local waited, t, reached = state.cool(temperature, nil, 60, time) -- the first cell
   assert(waited == 0 and t == 60 and reached)
   waited, t, reached = state.cool(temperature, 57, 60, time) -- 3 degrees are no difference
   assert(waited == 0 and t == 60 and reached)
   time, temperature = cooling(nil) -- no sensor
   waited, t, reached = state.cool(temperature, nil, 60, time)
   assert(waited == 0 and t == nil and reached)
end

-- Cells alike in all; change(records) makes the difference.
local function cells(change)
   local records = {}
   for i = 1, 4 do
      records[i] = {
         target = i % 2 == 0 and "f2fs" or "ext4", mount_options = i % 2 == 0 and "rw,a" or "rw,b",
         start = {throttling = "", undervoltage = 0, bus = "sd high-speed, 50000000 Hz"},
         stop = {throttling = "", undervoltage = 0, bus = "sd high-speed, 50000000 Hz"},
         cool = {waited_s = 0, reached = true},
         result = {env = {governor = {value = "ondemand"}, cpu_max_khz = {value = 1500000},
            load1 = {value = i}}},
      }
   end
   if change then change(records) end
   return records
end

local function says(change, unfair, ...)
   local records = cells(change)
   assert(state.unfair(records) == unfair, tostring(state.unfair(records)))
   local notes = table.concat(state.notes(records), "\n")
   for _, words in ipairs({...}) do assert(notes:find(words, 1, true), notes) end
   if select("#", ...) == 0 then assert(notes == "", notes) end
end

function tests.like_cells_are_fair()
   says(nil, nil)
   says(function(r) for i = 1, 4 do r[i].result, r[i].start, r[i].stop = nil, nil, nil end end, nil)
end

function tests.what_differs_is_named()
   says(function(r) r[3].result.env.governor.value = "performance" end,
      "governor changed between cells", "governor (ondemand; performance)")
   says(function(r) r[4].stop.bus = "sd uhs SDR104, 200000000 Hz" end,
      "bus changed between cells", "bus (", "sd high-speed, 50000000 Hz to sd uhs SDR104")
   says(function(r) r[1].mount_options = "rw,b,sync" end,
      "mount options of ext4 changed between cells", "mount options of ext4")
end

function tests.trouble_in_some_cells_is_unfair_in_all_it_is_told()
   says(function(r) r[2].stop.throttling = "thermal-cpufreq-0" end,
      "throttling in some cells only", "In 1 of 4 cells the processor was slowed down for heat.")
   says(function(r) for i = 1, 4 do r[i].start.undervoltage = 1 end end, nil,
      "In 4 of 4 cells the supply voltage was too low")
   says(function(r) r[2].cool.reached = false end, nil,
      "1 of 4 cells began more than 3 °C warmer than the first.")
end

return tests
