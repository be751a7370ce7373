function event()
   print(sysbench.rand.uniform_uint64(), sysbench.rand.uniform(1, 1000000), sysbench.rand.string("##-@@"))
end
