#!/usr/bin/env bats
# The Lua interface in whole runs: states, callbacks and their order, options, commands, hooks,
# errors, random sequences, own measures, and that the event loop compiles.

# shellcheck disable=SC2030,SC2031 # each test is a shell of its own

load ../lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    unset LUA_PATH LUA_CPATH
}

script() {
    cat >s.lua
}

# Puts before the script how its states, and so its threads, tell each other how often something was
# there: then a run is as long as that takes, not as long as a machine without load would need.
telling() {
    cat - s.lua >.s <<'LUA'
ffi.cdef("int usleep(unsigned);")
local function tell(what)
   local file = assert(io.open("told." .. what, "a"))
   file:write("x")
   file:close()
end
local function told(what)
   local file = io.open("told." .. what)
   local times = file and file:seek("end") or 0
   if file then file:close() end
   return times
end
LUA
    mv .s s.lua
    rm -f told.*
}

# A script that throws where the variable M says.
throwing() {
    script <<'LUA'
local m = os.getenv("M")
local function maybe(name)
   if m == name then error("boom in " .. name) end
end
local function say(...) print(table.concat({...})) end
maybe("top")
function init() maybe("init") end
function thread_init() maybe("thread_init") end
local n = 0
function event() maybe("event") n = n + 1 return n > 3 end
function thread_done() maybe("thread_done") end
function done() say("done called") maybe("done") end
function prepare() maybe("prepare") return false end
function cleanup() maybe("cleanup") end
function help() say("my help") maybe("help") end
if os.getenv("HOOK") then
   sysbench.hooks.report_cumulative = function() maybe("hook") end
end
LUA
}

# --- states and callbacks ---------------------------------------------------

@test "states: a line that print() writes stays whole, however many threads print" {
    script <<'LUA'
function thread_init() for _ = 1, 2000 do print(sysbench.tid, "x", nil, 1.5, true, {} ~= nil) end end
function event() return true end
LUA
    run_sb ./s.lua --threads=4 run
    assert_status 0
    assert_equal "$(grep -cP '^[0-3]\tx\tnil\t1\.5\ttrue\ttrue$' <<<"$out")" 8000
}

@test "states: print() asks the script's own tostring(), and refuses what is no string" {
    script <<'LUA'
print(setmetatable({}, {__tostring = function() return "its name" end}), "a", nil)
print(pcall(print, setmetatable({}, {__tostring = function() return nil end})))
local usual = tostring
function tostring(x) return "<" .. usual(x) .. ">" end
print(7)
LUA
    run_sb ./s.lua
    assert_has "$out" $'^its name\ta\tnil$'
    assert_has "$out" "must return a string to 'print'"
    assert_has "$out" '^<7>$'
}

@test "callbacks: order, states and thread numbers" {
    script <<'LUA'
local function say(...) print(table.concat({...}, " ")) end
say("top", sysbench.tid, type(sysbench.opt))
function init() say("init", sysbench.tid, type(sysbench.opt)) end
function thread_init(tid) say("thread_init", tid, sysbench.tid, type(sysbench.opt)) end
local n = 0
function event(tid) n = n + 1 if n == 1 then say("event", tid) end return n == 3 end
function thread_done(tid) say("thread_done", tid) end
function done() say("done", sysbench.tid) end
LUA
    run_sb ./s.lua run
    assert_status 0
    assert_equal "$(grep -E '^(top|init|thread_|event |done|Init.*work|Threads st)' <<<"$out")" \
        "top 0 nil
init 0 table
Initializing worker threads...
top 0 nil
thread_init 0 0 table
Threads started!
event 0
thread_done 0
done 0"
    assert_has "$out" 'total number of events: +2$'
}

@test "states: one for each worker and each kind of background report, whose tid is the number of threads" {
    script <<'LUA'
io.write("top " .. sysbench.tid .. "\n")
function event() ffi.C.usleep(1000) return told("interval") >= 2 and told("total") >= 1 end
sysbench.hooks.report_intermediate = function()
   io.write("interval " .. sysbench.tid .. "\n")
   tell("interval")
end
sysbench.hooks.report_cumulative = function(stat)
   io.write("total " .. sysbench.tid .. " of " .. stat.threads_running .. " running\n")
   tell("total")
end
LUA
    telling
    run_sb ./s.lua --threads=2 --time=60 --report-interval=0.2 --report-checkpoints=0.5 run
    assert_status 0
    assert_equal "$(grep '^top' <<<"$out" | sort | paste -sd,)" "top 0,top 0,top 1,top 2,top 2"
    (($(grep -c '^interval 2$' <<<"$out") >= 2)) || fail_with "too few intervals"
    assert_has "$out" '^total 2 of 2 running$' '^total 0 of 0 running$'
    assert_lacks "$out" 'General statistics' '^interval [^2]'
}

@test "event: any true value ends its thread, is not counted; nil and false are" {
    local value
    for value in true 0 '""' '{}'; do
        script <<LUA
local n = 0
function event() n = n + 1 if n > 5 then return $value end return false end
LUA
        run_sb ./s.lua --threads=2 --time=60 run
        assert_status 0
        assert_has "$out" 'total number of events: +10$'
    done
}

@test "event: the function may be replaced while the loop runs" {
    script <<'LUA'
local n = 0
local function second() n = n + 1 return n > 5 end
function event() n = n + 1 if n == 3 then event = second end end
LUA
    run_sb ./s.lua --time=60 run
    assert_status 0
    assert_has "$out" 'total number of events: +5$'
}

@test "restart: the hook sees the error, the event runs again and counts once" {
    script <<'LUA'
local n = 0
sysbench.hooks.before_restart_event = function(e) io.write("restart ", e.errcode, " ", e.why, "\n") end
function event()
   n = n + 1
   if n == 2 or n == 3 then
      error({ errcode = sysbench.error.RESTART_EVENT, why = "try " .. n })
   end
   return n > 4
end
LUA
    run_sb ./s.lua --time=60 run
    assert_status 0
    assert_equal "$(grep '^restart' <<<"$out")" "restart 1 try 2
restart 1 try 3"
    assert_has "$out" 'total number of events: +2$'
}

@test "restart: an event that is restarted for ever ends with the time limit" {
    script <<'LUA'
function event() error({ errcode = 1 }) end
LUA
    run_sb ./s.lua --time=0.3 run
    assert_status 0
    assert_has "$out" 'total number of events: +0$'
}

@test "restart: an error in the hook is an error of the run" {
    script <<'LUA'
sysbench.hooks.before_restart_event = function() error("bad hook") end
function event() error({ errcode = 1 }) end
LUA
    run_sb ./s.lua --time=60 run
    assert_status 1
    assert_has "$err" "thread_run' function failed: ./s.lua:1: bad hook"
}

@test "thread_run: an own loop with the steps of sysbench" {
    script <<'LUA'
local C = ffi.C
function event() end
function thread_run(tid)
   while C.sb_more_events(tid) do
      C.sb_event_start(tid)
      event(tid)
      C.sb_event_stop(tid)
   end
end
LUA
    run_sb ./s.lua --threads=2 --events=50 run
    assert_status 0
    assert_has "$out" 'total number of events: +50$'
}

@test "states: globals belong to their thread" {
    script <<'LUA'
mine = nil
function thread_init(tid) mine = tid end
function event(tid) assert(mine == tid) end
LUA
    run_sb ./s.lua --threads=4 --events=1000 run
    assert_status 0
}

# --- errors -------------------------------------------------------------------

@test "errors: each callback's is told with its name, place and a traceback, and ends with 1" {
    local m command
    throwing
    for m in init thread_init event thread_done 'done' prepare cleanup help; do
        command=run
        case $m in prepare | cleanup | help) command=$m ;; esac
        M=$m run_sb ./s.lua --threads=2 --time=60 $command
        assert_status 1
        assert_has "$err" "FATAL: \`${m/event/thread_run}' function failed: ./s.lua:3: boom in $m\$" \
            '^stack traceback:' "./s.lua:3: in function 'maybe'"
        assert_lacks "$err" 'sysbench/[a-z]*\.lua:'
    done
    M=top run_sb ./s.lua run
    assert_status 1
    assert_has "$err" 'FATAL: ./s.lua:3: boom in top'
}

@test "errors: as sysbench, thread_done, done, help and hooks leave the status alone" {
    local m command
    throwing
    for m in thread_done 'done' hook help; do
        command=run
        [[ $m == help ]] && command=help
        HOOK=1 M=$m run_sb ./s.lua --compat=1.0 --time=60 $command
        assert_status 0
        assert_has "$out" "^FATAL: .*function failed: ./s.lua:3: boom in $m\$"
        assert_lacks "$out" 'traceback'
    done
}

@test "errors: a throwing report hook ends with 1" {
    throwing
    HOOK=1 M=hook run_sb ./s.lua --time=60 run
    assert_status 1
    assert_has "$err" "report_cumulative' function failed: ./s.lua:3: boom in hook"
    assert_has "$out" 'done called'
}

@test "errors: done is called after a failed event, but not without a start" {
    throwing
    M=event run_sb ./s.lua --time=60 run
    assert_has "$out" 'done called'
    M=thread_init run_sb ./s.lua --time=60 run
    assert_lacks "$out" 'done called'
    M=thread_init run_sb ./s.lua --compat=1.0 --time=60 run
    assert_status 1
    assert_has "$out" '^FATAL: Thread initialization failed!'
}

@test "errors: values that are no strings are shown; as sysbench they are not" {
    local value
    for value in '{ code = 7, name = "x" }|an error object {code = 7, name = x}' 'nil|nil' '42|42' \
        'setmetatable({}, { __tostring = function() return "my text" end })|my text' 'true|true'; do
        printf 'function event() error(%s) end\n' "${value%|*}" >s.lua
        run_sb ./s.lua --time=60 run
        assert_status 1
        assert_has "$err" "thread_run' function failed: (./s.lua:1: )?${value#*|}\$"
    done
    printf 'function event() error({}) end\n' >s.lua
    run_sb ./s.lua --compat=1.0 --time=60 run
    assert_status 1
    assert_has "$out" "thread_run' function failed: \(not a string\)"
}

@test "errors: a table that looks like an exit status is a value like others; a failing __tostring is told" {
    script <<<'function event() error({status = 404, text = "not found"}) end'
    run_sb ./s.lua run
    assert_status 1
    assert_has "$err" "an error object \{status = 404, text = not found\}"
    script <<<'function event() error(setmetatable({}, {__tostring = function() error("no name") end})) end'
    run_sb ./s.lua run
    assert_status 1
    assert_has "$err" "whose __tostring fails: \./s\.lua:1: no name"
    script <<<'function event() error(setmetatable({}, {__tostring = function() return {} end})) end'
    run_sb ./s.lua run
    assert_status 1
    assert_has "$err" "whose __tostring fails: it gave a table"
}

# bats test_tags=slow
@test "errors: memory that runs out is told with the function that asked for it" {
    local where
    for where in event thread_init; do
        script <<LUA
function event() return true end
function $where() local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1e6) .. i end end
LUA
        err=$( (ulimit -v 800000 && sb ./s.lua run) 2>&1 >/dev/null) && fail_with "it ended well"
        [[ $err == *"AddressSanitizer"* || $err == *ThreadSanitizer* ]] && skip "needs address space"
        assert_has "$err" "\`${where/#event/thread_run}' function failed: not enough memory"
    done
}

@test "errors: syntax, missing event, missing file" {
    echo 'function event( end' >s.lua
    run_sb ./s.lua run
    assert_status 1
    assert_has "$err" 's.lua:1: .*expected near'
    printf 'function init() print("init called") end\n' >s.lua
    run_sb ./s.lua run
    assert_status 1
    assert_has "$out" 'init called'
    assert_has "$err" "s.lua' defines no function event\(\)"
    run_sb ./none.lua run
    assert_status 1
    assert_has "$err" "'./none.lua'"
}

@test "errors: the other threads stop, and those without an error call thread_done" {
    script <<'LUA'
function event(tid) if tid == 1 then error("boom") end end
function thread_done(tid) io.write("thread_done " .. tid .. "\n") end
LUA
    run_sb ./s.lua --threads=3 --time=0 --quiet-notes run
    assert_status 1
    assert_has "$out" '^thread_done 0$' '^thread_done 2$'
    assert_lacks "$out" '^thread_done 1$' 'General statistics'
}

# --- options --------------------------------------------------------------------

declaring() {
    script <<'LUA'
local c = sysbench.cmdline
c.options = {
   a_bool = { "a boolean", true },
   ["an-int"] = { "an integer", 5, c.ARG_INT },
   a_size = { "a size", "1M", c.ARG_SIZE },
   a_double = { "a number", 2.5 },
   a_string = { "a string", "abc" },
   no_default = { "nothing" },
   a_list = { "a list", { "x", "y" } },
   a_file = { "a file", nil, c.ARG_FILE },
}
local names = { "a_bool", "an_int", "a_size", "a_double", "a_string", "no_default", "a_list", "a_file" }
c.commands = { show = { function()
   for _, name in ipairs(names) do
      local v = sysbench.opt[name]
      if type(v) == "table" then v = "{" .. table.concat(v, ";") .. "}" end
      print(name .. "=" .. type(v) .. ":" .. tostring(v))
   end
end } }
LUA
}

@test "options: every type, its default and its help" {
    declaring
    run_sb ./s.lua show
    assert_status 0
    assert_equal "$(grep "=" <<<"$out")" "a_bool=boolean:true
an_int=number:5
a_size=number:1048576
a_double=number:2.5
a_string=string:abc
no_default=string:
a_list=string:{x;y}
a_file=string:"
    run_sb ./s.lua help
    assert_status 0
    assert_has "$out" '^s.lua options:$' '^  --a_bool\[=on\|off\]  *a boolean \[on\]$' \
        '^  --an-int=N  *an integer \[5\]$' '^  --a_size=SIZE  *a size \[1M\]$' \
        '^  --a_double=N  *a number \[2.5\]$' '^  --a_string=STRING  *a string \[abc\]$' \
        '^  --no_default=STRING  *nothing$' '^  --a_list=\[LIST,...\]  *a list \[x,y\]$' \
        '^  --a_file=FILENAME  *a file$'
}

@test "options: values of every type" {
    declaring
    run_sb ./s.lua --a-bool=off --an_int=-7 --a-size=2K --a-double=1e3 --a-string=x=y \
        --a-list=1,,2 show
    assert_status 0
    assert_has "$out" '^a_bool=boolean:false$' '^an_int=number:-7$' '^a_size=number:2048$' \
        '^a_double=number:1000$' '^a_string=string:x=y$' '^a_list=string:\{1;2\}$'
}

@test "options: bad values and unknown names are refused" {
    local bad
    declaring
    for bad in a_bool=maybe an-int=1.5 a_size=3Q a_double=4x a_nother=1; do
        run_sb ./s.lua --$bad show
        assert_refused
        assert_has "$err" "${bad%%=*}"
    done
}

@test "options: a check belongs to its own option and sees what the user gave" {
    script <<'LUA'
sysbench.cmdline.options = {
   first = { "checked", 1, sysbench.cmdline.ARG_INT, function(name, value, text)
      print("check", name, type(value), value, text)
      return tonumber(value) ~= 3, "three is too many"
   end },
   second = { "unchecked", 3 },
}
function event() return true end
LUA
    run_sb ./s.lua --second=3 run
    assert_status 0
    assert_lacks "$out" '^check'
    run_sb ./s.lua --first=2 run
    assert_status 0
    assert_has "$out" $'^check\tfirst\tnumber\t2\t2$'
    run_sb ./s.lua --compat=1.0 --first=2 run
    assert_has "$out" $'^check\tfirst\tstring\t2\t2$'
    run_sb ./s.lua --first=3 run
    assert_status 1
    assert_has "$err" "--first: the script refuses the value '3': three is too many"
}

@test "options: wrong declarations name the option" {
    local wrong
    for wrong in '{ bad = "x" }|bad.*{description' '{ bad = {} }|bad.*description.*missing' \
        '{ bad = { 5 } }|bad.*description.*number' '{ bad = { "x", {{}} } }|bad.*strings and numbers' \
        '{ ["a-b"] = { "x" }, a_b = { "x" } }|a-b.*a_b.*twice' \
        '{ bad = { "x", print } }|bad.*default is a function' '{ bad = { "x", 1, 99 } }|bad.*99.*ARG_' \
        '5|must be a table' '{ [7] = { "x" } }|must be a string' \
        '{ bad = { "x", 1, nil, 5 } }|bad.*function that checks' \
        '{ bad = { "x", "abc", sysbench.cmdline.ARG_INT } }|bad.*whole number'; do
        printf 'sysbench.cmdline.options = %s\nfunction event() return true end\n' "${wrong%%|*}" >s.lua
        run_sb ./s.lua run
        assert_status 1
        assert_has "$err" "${wrong#*|}"
    done
}

@test "options: a script's default for a general option takes effect" {
    script <<'LUA'
sysbench.cmdline.options = { threads = { "threads", 3 } }
function thread_init() io.write("thread of " .. sysbench.opt.threads .. "\n") end
function event() return true end
LUA
    run_sb ./s.lua run
    assert_status 0
    assert_equal "$(grep -c '^thread of 3$' <<<"$out")" 3
    run_sb ./s.lua --threads=2 run
    assert_equal "$(grep -c '^thread of 2$' <<<"$out")" 2
    # sysbench shows it to the script and goes by its own
    run_sb ./s.lua --compat=1.0 run
    assert_equal "$(grep -c '^thread of 3$' <<<"$out")" 1
    run_sb ./s.lua --compat=1.0 --threads=2 run
    assert_equal "$(grep -c '^thread of 2$' <<<"$out")" 2
}

@test "options: an empty table of them has help; a switch without a default" {
    script <<'LUA'
sysbench.cmdline.options = {}
function event() return true end
LUA
    run_sb ./s.lua --compat=1.0 help
    assert_status 0
    assert_has "$out" "^s\\.lua options:$"
    script <<'LUA'
sysbench.cmdline.options = { switch = { "a switch", nil, sysbench.cmdline.ARG_BOOL } }
function event() print(sysbench.opt.switch) return true end
LUA
    run_sb ./s.lua run
    assert_has "$out" "^false$"
    run_sb ./s.lua --compat=1.0 run
    assert_has "$out" "^true$"
}

@test "options: a script without declarations takes any, as strings and globals, in every state" {
    script <<'LUA'
time_of_mine = time
threads = 99
local function show()
   print(tostring(foo_bar) .. "," .. tostring(empty) .. "," .. type(table) .. "," .. type(help) .. "," ..
         tostring(threads) .. "," .. tostring(verbosity) .. "," .. tostring(nothing) .. "," ..
         tostring(time_of_mine) .. "," .. sysbench.opt.foo_bar)
end
function help() end
function prepare() show() end
function thread_init() show() end
function event() return true end
LUA
    run_sb ./s.lua --foo-bar=1 --foo_bar=x --empty --table=t --threads=2 prepare
    assert_status 0
    assert_has "$out" '^x,,table,function,2,3,nil,nil,x$'
    run_sb ./s.lua --foo-bar=1 --foo_bar=x --empty --table=t --threads=2 run
    assert_status 0
    assert_equal "$(grep -c '^x,,table,function,2,3,nil,nil,x$' <<<"$out")" 2
}

@test "options: a script that guards its globals has the old functions and the options as well" {
    local declared
    for declared in '' 'sysbench.cmdline.options = { depth = { "how deep", 3 } }'; do
        script <<LUA
$declared
setmetatable(_G, {
   __newindex = function(t, name, value) rawset(t, name, value) end,
   __index = function(_, name) error("variable " .. name .. " is not declared", 2) end,
})
function event()
   print(type(sb_rand(1, 5)), thread_id, pcall(function() return threads end))
   print("undefined", pcall(function() return nosuch end))
   return true
end
LUA
        run_sb ./s.lua run
        assert_status 0
        assert_has "$out" "^undefined.false.\\./s\\.lua:[0-9]+: variable nosuch is not declared"
        if [[ $declared ]]; then
            assert_has "$out" "^number.0.false.*variable threads is not declared"
        else
            assert_has "$out" "^number.0.true.1$"
        fi
    done
}

@test "options: old names keep their defaults unless they were used" {
    script <<'LUA'
function prepare()
   local o = sysbench.opt
   print("old", o.num_threads, o.max_requests, o.max_time, o.tx_rate, o.threads, o.events)
end
LUA
    run_sb ./s.lua --threads=4 prepare
    assert_has "$out" $'^old\t1\t0\t0\t0\t4\t0$'
    run_sb ./s.lua --num-threads=3 --max-requests=7 prepare
    assert_has "$out" $'^old\t3\t7\t0\t0\t3\t7$'
}

# --- commands -------------------------------------------------------------------------

commanding() {
    script <<'LUA'
local c = sysbench.cmdline
local function own(...)
   print("own", sysbench.tid, select("#", ...), type(sysbench.opt))
   if os.getenv("M") == "error" then error("boom") end
   if os.getenv("M") == "false" then return false end
   return "anything"
end
c.commands = { once = { own }, each = { own, c.PARALLEL_COMMAND }, empty = {}, word = "x", run = { own } }
LUA
}

@test "commands: once, in parallel, instead of a standard one" {
    commanding
    run_sb ./s.lua --threads=3 once
    assert_status 0
    assert_equal "$(grep '^own' <<<"$out")" $'own\t0\t0\ttable'
    run_sb ./s.lua --threads=3 each
    assert_status 0
    assert_has "$out" '^Initializing worker threads...$'
    assert_equal "$(grep '^own' <<<"$out" | sort)" $'own\t0\t0\ttable\nown\t1\t0\ttable\nown\t2\t0\ttable'
    run_sb ./s.lua each
    assert_equal "$(grep '^own' <<<"$out")" $'own\t0\t0\ttable'
    run_sb ./s.lua run
    assert_equal "$(grep -c '^own' <<<"$out")" 1
}

@test "commands: failures end with 1; as sysbench a parallel one does not" {
    local m
    commanding
    for m in error false; do
        M=$m run_sb ./s.lua once
        assert_status 1
        M=$m run_sb ./s.lua --threads=2 each
        assert_status 1
        M=$m run_sb ./s.lua --compat=1.0 --threads=2 each
        assert_status 0
        M=$m run_sb ./s.lua --compat=1.0 once
        assert_status 1
    done
    M=error run_sb ./s.lua once
    assert_has "$err" "sysbench.cmdline.call_command' function failed: ./s.lua:4: boom"
}

@test "commands: unknown ones, and entries without a function" {
    local name
    commanding
    for name in empty word other; do
        run_sb ./s.lua $name
        assert_status 1
        assert_has "$err" "Unknown command: $name"
    done
    run_sb ./s.lua word
    assert_has "$err" "the command 'word' must be declared as \\{function\\}"
}

@test "commands: what they return is no exit status, but false; tables that can be called will do" {
    local value
    for value in 300 3 -1 '"5"' '{}' 'nil' '0'; do
        script <<<"sysbench.cmdline.commands = { c = { setmetatable({}, { __call = function() return $value end }) } }"
        run_sb ./s.lua c
        assert_status 0
        run_sb ./s.lua --compat=1.0 c
        assert_status 0
    done
    script <<<'sysbench.cmdline.commands = { c = { function() os.exit(7) end } }'
    run_sb ./s.lua c
    assert_status 7
}

@test "prepare and cleanup: what they return does not matter" {
    throwing
    run_sb ./s.lua prepare
    assert_status 0
    run_sb ./s.lua cleanup
    assert_status 0
    run_sb ./s.lua help
    assert_status 0
    assert_has "$out" '^my help$'
}

# --- reports ------------------------------------------------------------------------------

reporting() {
    script <<LUA
ffi.cdef("void sb_counter_inc(int, sb_counter_type);")
function event(tid)
   if told("interval") >= 2 then return true end
   ffi.C.sb_counter_inc(tid, ffi.C.SB_CNT_READ)
   ffi.C.sb_counter_inc(tid, ffi.C.SB_CNT_READ)
   ffi.C.sb_counter_inc(tid, ffi.C.SB_CNT_ERROR)
   ffi.C.usleep(100)
end
sysbench.hooks.report_intermediate = function(stat)
   sysbench.report_$1(stat)
   tell("interval")
end
sysbench.hooks.report_cumulative = sysbench.report_$1
function done() io.write("done\n") end
LUA
    telling
}

# one_total TEXT HEAD REST: two lines or more while one thread ran, one when it did not.
one_total() {
    (($(grep -cE "^$2[1]$3" <<<"$1") >= 2)) || fail_with "intervals are missing"
    assert_equal "$(grep -cE "^$2[0]$3" <<<"$1")" 1
}

@test "report_default: the line of sysbench for queries" {
    reporting default
    run_sb ./s.lua --time=60 --report-interval=0.4 run
    assert_status 0
    one_total "$out" '\[ [0-9]+s \] thds: ' ' tps: [0-9.]+ qps: [0-9.]+ \(r/w/o: [0-9.]+/0.00/0.00\) lat \(ms,95%\): [0-9.]+ err/s [0-9.]+ reconn/s: 0.00$'
    # two reads and an error for each event
    awk '/^\[ [0-9]+s \] thds: 0/ { exit !($7 > 0 && ($9 - 2 * $7) ^ 2 < 1) }' <<<"$out"
}

@test "report_csv: ten fields" {
    reporting csv
    run_sb ./s.lua --time=60 --report-interval=0.4 run
    assert_status 0
    one_total "$out" '[0-9]+,' ',[0-9.]+,[0-9.]+,[0-9.]+,0.00,0.00,[0-9.]+,[0-9.]+,0.00$'
}

@test "report_json: intervals and the total are two arrays, each whole" {
    need_command jq
    reporting json
    run_sb ./s.lua --time=60 --report-interval=0.4 --verbosity=0 --quiet-notes run
    assert_status 0
    sed '/^done$/d; s/}done$/}/' <<<"$out" >arrays
    jq -e -s 'length == 2 and (.[0] | length >= 2) and (.[1] | length == 1)' arrays
    jq -e -s '.[1][0] | .threads == 0 and .tps > 0 and .qps.reads > .tps and .errors > 0 and
        .qps.total == .qps.reads and .latency > 0 and has("reconnects") and has("time")' arrays
}

@test "hooks: the table of figures of each kind" {
    script <<'LUA'
local function show(kind)
   return function(stat)
      local names = {}
      for name, value in pairs(stat) do
         assert(type(value) == "number")
         names[#names + 1] = name
      end
      table.sort(names)
      print(kind, table.concat(names, " "))
      tell(kind)
   end
end
sysbench.hooks.report_intermediate = show("interval")
sysbench.hooks.report_cumulative = show("total")
function event() ffi.C.usleep(500) return told("interval") >= 1 end
LUA
    telling
    run_sb ./s.lua --time=60 --report-interval=0.2 run
    assert_status 0
    assert_has "$out" $'^interval\tconcurrency errors events latency_pct other queue_length reads reconnects threads_running time_interval time_total writes$' \
        $'^total\terrors events latency_avg latency_max latency_min latency_pct latency_sum other reads reconnects threads_running time_interval time_total writes$'
}

# --- random numbers ---------------------------------------------------------------------------

# What sysbench 1.0.20 draws with --rand-seed=42 and one thread; it draws one
# number itself after each event.
drawing() {
    script <<'LUA'
function event()
   io.write("D ", tostring(sysbench.rand.uniform_uint64()), " ", sysbench.rand.uniform(1, 1000000), "\n")
end
LUA
}

@test "random: the sequence of sysbench in both forms" {
    local form
    drawing
    for form in native 1.0; do
        run_sb ./s.lua --compat=$form --rand-seed=42 --events=3 run
        assert_status 0
        assert_equal "$(grep '^D' <<<"$out")" "D 6678695823595818893ULL 703958
D 11277125147607730155ULL 264063
D 15551418961449211741ULL 606319"
        run_sb ./s.lua --compat=$form --rand-seed=42 --percentile=0 --events=2 run
        assert_equal "$(grep '^D' <<<"$out" | tail -1)" "D 13785426779914018964ULL 611335"
    done
}

@test "random: events that draw nothing move the sequence on, too" {
    script <<'LUA'
local n = 0
function event()
   n = n + 1
   if n == 1 or n == 3 then io.write("D ", tostring(sysbench.rand.uniform_uint64()), "\n") end
end
LUA
    # numbers 0 and 3 of the sequence: events 1 and 2 have each taken one more
    run_sb ./s.lua --rand-seed=42 --events=3 run
    assert_equal "$(grep '^D' <<<"$out")" "D 6678695823595818893ULL
D 11277125147607730155ULL"
}

@test "random: the main thread's numbers, and unique(), as sysbench has them" {
    script <<'LUA'
function prepare() print("D", sysbench.rand.uniform(1, 1000000), sysbench.rand.unique()) end
LUA
    run_sb ./s.lua --compat=1.0 --rand-seed=5 prepare
    assert_has "$out" $'^D\t811644\t2672933100$'
    run_sb ./s.lua --rand-seed=5 prepare
    local first=$out
    run_sb ./s.lua --rand-seed=6 prepare
    [[ $first != "$out" ]] || fail_with "the seed does not matter"
    run_sb ./s.lua --rand-seed=5 prepare
    assert_equal "$out" "$first"
}

@test "random: unique over all threads, other numbers in another run" {
    script <<'LUA'
function event() io.write(string.format("U %.0f\n", sysbench.rand.unique())) end
LUA
    run_sb ./s.lua --threads=3 --events=3000 run
    assert_status 0
    assert_equal "$(grep '^U' <<<"$out" | sort -u | wc -l)" 3000
    local first
    first=$(grep '^U' <<<"$out" | sort | head -5)
    run_sb ./s.lua --threads=3 --events=3000 run
    [[ $first != "$(grep '^U' <<<"$out" | sort | head -5)" ]] || fail_with "the same numbers"
}

@test "random: arguments too many do not matter, in both forms" {
    local form
    script <<'LUA'
function event()
   local h = sysbench.histogram.new(5, 1, 10)
   for name, f in pairs(sysbench.rand) do
      print(name, type(f), name == "string" and f("#", 1, 2) or f(1, 5, 7))
   end
   print("sb_rand", type(sb_rand), sb_rand(1, 5, 7))
   h:update(3, 4)
   h:print(1)
   return true
end
LUA
    for form in '' --compat=1.0; do
        run_sb ./s.lua $form run
        assert_status 0
        assert_equal "$(grep -cP '^\w+\tfunction\t' <<<"$out")" 12
        assert_has "$out" "value .* distribution"
    done
}

@test "random: as sysbench, bounds wrap at 32 bits" {
    script <<'LUA'
function event()
   local r = sysbench.rand
   print("D", r.uniform(0, 4294967295), r.uniform(1, 2 ^ 40), r.uniform(5, 4))
   return true
end
LUA
    run_sb ./s.lua --compat=1.0 run
    assert_has "$out" $'^D\t0\t1\t5$'
}

# --- own measures and shared data ------------------------------------------------------------------

@test "measures: counters, latencies and event numbers in the result" {
    need_command jq
    script <<'LUA'
local things, reads, doing = sysbench.counter("things"), sysbench.counter("reads"), sysbench.latency("doing")
function event()
   things:add(3)
   things:inc()
   reads:inc()
   assert(things:value() % 4 == 0)
   assert(select("#", doing:time(function(a, b) return a, b end, 1, 2)) == 2)
   doing:record(2000000)
   assert(doing:since(sysbench.now()) > 0)
   local n = sysbench.event_number()
   assert(n > 0 and n == sysbench.event_number())
   io.stderr:write("number " .. n .. "\n")
end
LUA
    run_sb ./s.lua --threads=2 --events=10 --output-format=json run
    assert_status 0
    assert_json '.counters.things == 40' '.counters.reads == 10' '.latencies_ms.doing.count == 30' \
        '.latencies_ms.doing.latency_ms.max >= 2'
    assert_equal "$(grep '^number' <<<"$err" | sort -k2n | paste -sd' ')" \
        "$(seq -f 'number %g' 10 | paste -sd' ')"
}

@test "measures: too many names, and numbers that are none" {
    script <<'LUA'
local l = {}
for i = 1, 9 do l[i] = sysbench.latency("l" .. i) end
function event() for i = 1, 9 do l[i]:record(1) end end
LUA
    run_sb ./s.lua --time=60 run
    assert_status 1
    assert_has "$err" "no room for the latency 'l9'.* 8 latencies"
    local call
    for call in 'counter("x"):add(-1)' 'counter("x"):add(0/0)' 'latency("x"):record(-1)'; do
        echo "function event() sysbench.$call end" >s.lua
        run_sb ./s.lua --time=60 run
        assert_status 1
        assert_has "$err" "s.lua:1: .*'x': .* cannot be"
    done
}

@test "shared: built once for all threads" {
    script <<'LUA'
local squares, n = sysbench.shared.array("squares", "double", 1000, function(a, n)
   io.write("built\n")
   for i = 0, n - 1 do a[i] = i * i end
end)
local late
function thread_init()
   late = sysbench.shared.string("late", function() io.write("late built\n") return ("x"):rep(100) end)
end
function event() assert(squares[n - 1] == 999 * 999 and late[99] == 120) end
LUA
    run_sb ./s.lua --threads=4 --events=100 run
    assert_status 0
    assert_equal "$(grep -c '^built' <<<"$out")" 1
    assert_equal "$(grep -c '^late built' <<<"$out")" 1
}

# --- where scripts come from -----------------------------------------------------------------------

@test "modules: beside the script, from anywhere" {
    mkdir -p far/away
    echo 'return { answer = 42 }' >far/away/helper_mod.lua
    echo 'local h = require("helper_mod") function event() print("answer", h.answer) return true end' >far/away/s.lua
    run_sb far/away/s.lua run
    assert_status 0
    assert_has "$out" $'^answer\t42$'
    cd /
    run_sb "$BATS_TEST_TMPDIR/far/away/s.lua" run
    assert_status 0
}

@test "modules: a scenario from the search path is named by its file in messages" {
    mkdir lib
    echo 'function event() error("boom") end' >lib/found.lua
    LUA_PATH="$PWD/lib/?.lua" run_sb found run
    assert_status 1
    # Lua cuts a long name off in front.
    assert_has "$err" 'failed: [^ ]*/lib/found\.lua:1: boom'
}

@test "modules: a folder called sysbench does not hide the library" {
    mkdir sysbench
    echo 'error("hidden")' >sysbench/rand.lua
    echo 'function event() return sysbench.rand.uniform(1, 1) == 1 end' >s.lua
    run_sb ./s.lua run
    assert_status 0
}

@test "scripts: a first line of #! keeps line numbers" {
    printf '#!/usr/bin/env sbench\nfunction event() error("here") end\n' >s.lua
    run_sb ./s.lua run
    assert_status 1
    assert_has "$err" 's.lua:2: here'
}

@test "scripts: from standard input only the top level runs" {
    run_sb - run < <(echo 'print("top", sysbench.cmdline.command, sysbench.cmdline.script_path) function event() print("event") end')
    assert_status 0
    assert_has "$out" $'^top\trun\tnil$'
    assert_lacks "$out" '^event'
    run_sb < <(echo 'error("boom")')
    assert_status 1
    assert_has "$err" 'FATAL: stdin:1: boom'
}

@test "scripts: argv, command and path" {
    script <<'LUA'
local c = sysbench.cmdline
print("argv", #c.argv, c.argv[1], c.argv[2], c.argv[3], c.command, c.script_path)
LUA
    run_sb ./s.lua --threads=2 other
    assert_has "$out" $'^argv\t3\t./s.lua\t--threads=2\tother\tother\t./s.lua$'
}

@test "print_test_options: the table of the script's options" {
    declaring
    echo 'function help() sysbench.cmdline.print_test_options() end' >>s.lua
    run_sb ./s.lua help
    assert_status 0
    assert_has "$out" '^  --an-int=N  *an integer \[5\]$'
}

@test "hooks: those count that are there once the file was run, for the other states run no init()" {
    script <<'LUA'
function event() return true end
function init()
   sysbench.hooks.report_cumulative = function() print("late") end
   sysbench.hooks.report_intermediate = sysbench.hooks.report_cumulative
end
LUA
    run_sb ./s.lua --report-interval=0.1 run
    assert_status 0
    assert_lacks "$out" "late"
    assert_has "$out" "^General statistics:"
}

@test "hooks: a file of them for a built-in test" {
    echo 'sysbench.hooks.report_cumulative = function(stat) print("mine", stat.events) end' >h.lua
    run_sb cpu --hooks=h.lua --cpu-max-prime=100 --events=7 run
    assert_status 0
    assert_has "$out" $'^mine\t7$'
}

@test "files: flushing the data alone, and folders" {
    need_command jq
    script <<'LUA'
local files = sysbench.primitive("files", { ["files-dir"] = "." })
function event()
   files.make_dir("sub")
   local f = files.open("sub/f", "c")
   assert(f:write(4096) == 4096)
   f:fdatasync()
   f:close()
   assert(files.size("sub/f") == 4096 and files.size("sub/none") == nil)
   return true
end
LUA
    run_sb ./s.lua run
    assert_status 0
    [[ -f sub/f ]] || fail_with "no file in the new folder"
}

# --- SQL, which is not there yet ------------------------------------------------------------------------

@test "SQL: what needs a database says that there is no driver" {
    local call
    for call in 'sysbench.sql.driver()' 'db_connect()' 'db_query("SELECT 1")' 'sysbench.db.connect()'; do
        printf 'function event() %s end\n' "$call" >s.lua
        run_sb ./s.lua --time=60 run
        assert_status 1
        assert_has "$err" 's.lua:1: .*no SQL driver is built into sbench'
    done
}

# --- the compiler --------------------------------------------------------------------------------------------

@test "compiler: the loop becomes one trace, with nothing given up and nothing stitched" {
    local body
    for body in '' 'x = sysbench.rand.uniform(1, 100) + sysbench.rand.default(1, 1000)' \
        'c:inc() c:add(2)' 'l:since(sysbench.now())' 'x = sysbench.rand.string("##@@")' \
        'h:update(5)' 'x = a[7]' 'x = sysbench.event_number()' 'x = sysbench.opt.threads' \
        'x = cpu.primes(20)' 'io.write(0, 0, 512)' 'x = io.read(0, -1, 512)'; do
        script <<LUA
local c, l, h = sysbench.counter("c"), sysbench.latency("l"), sysbench.histogram.new(10, 1, 100)
local a = sysbench.shared.array("a", "int", 10, function() end)
local cpu = sysbench.primitive("cpu")
local io = sysbench.primitive("fileio", { ["file-num"] = 1, ["file-total-size"] = "64K" })
local x
local function check() return x, c, l, h, a, cpu, io end
prepare = io.prepare
local util = require("jit.util")
local began
local function watch(what, trace, func, pc, code, reason)
   if what == "start" then
      began = util.funcinfo(func, pc).source
   elseif what == "stop" then
      print("trace", began, util.traceinfo(trace).linktype)
   elseif what == "abort" then
      print("abort", began, code, reason)
   end
end
function thread_init()
   event() -- loads what it uses, which is not to be watched
   jit.attach(watch, "trace")
end
function event() $body end
LUA
        [[ -e test_file.0 ]] || run_sb ./s.lua prepare
        run_sb ./s.lua --events=20000 --time=20 --file-fsync-end=off run
        assert_status 0
        # Before the loop does, a function that it calls may have become hot: counters of
        # LuaJIT are shared by places in the code. Such a trace ends where the function
        # returns to the loop (8: a trace that leaves the loop it began in).
        assert_equal "$(grep -P '^(trace|abort)\t' <<<"$out" |
            grep -vP '^(trace|abort)\t(?!=sysbench/init)\S+\t(return|8\tnil)$')" \
            $'trace\t=sysbench/init.lua\tloop'
    done
}

@test "scripts: those that Debian's sysbench brings load and show their options" {
    local file
    compgen -G '/usr/share/sysbench/*.lua' >/dev/null || skip "Debian's sysbench is not installed"
    for file in /usr/share/sysbench/*.lua; do
        run_sb "$(basename "$file" .lua)" help
        assert_status 0
        assert_lacks "$err" FATAL
    done
    run_sb oltp_read_write help
    assert_has "$out" '--(table_size|table-size)=N .*\[10000\]'
    run_sb oltp_read_write --tables=1 run
    assert_refused
    assert_has "$err" 'no SQL driver'
}

@test "compiler: where machine code is forbidden the interpreter is used, and a note says so" {
    need_command python3
    cat >deny.py <<'PY'
import ctypes, os, sys
# PR_SET_MDWE: no memory of this program or its children becomes executable
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0:
    sys.exit(77)
os.execvp(sys.argv[1], sys.argv[1:])
PY
    python3 deny.py true || skip "this kernel cannot forbid it"
    echo 'function event() local s = 0 for i = 1, 100 do s = s + i % 7 end end' >s.lua
    status=0
    out=$(timeout 100 python3 deny.py "$SBENCH" ./s.lua --threads=2 --events=1000 run 2>err) || status=$?
    err=$(<err)
    assert_status 0
    assert_has "$out" 'total number of events: +1000$'
    assert_has "$err" 'forbids machine code'
}

@test "compiler: --luajit-cmd" {
    echo 'function event() print("jit", (jit.status())) return true end' >s.lua
    run_sb ./s.lua --luajit-cmd=off run
    assert_has "$out" $'^jit\tfalse$'
    run_sb ./s.lua --luajit-cmd=fly run
    assert_refused
    assert_has "$err" "luajit-cmd.*'fly'"
}

# --- signals ----------------------------------------------------------------------

# interrupted COMMAND [OPTION...]: runs s.lua, which writes "ready" to the file when it is where it
# stays for ever, and sends it SIGTERM there.
interrupted() {
    local command=$1 pid
    shift
    rm -f ready
    env --default-signal=TERM,INT "$SBENCH" ./s.lua --threads=2 --output=result "$@" "$command" \
        >out 2>err </dev/null 3>&- &
    pid=$!
    timeout 100 bash -c 'until test -e ready; do sleep 0.05; done'
    kill -TERM "$pid"
    { timeout 100 tail --pid="$pid" -f /dev/null; } || kill -KILL "$pid"
    wait "$pid"
}

# The thread sanitizer holds signals back until the program calls something that it knows.
known=$([[ $SBENCH != */tsan/* ]] || echo 'os.time()')
endless='local function endless() io.open("ready", "w"):close() while true do '$known' end end
function event() return true end
'

@test "signals: outside of a run they end a function of a script at once, with nothing left behind" {
    local where
    for where in init 'done' prepare help; do
        script <<<"$endless $where = endless"
        status=0
        interrupted "$([[ $where == prepare || $where == help ]] && echo "$where" || echo run)" || status=$?
        assert_equal "$where $status" "$where 143"
        assert_equal "$(echo result*)" "result*"
    done
    script <<<"$endless sysbench.cmdline.commands = {go = {endless}, all = {endless, true}}"
    for where in go all; do
        status=0
        interrupted "$where" || status=$?
        assert_equal "$where $status" "$where 143"
    done
    script <<<"$endless endless()"
    status=0
    interrupted help || status=$?
    assert_equal "$status" 143
}

@test "os.exit: ends with its status from anywhere, and leaves no half-written result" {
    local where
    for where in init thread_init event thread_done 'done' sysbench.hooks.report_cumulative; do
        script <<<"function event() return true end $where = function() os.exit(9) end"
        run_sb ./s.lua --threads=2 --output=result run
        assert_equal "$where $status" "$where 9"
        assert_equal "$(echo result*)" "result*"
    done
}

# bats test_tags=slow
@test "signals: threads and hooks that never return do not keep the program" {
    local where
    for where in thread_init thread_done sysbench.hooks.report_cumulative; do
        script <<<"$endless $where = endless"
        status=0
        interrupted run || status=$?
        assert_equal "$where $status" "$where 143"
    done
}
