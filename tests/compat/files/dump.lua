local function show(v)
   return type(v) == "table" and "{" .. table.concat(v, ",") .. "}" or tostring(v)
end
function event()
   for _, name in ipairs({"threads", "events", "time", "forced_shutdown", "thread_stack_size", "rate",
      "report_interval", "report_checkpoints", "debug", "validate", "help", "version", "tx_rate",
      "max_requests", "max_time", "num_threads", "rand_type", "rand_spec_iter", "rand_spec_pct",
      "rand_spec_res", "rand_seed", "rand_pareto_h", "verbosity", "percentile", "histogram",
      "db_driver", "db_ps_mode", "db_debug", "mysql_host", "mysql_port", "mysql_socket", "mysql_user",
      "mysql_password", "mysql_db", "mysql_ssl", "pgsql_host", "pgsql_port", "config_file"}) do
      print(name, type(sysbench.opt[name]), show(sysbench.opt[name]))
   end
end
