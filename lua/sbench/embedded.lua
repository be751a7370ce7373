-- Files that the program carries inside, by their path in the source tree.

local ffi = require("ffi")
local C = ffi.C

local embedded = {}

-- The text of a file; an error when the program has none of that name.
function embedded.text(path)
   local text = C.sb_embedded(path)
   if text == nil then error("the program does not carry the file " .. path, 0) end
   return ffi.string(text)
end

-- Paths that begin so.
function embedded.list(prefix)
   local list, n = {}, 0
   while C.sb_embedded_path(n) ~= nil do
      local path = ffi.string(C.sb_embedded_path(n))
      if path:sub(1, #prefix) == prefix then list[#list + 1] = path end
      n = n + 1
   end
   return list
end

return embedded
