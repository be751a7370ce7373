-- The deliberate differences from sysbench 1.0.20, one for each row of docs/compat.md. Each
-- takes both sides and makes them equal in what it is about and in nothing else: what remains
-- different is a failure. It may return a complaint instead.

local D = {}

local function replace(lines, from, to)
   for i, line in ipairs(lines) do lines[i] = line:gsub(from, to) end
end

-- Takes lines that match out of a list and returns them.
local function take(lines, pattern)
   local kept, taken = {}, {}
   for _, line in ipairs(lines) do
      local list = line:find(pattern) and taken or kept
      list[#list + 1] = line
   end
   for i = 1, math.max(#lines, #kept) do lines[i] = kept[i] end
   return taken
end

D["native-banner"] = function(ref)
   replace(ref.out, "^sysbench 1%.0%.20 %(using system LuaJIT 2%.1%.0%-beta3%)$",
           "sbench 0.9.0 (speaks sysbench 1.0.20, using LuaJIT 2.1)")
end

-- What is wrong goes to standard error.
D["native-streams"] = function(ref)
   for _, level in ipairs({"FATAL", "ALERT", "WARNING"}) do
      for _, line in ipairs(take(ref.out, "^" .. level .. ": ")) do
         ref.err[#ref.err + 1] = line
      end
   end
end

D["notes"] = function(_, ours)
   take(ours.err, "^note: ")
end

D.always_10 = {"notes"}
D.always_native = {"native-banner", "native-streams", "notes"}

return D
