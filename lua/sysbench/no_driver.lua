-- What every function that needs a database says. The level is that of the caller
-- to blame, as for error().
return function(what, level)
   error(what .. ": no SQL driver is built into sbench yet, so scripts that need a database " ..
         "cannot run; use sysbench for them", level + 1)
end
