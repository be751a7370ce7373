-- An option of the type ARG_FILE.
sysbench.cmdline.options = { path = { "a file", "/etc/hostname", sysbench.cmdline.ARG_FILE } }

function event()
   print("path", sysbench.opt.path)
   return true
end
