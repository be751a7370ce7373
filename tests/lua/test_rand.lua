-- The values are those of sysbench 1.0.20 for the main thread, which it seeds the
-- same in each process.
local rand = sysbench.rand
local tests = {}

local function refused(word, f, ...)
   local ok, e = pcall(f, ...)
   assert(not ok, "accepted")
   assert(tostring(e):find(word, 1, true), e)
end

local ranged = { "default", "uniform", "gaussian", "special", "pareto", "zipfian" }

function tests.every_distribution_stays_in_its_range()
   for _, name in ipairs(ranged) do
      for _, range in ipairs({ { 5, 15 }, { -20, -10 }, { -3, 3 }, { 7, 7 }, { 0, 2 ^ 53 } }) do
         for _ = 1, 500 do
            local v = rand[name](range[1], range[2])
            assert(v >= range[1] and v <= range[2] and v % 1 == 0, name .. " gave " .. v)
         end
      end
   end
end

function tests.an_empty_range_yields_its_beginning()
   for _, name in ipairs(ranged) do
      assert(rand[name](5, 4) == 5, name)
   end
end

function tests.fractions_of_bounds_are_cut_off()
   for _ = 1, 200 do
      local v = rand.uniform(1.9, 2.9)
      assert(v == 1 or v == 2, v)
      v = rand.uniform(-1.9, -0.1)
      assert(v == -1 or v == 0, v)
   end
end

function tests.integers_of_the_ffi_are_numbers()
   local v = rand.uniform(1ULL, 5LL)
   assert(v >= 1 and v <= 5)
end

function tests.wide_ranges_are_wide()
   local above, high = 0, 2 ^ 40
   for _ = 1, 1000 do
      if rand.uniform(1, high) > 2 ^ 32 then
         above = above + 1
      end
   end
   assert(above > 980, above)
   local top = 0
   for _ = 1, 1000 do
      top = math.max(top, rand.uniform(0, 2 ^ 32 - 1))
   end
   assert(top > 2 ^ 31, top)
end

function tests.bad_bounds_are_refused()
   refused("no number from 10 to 1", rand.uniform, 10, 1)
   refused("not within 2^53", rand.gaussian, 0, 2 ^ 60)
   refused("not within 2^53", rand.uniform, 0 / 0, 5)
   refused("must be numbers, not number and nil", rand.special, 1)
   refused("must be numbers, not string and number", rand.pareto, "1", 2)
   refused("must be numbers", rand.zipfian, {}, 2)
   local _, e = pcall(function() return 1 + rand.default(10, 1) end)
   assert(e:find("test_rand.lua:%d+: sysbench.rand.default"), e)
end

function tests.shapes_are_those_of_the_names()
   local n, zero, sum, first = 20000, 0, 0, 0
   for _ = 1, n do
      zero = zero + (rand.pareto(0, 9) == 0 and 1 or 0)
      sum = sum + rand.gaussian(1, 100)
      first = first + (rand.zipfian(1, 1000) == 1 and 1 or 0)
   end
   assert(math.abs(zero / n - 0.726) < 0.02, zero / n)
   assert(math.abs(sum / n - 50) < 1.5, sum / n)
   -- theta 0.8: 1 / sum of k^-0.8 up to 1000
   local weights = 0
   for k = 1, 1000 do
      weights = weights + k ^ -0.8
   end
   assert(math.abs(first / n - 1 / weights) < 0.01, first / n)
end

function tests.unique_does_not_repeat()
   local seen = {}
   for _ = 1, 20000 do
      local v = rand.unique()
      assert(v >= 0 and v < 2 ^ 32 and not seen[v])
      seen[v] = true
   end
end

function tests.uniform_double_and_uint64()
   local d, wide = rand.uniform_double(), false
   assert(type(d) == "number" and d >= 0 and d < 1)
   for _ = 1, 100 do
      local v = rand.uniform_uint64()
      assert(type(v) == "cdata")
      wide = wide or v > 2 ^ 63
   end
   assert(wide)
end

function tests.string_replaces_two_characters()
   local s = rand.string("##-@@@ x\0#")
   assert(s:match("^%d%d%-%l%l%l x%z%d$"), s)
   assert(rand.string("") == "")
   assert(#rand.string(("#"):rep(100000)) == 100000)
   refused("must be a string, not a number", rand.string, 5)
   refused("must be a string, not a nil", rand.string)
end

function tests.varstring_has_its_lengths()
   local seen = {}
   for _ = 1, 500 do
      local s = rand.varstring(2, 4)
      seen[#s] = true
      assert(not s:find("[^0-z]"), s)
   end
   assert(seen[2] and seen[3] and seen[4] and not seen[1] and not seen[5])
   assert(rand.varstring(0, 0) == "")
   refused("are not lengths", rand.varstring, 5, 2)
   refused("are not lengths", rand.varstring, -1, 2)
   refused("are not lengths", rand.varstring)
end

-- The C functions calculate in 32 bits whatever the form is.
function tests.c_functions_of_sysbench()
   local C = require("ffi").C
   local functions = { C.sb_rand_default, C.sb_rand_uniform, C.sb_rand_gaussian, C.sb_rand_special,
                       C.sb_rand_pareto, C.sb_rand_zipfian }
   for i, f in ipairs(functions) do
      for _ = 1, 200 do
         local v = f(5, 15)
         assert(v >= 5 and v <= 15, i)
      end
   end
   assert(C.sb_rand_uniform(0, 2 ^ 32 - 1) == 0)
   assert(C.sb_rand_unique() ~= C.sb_rand_unique())
   assert(C.sb_rand_uniform_double() < 1 and C.sb_rand_uniform_uint64() >= 0)
end

function tests.names_of_0_5_are_the_same_functions()
   local names = {
      sb_rand = "default", sb_rand_uniform = "uniform", sb_rand_gaussian = "gaussian",
      sb_rand_special = "special", sb_rand_pareto = "pareto", sb_rand_zipfian = "zipfian",
      sb_rand_str = "string",
   }
   for old, new in pairs(names) do
      assert(_G[old] == rand[new], old)
   end
   local v = sb_rnd()
   assert(type(v) == "number" and v >= 0 and v < 2 ^ 32)
   for _ = 1, 5 do
      v = sb_rand_uniq(1, 100000000)
      assert(v >= 1 and v <= 100000000)
   end
   assert(sb_rand_uniq() ~= sb_rand_uniq())
   refused("no numbers of 32 bits", sb_rand_uniq, 5, 4)
end

return tests
