-- Statistics of a comparison. What is resampled is always a complete cell or block,
-- never single requests; every random number comes from a seed, so that a report can
-- be computed again from its files.

local stats = {}

-- ---- random numbers: L'Ecuyer's combined generator, exact in doubles ----

local Rng = {}
Rng.__index = Rng

local M1, M2 = 2147483563, 2147483399

function stats.rng(seed)
   seed = math.floor(seed) % 2 ^ 31
   local rng = setmetatable({s1 = seed % (M1 - 1) + 1, s2 = (seed * 7 + 12345) % (M2 - 1) + 1}, Rng)
   for _ = 1, 10 do rng:unit() end -- neighbouring seeds begin alike
   return rng
end

-- In (0, 1).
function Rng:unit()
   self.s1 = 40014 * self.s1 % M1
   self.s2 = 40692 * self.s2 % M2
   local z = self.s1 - self.s2
   if z < 1 then z = z + M1 - 1 end
   return z / M1
end

-- A whole number from 1 to n.
function Rng:index(n)
   return math.min(n, math.floor(self:unit() * n) + 1)
end

-- Shuffles list in place and returns it.
function Rng:shuffle(list)
   for i = #list, 2, -1 do
      local j = self:index(i)
      list[i], list[j] = list[j], list[i]
   end
   return list
end

-- ---- one sample ----

local function sorted(list)
   local copy = {}
   for i, x in ipairs(list) do copy[i] = x end
   table.sort(copy)
   return copy
end

-- Linear interpolation between order statistics (type 7 of Hyndman and Fan).
function stats.quantile(list, q)
   local s = sorted(list)
   if #s == 0 then return nil end
   local h = (#s - 1) * q + 1
   local low = math.floor(h)
   return s[low] + (h - low) * ((s[low + 1] or s[low]) - s[low])
end

function stats.median(list)
   return stats.quantile(list, 0.5)
end

function stats.mean(list)
   local sum = 0
   for _, x in ipairs(list) do sum = sum + x end
   return sum / #list
end

-- Median absolute deviation from the median, unscaled.
function stats.mad(list)
   local m, away = stats.median(list), {}
   for i, x in ipairs(list) do away[i] = math.abs(x - m) end
   return stats.median(away)
end

function stats.geomean(list)
   local logs = {}
   for i, x in ipairs(list) do logs[i] = math.log(x) end
   return math.exp(stats.mean(logs))
end

-- Values beyond Tukey's outer fences, as indices: they are flagged, never dropped.
function stats.outliers(list, fence)
   local q1, q3 = stats.quantile(list, 0.25), stats.quantile(list, 0.75)
   local found, reach = {}, (fence or 3) * (q3 - q1)
   for i, x in ipairs(list) do
      if x < q1 - reach or x > q3 + reach then found[#found + 1] = i end
   end
   return found
end

-- ---- intervals ----

local function resample(blocks, rng)
   local all = {}
   for _ = 1, #blocks do
      for _, x in ipairs(blocks[rng:index(#blocks)]) do all[#all + 1] = x end
   end
   return all
end

-- Percentile interval of statistic over whole blocks drawn with replacement.
-- blocks: a list of lists. options: rounds (2000), level (0.95), seed (1).
function stats.bootstrap(blocks, statistic, options)
   options = options or {}
   local rng, values = stats.rng(options.seed or 1), {}
   for i = 1, options.rounds or 2000 do values[i] = statistic(resample(blocks, rng)) end
   local tail = (1 - (options.level or 0.95)) / 2
   return stats.quantile(values, tail), stats.quantile(values, 1 - tail)
end

-- ---- tests ----

local function signed_sum(diffs, signs)
   local sum = 0
   for i, d in ipairs(diffs) do
      sum = sum + (signs % 2 == 1 and -d or d)
      signs = math.floor(signs / 2)
      if i == 52 then break end
   end
   return sum
end

-- Two-sided p that the signs of paired differences are chance: exact, by all 2^n
-- changes of sign. n up to 20; beyond, 100 000 changes drawn from seed.
function stats.sign_flip_p(diffs, seed)
   local n, reached = #diffs, 0
   local limit = math.abs(signed_sum(diffs, 0)) * (1 - 1e-12)
   if n <= 20 then
      for signs = 0, 2 ^ n - 1 do
         if math.abs(signed_sum(diffs, signs)) >= limit then reached = reached + 1 end
      end
      return reached / 2 ^ n
   end
   local rng, rounds = stats.rng(seed or 1), 100000
   for _ = 1, rounds do
      local sum = 0
      for _, d in ipairs(diffs) do sum = sum + (rng:unit() < 0.5 and -d or d) end
      if math.abs(sum) >= limit then reached = reached + 1 end
   end
   return (reached + 1) / (rounds + 1)
end

-- Ranks with ties shared; the second value is the sum of t^3 - t over ties.
local function ranks_of(a, b)
   local all = {}
   for _, x in ipairs(a) do all[#all + 1] = {x = x, first = true} end
   for _, x in ipairs(b) do all[#all + 1] = {x = x} end
   table.sort(all, function(p, q) return p.x < q.x end)
   local i, ties, sum = 1, 0, 0
   while i <= #all do
      local j = i
      while all[j + 1] and all[j + 1].x == all[i].x do j = j + 1 end
      local t = j - i + 1
      ties = ties + t ^ 3 - t
      for k = i, j do
         if all[k].first then sum = sum + (i + j) / 2 end
      end
      i = j + 1
   end
   return sum, ties
end

-- How many of the C(m+n, m) orders give each U: by the usual recurrence.
local function u_counts(m, n)
   local memo = {}
   local function count(i, j, u)
      if u < 0 or u > i * j then return 0 end
      if i == 0 or j == 0 then return u == 0 and 1 or 0 end
      local key = (i * (n + 1) + j) * (m * n + 1) + u
      if not memo[key] then memo[key] = count(i - 1, j, u - j) + count(i, j - 1, u) end
      return memo[key]
   end
   local counts, total = {}, 0
   for u = 0, m * n do
      counts[u] = count(m, n, u)
      total = total + counts[u]
   end
   return counts, total
end

local function exact_u_p(u, m, n)
   local counts, total = u_counts(m, n)
   local low, sum = math.min(u, m * n - u), 0
   for k = 0, low do sum = sum + counts[k] end
   return math.min(1, 2 * sum / total)
end

-- Complementary error function (Numerical-Recipes-like rational fit, 1.2e-7).
local function erfc(x)
   local z = math.abs(x)
   local t = 1 / (1 + 0.5 * z)
   local c = {
      -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398,
      1.48851587, -0.82215223, 0.17087277,
   }
   local poly = 0
   for i = #c, 1, -1 do poly = poly * t + c[i] end
   local value = t * math.exp(-z * z + poly)
   return x >= 0 and value or 2 - value
end

-- Two-sided Mann-Whitney: U of the first sample and p, exact up to 20 values a side
-- without ties, else the normal approximation with ties and continuity corrected.
function stats.mann_whitney(a, b)
   local m, n = #a, #b
   local sum, ties = ranks_of(a, b)
   local u = sum - m * (m + 1) / 2
   if ties == 0 and m <= 20 and n <= 20 then return u, exact_u_p(u, m, n) end
   local all = m + n
   local variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)))
   if variance <= 0 then return u, 1 end
   local z = math.max(0, math.abs(u - m * n / 2) - 0.5) / math.sqrt(variance)
   return u, math.min(1, erfc(z / math.sqrt(2)))
end

-- ---- paired comparison and verdict ----

-- blocks: for each block a list of log ratios, one a pair. Returns ratio (median),
-- lo and hi (nil below 3 blocks), least and most, p and the number of pairs.
function stats.paired(blocks, seed)
   local all = {}
   for _, block in ipairs(blocks) do
      for _, x in ipairs(block) do all[#all + 1] = x end
   end
   if #all == 0 then return nil end
   local result = {
      pairs = #all, blocks = #blocks, ratio = math.exp(stats.median(all)),
      least = math.exp(stats.quantile(all, 0)), most = math.exp(stats.quantile(all, 1)),
      p = stats.sign_flip_p(all, seed),
   }
   if #blocks >= stats.MIN_BLOCKS then
      local lo, hi = stats.bootstrap(blocks, stats.median, {seed = seed})
      result.lo, result.hi = math.exp(lo), math.exp(hi)
   end
   return result
end

stats.MIN_BLOCKS = 3 -- 6 pairs: with fewer no exact test can fall below 0.05

-- About how many pairs would narrow the interval to what decides.
local function pairs_wanted(r, noise)
   local least = 2 * stats.MIN_BLOCKS
   if not r.lo then return least end
   local half = (math.log(r.hi) - math.log(r.lo)) / 2
   local need = math.max(math.log(1 + noise), math.abs(math.log(r.ratio)) / 2)
   local wanted = math.ceil(r.pairs * (half / need) ^ 2 / 2) * 2
   return math.min(1000, math.max(wanted, r.pairs + 2, least))
end

-- r as stats.paired gives it, of values where more is better; noise: what counts as
-- no difference (0.05). The word, and for "unclear" how many pairs are wanted. With
-- few blocks a bootstrap interval is too narrow, so that a difference has to pass the
-- exact test as well.
function stats.verdict(r, noise)
   if not r.lo then return "unclear", pairs_wanted(r, noise) end
   if r.lo > 1 / (1 + noise) and r.hi < 1 + noise then return "same" end
   local sure = r.p <= 0.05
   if sure and r.lo > 1 and r.ratio >= 1 + noise then return "faster" end
   if sure and r.hi < 1 and r.ratio <= 1 / (1 + noise) then return "slower" end
   return "unclear", pairs_wanted(r, noise)
end

return stats
