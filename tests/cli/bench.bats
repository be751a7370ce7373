# bats file_tags=scripts,slow
#
# scripts/bench: the form of what it says, what it does when a peer is missing or fails. Never how
# fast anything is.

load ../lib/common

setup() {
    export SBENCH BENCH_OUT=$BATS_TEST_TMPDIR/bench BENCH_DIR=$BATS_TEST_TMPDIR
}

bench() {
    status=0
    timeout -k 5 280 "$ROOT/scripts/bench" "$@" >"$BATS_TEST_TMPDIR/.out" 2>"$BATS_TEST_TMPDIR/.err" ||
        status=$?
    out=$(<"$BATS_TEST_TMPDIR/.out")
    err=$(<"$BATS_TEST_TMPDIR/.err")
}

# only_these PROGRAM...: of sysbench, fio and clang only these are found.
only_these() {
    local bin=$BATS_TEST_TMPDIR/bin name
    mkdir "$bin"
    for name in /usr/local/bin /usr/bin /bin; do
        ln -sf -t "$bin" "$name"/* 2>/dev/null || true
    done
    for name in sysbench fio clang; do
        [[ " $* " == *" $name "* ]] || rm -f "$bin/$name"
    done
    PATH=$bin
}

# pretend_sysbench SCRIPT: what sysbench does from now on.
pretend_sysbench() {
    only_these fio
    printf '#!/bin/bash\n%s\n' "$1" >"$PATH/sysbench"
    chmod +x "$PATH/sysbench"
}

json() {
    jq -e "$1" "$BENCH_OUT.json"
}

@test "a quick run measures, prints a table and writes JSON" {
    type -P sysbench fio || skip "sysbench and fio are needed"
    bench --quick
    assert_status 0
    assert_has "$out" '^machine: .*CPUs' '^date: ' '^sysbench: sysbench 1\.' '^fio: fio-' \
        '^what +unit +sbench +peer +its figure +ratio +target +result$' \
        '^empty Lua event, 1 thread +events/s +[0-9]+ +sysbench +[0-9]+ +[0-9.]+ +>= 5 +(met|missed)$' \
        '^primitive null, per event +ns .* clock-read .* <= 1.3 +(met|missed)$'
    json '.schema == "sbench-bench/1" and .machine and .sbench and (.rows | length) >= 14'
    json '[.rows[] | select(.name != "cpu_clang") | .sbench.median > 0 or .unit == "%"] | all'
    json '[.rows[] | select(.target and .ratio) | .met | type == "boolean"] | all'
    json '.rows[] | select(.name == "cpu_clang") | .missing | startswith("skipped: ")'
}

@test "sides take turns, forth and back" {
    BENCH_PAIRS=2 bench --only=null
    assert_status 0
    [[ $(awk '$1 == "value" && $5 == "ns" { print $3, $4 }' "$BENCH_OUT.data" | paste -sd, ) == \
        "sbench 1,clock-read 1,clock-read 2,sbench 2" ]] || fail_with "another order"
    json '.rows[0] | .sbench.min <= .sbench.median and .sbench.median <= .sbench.max'
    assert_has "$out" '^primitive null, per event +ns +[0-9.]+ \([0-9.]+ to [0-9.]+\)'
}

@test "a peer that is not installed is skipped with the reason" {
    only_these
    bench --quick --only=one
    assert_status 0
    assert_has "$out" '^one Lua event, start to exit +ms +[0-9.]+ +sysbench +- +- +<= 0.5 +skipped: sysbench is not installed$'
    json '.rows[0].met == null and .rows[0].missing == "skipped: sysbench is not installed"'
}

@test "what could not be measured is named, and the exit status is 1" {
    pretend_sysbench 'echo "no such luck" >&2; exit 3'
    bench --quick --only=rate-20k
    assert_status 1
    assert_has "$out" '^--rate=20000, error of the rate .* failed: no such luck$'
    assert_has "$err" 'rate-20k, sysbench could not be measured' 'no such luck'
}

@test "a missed target is no failure" {
    # shellcheck disable=SC2016 # its own argument
    pretend_sysbench '[[ $1 == --version ]] || printf "events 9000000000\nseconds 1.0\n"'
    bench --quick --only=empty
    assert_status 0
    assert_has "$out" '^empty Lua event, 1 thread .* missed$'
}

@test "the last run can be shown again, also for a document" {
    bench --show
    assert_refused
    assert_has "$err" 'no last run to show: .*bench.data is missing'
    bench --quick --only=null
    assert_status 0
    bench --show --markdown
    assert_status 0
    assert_has "$out" '^- machine: ' '^\| what +\| unit \| sbench' '^\| -+ \| -+ \|' '^\| primitive null'
}

@test "bad arguments are refused and named" {
    bench --fast
    assert_refused
    assert_has "$err" "unknown argument '--fast'"
    bench --only=null,nul
    assert_refused
    assert_has "$err" "no group 'nul'; there are: empty null cpu"
    BENCH_PAIRS=0 bench --only=null
    assert_refused
    assert_has "$err" 'BENCH_PAIRS=0 is not'
    BENCH_SECONDS=0.5 bench --only=null
    assert_refused
    assert_has "$err" 'BENCH_SECONDS=0.5 is not a whole number'
    [[ ! -e $BENCH_OUT.data ]] || fail_with "something was measured"
}
