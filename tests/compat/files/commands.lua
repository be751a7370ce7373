sysbench.cmdline.commands = {
   hello = {function() print("hello") end},
   parallel = {function() io.write("parallel\n") end, sysbench.cmdline.PARALLEL_COMMAND},
   prepare = {function() print("own prepare") end},
   run = {function() print("own run") end},
   fails = {function() error("on purpose") end},
   ["says-no"] = {function() return false end},
   nothing = {},
}
