-- What scripts of the 0.5 days call: functions behind the global names sb_... and
-- db_..., the latter also as sysbench.db. They are loaded at the first use.
local legacy = { db = {
   DB_ERROR_NONE = 0,
   DB_ERROR_RESTART_TRANSACTION = 1,
   DB_ERROR_FAILED = 2,
} }

local of_database = {
   "connect", "disconnect", "query", "bulk_insert_init", "bulk_insert_next", "bulk_insert_done",
   "prepare", "bind_param", "bind_result", "execute", "store_results", "free_results", "close",
}

for _, name in ipairs(of_database) do
   legacy.db[name] = function()
      require("sysbench.no_driver")("db_" .. name .. "()", 2)
   end
   legacy["db_" .. name] = legacy.db[name]
end

local rand = sysbench.rand

legacy.sb_rand = rand.default
legacy.sb_rand_uniform = rand.uniform
legacy.sb_rand_gaussian = rand.gaussian
legacy.sb_rand_special = rand.special
legacy.sb_rand_pareto = rand.pareto
legacy.sb_rand_zipfian = rand.zipfian
legacy.sb_rand_str = rand.string

-- A number of 32 bits.
function legacy.sb_rnd()
   return tonumber(bit.band(rand.uniform_uint64(), 0xffffffffULL))
end

-- A number in [a, b] that has not been drawn before.
function legacy.sb_rand_uniq(a, b)
   local low, high = a or 0, b or 2 ^ 32 - 1
   if not (low <= high and low < 2 ^ 32 and high >= 0) then
      error(string.format("sb_rand_uniq: there are no numbers of 32 bits from %s to %s",
                          tostring(a), tostring(b)), 2)
   end
   local n
   repeat
      n = rand.unique()
   until n >= low and n <= high
   return n
end

return legacy
