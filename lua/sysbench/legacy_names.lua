-- Global names of sysbench 0.5, for scripts of its days. Its functions are made
-- when one is used, so that no other script pays for them.
return function(given)
   local G = _G
   G.thread_id = given.tid
   G.test = given.script_path
   G.DB_ERROR_NONE = 0
   G.DB_ERROR_RESTART_TRANSACTION = 1
   G.DB_ERROR_FAILED = 2
   G.mysql_table_engine = "innodb"
   G.myisam_max_rows = 1000000

   local set = setmetatable
   set(G, {
      __index = function(globals, name)
         local value
         if type(name) == "string" and (name:find("^sb_") or name:find("^db_")) then
            value = require("sysbench.legacy")[name]
         end
         if value == nil and given.globals_known then
            value = given.option(name)
         end
         if value ~= nil then
            rawset(globals, name, value)
         end
         return value
      end,
   })

   -- A script that gives the globals a metatable of its own, to find misspelt names, gets
   -- them all before.
   function G.setmetatable(t, meta)
      if t == G then
         for name, f in pairs(require("sysbench.legacy")) do
            if type(f) == "function" and rawget(G, name) == nil then
               rawset(G, name, f)
            end
         end
         given.own_metatable = true
      end
      return set(t, meta)
   end
end
