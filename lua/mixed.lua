-- computing and reading in turn, as servers do: some primes, then random blocks
--
-- Prepare the files first: sbench mixed prepare; sbench mixed run; sbench mixed
-- cleanup. "cpu.primes" and "read" have latencies of their own in the result.
local from = require("sbench.bounds").from

sysbench.cmdline.options = {
   mixed_primes = { "limit of the primes of one event", 2000, sysbench.cmdline.ARG_INT,
                    from(0, 2147483647) },
   mixed_reads = { "random blocks read by one event", 1, sysbench.cmdline.ARG_INT, from(0) },
}

local cpu = sysbench.primitive("cpu")
local io = sysbench.primitive("fileio", { ["file-num"] = 4, ["file-total-size"] = "64M" })

local max, reads

prepare, cleanup = io.prepare, io.cleanup

function thread_init()
   max, reads = sysbench.opt.mixed_primes, sysbench.opt.mixed_reads
end

function event()
   cpu.primes(max)
   for _ = 1, reads do
      io.read()
   end
end
