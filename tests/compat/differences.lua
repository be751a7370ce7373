-- The deliberate differences from sysbench 1.0.20, one function for each row of docs/compat.md.
--
-- A function gets both sides ({status, out, err, command}) and makes them equal in what it is
-- about and in nothing else: what remains different is a failure. It returns a complaint if the
-- difference is not what the row says, and false as a second value if there was nothing to do.

local D = {}

-- --- Helpers ------------------------------------------------------------------------------------

local function joined(lines)
   return table.concat(lines, "\n")
end

-- Takes the lines that match out of a list and returns them.
local function take(lines, pattern)
   local kept, taken = {}, {}
   for _, line in ipairs(lines) do
      local list = line:find(pattern) and taken or kept
      list[#list + 1] = line
   end
   for i = 1, math.max(#lines, #kept) do lines[i] = kept[i] end
   return taken
end

-- `^` and `$` do not work in it: line feeds stand for them.
local function has(lines, pattern)
   return ("\n" .. joined(lines) .. "\n"):find(pattern) ~= nil
end

local function same(ref, ours)
   ref.status, ref.out, ref.err = ours.status, ours.out, ours.err
end

-- The last exit status: where there are several calls, the one in question comes last.
local function last_status(side)
   return side.status:match("(%d+)$")
end

-- sysbench refuses or dies; here it runs and reports.
local function runs(pattern)
   return function(ref, ours)
      if last_status(ref) == "0" then return "sysbench does not fail" end
      if last_status(ours) ~= "0" then return "does not end with status 0: " .. joined(ours.err) end
      if not has(ours.out, "Threads fairness:") then return "there is no report" end
      if pattern and not ours.all_err:find(pattern) then
         return "nothing matches " .. pattern
      end
      same(ref, ours)
   end
end

-- Here it is refused, by a message that names an option of the command line or matches.
local function refused(pattern)
   return function(ref, ours)
      local said = joined(ours.err) .. "\n" .. joined(ours.out)
      if last_status(ours) ~= "1" then return "is not refused" end
      if has(ours.out, "Threads started") then return "threads were started" end
      if pattern then
         if not said:find(pattern) then return "the message is not " .. pattern .. ": " .. said end
      else
         local named = false
         for name in ours.command:gmatch("%-%-([%w-]+)") do
            named = named or said:find("--" .. name, 1, true)
         end
         if not named then return "the message names no option: " .. said end
      end
      same(ref, ours)
   end
end

-- --- What is taken that sysbench refuses --------------------------------------------------------

D["accepts-more"] = runs()
D["old-names"] = runs()
D["rate-overload"] = runs("the rate.* could not be kept up")
D["pasted"] = runs()

-- --- What is refused that sysbench takes, or dies of --------------------------------------------

D["unread-values"] = refused()
D["strict-values"] = refused()
D["negative-numbers"] = function(ref, ours, form)
   if form == "native" or ours.status == "1" then return refused()(ref, ours) end
   take(ref.out, "^Report intermediate results every %-1 second")
end
D["crashes"] = function(ref, ours)
   local status = tonumber(last_status(ref))
   if status < 124 then return "sysbench does not die or hang" end
   return refused()(ref, ours)
end
D["small-stack"] = refused("thread%-stack%-size")
D["verbosity-range"] = refused("%-%-verbosity")
D["config-missing"] = refused("config%-file")
D["config-lines"] = refused("%.conf:%d+: ")
D["config-unknown"] = refused("%.conf:%d+: no%-such%-option")
-- A script without declared options takes any name, from a file as well; nothing is said of it.
D["config-unknown-script"] = function(ref)
   take(ref.out, "^WARNING: Global option 'no_such_option'")
   take(ref.err, "^WARNING: Global option 'no_such_option'")
   take(ref.out, "^%(last message repeated")
end
D["no-dashes"] = refused("'[%w-]+=%w+' has no dashes")
D["single-dash"] = refused("'%-[hv]' has one dash only")

-- A list is a text for sbench, a whole number for sysbench: standard error there.
D["percentile-text"] = refused("%-%-percentile: 'abc'")

-- Nothing is printed before a wrong switch is refused.
D["early-switches"] = function(ref, ours)
   if #ours.out > 0 then return "something is printed before" end
   take(ref.out, "^sbench ")
   take(ref.out, "^$")
end

-- --- Files of options ---------------------------------------------------------------------------

D["config-switches"] = function(ref, ours)
   if has(ours.err, "is not on or off") then return refused("%.conf:%d+: ")(ref, ours) end
   if #take(ref.out, "^Debug mode enabled") ~= 1 then
      return "sysbench does not switch --debug on"
   end
   if has(ours.out, "Debug mode") then return "'debug=off' switches it on" end
   take(ref.out, "^DEBUG: ")
   take(ref.out, "^Event limit exceeded")
   take(ref.out, "^Doing CPU performance")
   take(ref.out, "^Done%.")
   -- their empty lines
   for _, side in ipairs({ref, ours}) do take(side.out, "^$") end
end

D["config-test-options"] = function(ref, ours)
   if ours.command:find("memory", 1, true) then
      if not has(ours.out, "block size: 1024KiB") or has(ref.out, "block size: 1024KiB") then
         return "the block size of the file is not shown"
      end
      return nil
   end
   for i, line in ipairs(ours.out) do
      if line:match("^7\t.*\tfile\t") then
         for k, other in ipairs(ref.out) do
            if other:match("\t") then ref.out[k] = line end
         end
         return i and nil
      end
   end
   return "the script does not see the values"
end

-- --- Reports ------------------------------------------------------------------------------------

D["forced-count"] = function(ref, ours)
   local function count(side) return joined(side.out):match("forced shutdown: (%d+)") end
   if not count(ours) then return "no threads are counted" end
   if ours.command:find("threads=2", 1, true) and count(ours) ~= "1" then
      return "one thread of two was in an event, and " .. count(ours) .. " are counted"
   end
   if not count(ref) then return "sysbench counts none" end
end

D["memory-remainder"] = function(ref, ours)
   local function operations(side) return joined(side.out):match("Total operations: (%d+)") end
   if operations(ref) ~= "0" or operations(ours) ~= "1" then
      return string.format("%s operations of sysbench, %s here", operations(ref), operations(ours))
   end
end

D["small-blocks"] = function(ref, ours)
   for i, line in ipairs(ref.out) do
      if line == "  block size: 0KiB" then
         local exact = joined(ours.out):match("\n(  block size: %d+B)\n")
         if not exact then return "the exact size is not shown" end
         ref.out[i] = exact
      end
   end
end

D["late-refusal"] = function(ref, ours)
   if last_status(ref) ~= "1" then return "sysbench does not refuse" end
   return last_status(ours) ~= "1" and "is not refused" or same(ref, ours)
end

D["false-command"] = function(_, ours)
   if not has(ours.out, "status 1") and not has(ours.err, "status 1") then
      return "nothing is said"
   end
   take(ours.out, "^FATAL: ")
   take(ours.err, "^FATAL: ")
end

D["loud-report"] = function(ref, ours)
   if not has(ours.out, "Threads fairness:") then return "there is no report" end
   ref.out = ours.out
end

-- sysbench runs one thread, whatever the script shows to be the default.
D["own-defaults"] = function(ref, ours)
   if #take(ours.out, "^threads\t3$") ~= 3 or #take(ref.out, "^threads\t3$") ~= 1 then
      return "the script's default is not followed"
   end
   take(ours.out, "^Number of threads: 3$")
   take(ref.out, "^Number of threads: 1$")
end

D["script-files"] = function(ref, ours)
   if #take(ref.out, "^path\tnil$") ~= 1 then return "sysbench shows something" end
   if #take(ours.out, "^path\t/etc/") ~= 1 then return "the script does not see the path" end
end

D["script-errors"] = function(ref, ours)
   if ref.status ~= "0" or ours.status ~= "1" then
      return "the exit status is not 1 instead of 0"
   end
   ref.status = "1"
end

-- --- Help and versions --------------------------------------------------------------------------

-- Every line of sysbench's help is there, in its order; what is more stands behind it.
D["more-help"] = function(ref, ours, form)
   local known, kept = {}, {}
   for _, line in ipairs(ref.out) do
      known[line:match("^  (%-%-%S+)") or line:match("^  (%S+ %-) ") or line] = true
   end
   for _, line in ipairs(ours.out) do
      local name = line:match("^  (%-%-%S+)") or line:match("^  (%S+ %-) ")
      if not name or known[name] then kept[#kept + 1] = line end
   end
   if #kept == #ours.out then return "there is nothing more in the form " .. form end
   ours.out = kept
   D.align(ref, ours)
end
-- What takes a unit or a list says so.
D["help-types"] = function(ref, ours)
   local changed = {["--percentile=N"] = "--percentile=[LIST,...]",
                    ["--file-block-size=N"] = "--file-block-size=SIZE"}
   for i, line in ipairs(ref.out) do
      local option, gap, rest = line:match("^  (%-%-%S+)( +)(.*)$")
      local new = changed[option]
      if new and not joined(ours.out):find("\n  " .. new .. " ", 1, true) then
         return new .. " is missing"
      end
      if new then ref.out[i] = "  " .. new .. gap .. rest end
   end
   D.align(ref, ours)
end

-- Takes the columns of descriptions over: they depend on the longest name of a table.
function D.align(ref, ours)
   local gaps = {}
   for _, line in ipairs(ours.out) do
      local option, gap = line:match("^  (%-%-%S+)( +)")
      if option then gaps[option] = gap end
   end
   for i, line in ipairs(ref.out) do
      local option, rest = line:match("^  (%-%-%S+) +(.*)$")
      if option and gaps[option] then ref.out[i] = "  " .. option .. gaps[option] .. rest end
   end
end

D["native-version"] = function(ref, ours)
   if not (ours.out[1] or ""):match("^sbench [%d.]+ %(speaks sysbench 1%.0%.20;") then
      return "the version does not tell what it speaks"
   end
   ref.out[1] = ours.out[1]
end

-- The native form arranges the general help anew; no option or test is missing.
D["native-help"] = function(ref, ours)
   for _, line in ipairs(ref.out) do
      local option = line:match("^  (%-%-[%w-]+)")
      if option and not has(ours.out, "\n  " .. option:gsub("%-", "%%-")) and
         not has(ours.out, option:gsub("%-", "%%-") .. "[ =]") then
         return option .. " is missing"
      end
   end
   same(ref, ours)
end

D["help-commands"] = function(ref, ours)
   local lines = take(ours.out, " commands: .*help$")
   if #lines ~= 1 then return "there is no line with the commands" end
   if ours.out[#ours.out] == "" then ours.out[#ours.out] = nil end
   if ref.status == "1" and #ref.out <= 2 then same(ref, ours) end
end

D["no-database"] = function(ref, ours)
   take(ref.out, "^  mysql %- ")
   take(ref.out, "^  pgsql %- ")
   for _, side in ipairs({ref, ours}) do
      for i, line in ipairs(side.out) do
         if line:match("^  %-%-db%-driver") then side.out[i] = "  --db-driver=STRING" end
         if line:match("^db_driver") then side.out[i] = "db_driver" end
      end
   end
end

-- --- What shows in every line -------------------------------------------------------------------

D["native-banner"] = function(ref)
   local found = false
   for i, line in ipairs(ref.out) do
      if line == "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)" then
         ref.out[i] = "sbench 0.9.0 (speaks sysbench 1.0.20, using LuaJIT 2.1)"
         found = true
      end
   end
   return nil, found
end

-- What is wrong goes to standard error.
D["native-streams"] = function(ref)
   local kept, message, last = {}, false, 0
   for _, line in ipairs(ref.out) do
      local level = line:match("^(%u+): ")
      if level == "FATAL" or level == "ALERT" or level == "WARNING" then
         ref.err[#ref.err + 1] = line
         message, last = true, #kept
      elseif not (message and line:match("^%(last message")) then
         kept[#kept + 1] = line
         message = message and line == ""
      end
   end
   if #kept == #ref.out then return nil, false end
   -- the empty line behind a message that ends the output
   if message and #kept == last + 1 then kept[#kept] = nil end
   ref.out = kept
end

-- Old names have a note instead of a warning.
D["legacy-notes"] = function(ref, ours)
   local warned, noted = {}, joined(ours.err)
   for _, list in ipairs({ref.out, ref.err}) do
      for _, line in ipairs(take(list, "^WARNING: .*deprecated")) do warned[#warned + 1] = line end
   end
   if #warned == 0 then return nil, false end
   for _, line in ipairs(warned) do
      local name = line:match("%-%-([%w-]+)")
      if ours.status == "0" and not ours.command:find("--test= ", 1, true) and
         not noted:find("note: --" .. name, 1, true) then
         return "no note on --" .. name
      end
   end
end

D["notes"] = function(_, ours)
   if #take(ours.err, "^note: ") == 0 then return nil, false end
end

D.always_10 = {"notes"}
D.always_native = {"native-banner", "legacy-notes", "native-streams", "notes"}
-- Differences of figures, which a comparison without digits cannot see.
D.in_figures = {
   ["memory-remainder"] = true,
   ["forced-count"] = true,
   ["config-test-options"] = true,
}

return D
