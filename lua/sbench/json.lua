-- JSON text to Lua values and back. Integers up to 2^53 keep every digit; objects
-- become tables, null becomes json.null so that it can be told from absence.

local json = {}

json.null = setmetatable({}, {__tostring = function() return "null" end})

-- ---- reading ----

local escapes = {
   b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/",
}
local constants = {{"true", true}, {"false", false}, {"null", json.null}}

local function fail(text, at, what)
   local _, line = text:sub(1, at - 1):gsub("\n", "")
   error(string.format("JSON: %s in line %d", what, line + 1), 0)
end

local function skip(text, at)
   return text:find("[^ \t\r\n]", at) or #text + 1
end

local function utf8(code)
   if code < 0x80 then return string.char(code) end
   if code < 0x800 then
      return string.char(0xC0 + math.floor(code / 64), 0x80 + code % 64)
   end
   if code < 0x10000 then
      return string.char(0xE0 + math.floor(code / 4096), 0x80 + math.floor(code / 64) % 64,
         0x80 + code % 64)
   end
   return string.char(0xF0 + math.floor(code / 262144), 0x80 + math.floor(code / 4096) % 64,
      0x80 + math.floor(code / 64) % 64, 0x80 + code % 64)
end

-- Characters beyond 16 bits come as two escapes.
local function unicode(text, at)
   local hex = text:match("^%x%x%x%x", at) or fail(text, at, "bad \\u escape")
   local high = tonumber(hex, 16)
   local low = text:match("^\\u([dD][c-fC-F]%x%x)", at + 4)
   if high >= 0xD800 and high < 0xDC00 and low then
      return utf8(0x10000 + (high - 0xD800) * 1024 + tonumber(low, 16) - 0xDC00), at + 10
   end
   return utf8(high), at + 4
end

local function read_string(text, at)
   local parts, from = {}, at + 1
   while true do
      local stop = text:find('["\\]', from) or fail(text, at, "string without an end")
      parts[#parts + 1] = text:sub(from, stop - 1)
      if text:byte(stop) == 34 then return table.concat(parts), stop + 1 end
      local letter = text:sub(stop + 1, stop + 1)
      if letter == "u" then
         parts[#parts + 1], from = unicode(text, stop + 2)
      else
         parts[#parts + 1] = escapes[letter] or fail(text, stop, "bad escape")
         from = stop + 2
      end
   end
end

local read_value

local function read_array(text, at)
   local list = json.array({})
   at = skip(text, at + 1)
   if text:sub(at, at) == "]" then return list, at + 1 end
   while true do
      list[#list + 1], at = read_value(text, at)
      at = skip(text, at)
      local mark = text:sub(at, at)
      if mark == "]" then return list, at + 1 end
      if mark ~= "," then fail(text, at, "expected , or ]") end
      at = at + 1
   end
end

local function read_member(text, at)
   at = skip(text, at)
   if text:sub(at, at) ~= '"' then fail(text, at, "expected a name") end
   local name
   name, at = read_string(text, at)
   at = skip(text, at)
   if text:sub(at, at) ~= ":" then fail(text, at, "expected :") end
   local value
   value, at = read_value(text, at + 1)
   return name, value, skip(text, at)
end

local function read_object(text, at)
   local object = {}
   at = skip(text, at + 1)
   if text:sub(at, at) == "}" then return object, at + 1 end
   while true do
      local name, value
      name, value, at = read_member(text, at)
      object[name] = value
      local mark = text:sub(at, at)
      if mark == "}" then return object, at + 1 end
      if mark ~= "," then fail(text, at, "expected , or }") end
      at = at + 1
   end
end

local function read_other(text, at)
   for _, pair in ipairs(constants) do
      if text:sub(at, at + #pair[1] - 1) == pair[1] then return pair[2], at + #pair[1] end
   end
   local number = text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", at)
   local value = number and tonumber(number)
   if not value then fail(text, at, "unknown word") end
   return value, at + #number
end

function read_value(text, at)
   at = skip(text, at)
   local first = text:sub(at, at)
   if first == "{" then return read_object(text, at) end
   if first == "[" then return read_array(text, at) end
   if first == '"' then return read_string(text, at) end
   return read_other(text, at)
end

-- The value that text holds; raises a text that names the line.
function json.decode(text)
   if type(text) ~= "string" then error("JSON: the text is a " .. type(text), 2) end
   local value, at = read_value(text, 1)
   if skip(text, at) <= #text then fail(text, at, "something after the end") end
   return value
end

-- ---- writing ----

local written = {['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t"}

local function quote(text)
   return '"' .. text:gsub('[%c"\\]', function(c)
      return written[c] or string.format("\\u%04x", c:byte())
   end) .. '"'
end

local function number(value)
   if value ~= value or value == math.huge or value == -math.huge then return "null" end
   if value == math.floor(value) and math.abs(value) < 2 ^ 53 then
      return string.format("%.0f", value)
   end
   for digits = 15, 16 do -- as short as it can be read back: 0.05 stays 0.05
      local short = string.format("%." .. digits .. "g", value)
      if tonumber(short) == value then return short end
   end
   return string.format("%.17g", value)
end

local array = {}

-- A table is an array when it says so (json.array, needed for empty ones) or has [1].
function json.array(list)
   return setmetatable(list, array)
end

local encode

local function encode_array(list, indent)
   local parts = {}
   for i, value in ipairs(list) do parts[i] = encode(value, indent) end
   for key in pairs(list) do
      if not parts[key] then
         error("JSON: cannot write an array with the key '" .. tostring(key) .. "'", 0)
      end
   end
   return "[" .. table.concat(parts, ", ") .. "]"
end

local function encode_object(object, indent)
   local names, parts = {}, {}
   for name in pairs(object) do
      if type(name) ~= "string" then
         error("JSON: cannot write a table with the key '" .. tostring(name) ..
               "': it is no array from 1 without gaps", 0)
      end
      names[#names + 1] = name
   end
   table.sort(names) -- the same value gives the same text
   for i, name in ipairs(names) do
      parts[i] = indent .. "  " .. quote(name) .. ": " .. encode(object[name], indent .. "  ")
   end
   if #parts == 0 then return "{}" end
   return "{\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "}"
end

function encode(value, indent)
   if value == json.null or value == nil then return "null" end
   if type(value) == "string" then return quote(value) end
   if type(value) == "number" then return number(value) end
   if type(value) == "boolean" then return tostring(value) end
   if type(value) ~= "table" then error("JSON: cannot write a " .. type(value), 0) end
   if value[1] ~= nil or getmetatable(value) == array then return encode_array(value, indent) end
   return encode_object(value, indent)
end

function json.encode(value)
   return encode(value, "")
end

return json
