-- an event that does nothing, to see what measuring costs
return sysbench.primitive("null")
