-- sysbench.metric(name, unit, value [, better]): a figure of the script's own,
-- computed at the end of a run and shown in the text and the JSON result.
--
-- value is a function of the cumulative stat table, which here also has
-- stat.counters[name] and stat.latencies[name] (count, min_ms, avg_ms, max_ms,
-- sum_ms). better is "higher" (the default) or "lower".
local declared, order = {}, {}

local function metric(name, unit, value, better)
   if type(name) ~= "string" or not name:match("^[%a_][%w_.]*$") then
      error("sysbench.metric: the name must be of letters, digits, _ and .", 2)
   end
   if type(unit) ~= "string" then
      error("sysbench.metric '" .. name .. "': the unit must be a string", 2)
   end
   if type(value) ~= "function" then
      error("sysbench.metric '" .. name .. "': a function that computes it is needed", 2)
   end
   if better ~= nil and better ~= "higher" and better ~= "lower" then
      error("sysbench.metric '" .. name .. "': better is \"higher\" or \"lower\"", 2)
   end
   if not declared[name] then
      order[#order + 1] = name
   end
   declared[name] = { name = name, unit = unit, compute = value, lower = better == "lower" }
end

local function evaluate(stat)
   local values = {}
   for i, name in ipairs(order) do
      local m = declared[name]
      values[i] = { name = name, unit = m.unit, lower = m.lower, value = m.compute(stat) }
      if type(values[i].value) ~= "number" then
         error("metric '" .. name .. "': its function gave " .. tostring(values[i].value) ..
               " instead of a number", 0)
      end
   end
   return values
end

return { metric = metric, evaluate = evaluate }
