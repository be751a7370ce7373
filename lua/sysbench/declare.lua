-- Options and commands that a script declares in sysbench.cmdline: checks of the
-- declarations, and what the engine asks about them.
local C = require("ffi").C
local given = require("sysbench.given")
local cmdline = sysbench.cmdline

local declare = {}

local type_of_default = {
   boolean = cmdline.ARG_BOOL,
   number = cmdline.ARG_DOUBLE,
   string = cmdline.ARG_STRING,
   table = cmdline.ARG_LIST,
   ["nil"] = cmdline.ARG_STRING,
}

local function default_text(name, value)
   local t = type(value)
   if t == "boolean" then
      return value and "on" or "off"
   elseif t == "table" then
      local ok, text = pcall(table.concat, value, ",")
      if not ok then
         error("option '" .. name .. "': the list of its default may hold strings and numbers", 0)
      end
      return text
   elseif t == "number" or t == "string" then
      return tostring(value)
   elseif t ~= "nil" then
      error("option '" .. name .. "': the default is a " .. t ..
            "; it must be a boolean, number, string or list", 0)
   end
end

local function row(name, declaration)
   if type(name) ~= "string" then
      error("sysbench.cmdline.options: the name of an option must be a string, not " ..
            tostring(name), 0)
   end
   if type(declaration) ~= "table" then
      error("option '" .. name .. "' must be declared as {description, default, type}", 0)
   end
   local help, default, kind, validate = unpack(declaration, 1, 4)
   if type(help) ~= "string" then
      error("option '" .. name .. "': the first value must be its description, " ..
            (help == nil and "which is missing" or "a string, not a " .. type(help)), 0)
   end
   kind = kind or type_of_default[type(default)]
   if kind ~= nil and (type(kind) ~= "number" or kind < 1 or kind >= cmdline.ARG_MAX) then
      error("option '" .. name .. "': " .. tostring(kind) ..
            " is not one of the types sysbench.cmdline.ARG_...", 0)
   end
   if validate ~= nil and type(validate) ~= "function" then
      error("option '" .. name .. "': the fourth value must be the function that checks it, " ..
            "not a " .. type(validate), 0)
   end
   return {
      name = name,
      key = name:gsub("-", "_"),
      help = help,
      default = default_text(name, default),
      type = kind,
      validate = validate,
   }
end

local rows

-- The declarations in the order of their names; nil: there are none.
function declare.rows()
   if cmdline.options == nil then
      return nil
   end
   if type(cmdline.options) ~= "table" then
      error("sysbench.cmdline.options must be a table", 0)
   end
   rows = {}
   for name, declaration in pairs(cmdline.options) do
      rows[#rows + 1] = row(name, declaration)
   end
   table.sort(rows, function(a, b) return a.key < b.key or a.key == b.key and a.name < b.name end)
   for i = 2, given.as_sysbench and 0 or #rows do
      if rows[i].key == rows[i - 1].key then
         error("the options '" .. rows[i - 1].name .. "' and '" .. rows[i].name ..
               "' are one, declared twice", 0)
      end
   end
   return rows
end

-- An option's own check of a value that the user gave: a function of its name, the
-- value and its text; for sysbench, which has no more, the text takes the value's
-- place. It returns false, or false and a reason, for what it refuses. The
-- refusal, nil: it is fine.
function declare.validate(name, text)
   for _, r in ipairs(rows) do
      if r.name == name and r.validate then
         local value = given.as_sysbench and text or sysbench.opt[r.key]
         local ok, why = r.validate(name, value, text)
         if not ok then
            return string.format("option --%s: the script refuses the value '%s'%s", name, text,
                                 why and ": " .. tostring(why) or "")
         end
      end
   end
end

local function is_callable(f)
   local meta = type(f) == "table" and getmetatable(f)
   return type(f) == "function" or type(meta) == "table" and meta.__call ~= nil
end

local function declared(name)
   return type(cmdline.commands) == "table" and cmdline.commands[name] or nil
end

local function command(name)
   local c = declared(name)
   return type(c) == "table" and is_callable(c[1]) and c or nil
end

function declare.command_defined(name)
   return command(name) ~= nil
end

function declare.command_parallel(name)
   local c = command(name)
   return c ~= nil and c[2] == cmdline.PARALLEL_COMMAND
end

function declare.kind(name)
   if not command(name) then
      if declared(name) ~= nil and not given.as_sysbench then
         error("the command '" .. name .. "' must be declared as {function}", 0)
      end
      return 0
   end
   return declare.command_parallel(name) and 2 or 1
end

function declare.call_command(name)
   local c = command(name)
   if not c then
      error("there is no command '" .. tostring(name) .. "'", 0)
   end
   return c[1]()
end

function declare.read_cmdline_options()
   return cmdline.options ~= nil
end

function declare.print_test_options()
   C.sb_print_test_options()
end

return declare
