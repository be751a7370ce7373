local n = 0
function event() n = n + 1 return n == 3 end
