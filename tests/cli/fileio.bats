# bats file_tags=cli
#
# The file test as a user meets it: its lines, what it refuses, and what it leaves behind.

# shellcheck disable=SC2030,SC2031 # each test is a subshell on purpose

load ../lib/common

setup() {
    dir=$BATS_TEST_TMPDIR/files
    mkdir "$dir"
    cd "$dir" || return 1
    small=(--file-num=2 --file-total-size=1M)
}

# fio WORD...: the file test on the small set.
fio() {
    run_sb fileio "${small[@]}" "$@"
}

prepared() {
    fio "$@" prepare
    assert_status 0
}

file_count() {
    find "${1:-.}" -name 'test_file.*' | wc -l
}

# operations: "R W F0 …" from the debug lines in $out.
operations() {
    sed -n 's/.*operation: \([123]\), file_id: \([0-9]*\),.*/\1 \2/p' <<<"$out" |
        awk '{ printf "%s%s", (NR > 1 ? " " : ""), ($1 == 1 ? "R" : $1 == 2 ? "W" : "F" $2) }'
}

# --- help ------------------------------------------------------------------------------------

@test "help explains modes, flushes and engines" {
    run_sb fileio help
    assert_status 0
    assert_has "$out" 'file-test-mode.*rewrite of existing files in place' \
        'file-fsync-freq.*flush every file after this number.*event' \
        'file-io-mode.*sync, async, mmap, uring' 'file-dir' 'file-data' \
        '--file-num=N +number of files \[128\]' 'file-block-size=SIZE.*\[16384\]'
}

# --- prepare and cleanup ------------------------------------------------------------------------

@test "prepare says what sysbench says" {
    prepared
    assert_has "$out" '^2 files, 512Kb each, 1Mb total$' '^Creating files for the test\.\.\.$' \
        '^Extra file open flags: \(none\)$' '^Creating file test_file\.0$' \
        '^1048576 bytes written in [0-9.]+ seconds \([0-9.]+ MiB/sec\)\.$'
    prepared
    assert_has "$out" '^Reusing existing file test_file\.1$' '^No bytes written\.$'
    run_sb fileio --file-num=2 --file-total-size=2M prepare
    assert_has "$out" '^Extending existing file test_file\.0$' '^1048576 bytes written'
    run_sb fileio --file-extra-flags=direct,sync --file-num=1 --file-total-size=64K prepare
    assert_has "$out" '^Extra file open flags: sync directio$'
    fio cleanup
    assert_status 0
    assert_has "$out" '^Removing test files\.\.\.$'
    assert_equal "$(file_count)" 0
}

@test "prepared data has mode 0600 and does not compress" {
    prepared
    assert_equal "$(stat -c %a test_file.0)" 600
    (($(gzip -c test_file.0 | wc -c) > 520000)) || fail_with "the data compresses"
    cmp -s test_file.0 test_file.1 && fail_with "both files have the same data"
    fio --file-test-mode=seqrewr --events=64 run
    assert_status 0
    (($(gzip -c test_file.0 | wc -c) > 520000)) || fail_with "rewritten data compresses"
}

@test "prepare says that uneven sizes are rounded up, and that zeros compress" {
    run_sb fileio --file-num=3 --file-total-size=10M prepare
    assert_status 0
    assert_has "$out" '^3 files, 3413Kb each, 9Mb total$'
    assert_has "$err" 'each file gets 3506176 bytes'
    fio cleanup
    run_sb fileio "${small[@]}" --file-data=zero prepare
    prepared
    assert_has "$err" "'test_file.0' holds zeros.*run cleanup before"
}

@test "cleanup finds the files that a larger set left, and leaves the user's" {
    run_sb fileio --file-num=20 --file-total-size=1M prepare
    echo mine >test_file.notes
    echo mine >other
    fio cleanup
    assert_status 0
    assert_has "$out" 'Also removed test_file\.2 to test_file\.19.*--file-num=2'
    assert_equal "$(ls)" $'other\ntest_file.notes'
}

@test "a file, a link and a directory in the way stay as they are" {
    echo precious >doc
    for way in "cp doc test_file.1" "ln -s doc test_file.1" "mkdir test_file.1" "ln doc test_file.1"; do
        $way
        for words in prepare "--file-test-mode=seqwr --time=1 run" cleanup; do
            # shellcheck disable=SC2086
            fio $words
            assert_refused
            assert_has "$err" "test_file\.1"
            assert_equal "$(cat doc)" precious
            [[ -e test_file.1 ]] || fail_with "test_file.1 is gone"
            assert_equal "$(file_count)" 1
        done
        rm -r test_file.1
    done
}

@test "a full disk is named and left clean" {
    need_root
    mkdir full
    mount -t tmpfs -o size=1M none full 2>/dev/null || skip "cannot mount"
    echo mine >full/notes
    status=0
    run_sb fileio --file-dir=full --file-num=2 --file-total-size=4M prepare
    left=$(file_count full) kept=$(cat full/notes) first=$err
    # room for the sizes, but not for what is written: the check before cannot see it
    mount -o remount,nr_inodes=4 full && sb fileio --file-dir=full --file-num=8 \
        --file-total-size=128K prepare >/dev/null 2>&1 && status=99
    late=$(file_count full)
    # a run that would make the files
    run_sb fileio --file-dir=full --file-num=2 --file-total-size=4M --file-test-mode=seqwr --time=5 run
    last=$(file_count full)
    umount full
    assert_refused
    assert_has "$first" 'not enough space.*4194304.*are missing'
    assert_has "$err" 'not enough space.*4194304.*are missing'
    assert_equal "$left $kept $late $last" "0 mine 0 0"
}

@test "a read-only and a missing directory are named" {
    run_sb fileio --file-dir=nowhere "${small[@]}" prepare
    assert_refused
    assert_has "$err" "--file-dir.*'nowhere'.*No such file"
    need_root
    mkdir ro
    mount -t tmpfs -o ro none ro 2>/dev/null || skip "cannot mount"
    fio --file-dir=ro prepare
    local first=$status text=$err
    fio --file-dir=ro --file-test-mode=seqwr --time=1 run
    umount ro
    assert_refused
    assert_has "$err" "ro/test_file\.0.*Read-only"
    ((first != 0)) || fail_with "prepare in a read-only directory ended well"
    assert_has "$text" "ro/test_file\.0.*Read-only"
}

@test "files of somebody else are named when they are prepared, run or removed" {
    need_root
    need_command setpriv
    chmod 755 "$dir"
    prepared
    local words
    for words in prepare "--file-test-mode=rndrd run" "--file-test-mode=rndwr run" "--file-test-mode=seqwr run" cleanup; do
        status=0
        # shellcheck disable=SC2086
        err=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$SBENCH" fileio "${small[@]}" $words 2>&1) ||
            status=$?
        [[ $err != *"failed to execute"* ]] || skip "$SBENCH is not for everybody"
        assert_refused
        assert_has "$err" "cannot (open|remove) 'test_file\.0'; use a --file-dir that you may write to.*Permission denied"
    done
    assert_equal "$(file_count)" 2
}

@test "a limit of file size is an error as any other" {
    (ulimit -f 100 && sb fileio "${small[@]}" prepare) >lines 2>&1 && fail_with "it ended well"
    assert_has "$(<lines)" "cannot write 'test_file\.0', what was made is removed again.*File too large"
    (ulimit -f 100 && sb fileio "${small[@]}" --file-test-mode=seqwr --events=64 run) >lines 2>&1 &&
        fail_with "it ended well"
    assert_has "$(<lines)" "cannot write 16384 bytes at offset [0-9]+ of 'test_file\.0'.*File too large"
    assert_equal "$(file_count)" 0
}

@test "an interrupted prepare takes back what it made, and nothing else" {
    need_root
    mkdir here
    mount -t tmpfs -o size=3G none here 2>/dev/null || skip "cannot mount"
    local number name program
    for number in 2 1 15; do
        name=$(kill -l $number)
        (cd here && sb fileio --file-num=1 --file-total-size=1M prepare >/dev/null && echo mine >test_file.notes)
        cp here/test_file.0 before
        # 2.5 GB take seconds; the limit is for a program that does not listen
        (cd here && exec timeout -k 5 120 env --default-signal=INT,HUP "$SBENCH" fileio --file-num=400 \
            --file-total-size=2500M prepare) >lines 2>&1 3>&- &
        program=$!
        wait_for 100 test -e here/test_file.3 || true
        kill -"$name" "$program"
        status=0
        wait "$program" || status=$?
        out=$(<lines)
        left=$(ls here) same=$(cmp here/test_file.0 before && echo same)
        rm here/test_file.0
        [[ $status == $((128 + number)) && $same == same ]] || break
    done
    umount here
    assert_status 143
    assert_has "$out" 'prepare was interrupted by SIGTERM, what was made is removed again'
    assert_equal "$left" $'test_file.0\ntest_file.notes'
    assert_equal "$same" same
}

# --- run: order and counts --------------------------------------------------------------------------

@test "requests come in sysbench's order" {
    prepared
    fio --file-test-mode=rndrw --events=12 --file-fsync-freq=5 --debug run
    assert_equal "$(operations)" "R W R W R F0 F1 R W R W R"
    assert_has "$out" 'total number of events: +12$'
    fio --file-test-mode=seqrewr --events=9 --file-fsync-freq=3 --debug run
    assert_equal "$(operations)" "W W W F0 F1 W W W F0"
    fio --file-test-mode=seqrd --events=3 --file-merged-requests=3 --debug run
    assert_has "$out" 'pos: 0, size: 49152' 'pos: 49152, size: 49152' 'pos: 98304, size: 49152'
}

@test "a seed gives the places that sysbench has" {
    prepared
    fio --file-test-mode=rndrw --events=12 --file-fsync-freq=5 --rand-seed=7 --debug run
    assert_equal "$(sed -n 's/.*file_id: \([01]\), pos: \([0-9]*\), size: 16384/\1:\2/p' <<<"$out" | xargs)" \
        "1:32768 0:425984 0:98304 1:262144 0:163840 1:311296 0:262144 1:278528 1:491520 0:147456"
    need_command sysbench
    local ours
    ours=$(grep 'Executing request' <<<"$out")
    assert_equal "$(sysbench fileio "${small[@]}" --file-test-mode=rndrw --events=12 \
        --file-fsync-freq=5 --rand-seed=7 --debug --verbosity=5 run | grep 'Executing request')" "$ours"
}

@test "the report has sysbench's lines, and notes stay off standard output" {
    prepared
    fio --file-test-mode=rndrw --file-merged-requests=4 --file-fsync-freq=10 --events=200 run
    assert_status 0
    assert_has "$out" '^2 files, 512KiB each$' '^1MiB total file size$' '^Block size 16KiB$' \
        '^Merging requests up to 64KiB for sequential IO\.$' '^Number of IO requests: 200$' \
        '^Read/Write ratio for combined random IO test: 1\.50$' \
        '^Periodic FSYNC enabled, calling fsync\(\) each 10 requests\.$' \
        '^Calling fsync\(\) at the end of test, Enabled\.$' '^Using synchronous I/O mode$' \
        '^Doing random r/w test$' '^File operations:$' '^    reads/s:  +[0-9.]+$' \
        '^    fsyncs/s: +[0-9.]+$' '^    written, MiB/s: +[0-9.]+$'
    assert_lacks "$out" 'page cache' '^note'
    assert_has "$err" 'page cache' '32 of the 200 events are flushes'
    fio --file-test-mode=rndrw --quiet-notes --events=200 run
    assert_equal "$err" ""
}

@test "JSON has each kind by itself, for every engine" {
    need_command jq
    prepared
    local io
    for io in sync mmap async uring; do
        fio --file-io-mode=$io --file-test-mode=rndrw --file-fsync-freq=20 --threads=2 \
            --events=220 --output-format=json run
        if [[ $io == uring && $status == 3 ]]; then
            assert_has "$err" 'io_uring is not available'
            continue
        fi
        assert_status 0
        assert_json '.events == 220 and .complete' \
            '.fileio.read.ops == 120 and .fileio.write.ops == 80 and .fileio.fsync.ops == 20' \
            '.fileio.read.bytes == 120 * 16384 and .fileio.write.bytes == 80 * 16384' \
            '.fileio.fsync.latency_ms | .min > 0 and .min <= .avg and .avg <= .max'
    done
}

# bats test_tags=slow
@test "with a rate the intervals tell the requests under way" {
    need_command jq
    prepared
    local io
    for io in sync async uring; do
        fio --file-io-mode=$io --file-async-backlog=8 --threads=2 --rate=1000000 --time=1 \
            --report-interval=0.2 --file-test-mode=rndrw --output-format=json run
        [[ $io != uring || $status != 3 ]] || continue
        assert_status 0
        assert_json '[.intervals[].concurrency] | max > 0 and max <= '"$([[ $io == sync ]] && echo 2 || echo 16)"
    done
}

@test "the limits of events and time hold in every engine" {
    need_command jq
    prepared
    local io
    for io in sync mmap async; do
        fio --file-io-mode=$io --file-test-mode=rndrd --time=0.3 --output-format=json run
        assert_status 0
        assert_json '.limit == "time"' '.time_s >= 0.3'
    done
}

@test "old names of engines work" {
    prepared
    for io in fastmmap slowmmap libaio; do
        fio --file-io-mode=$io --file-test-mode=seqrd --events=70 run
        assert_status 0
    done
}

# --- run: flushes --------------------------------------------------------------------------------------

# flushes WORD...: calls that flush during such a run
flushes() {
    local log=$BATS_TEST_TMPDIR/calls
    # Who looks for leaks cannot be traced.
    ASAN_OPTIONS=detect_leaks=0 timeout -k 5 120 strace -f -o "$log" -e 'trace=?fsync,?fdatasync,?msync,?syncfs' \
        "$SBENCH" fileio "${small[@]}" --time=0 "$@" run >/dev/null 2>&1 || fail_with "the run failed"
    grep -Ec '(fsync|fdatasync|msync)\(' "$log" || true
}

@test "each file is flushed once at the end, whatever the number of threads" {
    need_command strace
    strace -o /dev/null true 2>/dev/null || skip "tracing is not allowed"
    prepared
    assert_equal "$(flushes --file-test-mode=rndwr --threads=4 --file-fsync-freq=0 --events=50)" 2
    assert_equal "$(flushes --file-test-mode=rndwr --file-fsync-freq=0 --file-fsync-end=off --events=50)" 0
    assert_equal "$(flushes --file-test-mode=rndrd --events=150)" 0
    assert_equal "$(flushes --file-test-mode=rndwr --file-fsync-all --events=20)" 20
    assert_equal "$(flushes --file-test-mode=seqwr --file-fsync-freq=0 --file-io-mode=mmap --events=5)" 2
    assert_equal "$(flushes --file-test-mode=rndwr --file-fsync-freq=0 --file-fsync-mode=fdatasync --events=5)" 2
    # as sysbench does it
    assert_equal "$(flushes --compat=1.0 --file-test-mode=rndwr --threads=4 --file-fsync-freq=0 --events=50)" 8
}

@test "a slow final flush is told apart" {
    need_command strace jq
    strace -o /dev/null true 2>/dev/null || skip "tracing is not allowed"
    prepared
    ASAN_OPTIONS=detect_leaks=0 timeout -k 5 120 strace -f -o "$BATS_TEST_TMPDIR/calls" -e trace=fsync \
        -e 'inject=fsync:delay_enter=300000' "$SBENCH" fileio "${small[@]}" --file-test-mode=rndwr \
        --file-fsync-freq=0 --events=20 --output-format=json run >"$BATS_TEST_TMPDIR/json" 2>/dev/null
    out=$(<"$BATS_TEST_TMPDIR/json")
    assert_json '.metrics.final_flush_s.value >= 0.6' \
        '[.notes[] | select(.key == "final_flush")][0].text | capture("final flush of 2 files took (?<s>[0-9.]+)").s | tonumber >= 0.6'
}

# --- run: files ---------------------------------------------------------------------------------------------

@test "seqwr leaves whole files, also when it is interrupted" {
    prepared
    fio --file-test-mode=seqwr --events=20 run
    assert_status 0
    assert_has "$err" 'in place, as seqrewr'
    assert_equal "$(stat -c %s test_file.0 test_file.1 | xargs)" "524288 524288"
    rm test_file.1
    (exec timeout -k 5 120 env --default-signal=INT "$SBENCH" fileio "${small[@]}" --file-test-mode=seqwr \
        --time=110 run) >lines 2>&1 3>&- &
    local program=$!
    wait_for 100 grep -q 'Threads started' lines
    kill -INT "$program"
    status=0
    wait "$program" || status=$?
    assert_status 130
    assert_equal "$(stat -c %s test_file.0 test_file.1 | xargs)" "524288 524288"
    fio --file-test-mode=rndrd --events=100 run
    assert_status 0
}

@test "a run without files, or with short ones, names the command that helps" {
    local mode
    for mode in seqrd seqrewr rndrd rndwr rndrw; do
        fio --file-test-mode=$mode run
        assert_refused
        assert_has "$err" "test_file\.0' does not exist.*fileio --file-num=2 --file-total-size=1M prepare"
        assert_equal "$(file_count)" 0
    done
    prepared
    run_sb fileio --file-num=1 --file-total-size=1M --file-block-size=4K --file-test-mode=rndrd run
    assert_refused
    assert_has "$err" '524288 bytes.*1048576.*--file-num=1 --file-total-size=1M --file-block-size=4K prepare'
    assert_lacks "$err$out" 'Success' 'errno = 0'
}

@test "the command in a hint can be pasted" {
    mkdir "my card"
    run_sb fileio --file-dir="my card" "${small[@]}" --file-test-mode=rndrd run
    assert_refused
    local command
    command=$(sed -n 's/.*prepare the set first: [^ ]* //p' <<<"$err")
    eval "sb $command" >/dev/null
    run_sb fileio --file-dir="my card" "${small[@]}" --file-test-mode=rndrd --events=10 run
    assert_status 0
}

@test "direct I/O: any flags together, uneven sizes, and a block size that does not suit" {
    dd if=/dev/zero of=probe bs=4096 count=1 oflag=direct 2>/dev/null || skip "no direct I/O here"
    run_sb fileio --file-num=3 --file-total-size=10M prepare
    for mode in seqrd rndrd rndrw; do
        for flags in direct sync,direct direct,dsync; do
            run_sb fileio --file-num=3 --file-total-size=10M --file-test-mode=$mode \
                --file-extra-flags=$flags --events=700 --file-fsync-freq=0 --time=2 run
            assert_status 0
        done
    done
    run_sb fileio --file-num=3 --file-total-size=10M --file-test-mode=seqrd \
        --file-extra-flags=direct --events=700 run
    assert_has "$err" 'times over.*a cache of its own'
    assert_lacks "$err" 'page cache'
    run_sb fileio --file-num=3 --file-total-size=10M --file-extra-flags=direct \
        --file-block-size=100 --file-test-mode=rndrd run
    assert_refused
    assert_has "$err" '--file-block-size.*multiple of (512|4096)'
    assert_lacks "$out" 'Threads started'
    rm test_file.*
    run_sb fileio --file-num=3 --file-total-size=10M --file-extra-flags=direct --file-block-size=100 prepare
    assert_refused
    assert_equal "$(file_count)" 0
}

@test "validation accepts what is whole and finds what is not" {
    prepared --validate=on
    local mode io
    for mode in seqrd rndwr rndrw seqwr seqrd; do
        for io in sync async mmap; do
            fio --validate=on --file-test-mode=$mode --file-io-mode=$io --file-async-backlog=8 \
                --threads=2 --events=300 run
            assert_status 0
        done
    done
    printf damage | dd of=test_file.1 bs=1 seek=$((5 * 16384 + 777)) conv=notrunc 2>/dev/null
    fio --validate=on --file-test-mode=seqrd --events=64 run
    assert_refused
    assert_has "$err" "test_file\.1' is damaged at offset 81920 \(block 5\)"
    fio --validate=on --file-block-size=8K --file-test-mode=seqrd --events=64 run
    assert_refused
    assert_has "$err" 'not written with checksums of this block size.*--validate=on prepare'
}

@test "sysbench's validation and ours read each other's files" {
    need_command sysbench
    [[ $(getconf LONG_BIT) == 64 ]] || skip "sysbench for i386 places its checksums where no other build looks"
    prepared --validate=on
    sysbench fileio "${small[@]}" --validate --file-test-mode=seqrd --events=64 run | grep -q FATAL &&
        fail_with "sysbench does not take our files"
    sysbench fileio "${small[@]}" --validate --file-test-mode=rndwr --events=200 run >/dev/null
    fio --validate=on --file-test-mode=seqrd --events=64 run
    assert_status 0
}

@test "positions above 4 GiB are whole" {
    truncate -s 8G test_file.0 2>/dev/null || skip "no sparse files here"
    run_sb fileio --file-num=1 --file-total-size=8G --file-test-mode=rndrd --debug --events=60 run
    assert_status 0
    local highest
    highest=$(grep -o 'pos: [0-9-]*' <<<"$out" | sort -k2 -n | tail -n 1)
    ((${highest#pos: } > 4294967296)) || fail_with "no position above 4 GiB, but $highest"
    assert_has "$err" 'have holes'
}

@test "many files" {
    local many=(--file-num=1100 --file-total-size=1100K --file-block-size=1K)
    run_sb fileio "${many[@]}" prepare
    assert_status 0
    (ulimit -Sn 256 && sb fileio "${many[@]}" --file-test-mode=rndrd --events=100 run) >/dev/null ||
        fail_with "the soft limit of descriptors was not raised"
    status=0
    err=$( (ulimit -n 256 && sb fileio "${many[@]}" --file-test-mode=rndrd --events=100 run) 2>&1) || status=$?
    assert_refused
    assert_has "$err" '--file-num.*descriptors.*ulimit'
}

@test "lent to a script it describes only what holds there" {
    printf '%s\n' 'local io = sysbench.primitive("fileio")' 'prepare = io.prepare' \
        'function event() io.write() end' >lent.lua
    run_sb ./lent.lua "${small[@]}" prepare
    assert_status 0
    run_sb ./lent.lua "${small[@]}" --events=5 run
    assert_status 0
    assert_has "$out" '^2 files, 512KiB each$' '^Using synchronous I/O mode$' \
        '^Calling fsync\(\) at the end of test, if anything was written\.$'
    assert_lacks "$out" 'Periodic FSYNC' 'Read/Write ratio' 'Number of IO requests' '^Doing'
}

# --- run: refused values ----------------------------------------------------------------------------------------

@test "values out of range name option and value" {
    prepared
    local word
    for word in file-num=0 file-num=-1 file-num=x file-num= file-block-size=0 file-block-size=16KQ \
        file-block-size=-4096 file-block-size=K file-block-size=4G file-total-size=0 \
        file-total-size=1.3 file-io-mode=foo file-async-backlog=0 file-async-backlog=99999 \
        file-extra-flags=direct,foo file-fsync-freq=-1 file-fsync-all=maybe file-fsync-mode=sync \
        file-merged-requests=-2 file-rw-ratio=-1 file-rw-ratio=x file-data=ones file-test-mode=rnd; do
        fio --file-test-mode=rndrd "--$word" --events=10 run
        assert_refused
        assert_has "$err" "--${word%%=*}"
        assert_lacks "$out" 'Threads started'
    done
    fio --time=1 run
    assert_refused
    assert_has "$err" '--file-test-mode is missing.*seqwr'
}

@test "many passes and cached reads are told" {
    prepared
    fio --file-test-mode=seqrd --events=320 run
    assert_has "$err" 'read 5\.0 times over' '100 % of what was read came from the page cache'
    fio --file-test-mode=seqwr --file-fsync-freq=0 --events=320 run
    assert_has "$err" 'written 5\.0 times over'
}

@test "a file that is shortened in the run ends it with an error, also when it is mapped" {
    need_command jq
    local io program
    for io in sync mmap; do
        prepared
        rm -f messages # what is awaited must not be of the turn before
        (exec timeout -k 5 120 "$SBENCH" fileio "${small[@]}" --file-io-mode=$io --file-test-mode=rndrd \
            --threads=2 --time=110 --report-interval=0.2 --output-format=json run) >lines 2>messages 3>&- &
        program=$!
        wait_for 100 grep -q 'Threads started' messages || true
        : >test_file.1
        status=0
        wait "$program" || status=$?
        out=$(<lines)
        assert_status 1
        assert_has "$(<messages)" "^FATAL: cannot read 16384 bytes at .* 'test_file\.1': the file has become shorter"
        assert_json '(.complete | not) and .limit == "error"' '.error | test("test_file")'
        fio cleanup
    done
}

@test "files that are removed in the run are told" {
    prepared
    (exec timeout -k 5 120 env --default-signal=INT "$SBENCH" fileio "${small[@]}" --file-test-mode=rndrw \
        --time=110 run) >lines 2>messages 3>&- &
    local program=$!
    wait_for 100 grep -q 'Threads started' lines || true
    rm test_file.1
    kill -INT "$program"
    status=0
    wait "$program" || status=$?
    assert_status 130
    assert_has "$(<messages)" '^note: 1 of the 2 test files were removed while the run used them'
}

# --- the old version ------------------------------------------------------------------------------------------

@test "0.4: one pass of sequential modes, flushes beside the requests, its own lines" {
    prepared
    fio --compat=0.4 --file-test-mode=seqrewr --file-fsync-freq=10 run
    assert_status 0
    assert_has "$out" '^Extra file open flags: 0$' '^2 files, 512Kb each$' '^1Mb total file size$' \
        '^Block size 16Kb$' '^Operations performed:  0 Read, 64 Write, 14 Other = 78 Total$' \
        '^Read 0b  Written 1Mb  Total transferred 1Mb  \([0-9.]+[KMG]?b/sec\)$' \
        '^ *[0-9.]+ Requests/sec executed$' 'total number of events: +64$'
}

# --- another build --------------------------------------------------------------------------------------------

# bats test_tags=slow
@test "a build without libaio and liburing lists both and refuses them by name" {
    local build=$BATS_TEST_TMPDIR/b
    env -u MAKEFLAGS make -s -j2 -C "$ROOT" BUILD="$build" OUT="$build/sbench" CFLAGS=-O0 \
        WITHOUT_LIBAIO=1 WITHOUT_LIBURING=1 "$build/sbench" >/dev/null 2>"$BATS_TEST_TMPDIR/made" ||
        fail_with "$(<"$BATS_TEST_TMPDIR/made")"
    SBENCH=$build/sbench
    prepared
    fio --file-io-mode=async --file-test-mode=rndrd run
    assert_status 3
    assert_has "$err" 'option --file-io-mode: async is not available: built without libaio'
    fio --file-io-mode=uring --file-test-mode=rndrd run
    assert_status 3
    assert_has "$err" 'option --file-io-mode: uring is not available: built without liburing'
    fio --file-io-mode=mmap --file-test-mode=rndrd --events=10 run
    assert_status 0
    run_sb list
    assert_has "$out" 'file-io-mode=sync: pread and pwrite$' \
        'file-io-mode=async: .*, not in this build: built without libaio$' \
        'file-io-mode=uring: .*, not in this build: built without liburing$'
    run_sb fileio help
    assert_has "$(tr -s ' \n' ' ' <<<"$out")" 'built without libaio.*built without liburing'
}
