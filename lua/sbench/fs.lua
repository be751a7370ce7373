-- File systems from Lua: a thin layer over the C functions of fs/abi.h. A function
-- that fails raises an error of sbench/failure, with the status and text C gave it.

local ffi = require("ffi")
local failure = require("sbench.failure")

local C = ffi.C
require("sysbench.given").declare("fs/abi.h")
assert(C.sb_fs_version() == 2, "sbench/fs.lua and the program are of different versions")

local fs = {}

local message = ffi.new("char[?]", C.SB_FS_MESSAGE)
local text = ffi.new("char[4096]")
local flag = ffi.new("int[1]")
local real = ffi.new("double[1]")

-- Turns what a C function returned into nothing or an error.
local function must(status)
   if status ~= 0 then error(failure.new(status, ffi.string(message)), 0) end
end

-- For questions: true, or false and the failure.
local function asked(status)
   if status == 0 then return true end
   return false, failure.new(status, ffi.string(message))
end

local function argv_of(list)
   local argv = ffi.new("const char *[?]", #list + 1)
   for i, word in ipairs(list) do argv[i - 1] = word end
   return argv -- the strings live as long as list does
end

-- ---- questions ----

function fs.kernel_has(kind) return asked(C.sb_fs_kernel_has(kind, message)) end

function fs.page_size_fits(kind, needed)
   return asked(C.sb_fs_page_size(kind, needed or 0, 0, message))
end

function fs.can_make_images() return asked(C.sb_fs_can_make_images(message)) end

function fs.has_program(name) return asked(C.sb_fs_has_program(name, message)) end

function fs.space(dir, bytes) return asked(C.sb_fs_space(dir, bytes, message)) end

function fs.is_guest() return C.sb_fs_is_guest() ~= 0 end

function fs.is_root() return C.sb_fs_is_root() ~= 0 end

function fs.is_terminal(fd) return C.sb_fs_is_terminal(fd) ~= 0 end

function fs.now() return C.sb_fs_now() end

-- Raises when a signal comes.
function fs.sleep(seconds) must(C.sb_fs_sleep(seconds, message)) end

function fs.signal() return C.sb_fs_signal() end

-- ---- devices ----

function fs.guest_disk(n)
   must(C.sb_fs_guest_disk(n, text, 4096, message))
   return ffi.string(text)
end

-- description, name, sysfs, disk, model, serial, partuuid (strings), bytes, virtual (numbers).
function fs.device_fact(device, fact)
   must(C.sb_fs_device_fact(device, fact, text, 4096, message))
   local value = ffi.string(text)
   return (fact == "bytes" or fact == "virtual") and tonumber(value) or value
end

-- /sys/block/*/stat in its order; sectors are of 512 bytes.
local counter_names = {
   "reads", "reads_merged", "read_sectors", "read_ms", "writes", "writes_merged",
   "write_sectors", "write_ms", "in_flight", "busy_ms", "queue_ms", "discards",
   "discards_merged", "discard_sectors", "discard_ms", "flushes", "flush_ms",
}
local counters = ffi.new("uint64_t[?]", C.SB_FS_COUNTERS)

function fs.counters(device)
   must(C.sb_fs_counters(device, counters, message))
   local values = {}
   for i, name in ipairs(counter_names) do values[name] = tonumber(counters[i - 1]) end
   return values
end

-- Waits until the device rests. Seconds waited, and whether it came to rest.
function fs.settle(device, quiet_s, limit_s)
   must(C.sb_fs_settle(device, quiet_s, limit_s, real, flag, message))
   return real[0], flag[0] ~= 0
end

function fs.check(device, argv)
   must(C.sb_fs_check(device, argv_of(argv), message))
end

-- ---- mounted file systems ----

-- type, options, device ("" = none), size, free (bytes).
function fs.mount_fact(dir, fact)
   must(C.sb_fs_mount_fact(dir, fact, text, 4096, message))
   local value = ffi.string(text)
   return (fact == "size" or fact == "free") and tonumber(value) or value
end

function fs.tune(device, kind, name, value)
   must(C.sb_fs_tune(device, kind, name, value, message))
end

function fs.tuned(device, kind, name)
   must(C.sb_fs_tuned(device, kind, name, text, 4096, message))
   return ffi.string(text)
end

function fs.sync(dir) must(C.sb_fs_sync(dir, message)) end

-- True: the whole page cache; false: only that of the files in dir (no root).
function fs.drop_caches(dir)
   must(C.sb_fs_drop_caches(dir, flag, message))
   return flag[0] ~= 0
end

-- ---- programs and files ----

-- options: limit_s, grace_s, output, errors (files). Returns the exit status.
function fs.run(argv, options)
   options = options or {}
   must(C.sb_fs_run(argv_of(argv), options.limit_s or 0, options.grace_s or 10, options.output,
      options.errors, flag, message))
   return flag[0]
end

-- The command's result: stdout, or where --output-format has set that aside.
function fs.write_result(words)
   if C.sb_result_write(words, #words) ~= 0 then
      error(failure.new(failure.FAILED, ffi.string(C.sb_error())), 0)
   end
end

function fs.make_file(path, data, sync)
   must(C.sb_fs_make_file(path, data, #data, sync and 1 or 0, message))
end

function fs.remove_file(path) must(C.sb_fs_remove_file(path, message)) end

-- All or nothing: a reader never sees half a file.
function fs.save(path, content) must(C.sb_fs_save(path, content, #content, message)) end

function fs.make_dirs(path) must(C.sb_fs_make_dirs(path, message)) end

function fs.remove_tree(path) must(C.sb_fs_remove_tree(path, message)) end

function fs.real_path(path)
   must(C.sb_fs_real_path(path, text, 4096, message))
   return ffi.string(text)
end

function fs.read(path)
   local file, why = io.open(path, "r")
   if not file then return nil, why end
   local content = file:read("*a")
   file:close()
   return content
end

-- ---- sessions: what was made and has to be undone ----

local Session = {}
Session.__index = Session

-- Takes over SIGINT, SIGTERM and SIGHUP until close().
function fs.open()
   local handle = ffi.new("struct sb_fs *[1]")
   must(C.sb_fs_open(handle, message))
   return setmetatable({handle = handle[0]}, Session)
end

function Session:close()
   local handle = self.handle
   self.handle = nil
   if handle then must(C.sb_fs_close(handle, message)) end
end

function Session:mark() return C.sb_fs_mark(self.handle) end

function Session:undo(mark) must(C.sb_fs_undo(self.handle, mark, message)) end

-- Calls work(self, ...), undoes what it made, and passes its error or results on.
function Session:undoing(work, ...)
   local mark = self:mark()
   local results = {pcall(work, self, ...)}
   local undone, why = pcall(self.undo, self, mark)
   if not results[1] then error(results[2], 0) end
   if not undone then error(why, 0) end
   return unpack(results, 2)
end

-- An image file on a loop device: the device's path.
function Session:image(dir, bytes)
   must(C.sb_fs_image(self.handle, dir, bytes, text, 4096, message))
   return ffi.string(text)
end

-- erase: the value of --fs-erase; images and guest disks need none.
function Session:allowed(device, erase)
   must(C.sb_fs_allowed(self.handle, device, erase, message))
end

-- The same, and nobody else may have it until the session ends.
function Session:hold(device, erase)
   must(C.sb_fs_hold(self.handle, device, erase, message))
end

local purges = {[0] = "nothing", "discard", "overwrite"}

-- Makes the device's blocks alike: how, "nothing" where neither was possible or wanted.
function Session:purge(device, erase, overwrite)
   must(C.sb_fs_purge(self.handle, device, erase, overwrite and 1 or 0, flag, message))
   return purges[flag[0]]
end

function Session:format(device, erase, argv)
   must(C.sb_fs_format(self.handle, device, erase, argv_of(argv), message))
end

function Session:mount(device, kind, options)
   must(C.sb_fs_mount(self.handle, device, kind, options, text, 512, message))
   return ffi.string(text)
end

function Session:work_dir(parent)
   must(C.sb_fs_work_dir(self.handle, parent, text, 512, message))
   return ffi.string(text)
end

return fs
