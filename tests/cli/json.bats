# bats file_tags=docs,slow
#
# docs/json.md has every member that results have, with its type.

# shellcheck disable=SC2016,SC2154 # backquotes of Markdown, variables of jq; run_sb sets out, err

load ../lib/common

# A jq program that reads the documented rows as $rows ("path<TAB>type<TAB>there") and says what is
# wrong with a document: members that no row describes, wrong types, and missing ones.
check='
def rows: $rows | split("\n") | map(select(. != "") | split("\t")
    | {path: (.[0] | split(".")), type: .[1], there: .[2]});
# An object that rows only name by its kind.
def expand: . as $r | if .type == "latency" then
      {path: $r.path, type: "object", there},
      (("min", "avg", "max", "sum") as $k | {path: ($r.path + [$k]), type: "number", there: $r.there}),
      {path: ($r.path + ["percentiles"]), type: "object", there: $r.there},
      {path: ($r.path + ["percentiles", "P"]), type: "number", there: "?"}
    elif .type == "metrics" then
      {path: $r.path, type: "object", there},
      {path: ($r.path + ["NAME"]), type: "object", there: "?"},
      {path: ($r.path + ["NAME", "value"]), type: "number", there: "?"},
      (("unit", "better") as $k | {path: ($r.path + ["NAME", $k]), type: "string", there: "?"})
    else . end;
def fits($word; $key): ($key | type) == "number" and $word == "[]"
    or ($key | type) == "string" and ($word == $key or ($word | test("^[A-Z]+$")));
def described($path): . as $r | ($r.path | length) == ($path | length)
    and all(range(0; $path | length); fits($r.path[.]; $path[.]));
def typed($wanted): if . == null then $wanted | IN("number", "any", "string")
    elif $wanted == "integer" then type == "number" and floor == .
    elif $wanted == "any" then type | IN("number", "string") else type == $wanted end;
def name: map(tostring) | join(".");
[rows[] | expand] as $known
| (paths as $p | [$known[] | select(described($p))] as $r
    | if $r == [] then "not in json.md: \($p | name)"
      elif getpath($p) | typed($r[0].type) | not
      then "\($p | name) is no \($r[0].type): \(getpath($p) | tojson)" else empty end),
  ([paths] as $all
    | $known[] | select(.there == "always") | . as $r
    | if any($all[]; . as $p | $r | described($p)) then empty else "missing: \($r.path | name)" end)'

setup_file() {
    sed -nE 's/^\| `([^`]+)` \| ([a-z]+) \|[^|]*\| ([^|]*) \|.*/\1\t\2\t\3/p' "$ROOT_DOC" >"$BATS_FILE_TMPDIR/rows"
}
ROOT_DOC=$(cd "$(dirname "$BATS_TEST_FILENAME")/../.." && pwd)/docs/json.md

setup() {
    rows=$(<"$BATS_FILE_TMPDIR/rows")
    (($(wc -l <<<"$rows") > 60)) || fail_with "hardly any rows found in json.md"
    cd "$BATS_TEST_TMPDIR" || return 1
}

# documented ARGS...: runs the program, and nothing in its document is unknown to json.md.
documented() {
    run_sb "$@" --output-format=json
    [[ -n $out ]] || fail_with "no document"
    assert_json true
    local wrong
    wrong=$(jq -r --arg rows "$rows" "$check" <<<"$out" | sort -u)
    [[ -z $wrong ]] || { out=; fail_with "$wrong"; }
}

# in_time FILTER ARGS...: documented ARGS, in a short run and, where the machine has paused so long
# that FILTER is not true of that, in a longer one.
in_time() {
    local filter=$1 time
    shift
    for time in 0.7 3 30; do
        documented "$@" --time=$time
        ! jq -e "$filter" <<<"$out" >/dev/null || return 0
    done
    fail_with "not true of the JSON: $filter"
}

# metrics TEST: those of the document are the documented ones of the test, with unit and direction.
metrics() {
    local doc made
    doc=$(sed -nE 's/^\| '"$1"' \| `([a-z0-9_]+)` \| ([^ |]+) \| (higher|lower) \|.*/\1 \2 \3/p' "$ROOT_DOC" | sort)
    made=$(jq -r '.metrics | to_entries[] | "\(.key) \(.value.unit) \(.value.better)"' <<<"$out" | sort)
    assert_equal "$made" "$doc"
    [[ -n $doc ]]
}

@test "the check itself finds an unknown member, a wrong type and a missing member" {
    documented null --time=0.1 run
    local wrong
    wrong=$(jq '.surprise = 1 | .threads = "one" | del(.seed)' <<<"$out" | jq -r --arg rows "$rows" "$check")
    assert_has "$wrong" '^not in json.md: surprise$' '^threads is no integer: "one"$' '^missing: seed$'
    assert_equal "$(wc -l <<<"$wrong")" 3
}

@test "cpu, memory, threads, mutex, files and null" {
    local test
    documented cpu --time=0.2 --threads=2 --percentile=50,99.9 run
    metrics cpu
    documented memory --time=0.2 run
    metrics memory
    documented threads --time=0.2 --threads=2 run
    metrics threads
    documented mutex --mutex-locks=100 --mutex-loops=10 run
    metrics mutex
    documented files --events=20 run
    metrics files
    documented null --time=0.1 run
    metrics null
    # And there is no other, nor one without metrics.
    run_sb list
    while read -r test; do
        grep -q "^| $test | " "$ROOT_DOC" || fail_with "$test has no metrics in json.md"
    done < <(sed -nE '/^primitives/,/^scenarios/s/^  ([a-z]+) .*/\1/p' <<<"$out")
}

@test "fileio" {
    local files=(--file-num=2 --file-total-size=256K --file-block-size=4K)
    sb fileio "${files[@]}" prepare >/dev/null
    documented fileio "${files[@]}" --file-test-mode=rndrw --file-fsync-freq=10 --time=0.3 run
    assert_status 0
    metrics fileio
    assert_json '.fileio | keys == ["fsync", "read", "write"]'
}

@test "a script, intervals and checkpoints" {
    printf '%s\n' 'sysbench.metric("twice", "1/s", function(s) return 2 * s.events end, "lower")' \
        'function event() end' >own.lua
    in_time '.intervals | length >= 2' ./own.lua --report-interval=0.2 --report-checkpoints=100 run
    assert_status 0
    assert_json '.test == "own.lua"' '.metrics.twice.value == 2 * .events' \
        '.metrics.twice | .unit == "1/s" and .better == "lower"'
    in_time '.checkpoints | length == 1' cpu --report-checkpoints=0.5 run
}

@test "a run with a rate" {
    in_time '.intervals | length >= 1' cpu --cpu-max-prime=100 --rate=200 --rate-pace=fixed \
        --report-interval=0.2 run
    assert_json '.rate.target_per_s == 200' '.intervals[0] | has("queue_length") and has("concurrency")'
}

@test "a warm-up until the rate is steady" {
    documented cpu --until-steady=100 --steady-window=0.05 --warmup-time=1 --time=0.2 run
    assert_status 0
    assert_json '.steady.level_percent == 100' '.steady.windows > 0'
}

@test "a run that an error or a signal ended, and one with threads given up" {
    printf 'function event() error("broken") end\n' >bad.lua
    documented ./bad.lua --time=1 run
    assert_status 1
    assert_json '.limit == "error"' '.complete == false' '.error | test("broken")'
    documented cpu --cpu-max-prime=2000000000 --time=0.2 --hard-stop=0.3 run
    assert_status 2
    assert_json '.unfinished | length == 1' '.complete == false'
}

# whole: what a document says of the same thing in several places is the same.
whole() {
    assert_json '([.histogram_ns[][1]] | add // 0) == .events' \
        '.limit | IN("time", "events", "work", "signal", "error")' \
        '.fairness.events_avg * .threads - .events | fabs < 0.001' \
        '[.. | objects | select(has("percentiles"))] | length > 0 and
            all(.min <= .max and (.min as $a | .max as $b | .percentiles | all($a <= . and . <= $b)))' \
        '. as $d | .latency_ms.sum - .latency_ms.avg * .events | fabs <= 1e-6 * ($d.latency_ms.sum + 1)'
    if jq -e 'has("intervals")' <<<"$out" >/dev/null; then
        assert_json '([.intervals[].events] | add) == .events' \
            '. as $d | ([.intervals[].latency_ms.sum] | add) - .latency_ms.sum | fabs <= 1e-6 * ($d.latency_ms.sum + 1)' \
            '.intervals[-1].at_s <= .time_s'
    fi
}

@test "sums, counts and percentiles agree, and intervals add up to the whole" {
    local run
    printf 'local n = 0\nfunction event() n = n + 1 end\n' >e.lua
    for run in 'null --time=0.5 --report-interval=0.5' 'cpu --time=0.5 --report-interval=0.2 --threads=3' \
        'memory --time=0.3 --report-interval=10' './e.lua --time=0.4 --report-interval=0.1333' \
        './e.lua --events=1000 --report-interval=1 --threads=2' 'files --events=10 --report-interval=1' \
        'cpu --rate=300 --time=0.5 --report-interval=0.1' 'mutex --report-interval=1' 'null --events=0 --time=0.1'; do
        # shellcheck disable=SC2086 # words
        run_sb $run --percentile=100,0,50,99.99 --output-format=json run
        assert_status 0
        whole
        assert_json '.complete' '.latency_ms.percentiles | keys_unsorted == ["100", "0", "50", "99.99"]'
    done
}

@test "the same percentile twice is one member" {
    run_sb null --events=10 --percentile=99,50,99.0,50 --output-format=json run
    assert_status 0
    assert_equal "$(grep -c '"50":' <<<"$out")" "$(grep -c '"percentiles"' <<<"$out")"
    run_sb null --events=10 --percentile=99.99999999999,100 --output-format=json run
    assert_json '.latency_ms.percentiles | keys == ["100", "99.99999999999"]'
}

# Whatever becomes of a planned start, it is counted once.
@test "with a rate: events, backlog and dropped ones are all that was planned" {
    local more
    for more in '' --rate-drop=5ms --rate-drain; do
        run_sb null --rate=20000 --rate-pace=fixed --time=0.5 --threads=3 --report-interval=0.2 --output-format=json \
            ${more:+"$more"} run
        assert_status 0
        assert_json '.events + .rate.backlog + .rate.dropped == 9999' '.rate.late <= .events'
        whole
    done
    run_sb null --rate=1e9 --events=100 --output-format=json run
    assert_json '.rate.backlog == 0' '[.notes[].key] | index("backlog") == null'
    run_sb null --time=0.1 --rate-drain run
    assert_has "$err" '^note: --rate-drain has no effect without --rate$'
}

@test "what becomes due with the end is told, whatever the scheduler does" {
    run_sb cpu --cpu-max-prime=10 --time=2 --report-interval=1 --report-checkpoints=1,2 run
    # Two of each, but for a reporter that slept through the first.
    assert_has "$out" '^\[ .*thds: 1' '^\[ .*Checkpoint report'
    # The last checkpoint's statistics are those of the end, not taken from it.
    assert_equal "$(awk '/total number of events/ { n = $NF } END { print (n > 0) }' <<<"$out")" 1
    run_sb cpu --cpu-max-prime=10 --time=2 --report-checkpoints=1,2 --output-format=json run
    assert_json '.checkpoints | length >= 1' '([.checkpoints[].events] | add) == .events'
}

@test "a function of the script that fails leaves no complete result" {
    printf 'function event() end\nfunction thread_done() error("td") end\n' >td.lua
    printf 'function event() end\nsysbench.metric("m", "s", function() error("in m") end)\n' >m.lua
    printf 'function event() end\nsysbench.hooks.report_intermediate = function() error("in hook") end\n' >h.lua
    printf 'function event() end\nfunction done() error("in done") end\n' >end.lua
    local script
    for script in td m h end; do
        run_sb ./$script.lua --time=0.5 --report-interval=0.2 --output-format=json run
        assert_status 1
        assert_json '.complete == false' '.error | test("function of the script")' '.events > 0' '.limit == "time"'
        run_sb ./$script.lua --time=0.5 --report-interval=0.2 --output-format=csv run
        assert_status 1
        assert_has "$out" '^partial,'
    done
}

@test "memory's notes say what its figure is one of" {
    run_sb memory --memory-block-size=16K --memory-total-size=1000K --memory-access-mode=rnd --threads=2 \
        --memory-oper=read --output-format=json run
    assert_status 0
    assert_json '[.notes[].key] | contains(["footprint", "shared_block", "remainder", "random_access"])' \
        '.notes[] | select(.key == "footprint").text | test("1 block of 16KiB")' \
        '(.metrics.ns_per_access.value * 1000 | round) as $ps
            | .notes[] | select(.key == "random_access").text | capture("access [(](?<ns>[0-9.]+) here").ns
            | tonumber * 1000 - $ps | fabs <= 0.01 * $ps + 1'
    run_sb memory --memory-block-size=16K --memory-total-size=160K --output-format=json run
    assert_status 0
    assert_json '[.notes[].key] | contains(["remainder"]) or contains(["random_access"]) or contains(["shared_block"]) | not'
}

@test "CSV: each column once, rows as wide as the head, a script's figures in the last" {
    printf '%s\n' 'sysbench.metric("a.b", "s", function(s) return 1 end)' 'sysbench.metric("c", "s", function(s) return 0/0 end)' \
        'function event() end' >own.lua
    local args
    for args in 'cpu --cpu-max-prime=10 --rate=100' memory 'own.lua --threads=2' 'own.lua --rate=50'; do
        # shellcheck disable=SC2086 # words
        run_sb ${args/own/.\/own} --time=0.5 --report-interval=0.2 --percentile=50,99 --output-format=csv run
        assert_status 0
        assert_equal "$(head -n 1 <<<"$out" | tr , '\n' | sort | uniq -d)" ''
        assert_equal "$(awk -F, '{ print NF }' <<<"$out" | sort -u | wc -l)" 1
        assert_equal "$(awk -F, '$1 == "interval" { n += $5 } $1 == "total" { print n == $5 }' <<<"$out")" 1
    done
    assert_has "$out" '^row,.*,late,dropped,backlog,a.b,c$' '^interval,.*,,$' '^total,.*,1,$'
}

@test "--output that cannot be written is told before the run, in each format" {
    local format
    printf 'function init() print("began") end\nfunction event() end\n' >e.lua
    for format in text json csv; do
        run_sb ./e.lua --events=1 --output=none/x --output-format=$format run
        assert_status 1
        assert_has "$err" '--output.*none/x'
        assert_lacks "$out$err" began
    done
}

@test "a standard stream that is closed does not become another file" {
    local format
    sb fileio --file-num=1 --file-total-size=64K prepare >/dev/null
    for format in text json csv; do
        status=0
        sb fileio --file-num=1 --file-total-size=64K --file-test-mode=rndrd --events=5 --output-format=$format run \
            2>err >&- || status=$?
        assert_status 1
        assert_has "$(<err)" 'cannot be written|could not be written'
        ! grep -aqE 'total|latency' test_file.0 || fail_with "the report is in the test file"
        sb null --events=5 --output-format=$format run >out 2>&- || fail_with "silence is no error"
        [[ -s out ]]
    done
}
