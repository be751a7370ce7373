local ffi = require("ffi")
ffi.cdef("int usleep(unsigned int);")
function event() ffi.C.usleep(10000) end
-- In one piece each: an interval and a checkpoint may end at the same moment.
function sysbench.hooks.report_intermediate(stat)
   io.write(string.format("[ %.0fs ] intermediate %d %.2f\n", stat.time_total, stat.threads_running, stat.latency_pct))
end
function sysbench.hooks.report_cumulative(stat)
   io.write(string.format("cumulative %d %.2f %.2f\n", stat.threads_running, stat.latency_min, stat.latency_max))
end
