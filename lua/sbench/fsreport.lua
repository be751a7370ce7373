-- What the cells of a comparison say: a summary (plain values, saved as JSON) and its
-- text. The report is computed from the cells' records alone.

local json = require("sbench.json")
local plan = require("sbench.fsplan")
local state = require("sbench.fsstate")
local stats = require("sbench.stats")

local report = {}

-- ---- summary ----

local function values_of(records, test, target)
   local list = {}
   for _, r in ipairs(records) do
      if r.test == test and r.target == target then list[#list + 1] = r.value end
   end
   return list
end

-- Log ratios of target to base, by block; a pair is the two of one half of a block.
local function paired_logs(records, test, base, target)
   local cells, blocks, order = {}, {}, {}
   for _, r in ipairs(records) do
      if r.test == test then
         local key = r.block .. "/" .. r.half
         cells[key] = cells[key] or {block = r.block}
         cells[key][r.target] = r.value
         order[#order + 1] = not cells[key].listed and key or nil
         cells[key].listed = true
      end
   end
   local by_number = {}
   for _, key in ipairs(order) do
      local pair = cells[key]
      if pair[base] and pair[target] then
         if not by_number[pair.block] then
            by_number[pair.block] = {}
            blocks[#blocks + 1] = by_number[pair.block]
         end
         table.insert(by_number[pair.block], math.log(pair[target] / pair[base]))
      end
   end
   return blocks
end

local function device_sums(records, test, target)
   local sum = {cells = 0, write_ops = 0, write_bytes = 0, read_ops = 0, read_bytes = 0,
      flushes = 0, app_write_bytes = 0, app_read_bytes = 0}
   for _, r in ipairs(records) do
      if r.test == test and r.target == target and r.device then
         sum.cells = sum.cells + 1
         sum.write_ops = sum.write_ops + r.device.writes
         sum.write_bytes = sum.write_bytes + r.device.write_sectors * 512
         sum.read_ops = sum.read_ops + r.device.reads
         sum.read_bytes = sum.read_bytes + r.device.read_sectors * 512
         sum.flushes = sum.flushes + r.device.flushes
         sum.app_write_bytes = sum.app_write_bytes + r.app_write_bytes
         sum.app_read_bytes = sum.app_read_bytes + r.app_read_bytes
      end
   end
   return sum.cells > 0 and sum or nil
end

local function side(records, test, target)
   local list = values_of(records, test, target)
   if #list == 0 then return nil end
   local median = stats.median(list)
   return {
      n = #list, median = median, least = stats.quantile(list, 0), most = stats.quantile(list, 1),
      -- scaled so that it estimates the standard deviation of normal values
      spread = 1.4826 * stats.mad(list) / median, outliers = #stats.outliers(list),
      device = device_sums(records, test, target),
   }
end

-- Why numbers must not be compared at all; nil when they may.
local function incomparable(base, target)
   if base.place == "dir" ~= (target.place == "dir") then
      return "one was freshly formatted, the other was not"
   end
   if base.virtual ~= target.virtual then return "one disk is virtual, the other is not" end
   return nil
end

local function of_two(records, test, a, b)
   local list = {}
   for _, r in ipairs(records) do
      if r.test == test and (r.target == a or r.target == b) then list[#list + 1] = r end
   end
   return list
end

local function compare(p, records, test, target)
   local base = p.targets[1]
   local r = stats.paired(paired_logs(records, test.name, base.name, target.name), p.seed)
   if not r then return nil end
   r.target, r.base = target.name, base.name
   r.verdict, r.pairs_wanted = stats.verdict(r, p.noise)
   local why = incomparable(base, target)
      or state.unfair(of_two(records, test.name, base.name, target.name))
   if why then r.verdict, r.why, r.pairs_wanted = "not comparable", why, nil end
   return r
end

function report.summary(p, records, complete)
   local tests = {}
   for i, test in ipairs(p.tests) do
      local sides, comparisons = {}, {}
      for _, target in ipairs(p.targets) do
         sides[target.name] = side(records, test.name, target.name)
         if target ~= p.targets[1] then
            comparisons[#comparisons + 1] = compare(p, records, test, target)
         end
      end
      tests[i] = {
         name = test.name, about = test.about, unit = test.unit, sides = sides,
         comparisons = comparisons,
      }
   end
   return {
      schema = "sbench-fscompare/1", complete = complete, cells = #records, planned = #p.cells,
      blocks = p.blocks, seed = p.seed, order = plan.order_words(p.order), noise = p.noise,
      tests = tests, plan = plan.record(p), notes = p.notes,
   }
end

-- ---- text ----

-- Three digits are more than a disk repeats.
function report.figure(x)
   if x >= 100 then return string.format("%.0f", x) end
   return string.format(x >= 10 and "%.1f" or "%.2f", x)
end

local figure = report.figure

local function percent(x)
   return string.format("%.0f%%", x * 100)
end

-- Rows of words as columns; the first row is the head.
local function columns(rows)
   local widths, lines = {}, {}
   for _, row in ipairs(rows) do
      for i, word in ipairs(row) do
         widths[i] = math.max(widths[i] or 0, #word:gsub("[\128-\191]", ""))
      end
   end
   for n, row in ipairs(rows) do
      local parts = {}
      for i, word in ipairs(row) do
         parts[i] = word .. (" "):rep(widths[i] - #word:gsub("[\128-\191]", ""))
      end
      lines[n] = ("  " .. table.concat(parts, "  ")):gsub("%s+$", "")
   end
   return lines
end

-- Two decimals, unless they would all be zero.
local function times(x)
   return string.format(x < 0.095 and "%.2g" or x < 99.5 and "%.2f" or "%.0f", x)
end

local function interval(c)
   if c.lo then return times(c.ratio) .. " [" .. times(c.lo) .. ", " .. times(c.hi) .. "]" end
   return times(c.ratio) .. " (" .. times(c.least) .. " to " .. times(c.most) .. ")"
end

local function verdict(c, noise)
   if c.verdict == "same" then return "same (within ±" .. percent(noise) .. ")" end
   if c.verdict == "unclear" then
      return string.format("unclear (need n≥%d)", c.pairs_wanted)
   end
   if c.why then return c.verdict .. " (" .. c.why .. ")" end
   return c.verdict
end

local function value_text(s)
   return s and (figure(s.median) .. " ±" .. percent(s.spread)) or "-"
end

local function value_table(p, summary)
   local base, rows = p.targets[1].name, {}
   for _, target in ipairs(p.targets) do
      if target.name ~= base then
         rows[#rows + 1] = {"test", "unit", base, target.name, target.name .. "/" .. base, "p",
            "verdict"}
         for _, test in ipairs(summary.tests) do
            for _, c in ipairs(test.comparisons) do
               if c.target == target.name then
                  rows[#rows + 1] = {test.name, test.unit, value_text(test.sides[base]),
                     value_text(test.sides[target.name]), interval(c),
                     string.format("%.3f", c.p), verdict(c, summary.noise)}
               end
            end
         end
      end
   end
   return columns(rows)
end

local function ratio_text(device_bytes, app_bytes)
   return app_bytes > 0 and string.format("%.2f", device_bytes / app_bytes) or "-"
end

local function device_table(p, summary)
   local rows = {{"test", "file system", "write ops", "flushes", "MiB written",
      "written/app byte", "read ops", "read/app byte"}}
   for _, test in ipairs(summary.tests) do
      for _, target in ipairs(p.targets) do
         local s = test.sides[target.name]
         local d = s and s.device
         if d then
            rows[#rows + 1] = {test.name, target.name,
               string.format("%.0f", d.write_ops / d.cells),
               string.format("%.0f", d.flushes / d.cells),
               figure(d.write_bytes / d.cells / 2 ^ 20),
               ratio_text(d.write_bytes, d.app_write_bytes),
               string.format("%.0f", d.read_ops / d.cells),
               ratio_text(d.read_bytes, d.app_read_bytes)}
         end
      end
   end
   return #rows > 1 and columns(rows) or {}
end

-- Profiles that these file systems have and this comparison does not use.
function report.not_run(p)
   local used, others, seen = {}, {}, {}
   for _, t in ipairs(p.targets) do used[t.profile.name] = true end
   for _, t in ipairs(p.targets) do
      for _, name in ipairs(t.place ~= "dir" and plan.profile_names(t.fs) or {}) do
         if not used[name] and not seen[name] then
            seen[name] = true
            others[#others + 1] = name
         end
      end
   end
   return others
end

-- Which question the figures answer, and which they do not.
local function profiles_sentence(p)
   local names, seen = {}, {}
   for _, t in ipairs(p.targets) do
      local name = t.profile.name
      if not seen[name] then names[#names + 1] = name end
      seen[name] = true
   end
   local words = string.format("This compares profile%s %s", #names > 1 and "s" or "",
      table.concat(names, " with "))
   if #names == 1 and names[1] == "as mounted" then
      return "This compares file systems as they were mounted, not profiles."
   end
   if #p.not_run == 0 then return words .. "." end
   return string.format("%s; not run: %s.", words, table.concat(p.not_run, ", "))
end

local function head(p, summary)
   local names = {}
   for i, t in ipairs(p.targets) do
      names[i] = string.format("%s (%s, %s)", t.name, t.profile.name, t.spec)
   end
   local lines = {
      table.concat(names, " against "),
      string.format("%d of %d cells, %d block%s of %s, seed %.0f, %g s each", summary.cells,
         summary.planned, p.blocks, p.blocks == 1 and "" or "s", summary.order, p.seed, p.time_s),
   }
   for _, t in ipairs(p.targets) do
      lines[#lines + 1] = string.format("%s: %s", t.name, t.disk)
   end
   return lines
end

local function foot(p, summary)
   local lines = {}
   local function add(...) lines[#lines + 1] = string.format(...) end
   add("n = %d pairs a test; value: median ±scaled median deviation; ratio: median of pairs,",
      2 * p.blocks)
   if p.blocks >= stats.MIN_BLOCKS then
      add("[95 %% interval, bootstrap over blocks]; p: exact sign-flip, uncorrected (%d tests).",
         #p.tests)
   else
      add("(smallest to largest); an interval, and so a verdict, needs --fs-blocks=%d.",
         stats.MIN_BLOCKS)
   end
   add("%s", profiles_sentence(p))
   for _, note in ipairs(summary.notes or {}) do add("%s", note) end
   if not summary.complete then add("INCOMPLETE: the comparison was stopped before its end.") end
   return lines
end

local function append(all, lines, title)
   if #lines == 0 then return end
   if #all > 0 then all[#all + 1] = "" end
   if title then all[#all + 1] = title end
   for _, line in ipairs(lines) do all[#all + 1] = line end
end

function report.text(p, summary)
   local all = {}
   append(all, head(p, summary))
   append(all, value_table(p, summary), "Speed (more is better):")
   append(all, device_table(p, summary),
      "What reached the disk, mean of a cell (from /sys/block/*/stat, with the final sync):")
   append(all, foot(p, summary))
   return table.concat(all, "\n") .. "\n"
end

-- ---- csv ----

-- What a row tells of a cell; device figures are empty where there is no disk.
local csv_columns = {
   {"number"}, {"block"}, {"half"}, {"test"}, {"target"}, {"fs"}, {"profile"}, {"started"},
   {"value"}, {"unit"}, {"app_read_bytes"}, {"app_write_bytes"},
   {"device_read_ops", "reads"}, {"device_read_bytes", "read_sectors", 512},
   {"device_write_ops", "writes"}, {"device_write_bytes", "write_sectors", 512},
   {"device_flushes", "flushes"}, {"sync_s"}, {"settled"}, {"blocks_before"},
   {"temperature_c", nil, nil, "start"},
}

local function csv_field(r, column)
   local name, counter, factor, place = column[1], column[2], column[3], column[4]
   local value = (place and r[place] or r)[name]
   if counter then value = r.device and r.device[counter] * (factor or 1) end
   if type(value) == "number" then return json.encode(value) end
   return value == nil and "" or tostring(value)
end

-- One line a cell, for a spreadsheet. No field holds a comma or a quote.
function report.csv(records)
   local lines, names = {}, {}
   for i, column in ipairs(csv_columns) do names[i] = column[1] end
   lines[1] = table.concat(names, ",")
   for _, r in ipairs(records) do
      local fields = {}
      for i, column in ipairs(csv_columns) do fields[i] = csv_field(r, column) end
      lines[#lines + 1] = table.concat(fields, ",")
   end
   return table.concat(lines, "\n") .. "\n"
end

return report
