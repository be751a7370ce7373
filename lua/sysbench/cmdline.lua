-- sysbench.cmdline: what a script declares about options and commands. What is
-- done with it is in sysbench/declare.lua.
return function(given)
   local cmdline = {
      argv = given.argv,
      command = given.command,
      script_path = given.script_path,
      ARG_NULL = 0,
      ARG_BOOL = 1,
      ARG_INT = 2,
      ARG_SIZE = 3,
      ARG_DOUBLE = 4,
      ARG_STRING = 5,
      ARG_LIST = 6,
      ARG_FILE = 7,
      ARG_MAX = 8,
      PARALLEL_COMMAND = true,
   }

   local later = {
      command_defined = true,
      command_parallel = true,
      call_command = true,
      read_cmdline_options = true,
      print_test_options = true,
   }

   return setmetatable(cmdline, {
      later = later,
      __index = function(t, name)
         if not later[name] then
            return nil
         end
         local f = require("sysbench.declare")[name]
         rawset(t, name, f)
         return f
      end,
   })
end
