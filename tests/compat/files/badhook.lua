local ffi = require("ffi")
ffi.cdef("int usleep(unsigned int);")
function event() ffi.C.usleep(10000) end
function sysbench.hooks.report_cumulative() error("on purpose") end
