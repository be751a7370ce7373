print("top level", sysbench.cmdline.command)
