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

-- The level is that of the caller to blame, as for error().
function sql._refuse(what, level)
   error(what .. ": no SQL driver is built into sbench yet, so scripts that need a database " ..
         "cannot run; use sysbench for them", level + 1)
end

function sql.driver(name)
   local wanted = name or sysbench.opt and sysbench.opt.db_driver or ""
   sql._refuse("sysbench.sql.driver(" .. (wanted ~= "" and "'" .. wanted .. "'" or "") .. ")", 2)
end

return sql
