-- lock, yield, unlock: the scheduler under contention
return sysbench.primitive("threads")
