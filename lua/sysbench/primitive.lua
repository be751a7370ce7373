-- sysbench.primitive(name [, presets]): makes a primitive of the engine part of
-- the scenario. Its options come along; presets are values for them that the
-- user's own win over. A file that returns it is that primitive's scenario.
local C = require("ffi").C
local string_of = require("ffi").string
require("sysbench.given").declare("engine/script/abi_primitive.h")

local made = {}

local function failed()
   error(string_of(C.sb_error()), 3)
end

local function as_text(value)
   if type(value) == "boolean" then
      return value and "on" or "off"
   elseif type(value) == "table" then
      return table.concat(value, ",")
   end
   return tostring(value)
end

return function(name, presets)
   if type(name) ~= "string" then
      error("sysbench.primitive(name [, presets]): the name must be a string, not a " ..
            type(name), 2)
   elseif presets ~= nil and type(presets) ~= "table" then
      error("sysbench.primitive('" .. name .. "', presets): the presets must be a table, not a " ..
            type(presets), 2)
   end
   local part = C.sb_primitive(name)
   if part < 0 then
      failed()
   end
   for option, value in pairs(presets or {}) do
      if C.sb_primitive_preset(part, tostring(option), as_text(value)) < 0 then
         failed()
      end
   end
   if not made[name] then
      local p = { part = part, name = name }
      function p.prepare()
         if C.sb_primitive_prepare(part) < 0 then
            failed()
         end
      end
      function p.cleanup()
         if C.sb_primitive_cleanup(part) < 0 then
            failed()
         end
      end
      local add = require("sysbench.operations")[name]
      if add then
         add(p)
      end
      made[name] = p
   end
   return made[name]
end
