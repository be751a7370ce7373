-- Checks of numbers for the options of scenarios, the fourth value of a declaration.
local bounds = {}

-- The value must be `least` or more, and `most` at most if that is given.
function bounds.from(least, most)
   return function(name)
      local value = sysbench.opt[(name:gsub("-", "_"))]
      if value >= least and (not most or value <= most) then
         return true
      end
      return false, most and string.format("it must be from %.14g to %.14g", least, most) or
         string.format("it must be %.14g or more", least)
   end
end

return bounds
