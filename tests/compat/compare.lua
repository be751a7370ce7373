-- Compares what sysbench and sbench did with the same command line.
--
--    lua compare.lua DIRECTORY IDS COMMAND
--
-- DIRECTORY holds ref.out, ref.err, ref.status of sysbench, and the same of sbench called
-- `sysbench` (10.*) and by its own name (native.*). IDS are the rows of docs/compat.md that
-- this command line shows, "ID" for both forms, "ID@1.0" or "ID@native" for one. Prints
-- "used ID" for each difference met and "FORM: TEXT" for what nothing explains; the exit status
-- is 0 if there is none of these.
--
-- What is compared: exit status, stream, order, labels, and the format of each number. What is
-- not: the digits, and the wording of messages and of help texts, which are our own; both must
-- name the same words of the command line.

local here = arg[0]:match("^(.*)/") or "."
local differences = dofile(here .. "/differences.lua")
local dir, ids, command = arg[1], arg[2], arg[3]

local function read(path)
   local f = assert(io.open(path))
   local text = f:read("*a")
   f:close()
   return text
end

local function lines_of(text)
   local lines = {}
   for line in text:gmatch("([^\n]*)\n?") do lines[#lines + 1] = line end
   lines[#lines] = nil -- what follows the last line feed
   return lines
end

-- {status = "0", out = {lines}, err = {lines}, all_err = text with the notes}
local function load(form)
   local base = dir .. "/" .. form
   local status = read(base .. ".status"):gsub("\n$", "")
   local err = read(base .. ".err")
   return {
      status = status, out = lines_of(read(base .. ".out")), err = lines_of(err), all_err = err,
      command = command,
   }
end

-- --- What both sides are reduced to -------------------------------------------------------------

local LEVEL = {FATAL = true, ALERT = true, WARNING = true}

local function level_of(line)
   local level = line:match("^(%u+): ")
   return LEVEL[level] and level
end

-- The seconds after which intermediate lines may or may not come any more.
local function time_limit()
   local last = command:match(".*%-%-time=(%d+)") or command:match(".*%-%-max%-time=(%d+)")
   return tonumber(last) or 10
end

local function is_bar(line)
   local value, stars, count = line:match("^( *%d+%.%d%d%d) |([* ]*) (%d+)$")
   return value and #value == 12 and #stars == 40 and count
end

local function is_racy(line)
   return line:match("^DEBUG: Worker thread") or line:match("^DEBUG: .* thread started$")
end

local function help_line(line)
   local name, gap, text = line:match("^  %-%-(%S+)( +)(.*)$")
   if not name then return nil end
   return "  --" .. name .. gap .. "TEXT " .. (text:match("%[([^%[%]]*)%]$") or "without default")
end

-- Threads tell of their start at any time: first the line itself, then these in order, then the
-- line that all have started.
local function settle_start(lines)
   local out, racy, at, started = {}, {}, nil, false
   for _, line in ipairs(lines) do
      if is_racy(line) then
         racy[#racy + 1] = line
      elseif line == "Threads started!" then
         started = "skip"
      elseif started == "skip" then
         started = true -- the empty line behind it
      else
         out[#out + 1] = line
         if line == "Initializing worker threads..." then at = #out + 1 end
      end
   end
   table.sort(racy)
   if started then
      racy[#racy + 1] = "Threads started!"
      racy[#racy + 1] = ""
   end
   for i, line in ipairs(racy) do table.insert(out, (at or 0) + i, line) end
   return out
end

-- Threads tell of a limit one by one; where another line came between, they are counted anew.
local function settle_limits(lines)
   local out, times, at, before = {}, 0, nil, false
   for _, line in ipairs(lines) do
      local more = line:match(" limit exceeded, exiting%.%.%.$") and 1 or
                      before and line:match("^%(last message repeated (%d+) times%)$")
      if not more or not at then out[#out + 1] = line end
      if more then times, at = times + tonumber(more), at or #out end
      before = more
   end
   if times > 1 then
      table.insert(out, at + 1, string.format("(last message repeated %d times)", times - 1))
   end
   return out
end

-- A checkpoint and an interval that end at the same moment come in any order.
local function settle_reports(lines)
   local out, checkpoint, stamp_of_it = {}, nil, nil
   for _, line in ipairs(lines) do
      local stamp = line:match("^(%[ %d+s %]) ")
      if line:match("Checkpoint report:$") then
         checkpoint, stamp_of_it = #out + 1, stamp
         out[#out + 1] = line
      elseif stamp and stamp == stamp_of_it then
         table.insert(out, checkpoint, line)
         checkpoint = checkpoint + 1
      else
         out[#out + 1] = line
      end
   end
   return out
end

-- The last line of the general help is a sentence of our own.
local function hint(line)
   return line:match("'sysbench .* help'") and "(hint)"
end

local function is_late(line)
   local stamp = tonumber(line:match("^%[ (%d+)s %] "))
   return stamp and stamp >= time_limit()
end

-- Messages in a row count as one, of the class of the first.
local function reduce(lines)
   local out, message = {}, false
   for _, line in ipairs(settle_reports(settle_limits(settle_start(lines)))) do
      local level, bar = level_of(line), is_bar(line)
      if bar then
         if out[#out] ~= "(bars)" then out[#out + 1] = "(bars)" end
      elseif level then
         if not message then out[#out + 1] = level .. ": (message)" end
      elseif not (message and (line == "" or line:match("^%(last message repeated"))) and
         not is_late(line) then
         out[#out + 1] = help_line(line) or hint(line) or line
      end
      message = level or message and (line == "" or line:match("^%(last message repeated"))
   end
   return out
end

local function reduce_errors(lines)
   for _, line in ipairs(lines) do
      if line:match("%S") then return {"(message)"} end
   end
   return {}
end

-- --- Words that a message must name --------------------------------------------------------------

local function messages(side)
   local text = {table.concat(side.err, "\n")}
   for _, line in ipairs(side.out) do
      if level_of(line) then text[#text + 1] = line end
   end
   return (table.concat(text, "\n"):gsub("_", "-"))
end

local function words()
   local list = {}
   for token in command:gmatch("[^%s'\"=]+") do
      token = token:gsub("^%-%-", ""):gsub("_", "-")
      if #token > 1 and token ~= "run" then list[#list + 1] = token end
   end
   return list
end

local function unnamed(ref, ours)
   local theirs, own = messages(ref), messages(ours)
   for _, word in ipairs(words()) do
      if theirs:find(word, 1, true) and own ~= "" and not own:find(word, 1, true) then
         return word
      end
   end
end

-- --- Comparing lines ----------------------------------------------------------------------------

-- The line as texts and numbers: "a  1.50 b" -> {"a", 2, "1.50", " b"}
local function pieces(line)
   local list, at = {}, 1
   while true do
      local from, to = line:find("%d+%.?%d*", at)
      if not from then break end
      local number = line:sub(from, to):gsub("%.$", "")
      to = from + #number - 1
      local before = line:sub(at, from - 1)
      local text = before:gsub(" *$", "")
      list[#list + 1] = {text = text, gap = #before - #text, number = number}
      at = to + 1
   end
   list[#list + 1] = {text = line:sub(at)}
   return list
end

local function decimals(number)
   return #(number:match("%.(%d+)") or "")
end

-- Is what stands in front of two numbers, or behind them, as wide as a column makes it? A number
-- that is too wide for its column has one blank or none beside it.
local function same_column(a, size_a, b, size_b)
   local wider = size_a > size_b and a or b
   return a == b or a + size_a == b + size_b or (size_a ~= size_b and wider <= 1)
end

local function same_number(a, b, next_a, next_b)
   local size_a, size_b = #a.number, #b.number
   local fill_a, fill_b = #next_a.text:match("^ *"), #next_b.text:match("^ *")
   return decimals(a.number) == decimals(b.number) and
             same_column(a.gap, size_a, b.gap, size_b) and
             same_column(fill_a, size_a, fill_b, size_b)
end

local function same_line(a, b)
   if a == b then return true end
   local x, y = pieces(a), pieces(b)
   if #x ~= #y then return false end
   for i = 1, #x do
      if x[i].text:gsub("^ +", " ") ~= y[i].text:gsub("^ +", " ") then return false end
      if x[i].number and not same_number(x[i], y[i], x[i + 1], y[i + 1]) then return false end
   end
   return true
end

local function first_difference(a, b)
   for i = 1, math.max(#a, #b) do
      if not a[i] or not b[i] or not same_line(a[i], b[i]) then
         return string.format("line %d is '%s' in sysbench and '%s' here", i, a[i] or "(none)",
                              b[i] or "(none)")
      end
   end
end

-- --- The whole ----------------------------------------------------------------------------------

local bad = false

local function complain(form, text)
   bad = true
   print(form .. ": " .. text)
end

local function copy(list)
   local new = {}
   for i, v in ipairs(list) do new[i] = v end
   return new
end

local function compare(ref, ours)
   if ref.status ~= ours.status then
      return "exit status " .. ref.status .. " of sysbench and " .. ours.status .. " here"
   end
   local out = first_difference(reduce(ref.out), reduce(ours.out))
   local err = first_difference(reduce_errors(ref.err), reduce_errors(ours.err))
   local word = unnamed(ref, ours)
   return out and "stdout: " .. out or err and "stderr: " .. err ..
             " (" .. (ours.err[1] or ref.err[1] or "") .. ")" or
             word and "the message does not name '" .. word .. "'"
end

local function named(form)
   local list = {}
   for id, only in ids:gmatch("([%w-]+)@?([%w.]*)") do
      if only == "" or only == form then list[#list + 1] = id end
   end
   return list
end

local function apply(id, form, ref, ours)
   local difference = differences[id]
   if not difference then return complain(form, "there is no difference " .. id) end
   local complaint, changed = difference(ref, ours, form)
   if complaint then return complain(form, id .. ": " .. complaint) end
   if changed ~= false then print("used " .. id) end
end

local function judge(form, file, always)
   local ref, ours = load("ref"), load(file)
   for _, id in ipairs(always) do apply(id, form, ref, ours) end
   for _, id in ipairs(named(form)) do
      local before = compare(ref, ours)
      apply(id, form, ref, ours)
      if not before and not differences.in_figures[id] then
         complain(form, id .. " is said to show here and does not")
      end
   end
   ref.out, ours.out = copy(ref.out), copy(ours.out)
   local what = compare(ref, ours)
   if what then complain(form, what) end
end

judge("1.0", "10", differences.always_10)
judge("native", "native", differences.always_native)
os.exit(bad and 1 or 0)
