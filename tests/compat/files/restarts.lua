local n = 0
function event()
   n = n + 1
   if n % 2 == 1 then error({errcode = sysbench.error.RESTART_EVENT}) end
end
