-- memory latency: a chain of pointers in random order, each load waits for the last
--
-- The figure is nanoseconds for one load; less is better. A chain that fits a
-- cache measures that cache: try --chase-size=16K, 1M, 64M.
local from = require("sbench.bounds").from

sysbench.cmdline.options = {
   chase_size = { "bytes of the chain, one for each thread", "64M", sysbench.cmdline.ARG_SIZE,
                  from(1) },
   chase_stride = { "bytes from one pointer to the next, a cache line", 64,
                    sysbench.cmdline.ARG_INT, from(1) },
   chase_loads = { "loads of one event", 1000, sysbench.cmdline.ARG_INT, from(1) },
}

local memory = sysbench.primitive("memory")
local chain, loads

function thread_init()
   chain = memory.chain(sysbench.opt.chase_size, sysbench.opt.chase_stride)
   loads = sysbench.opt.chase_loads
end

function event()
   memory.chase(chain, loads)
end

sysbench.metric("ns_per_load", "ns", function(stat)
   local chased = stat.latencies["memory.chase"]
   return chased and chased.count > 0
      and chased.sum_ms * 1e6 / (chased.count * sysbench.opt.chase_loads) or 0
end, "lower")
