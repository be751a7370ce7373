-- sysbench.rand: random numbers, strings, and numbers that never repeat.
--
-- Like sysbench 1.0 (--compat=1.0) bounds are taken modulo 2^32; in the native
-- form they are whole numbers up to 2^53 of either sign.
local ffi = require("ffi")
local C = ffi.C
local given = require("sysbench.given")

given.declare("engine/script/abi_random.h")

local rand = {}

local LIMIT = 2 ^ 53

local function refuse(name, a, b)
   local what = string.format("there is no number from %.17g to %.17g", a, b)
   if not (a >= -LIMIT and b <= LIMIT) then
      what = string.format("the bounds %.17g and %.17g are not within 2^53", a, b)
   end
   error("sysbench.rand." .. name .. ": " .. what, 3)
end

-- Integers of the FFI will do, too; strings will not, as in sysbench.
local function numbers(name, a, b)
   local low, high = tonumber(a), tonumber(b)
   if not low or not high or type(a) == "string" or type(b) == "string" then
      error(string.format("sysbench.rand.%s(a, b): the bounds must be numbers, not %s and %s",
                          name, type(a), type(b)), 3)
   end
   return low, high
end

-- Fractions of the bounds are cut off; a range that ends just before it begins
-- yields its beginning, as loops over empty tables expect.
local function wide(name, kind)
   return function(a, b)
      if type(a) ~= "number" or type(b) ~= "number" then
         a, b = numbers(name, a, b)
      end
      if not (b - a > -2 and a >= -LIMIT and b <= LIMIT) then
         refuse(name, a, b)
      end
      return C.sb_rand_wide(kind, a, b)
   end
end

-- As sysbench has it, modulo 2^32.
local function narrow(name)
   local draw = C["sb_rand_" .. name]
   return function(a, b)
      return draw(a, b)
   end
end

local kinds = { default = -1, uniform = 0, gaussian = 1, special = 2, pareto = 3, zipfian = 4 }
for name, kind in pairs(kinds) do
   rand[name] = given.as_sysbench and narrow(name) or wide(name, kind)
end

-- Functions of Lua, for those of C refuse arguments that are too many, and scripts have some.
function rand.unique()
   return C.sb_rand_unique()
end

function rand.uniform_double()
   return C.sb_rand_uniform_double()
end

function rand.uniform_uint64()
   return C.sb_rand_uniform_uint64()
end

-- One buffer per state; it grows with the longest string.
local room, buffer = 0, nil

local function scratch(size)
   if size > room then
      room = math.max(size, 2 * room, 64)
      buffer = ffi.new("char[?]", room)
   end
   return buffer
end

-- Each # of the format becomes a random digit, each @ a letter from a to z.
function rand.string(format)
   if type(format) ~= "string" then
      error("sysbench.rand.string(format): the format must be a string, not a " ..
            type(format), 2)
   end
   local size = #format
   local out = scratch(size)
   C.sb_rand_fill(format, size, out)
   return ffi.string(out, size)
end

-- Between least and most characters from 0 to z.
function rand.varstring(least, most)
   if type(least) ~= "number" or type(most) ~= "number" or
      not (least >= 0 and most >= least and most < 2 ^ 31) then
      error(string.format("sysbench.rand.varstring(least, most): %s and %s are not lengths",
                          tostring(least), tostring(most)), 2)
   end
   local out = scratch(most)
   return ffi.string(out, C.sb_rand_varstr(out, least, most))
end

return rand
