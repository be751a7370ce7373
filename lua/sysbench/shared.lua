-- sysbench.shared: data that is built once and that every thread of the run
-- reads, in memory outside of Lua.
--
-- Whichever thread asks for a name first builds it: at the top level of a script
-- that is the main thread, before any other exists. The others wait for it and
-- get the same memory. It can be read only, and lives until the program ends.
local ffi = require("ffi")
local C = ffi.C
require("sysbench.given").declare("engine/script/abi_shared.h")

local shared = {}

local function fail()
   error(ffi.string(C.sb_error()), 0)
end

local function check(what, name, builder)
   if type(name) ~= "string" or name == "" then
      error("sysbench.shared." .. what .. ": the name must be a string that is not empty", 3)
   elseif type(builder) ~= "function" then
      error("sysbench.shared." .. what .. "('" .. name .. "'): the last argument must be the " ..
            "function that builds it", 3)
   end
end

local function make(name, size)
   local data = C.sb_shared_make(name, size)
   if data == nil then
      fail()
   end
   return data
end

-- Lets build() make the block of that name, unless it is there already.
local function build_once(name, build)
   local mine = C.sb_shared_claim(name)
   if mine < 0 then
      fail()
   elseif mine == 0 then
      return
   end
   local ok, e = pcall(build)
   if ok then
      C.sb_shared_publish(name)
   else
      C.sb_shared_abandon(name)
      error(e, 0)
   end
end

-- n elements of a C type, numbered from 0; fill(array, n) writes them, all are
-- zero before. Returns a pointer to read from, and n.
function shared.array(name, ctype, n, fill)
   check("array", name, fill)
   if type(n) ~= "number" or n < 1 or n % 1 ~= 0 then
      error("sysbench.shared.array('" .. name .. "'): the number of elements must be a whole " ..
            "number above 0, not " .. tostring(n), 2)
   end
   local element = ffi.typeof(ctype)
   local size = n * ffi.sizeof(element)
   build_once(name, function()
      fill(ffi.cast(ffi.typeof("$ *", element), make(name, size)), n)
   end)
   local built = tonumber(C.sb_shared_size(name))
   if built ~= size then
      error(string.format("sysbench.shared.array('%s'): it was built with another size, %d " ..
                          "bytes instead of %d", name, built, size), 2)
   end
   return ffi.cast(ffi.typeof("const $ *", element), C.sb_shared_data(name)), n
end

-- The bytes of the string that build() returns. Returns a pointer to them and
-- their number; ffi.string(pointer + at, size) makes a Lua string of a part.
function shared.string(name, build)
   check("string", name, build)
   build_once(name, function()
      local text = build()
      if type(text) ~= "string" then
         error("sysbench.shared.string('" .. name .. "'): the builder returned a " .. type(text) ..
               " instead of a string", 0)
      end
      ffi.copy(make(name, #text), text, #text)
   end)
   return ffi.cast("const char *", C.sb_shared_data(name)), tonumber(C.sb_shared_size(name))
end

return shared
