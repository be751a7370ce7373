local ffi = require("ffi")
ffi.cdef("int usleep(unsigned int);")
function event(tid) ffi.C.usleep(tid == 0 and 3000000 or 100000) end
