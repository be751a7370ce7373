-- reads, writes and flushes on a set of files
return sysbench.primitive("fileio")
