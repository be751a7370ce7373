sysbench.cmdline.options = {threads = {"threads", 3}}
function event() print(sysbench.opt.threads) end
