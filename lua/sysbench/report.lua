-- Ready-made reporters for sysbench.hooks.report_intermediate and _cumulative.
-- They take the table of figures that a hook gets and print it; rates are per
-- second of the reported interval.
local report = {}

local function rates(stat)
   local seconds = stat.time_interval
   return {
      tps = stat.events / seconds,
      reads = stat.reads / seconds,
      writes = stat.writes / seconds,
      other = stat.other / seconds,
      queries = (stat.reads + stat.writes + stat.other) / seconds,
      errors = stat.errors / seconds,
      reconnects = stat.reconnects / seconds,
   }
end

function report.report_default(stat)
   local r = rates(stat)
   print(string.format("[ %.0fs ] thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) " ..
                       "lat (ms,%u%%): %4.2f err/s %4.2f reconn/s: %4.2f",
                       stat.time_total, stat.threads_running, r.tps, r.queries, r.reads, r.writes,
                       r.other, sysbench.opt.percentile, stat.latency_pct * 1000, r.errors,
                       r.reconnects))
end

function report.report_csv(stat)
   local r = rates(stat)
   print(string.format("%.0f,%u,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f,%4.2f",
                       stat.time_total, stat.threads_running, r.tps, r.queries, r.reads, r.writes,
                       r.other, stat.latency_pct * 1000, r.errors, r.reconnects))
end

local element = [[
  {
    "time": %4.0f,
    "threads": %u,
    "tps": %4.2f,
    "qps": {
      "total": %4.2f,
      "reads": %4.2f,
      "writes": %4.2f,
      "other": %4.2f
    },
    "latency": %4.2f,
    "errors": %4.2f,
    "reconnects": %4.2f
  }]]

-- Each state writes one array; it is closed when the state is.
local closer

function report.report_json(stat)
   local r = rates(stat)
   if not closer then
      closer = newproxy(true)
      getmetatable(closer).__gc = function()
         io.write("\n]\n")
      end
      io.write("[\n")
   else
      io.write(",\n")
   end
   io.write(string.format(element, stat.time_total, stat.threads_running, r.tps, r.queries, r.reads,
                          r.writes, r.other, stat.latency_pct * 1000, r.errors, r.reconnects))
end

return report
