-- A default of its own for a general option, which sysbench shows and does not follow.
sysbench.cmdline.options = { threads = { "threads", 3 } }

function event()
   print("threads", sysbench.opt.threads)
   return true
end
