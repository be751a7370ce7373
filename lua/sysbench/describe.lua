-- Turns whatever was thrown into a text that says what and where. A refusal with
-- its own exit status stays what it is.
local given = require("sysbench.given")

local function show_table(t)
   local fields = {}
   for k, v in pairs(t) do
      fields[#fields + 1] = tostring(k) .. " = " .. tostring(v)
   end
   table.sort(fields)
   return "{" .. table.concat(fields, ", ") .. "}"
end

local function object_text(e)
   if type(e) ~= "table" or (getmetatable(e) and getmetatable(e).__tostring) then
      return tostring(e)
   end
   return "an error object " .. show_table(e)
end

local function text_of(e)
   if type(e) == "string" then
      return e
   end
   local ok, text = pcall(object_text, e)
   if ok and type(text) == "string" then
      return text
   end
   return "an error object whose __tostring fails: " .. (ok and "it gave a " .. type(text) or text)
end

-- Where it happened, without the lines of the engine itself.
local function trace(level)
   local lines = {}
   for line in debug.traceback("", level):gmatch("[^\n]+") do
      if line:find("^\t") and not line:find("^\tsysbench/")
         and not line:find("[C]:", 1, true) then
         lines[#lines + 1] = line
      end
   end
   return #lines > 0 and "\nstack traceback:\n" .. table.concat(lines, "\n") or ""
end

return function(e)
   local failure = package.loaded["sbench.failure"]
   if failure and failure.is(e) then -- a refusal with its exit status
      return e
   end
   if given.as_sysbench then
      return type(e) == "string" and e or "(not a string)"
   end
   local text = text_of(e)
   if text:find("\nstack traceback:", 1, true) then
      return text
   end
   return text .. trace(2)
end
