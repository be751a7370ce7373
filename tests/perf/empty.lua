-- An event that does nothing, and a report with all digits; it runs in sbench
-- luacheck: ignore 131
-- and in sysbench.
function event()
end

function sysbench.hooks.report_cumulative(stat)
   print(string.format("events %d\nseconds %.9f\nlatency_ms %.9f", stat.events, stat.time_total,
                       stat.latency_pct * 1000))
end
