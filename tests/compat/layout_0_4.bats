#!/usr/bin/env bats
# The form 0.4: what sysbench 0.4.12 printed, line by line, with digits masked. The command lines are
# those that pages on the web still show.

# shellcheck disable=SC2030,SC2031,SC2154 # run_sb sets out and err; each test is a subshell on purpose

load ../lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    ln -sf "$SBENCH" sysbench
    SBENCH=$PWD/sysbench
}

# old ARGS...: a run in the form 0.4
old() {
    run_sb --compat=0.4 "$@"
}

# Digits become N, one for each number, and decimals stay countable; padding shrinks to one blank.
masked() {
    sed -E -e 's/[0-9]+(\.[0-9]+)/N\1/g' -e ':a' -e 's/(N\.N*)[0-9]/\1N/' -e ta -e 's/[0-9]+/N/g' \
        -e 's/([:.(,]) +N/\1 N/g' -e 's/^ +N/N/' <<<"$1"
}

# shows TEXT: the masked output is TEXT, which is given on standard input
shows() {
    assert_equal "$(masked "$out")" "$(cat)"
}

banner='sysbench N.N.NN:  multi-threaded system evaluation benchmark

Running the test with following options:'

summary='
Test execution summary:
    total time: N.NNNNs
    total number of events: N
    total time taken by event execution: N.NNNN
    per-request statistics:
         min: N.NNms
         avg: N.NNms
         max: N.NNms
         approx. N percentile: N.NNms

Threads fairness:
    events (avg/stddev): N.NNNN/N.NN
    execution time (avg/stddev): N.NNNN/N.NN'

@test "cpu" {
    old --test=cpu --num-threads=4 --max-requests=100 run
    assert_status 0
    shows <<EOT
$banner
Number of threads: N

Doing CPU performance benchmark

Threads started!
Event limit exceeded, exiting...
(last message repeated N times)
Done.

Maximum prime number checked in CPU test: N

$summary
EOT
}

@test "memory" {
    old --test=memory --memory-block-size=1K --memory-total-size=10M --memory-access-mode=rnd run
    assert_status 0
    shows <<EOT
$banner
Number of threads: N

Doing memory operations speed test
Memory block size: NK

Memory transfer size: NM

Memory operations type: write
Memory scope type: global
Threads started!
Done.

Operations performed: N (N.NN ops/sec)

N.NN MB transferred (N.NN MB/sec)

$summary
EOT
}

@test "threads" {
    old --test=threads --num-threads=20 --thread-yields=10 --thread-locks=8 --max-requests=40 run
    assert_status 0
    shows <<EOT
$banner
Number of threads: N

Doing thread subsystem performance test
Thread yields per test: N Locks used: N
Threads started!
Event limit exceeded, exiting...
(last message repeated N times)
Done.

$summary
EOT
}

@test "mutex" {
    old --test=mutex --mutex-num=4096 --mutex-locks=50 --mutex-loops=10 run
    assert_status 0
    shows <<EOT
$banner
Number of threads: N

Doing mutex performance test
Threads started!
Done.

$summary
EOT
}

# fileio_shows MODE-LINE: what the last run printed
fileio_shows() {
    shows <<EOT
$banner
Number of threads: N

Extra file open flags: N
N files, NKb each
NKb total file size
Block size NKb
${2-}Periodic FSYNC enabled, calling fsync() each N requests.
Calling fsync() at the end of test, Enabled.
Using synchronous I/O mode
$1
Threads started!
Event limit exceeded, exiting...
Done.

Operations performed: N Read, N Write, N Other = N Total
SIZES
N.NN Requests/sec executed
$summary
EOT
}

fileio() {
    old --test=fileio --file-num=2 --file-total-size=768K prepare
    assert_status 0
    old --test=fileio --file-num=2 --file-total-size=768K --file-test-mode="$1" --max-requests=40 run
    assert_status 0
    assert_has "$out" '^Read [0-9.]+[KMGT]?b  Written [0-9.]+[KMGT]?b  Total transferred [0-9.]+[KMGT]?b  \([0-9.]+[KMGT]?b/sec\)$'
    # shellcheck disable=SC2001 # of each line that begins so
    out=${out/$'\n'Read */$'\n'SIZES$'\n'${out#*sec)$'\n'}}
}

@test "fileio, sequential rewrite" {
    fileio seqrewr
    fileio_shows "Doing sequential rewrite test"
}

@test "fileio, random write" {
    fileio rndwr
    fileio_shows "Doing random write test" "Number of random requests for random IO: N
Read/Write ratio for combined random IO test: N.NN
"
    old --test=fileio --file-num=2 cleanup
    assert_status 0
    [[ ! -e test_file.0 && ! -e test_file.1 ]]
}

@test "columns of the summary" {
    old --test=cpu --num-threads=2 --max-requests=20 run
    assert_has "$out" '^    total time:                          [0-9]+\.[0-9]{4}s$' \
        '^    total number of events:              20$' \
        '^    total time taken by event execution: [0-9]+\.[0-9]{4}$' \
        '^         min:                            [ 0-9]{7}\.[0-9]{2}ms$' \
        '^         max:                            [ 0-9]{7}\.[0-9]{2}ms$' \
        '^         approx\.  95 percentile:         [ 0-9]{7}\.[0-9]{2}ms$' \
        '^    events \(avg/stddev\):           10\.0000/[0-9]+\.[0-9]{2}$' \
        '^    execution time \(avg/stddev\):   [0-9]+\.[0-9]{4}/[0-9]+\.[0-9]{2}$'
}

@test "defaults: 10000 requests, no time limit, messages of verbosity 4" {
    old --test=cpu --cpu-max-prime=3 run
    assert_status 0
    assert_has "$out" '^    total number of events: +10000$' '^Event limit exceeded'
    old --test=cpu --cpu-max-prime=3 --max-requests=20 --output-format=json run
    assert_json '(.options.time | tostring) == "0"' '(.options.events | tostring) == "20"' \
        '(.options.verbosity | tostring) == "4"'
}

@test "a time limit without a limit of requests, two threads" {
    old --test=cpu --max-time=1 --max-requests=0 --num-threads=2 run
    assert_status 0
    assert_has "$out" '^Time limit exceeded, exiting' '^\(last message repeated 1 times\)$' \
        '^    total time: +[1-9][0-9]*\.[0-9]{4}s$'
}

@test "options of other tests are taken, unknown ones are not" {
    old --test=cpu --file-num=4 --max-requests=5 run
    assert_status 0
    assert_has "$err" 'note: --file-num has no effect here.*fileio'
    old --test=cpu --file-nam=4 --max-requests=5 run
    assert_refused
    assert_has "$err" 'file-nam=4'
}

@test "random numbers: the same in each run, unless --init-rng is given" {
    local first
    printf 'function event() print("drawn", sysbench.rand.uniform(1, 1000000)) end\n' >draw.lua
    old draw.lua --max-requests=3 run
    first=$(grep drawn <<<"$out")
    old draw.lua --max-requests=3 run
    assert_equal "$(grep drawn <<<"$out")" "$first"
    old --init-rng=on draw.lua --max-requests=3 run
    assert_has "$out" '^Initializing random number generator from timer\.$'
    [[ $(grep drawn <<<"$out") != "$first" ]]
}

@test "--batch: a line of latencies every --batch-delay, in seconds" {
    old --test=cpu --cpu-max-prime=100 --max-requests=0 --max-time=2 --batch --batch-delay=0.5 run
    assert_status 0
    assert_has "$out" '^\[[0-9]+\] min: [0-9]+\.[0-9]{4}  avg: [0-9]+\.[0-9]{4}  max: [0-9]+\.[0-9]{4}  percentile: [0-9]+\.[0-9]{4}$'
    assert_lacks "$out" 'Report intermediate|thds:'
    old --test=cpu --cpu-max-prime=100 --max-requests=10 --batch=off run
    assert_status 0
    assert_lacks "$out" '^\[.*min:'
    old --test=cpu --batch --batch-delay=often run
    assert_refused
    assert_has "$err$out" 'batch-delay.*often'
}

@test "a switch is on with 'on' or alone, and off with anything else" {
    old --test=cpu --cpu-max-prime=10 --max-requests=3 --debug=yes --validate=1 run
    assert_status 0
    assert_lacks "$out" 'Debug mode|Additional request validation'
    assert_has "$err" '^note: --debug=yes is off' '^note: --validate=1 is off'
    old --test=memory --memory-hugetlb=yes --memory-total-size=1M run
    assert_status 0
    assert_has "$err" '^note: --memory-hugetlb=yes is off'
    old --test=cpu --cpu-max-prime=10 --max-requests=3 --debug --validate=on run
    assert_has "$out" '^Debug mode enabled\.$' '^Additional request validation enabled\.$'
}

@test "memory: blocks of any multiple of 4, nothing drawn for nothing" {
    old --test=memory --memory-block-size=12 --memory-total-size=1200 run
    assert_status 0
    assert_has "$out" '^Operations performed: 100 \('
    old --test=memory --memory-block-size=4 --memory-total-size=400 --memory-access-mode=rnd run
    assert_status 0
    assert_has "$out" '^Operations performed: 100 \('
    old --test=memory --memory-block-size=6 run
    assert_refused
    assert_has "$out" '^FATAL: .*--memory-block-size.* 6 .*4'
    old --test=memory --memory-oper=none --memory-access-mode=rnd run
    assert_refused
    assert_has "$out" '^FATAL: .*--memory-access-mode.*--memory-oper=none'
    old --test=memory --memory-oper=none --memory-total-size=1M run
    assert_status 0
}

@test "version, help, and what was left out" {
    old --version
    assert_equal "$out" "sysbench 0.4.12"
    assert_status 0
    old version
    assert_equal "$out" "sysbench 0.4.12"
    old --help
    assert_status 1
    assert_has "$out" '^Usage:'
    old
    assert_status 1
    assert_has "$out" '^Usage:'
    assert_has "$err" 'test'
    old --test=cpu
    assert_status 1
    assert_has "$err" 'command'
}

@test "the old lines without the flag: today's report, one note for each old name" {
    run_sb --test=cpu --num-threads=2 --max-requests=10 --init-rng run
    assert_status 0
    assert_has "$out" '^General statistics:'
    ln -sf "$(realpath sysbench)" sbench
    SBENCH=$PWD/sbench run_sb --test=cpu --num-threads=2 --max-requests=10 --init-rng run
    assert_status 0
    assert_has "$err" '--test=cpu' '--threads' '--events' '--init-rng'
    for name in num-threads max-requests; do
        assert_equal "$(grep -c -- "--$name " <<<"$err")" "$([[ $name == max-requests ]] && echo 2 || echo 1)"
    done
}

@test "dashes that a page has mended" {
    old —test=cpu –max-requests=10 run
    assert_status 0
    assert_has "$out" '^    total number of events: +10$'
}
