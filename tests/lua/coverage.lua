-- Every function that scripts may call stands in docs/lua-api.md and is called by
-- a test: those of the table sysbench, of the objects that it makes, callbacks and
-- hooks, and the C functions of engine/script/abi*.h. Prints TAP.
local parts = {}
for _, name in ipairs({ "cpu", "memory", "threads", "mutex", "fileio", "files", "null" }) do
   parts[name] = sysbench.primitive(name)
end

local function read(path)
   local f = assert(io.open(path))
   local text = f:read("*a")
   f:close()
   return text
end

local function read_all(where, but)
   local texts = {}
   local list = io.popen("find " .. where .. " -type f")
   for path in list:lines() do
      if not path:find(but, 1, true) then
         texts[#texts + 1] = read(path)
      end
   end
   list:close()
   assert(#texts > 0, where)
   return table.concat(texts, "\n")
end

-- --- what there is -------------------------------------------------------------

local found = {}

local function add(name)
   found[#found + 1] = name
end

local function walk(prefix, t, separator)
   for name, value in pairs(t) do
      local full = prefix .. (separator or ".") .. tostring(name)
      if type(value) == "function" or type(value) == "cdata" then
         add(full)
      elseif type(value) == "table" and tostring(name):sub(1, 2) ~= "__" and value ~= t then
         walk(full, value)
      end
   end
end

local function add_sysbench()
   for name in pairs(getmetatable(sysbench).parts) do
      assert(sysbench[name] ~= nil, name) -- loads it
   end
   for name in pairs(getmetatable(sysbench.cmdline).later) do
      assert(sysbench.cmdline[name] ~= nil, name)
   end
   local commands, options = sysbench.cmdline.commands, sysbench.cmdline.options
   local opt, primitive = sysbench.opt, sysbench.primitive
   sysbench.cmdline.commands, sysbench.cmdline.options, sysbench.opt = nil, nil, false
   walk("sysbench", sysbench)
   sysbench.cmdline.commands, sysbench.cmdline.options, sysbench.opt = commands, options, opt
   assert(primitive)
end

local function add_objects()
   local methods = {
      counter = getmetatable(sysbench.counter("x")).__index,
      latency = getmetatable(sysbench.latency("x")).__index,
      histogram = { update = print, print = print },
   }
   for object, members in pairs(methods) do
      walk(object, members, ":")
   end
   for name, part in pairs(parts) do
      walk(name, part)
   end
   for _, name in ipairs({ "write", "read", "fsync", "fdatasync", "close" }) do
      add("file:" .. name) -- of what files.open returns
   end
end

local called_by_engine = {
   "init", "thread_init", "event", "thread_done", "done", "prepare", "cleanup", "help",
   "thread_run", "sysbench.hooks.report_intermediate", "sysbench.hooks.report_cumulative",
   "sysbench.hooks.before_restart_event",
}

local legacy = {
   "sb_rand", "sb_rand_uniform", "sb_rand_gaussian", "sb_rand_special", "sb_rand_pareto",
   "sb_rand_zipfian", "sb_rand_str", "sb_rand_uniq", "sb_rnd",
}

local function add_c_functions()
   local C, i, headers = ffi.C, 0, 0
   while C.sb_embedded_path(i) ~= nil do
      local path = ffi.string(C.sb_embedded_path(i))
      if path:find("^engine/script/abi") then
         headers = headers + 1
         local text = ffi.string(C.sb_embedded(path)):gsub("/%*.-%*/", "")
         for name in text:gmatch("%f[%w_](sb_[%w_]+)%(") do
            add(name)
         end
      end
      i = i + 1
   end
   assert(headers > 3)
end

-- --- where it must be --------------------------------------------------------------

local function escaped(name)
   return (name:gsub("%p", "%%%0"))
end

local function documented(docs, name)
   return docs:find("`" .. name .. "(", 1, true) ~= nil
end

-- A method or a member of a table is called by its last name.
local function tested(tests, library, name)
   local last = name:match("([%w_]+)$")
   if name:find("^sb_") then
      return tests:find("%f[%w_]" .. last .. "%f[^%w_]") ~= nil
         or library:find("C%." .. last .. "%f[^%w_]") ~= nil
   end
   local owner = name:match("([%w_]+)[.:][%w_]+$")
   return tests:find(escaped(name) .. "%f[^%w_]") ~= nil
      or tests:find("[.:]" .. last .. "%f[^%w_]") ~= nil
      or tests:find('"' .. last .. '"', 1, true) ~= nil
      or owner == nil and tests:find("function " .. last .. "%(") ~= nil
end

local function check()
   add_sysbench()
   add_objects()
   add_c_functions()
   for _, list in ipairs({ called_by_engine, legacy }) do
      for _, name in ipairs(list) do
         add(name)
      end
   end
   table.sort(found)
   local docs = read("docs/lua-api.md")
   local tests = read_all("tests/lua tests/cli tests/unit tests/compat", "coverage.lua")
   local library = read_all("lua", "no such file")
   local lines, failed = {}, 0
   for _, name in ipairs(found) do
      for what, ok in pairs({ documented = documented(docs, name),
                              tested = tested(tests, library, name) }) do
         lines[#lines + 1] = string.format("%sok %d - %s is %s", ok and "" or "not ", #lines + 1,
                                           name, what)
         failed = failed + (ok and 0 or 1)
      end
   end
   print("1.." .. #lines)
   print(table.concat(lines, "\n"))
   return failed == 0
end

sysbench.cmdline.commands = { check = { check } }
