-- primes by trial division: integer division and its compiler
return sysbench.primitive("cpu")
