-- sysbench.histogram.new(size, low, high): values counted in bins that are
-- evenly spaced on a log scale from low to high.
local ffi = require("ffi")
local C = ffi.C

local methods = {}

function methods:update(value)
   C.sb_histogram_update(self, value)
end

function methods:print()
   C.sb_histogram_print(self)
end

ffi.metatype("struct histogram", {
   __index = methods,
   __tostring = function()
      return "<sb_histogram>"
   end,
})

local histogram = {}

function histogram.new(size, low, high)
   local h = C.sb_histogram_new(size, low, high)
   if h == nil then
      error("sysbench.histogram.new: " .. ffi.string(C.sb_error()), 2)
   end
   return ffi.gc(h, C.sb_histogram_delete)
end

return histogram
