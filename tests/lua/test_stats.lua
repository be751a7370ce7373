-- Statistics against values known from theory, tables or hand calculation.

local stats = require("sbench.stats")

local tests = {}

local function near(got, want, tolerance)
   if math.abs(got - want) > (tolerance or 1e-9) then
      error(string.format("got %.12g instead of %.12g", got, want), 2)
   end
end

function tests.quantiles_interpolate()
   near(stats.median({3, 1, 2}), 2)
   near(stats.median({4, 1, 3, 2}), 2.5)
   near(stats.quantile({1, 2, 3, 4, 5}, 0.25), 2)
   near(stats.quantile({10, 20, 30, 40}, 0.9), 37) -- R: quantile(c(10,20,30,40), .9)
   near(stats.quantile({7}, 0.99), 7)
   near(stats.quantile({1, 2}, 1), 2)
   assert(stats.median({}) == nil)
end

function tests.quantile_leaves_the_list_alone()
   local list = {3, 1, 2}
   stats.quantile(list, 0.5)
   assert(list[1] == 3 and list[2] == 1 and list[3] == 2)
end

function tests.spread_and_means()
   near(stats.mad({1, 1, 2, 2, 4, 6, 9}), 1)
   near(stats.mean({1, 2, 6}), 3)
   near(stats.geomean({1, 100}), 10)
end

function tests.outliers_are_found_not_removed()
   local list = {10, 11, 10, 12, 11, 10, 50}
   local found = stats.outliers(list)
   assert(#found == 1 and found[1] == 7)
   assert(#list == 7)
   assert(#stats.outliers({1, 2, 3, 4}) == 0)
end

function tests.random_numbers_follow_their_seed()
   local a, b, c = stats.rng(7), stats.rng(7), stats.rng(8)
   local same, other = true, false
   for _ = 1, 100 do
      local x, y, z = a:unit(), b:unit(), c:unit()
      assert(x > 0 and x < 1)
      same, other = same and x == y, other or x ~= z
   end
   assert(same and other)
end

function tests.random_numbers_are_even()
   local rng, counts, n = stats.rng(1), {0, 0, 0, 0, 0, 0}, 60000
   for _ = 1, n do
      local k = rng:index(6)
      counts[k] = counts[k] + 1
   end
   local chi2 = 0
   for k = 1, 6 do chi2 = chi2 + (counts[k] - n / 6) ^ 2 / (n / 6) end
   assert(chi2 < 20.5, chi2) -- 5 degrees of freedom, p = 0.001
end

function tests.shuffle_keeps_all()
   local list = stats.rng(3):shuffle({1, 2, 3, 4, 5})
   table.sort(list)
   assert(table.concat(list) == "12345")
end

-- The mean's bootstrap interval has nearly the textbook width: 1.96 s / sqrt(n).
function tests.bootstrap_width_of_a_mean()
   local rng, blocks = stats.rng(5), {}
   for i = 1, 200 do blocks[i] = {rng:unit()} end
   local lo, hi = stats.bootstrap(blocks, stats.mean, {seed = 2})
   local theory = 2 * 1.96 * math.sqrt(1 / 12) / math.sqrt(200)
   near((hi - lo) / theory, 1, 0.2)
   assert(lo < 0.55 and hi > 0.45)
end

function tests.bootstrap_draws_whole_blocks()
   -- within a block the values cancel: no draw of blocks can give another mean
   local lo, hi = stats.bootstrap({{1, -1}, {2, -2}, {5, -5}}, stats.mean, {rounds = 200})
   near(lo, 0)
   near(hi, 0)
end

function tests.bootstrap_is_repeatable()
   local blocks = {{1, 2}, {3, 4}, {2, 6}}
   local a, b = stats.bootstrap(blocks, stats.median, {seed = 9})
   local c, d = stats.bootstrap(blocks, stats.median, {seed = 9})
   assert(a == c and b == d and a <= b)
end

function tests.sign_flip_is_exact()
   near(stats.sign_flip_p({1, 2, 3, 4, 5, 6}), 2 / 64) -- the least that 6 pairs can give
   near(stats.sign_flip_p({1, 2}), 2 / 4)
   -- 3 - 1: sums of the 4 changes are 2, 4, -4, -2 and the same with their signs
   near(stats.sign_flip_p({3, -1}), 1)
   near(stats.sign_flip_p({1, 1, 1, -1}), 10 / 16)
   near(stats.sign_flip_p({0, 0}), 1)
end

function tests.sign_flip_of_many_pairs()
   local strong, none = {}, {}
   for i = 1, 30 do
      strong[i] = 1 + i / 100
      none[i] = i % 2 == 0 and 1 or -1
   end
   assert(stats.sign_flip_p(strong, 1) < 0.001)
   near(stats.sign_flip_p(none, 1), 1, 1e-9)
end

function tests.mann_whitney_exact()
   local u, p = stats.mann_whitney({1, 2, 3}, {4, 5, 6})
   near(u, 0)
   near(p, 2 / 20)
   u, p = stats.mann_whitney({5, 6, 7, 8}, {1, 2, 3, 4})
   near(u, 16)
   near(p, 2 / 70)
   -- U = 3 of 9: P(U <= 3) = 7/20 from the counts 1 1 2 3 3 3 3 2 1 1
   u, p = stats.mann_whitney({1, 4, 5}, {2, 3, 6})
   near(u, 4)
   near(p, 1)
   u, p = stats.mann_whitney({1, 3, 5}, {2, 4, 6})
   near(u, 3)
   near(p, 0.7)
end

-- By hand: ties 2,2 / 3,3 / 4,4,4, so that the variance is 25/12 (11 - 36/90).
function tests.mann_whitney_with_ties()
   local u, p = stats.mann_whitney({1, 2, 2, 3, 4}, {3, 4, 4, 5, 6})
   near(u, 2.5)
   local variance = 25 / 12 * (11 - (6 + 6 + 24) / 90)
   local z = (12.5 - 2.5 - 0.5) / math.sqrt(variance)
   near(z, 2.0217, 1e-3)
   near(p, 0.0432, 1e-4) -- two-sided tail of the normal distribution at that z
end

function tests.mann_whitney_of_equal_values()
   local _, p = stats.mann_whitney({1, 1, 1}, {1, 1, 1})
   near(p, 1)
end

local function blocks_of(values)
   local blocks = {}
   for i, pair in ipairs(values) do blocks[i] = {math.log(pair[1]), math.log(pair[2])} end
   return blocks
end

function tests.few_blocks_have_no_interval()
   local r = stats.paired(blocks_of({{1.9, 2.1}, {2.0, 2.2}}), 1)
   assert(r.pairs == 4 and r.blocks == 2 and r.lo == nil)
   near(r.least, 1.9)
   near(r.most, 2.2)
   near(r.ratio, math.sqrt(2.0 * 2.1)) -- the median of logs lies between the middle two
   local word, wanted = stats.verdict(r, 0.05)
   assert(word == "unclear" and wanted == 6)
   assert(stats.paired({}, 1) == nil)
end

function tests.verdicts()
   local cases = {
      {{{1.9, 2.1}, {2.0, 2.2}, {1.95, 2.05}}, "faster"},
      {{{0.5, 0.52}, {0.49, 0.5}, {0.51, 0.5}}, "slower"},
      {{{1.00, 1.01}, {0.99, 1.0}, {1.01, 1.0}}, "same"},
      {{{1.02, 1.04}, {1.03, 1.02}, {1.03, 1.04}}, "same"}, -- differs, but within the noise
      -- each block's middle lies above 1, and so does the interval: only the exact test
      -- sees how little that means
      {{{0.7, 1.5}, {1.3, 0.8}, {1.6, 0.9}}, "unclear"},
      {{{1.04, 1.05}, {1.02, 1.10}, {1.03, 1.04}}, "unclear"}, -- above 1, the size undecided
   }
   for i, case in ipairs(cases) do
      local word = stats.verdict(stats.paired(blocks_of(case[1]), 1), 0.05)
      assert(word == case[2], "case " .. i .. ": " .. word)
   end
end

function tests.unclear_says_how_many_pairs()
   local r = stats.paired(blocks_of({{0.7, 1.5}, {1.3, 0.8}, {1.6, 0.9}}), 1)
   local word, wanted = stats.verdict(r, 0.05)
   assert(word == "unclear")
   assert(wanted > r.pairs and wanted % 2 == 0 and wanted <= 1000, wanted)
end

-- Without any difference "faster" or "slower" must be rare.
function tests.no_difference_is_seldom_called_one()
   local rng, wrong = stats.rng(11), 0
   for _ = 1, 100 do
      local blocks = {}
      for b = 1, 6 do
         blocks[b] = {}
         for i = 1, 2 do blocks[b][i] = (rng:unit() + rng:unit() + rng:unit() - 1.5) * 0.1 end
      end
      local word = stats.verdict(stats.paired(blocks, 1), 0.05)
      if word == "faster" or word == "slower" then wrong = wrong + 1 end
   end
   assert(wrong <= 8, wrong)
end

return tests
