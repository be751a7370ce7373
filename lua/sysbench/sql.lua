-- sysbench.sql: the constants, and a clear word about what is not there yet.
local sql = {}

sql.type = {
   NONE = 0,
   TINYINT = 1,
   SMALLINT = 2,
   INT = 3,
   BIGINT = 4,
   FLOAT = 5,
   DOUBLE = 6,
   TIME = 7,
   DATE = 8,
   DATETIME = 9,
   TIMESTAMP = 10,
   CHAR = 11,
   VARCHAR = 12,
}

sql.error = { NONE = 0, IGNORABLE = 1, FATAL = 2 }

function sql.driver(name)
   local wanted = name or sysbench.opt and sysbench.opt.db_driver or ""
   local shown = wanted ~= "" and "'" .. wanted .. "'" or ""
   require("sysbench.no_driver")("sysbench.sql.driver(" .. shown .. ")", 2)
end

return sql
