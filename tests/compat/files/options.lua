sysbench.cmdline.options = {
   number = {"a number", 10},
   size = {"a size", "4K", sysbench.cmdline.ARG_SIZE},
   int = {"a whole number", 3, sysbench.cmdline.ARG_INT},
   word = {"a word", "abc"},
   flag = {"a switch", false},
   on = {"a switch that is on", true},
   list = {"a list", {"x", "y"}},
   real = {"a fraction", 3.14, sysbench.cmdline.ARG_DOUBLE},
   none = {"without default"},
}
function event()
   local o = sysbench.opt
   print(o.number, o.size, o.int, o.word, o.flag, o.on, table.concat(o.list or {"nil"}, "+"), o.real, o.none)
end
