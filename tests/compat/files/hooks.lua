local ffi = require("ffi")
ffi.cdef("int usleep(unsigned int);")
function event() ffi.C.usleep(10000) end
function sysbench.hooks.report_intermediate(stat)
   print(string.format("[ %.0fs ] intermediate %d %.2f", stat.time_total, stat.threads_running, stat.latency_pct))
end
function sysbench.hooks.report_cumulative(stat)
   print(string.format("cumulative %d %.2f %.2f", stat.threads_running, stat.latency_min, stat.latency_max))
end
