-- What a script may do with each primitive inside of event(). Errors are thrown
-- with the line of the script; every operation has a latency of its own in the
-- result.
local ffi = require("ffi")
local C = ffi.C

require("sysbench.given").declare("engine/script/abi_operations.h")
ffi.cdef("void *calloc(size_t n, size_t size); void free(void *block);")

local function failed(level)
   error(ffi.string(C.sb_error()), (level or 2) + 1)
end

local function checked(n)
   if n < 0 then
      failed(3)
   end
   return n
end

local READ, WRITE = 0, 1
local units = { [""] = 1, K = 1024, M = 1024 ^ 2, G = 1024 ^ 3 }

-- 4096 or "64M".
local function bytes_of(size)
   if type(size) == "number" then
      return size
   end
   local n, unit = tostring(size):match("^(%d+)([KMG]?)$")
   if not n then
      error("'" .. tostring(size) .. "' is not a size such as 4096 or \"64M\"", 4)
   end
   return tonumber(n) * units[unit]
end

local operations = {}

function operations.cpu(p)
   local part = p.part

   -- Counts the primes below max by trial division.
   function p.primes(max)
      local n = C.sb_cpu_primes(part, max)
      if n < 0 then
         failed()
      end
      return tonumber(n)
   end
end

function operations.memory(p)
   local part = p.part

   -- Words that are all zero. Small ones are Lua's, whose collector then knows what they
   -- take; it has no room for objects of 2 GiB and more. nil: no memory.
   local function words_of(n, word)
      if n * word < 2 ^ 30 then
         local ok, data = pcall(ffi.new, "size_t[?]", n)
         return ok and data or nil
      end
      local data = n < 2 ^ 53 and C.calloc(n, word) or nil
      return data ~= nil and ffi.gc(ffi.cast("size_t *", data), C.free) or nil
   end

   -- Memory of the script's own, in machine words: {data =, bytes =}. It lives as
   -- long as the table does.
   local function buffer_of(size)
      local bytes, word = bytes_of(size), ffi.sizeof("size_t")
      if bytes < word or bytes ~= bytes then
         error("a buffer has at least " .. word .. " bytes, a machine word", 3)
      end
      local data = words_of(math.ceil(bytes / word), word)
      if not data then
         error(string.format("no memory for a buffer of %.15g bytes", bytes), 3)
      end
      return { data = data, bytes = bytes }
   end

   function p.buffer(size)
      local buffer = buffer_of(size) -- no tail call, for the level of errors
      return buffer
   end

   local function touch(buffer, oper, mode)
      local random = mode == "rnd"
      if buffer == nil then
         return C.sb_memory_pass(part, oper, random)
      end
      return C.sb_memory_touch(buffer.data, buffer.bytes, oper, random)
   end

   -- One pass over a buffer, or over the block of --memory-block-size.
   function p.read(buffer, mode)
      checked(touch(buffer, READ, mode))
   end

   function p.write(buffer, mode)
      if buffer ~= nil and buffer.at ~= nil then
         error("memory.write: this is a chain, whose pointers it would write over", 2)
      end
      checked(touch(buffer, WRITE, mode))
   end

   -- A cycle of pointers through all lines of a new buffer, in random order.
   function p.chain(size, stride)
      local chain = buffer_of(size)
      checked(C.sb_memory_chain(chain.data, chain.bytes, stride or 64))
      chain.at = ffi.new("void *[1]", ffi.cast("void *", chain.data))
      return chain
   end

   -- Follows it: each load waits for the one before.
   function p.chase(chain, loads)
      if chain.at == nil then
         error("memory.chase: this is no chain; memory.chain makes one", 2)
      end
      checked(C.sb_memory_chase(chain.at, loads))
   end
end

function operations.mutex(p)
   local part = p.part

   function p.take(which)
      checked(C.sb_mutex_take(part, which or -1))
   end
end

function operations.threads(p)
   local part = p.part

   function p.yield(which)
      checked(C.sb_threads_yield(part, which or -1))
   end
end

function operations.fileio(p)
   local part = p.part

   -- Bytes read. Without arguments: one block at a place that --file-test-mode
   -- would choose, at random if it was not given.
   function p.read(file, offset, size)
      return checked(C.sb_fileio(part, 1, file or -1, offset or -1, size or 0))
   end

   function p.write(file, offset, size)
      return checked(C.sb_fileio(part, 2, file or -1, offset or -1, size or 0))
   end

   -- Flushes one file, or all.
   function p.fsync(file)
      checked(C.sb_fileio(part, 3, file or -1, -1, 0))
   end

   function p.files()
      return checked(C.sb_fileio_files(part))
   end

   function p.file_size()
      return checked(C.sb_fileio_file_size(part))
   end
end

function operations.files(p)
   local part = p.part
   local ways = { r = 0, w = 1, c = 2, a = 3 }

   local function open_fd(self)
      if self.fd < 0 then
         error("this file has been closed", 3)
      end
      return self.fd
   end

   local file = {}
   file.__index = file

   function file:write(size, offset)
      return checked(C.sb_files_write(part, open_fd(self), offset or -1, size))
   end

   function file:read(size, offset)
      return checked(C.sb_files_read(part, open_fd(self), offset or -1, size))
   end

   function file:fsync()
      checked(C.sb_files_sync(part, open_fd(self), false))
   end

   function file:fdatasync()
      checked(C.sb_files_sync(part, open_fd(self), true))
   end

   function file:close()
      checked(C.sb_files_close(part, open_fd(self)))
      self.fd = -1
   end

   local function named(name)
      if type(name) ~= "string" then
         error("the name of a file must be a string, not a " .. type(name), 3)
      end
      return name
   end

   -- how: "r" read, "w" write in place, "c" create or empty, "a" append.
   function p.open(name, how)
      local way = ways[how or "r"]
      if not way then
         error("files.open: '" .. tostring(how) .. "' is not one of r, w, c, a", 2)
      end
      return setmetatable({ fd = checked(C.sb_files_open(part, named(name), way)) }, file)
   end

   function p.delete(name)
      checked(C.sb_files_delete(part, named(name)))
   end

   -- Bytes of a file, nil if there is none.
   function p.size(name)
      local n = C.sb_files_size(part, named(name))
      if n == -2 then
         return nil
      end
      return checked(n)
   end

   function p.make_dir(name)
      checked(C.sb_files_make_dir(part, named(name)))
   end
end

return operations
