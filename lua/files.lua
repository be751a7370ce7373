-- files by name: create, append, read, flush, delete
return sysbench.primitive("files")
