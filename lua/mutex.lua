-- many short critical sections on randomly chosen locks
return sysbench.primitive("mutex")
