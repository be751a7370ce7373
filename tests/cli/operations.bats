#!/usr/bin/env bats
# shellcheck disable=SC2154 # run_sb sets out, err
# Operations of primitives inside of a script's event(), and figures of its own.

load ../lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

script() {
    cat >s.lua
}

@test "fileio: given places, counts, bytes and a latency for each kind" {
    script <<'LUA'
local io = sysbench.primitive("fileio", { ["file-num"] = 2, ["file-total-size"] = "1M" })
prepare, cleanup = io.prepare, io.cleanup
function event()
   assert(io.files() == 2 and io.file_size() == 524288)
   assert(io.write(1, 4096, 8192) == 8192)
   assert(io.read(0, 0, 512) == 512)
   io.fsync(1)
end
LUA
    run_sb ./s.lua prepare
    assert_status 0
    run_sb ./s.lua --events=10 --output-format=json run
    assert_status 0
    assert_json '.fileio.write == (.fileio.write | .ops = 10 | .bytes = 81920)' \
        '.fileio.read.ops == 10 and .fileio.read.bytes == 5120' '.fileio.fsync.ops == 10' \
        '.fileio.fsync.latency_ms.max > 0' '.events == 10'
    run_sb ./s.lua cleanup
    assert_status 0
    assert_equal "$(ls)" s.lua
}

@test "fileio: a place beyond the file is an error of the script's line" {
    script <<'LUA'
local io = sysbench.primitive("fileio", { ["file-num"] = 1, ["file-total-size"] = "1M" })
prepare = io.prepare
function event()
   io.write(0, 1048576, 4096)
end
LUA
    run_sb ./s.lua prepare
    run_sb ./s.lua --events=1 run
    assert_status 1
    assert_has "$err" 's.lua:4'
}

@test "presets of a script give way to the user's values" {
    script <<'LUA'
local io = sysbench.primitive("fileio", { ["file-num"] = 3, ["file-total-size"] = "3M" })
prepare = io.prepare
function event() end
LUA
    run_sb ./s.lua --file-num=2 prepare
    assert_status 0
    assert_equal "$(find . -name 'test_file.*' | wc -l)" 2
    run_sb ./s.lua prepare
    assert_equal "$(find . -name 'test_file.*' | wc -l)" 3
}

@test "presets of a script are the defaults that its help shows" {
    script <<'LUA'
local io = sysbench.primitive("fileio", { ["file-num"] = 3, ["file-total-size"] = "48M", ["file-test-mode"] = "rndrd" })
function event() end
LUA
    run_sb ./s.lua help
    assert_status 0
    assert_has "$out" "--file-num=N .*\\[3\\]$" "--file-total-size=SIZE .*\\[48M\\]$" \
        "--file-fsync-freq=N .*\\[100\\]$" "--file-test-mode=STRING .*\\[rndrd\\]$"
}

@test "a preset of an option that the primitive has not is refused" {
    script <<'LUA'
sysbench.primitive("cpu", { ["cpu-max-prim"] = 3 })
function event() end
LUA
    run_sb ./s.lua --events=1 run
    assert_refused
    assert_has "$err" 'cpu-max-prim' 's.lua:1'
}

@test "cpu: the number of primes is sysbench's" {
    script <<'LUA'
local cpu = sysbench.primitive("cpu")
function event()
   assert(cpu.primes(100) == 24 and cpu.primes(10000) == 1228)
end
LUA
    run_sb ./s.lua --events=3 --output-format=json run
    assert_status 0
    assert_json '.latencies_ms["cpu.primes"].count == 6'
}

@test "memory: buffers are read and written, a chain is walked through all of its lines" {
    script <<'LUA'
local memory = sysbench.primitive("memory")
local buffer, chain
local words = 65536 / require("ffi").sizeof("size_t")
function thread_init()
   buffer = memory.buffer("64K")
   chain = memory.chain(64 * 100)
end
function event()
   memory.write(buffer)
   assert(buffer.data[0] == words and buffer.data[words - 1] == 1)
   memory.read(buffer, "rnd")
   memory.read()
   local seen, n = {}, 0
   for _ = 1, 100 do
      memory.chase(chain, 1)
      local at = tostring(chain.at[0])
      if not seen[at] then seen[at] = true; n = n + 1 end
   end
   assert(n == 100, n)
end
LUA
    run_sb ./s.lua --events=2 --output-format=json run
    assert_status 0
    assert_json '.latencies_ms["memory.read"].count == 4' '.latencies_ms["memory.chase"].count == 200' \
        '.counters.bytes_written == 131072' '.counters.bytes_read == 2 * (65536 + 1024)'
}

@test "memory: buffers of sizes that cannot be are refused with the script's line; more than 2 GiB can" {
    script <<'LUA'
local memory = sysbench.primitive("memory")
local function refused(f, ...)
   local arguments = {...}
   print(select(2, pcall(function() local made = f(unpack(arguments)) return made end)))
end
function event()
   for _, size in ipairs({0, -1, 0 / 0, "x", 2 ^ 60}) do
      refused(memory.buffer, size)
      refused(memory.chain, size)
   end
   local data = memory.buffer("2G").data -- whose pages are not touched
   print("large", tonumber(data[2 ^ 20]))
   return true
end
LUA
    run_sb ./s.lua run
    assert_status 0
    assert_equal "$(grep -c '^\./s\.lua:4: a buffer has at least' <<<"$out")" 6
    assert_equal "$(grep -c "^\./s\.lua:4: 'x' is not a size" <<<"$out")" 2
    assert_equal "$(grep -c '^\./s\.lua:4: no memory for a buffer' <<<"$out")" 2
    (($(awk '/MemTotal/ {print $2}' /proc/meminfo) < 4 << 20)) || assert_has "$out" "^large.0$"
}

@test "mutex and threads: locks by number and in turn" {
    script <<'LUA'
local mutex, threads = sysbench.primitive("mutex"), sysbench.primitive("threads")
function event()
   mutex.take()
   mutex.take(3)
   threads.yield()
   threads.yield(7)
   local ok, e = pcall(threads.yield, 8)
   assert(not ok and tostring(e):find("thread%-locks"))
end
LUA
    run_sb ./s.lua --events=5 --threads=2 --output-format=json run
    assert_status 0
    assert_json '.latencies_ms["mutex.take"].count == 10' '.latencies_ms["threads.yield"].count == 10'
}

@test "files: create, append, read, delete; a name that leads out is refused" {
    script <<'LUA'
local files = sysbench.primitive("files")
function event()
   local f = files.open("a", "c")
   assert(f:write(1000) == 1000)
   f:fsync()
   f:close()
   f = files.open("a", "a")
   f:write(24)
   f:close()
   assert(files.size("a") == 1024)
   f = files.open("a")
   assert(f:read(4096) == 1024 and f:read(4, 1020) == 4)
   f:close()
   files.delete("a")
   assert(files.size("a") == nil)
   for _, name in ipairs { "/etc/passwd", "../x", "a/../../x", "" } do
      assert(not pcall(files.open, name, "c"), name)
   end
end
LUA
    run_sb ./s.lua --files-dir=. --events=2 --output-format=json run
    assert_status 0
    assert_json '.files.create.ops == 2' '.files.delete.ops == 2' '.files.write.bytes == 2048'
    assert_equal "$(ls)" s.lua
}

@test "operations outside of a run are refused with the reason" {
    script <<'LUA'
local cpu = sysbench.primitive("cpu")
function prepare() cpu.primes(10) end
LUA
    run_sb ./s.lua prepare
    assert_refused
    assert_has "$err" 'thread_init, event'
}

@test "what is given in the place of a name is refused, with the script's line" {
    script <<'LUA'
local files, memory = sysbench.primitive("files"), sysbench.primitive("memory")
local function refused(f, ...)
   local arguments = {...}
   print(select(2, pcall(function() local made = f(unpack(arguments)) return made end)))
end
refused(sysbench.primitive)
refused(sysbench.primitive, "cpu", 5)
function event()
   for _, f in ipairs({files.open, files.delete, files.size, files.make_dir}) do
      refused(f)
      refused(f, {})
   end
   refused(memory.chase, memory.buffer(64), 1)
   refused(memory.write, memory.chain(1024))
   local h = sysbench.histogram.new(10, 1, 10)
   h.update(nil, 5)
   h.print(nil)
   return true
end
LUA
    run_sb ./s.lua run
    assert_status 0
    assert_equal "$(grep -c '^\./s\.lua:4: the name of a file must be a string' <<<"$out")" 8
    assert_has "$out" '^\./s\.lua:4: sysbench.primitive\(name' '^\./s\.lua:4: .*presets must be a table' \
        '^\./s\.lua:4: memory.chase: this is no chain' '^\./s\.lua:4: memory.write: this is a chain'
}

@test "numbers that no integer can be, sizes below 0 and closed files are refused" {
    script <<'LUA'
local files, fileio = sysbench.primitive("files"), sysbench.primitive("fileio", { ["file-num"] = 1, ["file-total-size"] = "64K" })
local memory, mutex = sysbench.primitive("memory"), sysbench.primitive("mutex")
local refusals = 0
local function refused(f, ...)
   local ok, why = pcall(f, ...)
   assert(not ok, why)
   refusals = refusals + 1
   print(why)
end
prepare = fileio.prepare
function event()
   local file, chain = files.open("f", "c"), memory.chain(1024)
   for _, bad in ipairs({-7, 0 / 0, 1e300, -1e300}) do
      refused(file.write, file, bad)
      refused(file.write, file, 1, bad)
      refused(fileio.write, 0, 0, bad)
      refused(fileio.read, 0, bad)
      refused(fileio.read, bad)
      refused(fileio.fsync, bad)
      refused(mutex.take, bad)
      refused(memory.chase, chain, bad)
      refused(memory.chain, 1024, bad)
   end
   refused(memory.chain, 1024, 13)
   file:close()
   for _, f in ipairs({file.write, file.read, file.fsync, file.fdatasync, file.close}) do
      refused(f, file, 1)
   end
   files.delete("f")
   assert(refusals == 42, refusals)
   return true
end
LUA
    run_sb ./s.lua prepare
    run_sb ./s.lua run
    assert_status 0
    assert_equal "$(grep -c 'this file has been closed' <<<"$out")" 5
}

@test "an unknown primitive is named" {
    script <<'LUA'
sysbench.primitive("gpu")
LUA
    run_sb ./s.lua run
    assert_refused
    assert_has "$err" "'gpu'"
}

@test "a script's measures and the operations that it called are in the text" {
    script <<'LUA'
local cpu = sysbench.primitive("cpu")
local hits, step = sysbench.counter("hits"), sysbench.latency("step")
function event()
   hits:add(3)
   step:record(2000000)
   cpu.primes(50)
end
LUA
    run_sb ./s.lua --events=4 run
    assert_status 0
    assert_has "$out" '^Measures: +count +avg \(ms\) +max \(ms\)$' '^    step +4 +2\.000 +2\.000$' \
        '^    cpu\.primes +4 +[0-9.]+ +[0-9.]+$' '^Counters:$' '^    hits +12$'
    run_sb cpu --events=2 run
    assert_lacks "$out" '^(Measures|Counters):'
}

@test "each primitive that a script makes operations of has its lines in the text" {
    script <<'LUA'
local io = sysbench.primitive("fileio", { ["file-num"] = 1, ["file-total-size"] = "1M" })
local files = sysbench.primitive("files")
prepare = io.prepare
function event()
   io.read(0, 0, 4096)
   local f = files.open("own", "c")
   f:write(100)
   f:close()
end
LUA
    run_sb ./s.lua prepare
    assert_status 0
    run_sb ./s.lua --events=10 run
    assert_status 0
    assert_has "$out" '^1 files, 1MiB each' '^ +reads/s: +[1-9]' '^ +create +10 ' '^ +write +10 ' '^General statistics'
    assert_equal "$(grep -c '^Throughput:' <<<"$out")" 2
}

@test "a script's own figure is in the text and in JSON" {
    script <<'LUA'
local cpu = sysbench.primitive("cpu")
local hits = sysbench.counter("hits")
sysbench.metric("hits_per_event", "hits", function(stat)
   return stat.counters.hits / stat.events
end)
sysbench.metric("prime_us", "us", function(stat)
   return stat.latencies["cpu.primes"].avg_ms * 1000
end, "lower")
function event()
   hits:add(3)
   cpu.primes(50)
end
LUA
    run_sb ./s.lua --events=4 run
    assert_status 0
    assert_has "$out" '^Metrics:$' '^ +hits_per_event: +3 hits$' '^ +prime_us: +[0-9.]+ us$'
    run_sb ./s.lua --events=4 --output-format=json run
    assert_json '.metrics.hits_per_event == {"value": 3, "unit": "hits", "better": "higher"}' \
        '.metrics.prime_us.better == "lower" and .metrics.prime_us.value > 0'
}

@test "a figure that is no number makes the run fail, with its name" {
    script <<'LUA'
sysbench.metric("odd", "x", function() return "three" end)
function event() end
LUA
    run_sb ./s.lua --events=4 run
    assert_status 1
    assert_has "$err" "odd"
}
