-- passes over a block of memory, word by word
return sysbench.primitive("memory")
