-- A scenario that runs a file of tests inside of the program and prints TAP. Such
-- a file returns a table of functions; one that throws has failed.
--
--   sbench tests/lua/harness.lua --file=tests/lua/test_json.lua check
sysbench.cmdline.options = {
   file = { "the file of tests", "" },
}

local function names_of(tests)
   local names = {}
   for name, test in pairs(tests) do
      if type(test) == "function" then
         names[#names + 1] = name
      end
   end
   table.sort(names)
   return names
end

local function say(lines)
   for line in (lines .. "\n"):gmatch("([^\n]*)\n") do
      io.write("# ", line, "\n")
   end
end

local function check()
   local file = sysbench.opt.file
   local group = file:match("([^/]*)%.lua$") or file
   local loaded, tests = pcall(dofile, file)
   if not loaded or type(tests) ~= "table" then
      io.write("1..1\nnot ok 1 - ", group, " can be loaded\n")
      say(loaded and "it returns no table" or tostring(tests))
      return false
   end
   local names = names_of(tests)
   local failed = 0
   io.write("1..", #names, "\n")
   for i, name in ipairs(names) do
      local ok, e = xpcall(tests[name], debug.traceback)
      io.write(ok and "ok " or "not ok ", i, " - ", group, ": ", (name:gsub("_", " ")), "\n")
      if not ok then
         failed = failed + 1
         say(tostring(e))
      end
   end
   return failed == 0
end

sysbench.cmdline.commands = { check = { check } }
