#!/usr/bin/env bats
#
# The user-mode-linux guest, and ext4 against f2fs in it. No root needed.

# shellcheck disable=SC2030,SC2031 # each test is a subshell on purpose
# shellcheck disable=SC2154 # out, err, status and results are set by what is loaded

load disks

setup() {
    use_scratch
    need_guest
    open=
    pid=
}

teardown() {
    [[ -z $pid ]] || kill -KILL "$pid" 2>/dev/null || true
    [[ -z $open ]] || rm -rf "$open"
}

guest() {
    status=0
    timeout -k 5 300 "$ROOT/scripts/guest" "$@" >"$BATS_TEST_TMPDIR/.out" \
        2>"$BATS_TEST_TMPDIR/.err" || status=$?
    out=$(<"$BATS_TEST_TMPDIR/.out")
    err=$(<"$BATS_TEST_TMPDIR/.err")
}

kernels() {
    pgrep -f "linux.uml.*$BATS_TEST_TMPDIR" || true
}

no_kernels() {
    [[ -z $(kernels) ]]
}

kernels_up() {
    [[ -n $(kernels) ]]
}

assert_no_guest() {
    wait_for 100 no_kernels || fail_with "guest processes left: $(kernels)"
    assert_nothing_left
}

@test "guest: streams, status, folders, disks" {
    mkdir "$BATS_TEST_TMPDIR/shared"
    # shellcheck disable=SC2016 # the guest expands them
    guest --disk 64M --disk 80M --out "$BATS_TEST_TMPDIR/shared" -- bash -c '
        echo "to stdout" >/dev/stdout; echo "to stderr" >/dev/stderr
        cat /sys/block/ubd[bc]/size >"$1/sizes"
        grep -w f2fs /proc/filesystems >"$1/f2fs"
        touch "$2/x" 2>/dev/null && echo writable
        exit 7' - "$BATS_TEST_TMPDIR/shared" "$ROOT"
    assert_status 7
    assert_equal "$out" "to stdout"
    assert_equal "$err" "to stderr"
    assert_equal "$(tr '\n' ' ' <"$BATS_TEST_TMPDIR/shared/sizes")" "131072 163840 "
    assert_has "$(cat "$BATS_TEST_TMPDIR/shared/f2fs")" f2fs
    assert_no_guest
}

@test "guest: works as an ordinary user" {
    need_root
    need_command setpriv
    local nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    "${nobody[@]}" test -r "$ROOT/scripts/guest" || skip "an ordinary user cannot read $ROOT"
    open=$(mktemp -d -p /tmp) # the folders above TMPDIR may be closed to others
    chown 65534 "$open"
    status=0
    out=$(cd / && TMPDIR=$open timeout 300 "${nobody[@]}" bash "$ROOT/scripts/guest" \
        --disk 64M -- bash -c \
        'mkfs.f2fs -q -f /dev/ubdb >/dev/null && mkdir /run/m && mount /dev/ubdb /run/m && id -u' \
        2>&1) || status=$?
    assert_status 0
    assert_equal "$out" 0
    rmdir "$open" # it was left empty
    open=
    assert_no_guest
}

@test "guest: its clock is the host's, without a system call for each reading" {
    local list=/sys/devices/system/clocksource/clocksource0/available_clocksource
    grep -qw tsc "$list" || skip "this kernel does not trust its cycle counter"
    guest -- "$SBENCH" null --events=1 --output-format=json run
    assert_status 0
    assert_json '.clock.source == "tsc"'
}

@test "guest: the time limit ends it" {
    guest --limit 5 -- sleep 60
    assert_status 1
    assert_has "$err" 'had not ended after 5 s'
    assert_no_guest
}

@test "guest: bad usage and disks that do not fit are refused" {
    guest --disk 900T true
    assert_status 1
    assert_has "$err" "need 943718400 MiB in $TMPDIR" 'MiB are missing'
    guest --disk 5X true
    assert_status 1
    assert_has "$err" 'not a size: 5X'
    guest --nonsense true
    assert_status 1
    assert_has "$err" '--nonsense'
    guest --limit soon true
    assert_status 1
    guest
    assert_status 1
    assert_no_guest
}

@test "guest: a kernel that is killed is called so, not late" {
    "$ROOT/scripts/guest" --limit 500 -- sleep 100 >"$BATS_TEST_TMPDIR/.out" 2>"$BATS_TEST_TMPDIR/.err" &
    pid=$!
    wait_for 60 kernels_up
    # shellcheck disable=SC2046 # numbers
    kill -KILL $(kernels)
    status=0
    wait "$pid" || status=$?
    pid=
    assert_status 1
    assert_has "$(<"$BATS_TEST_TMPDIR/.err")" 'ended without a result'
    assert_lacks "$(<"$BATS_TEST_TMPDIR/.err")" 'had not ended after'
    assert_no_guest
}

start_guest() {
    # what a shell starts in the background would ignore SIGINT
    env --default-signal=INT "$ROOT/scripts/guest" --disk 64M --out "$BATS_TEST_TMPDIR" -- bash -c \
        "trap 'exit 9' INT; touch '$BATS_TEST_TMPDIR/up'; while :; do sleep 0.2; done" &
    pid=$!
    wait_for 100 test -e "$BATS_TEST_TMPDIR/up"
}

@test "guest: SIGINT reaches the command" {
    start_guest
    kill -INT "$pid"
    status=0
    wait "$pid" || status=$?
    assert_status 9
    assert_no_guest
}

@test "guest: SIGKILL of its starter leaves nothing" {
    start_guest
    kill -KILL "$pid"
    wait "$pid" || true
    wait_for 100 assert_no_guest
}

@test "ext4 against f2fs in the guest: report and cells" {
    SB_LIMIT=400 compare --fs-guest=on --fs-tests=rndwr,smallfiles --output-format=text
    assert_status 0
    assert_equal "$(grep -c 'user-mode-linux guest (its disk' <<<"$out")" 1
    assert_has "$out" '8 of 8 cells' 'virtual disk of the guest' "speeds are the host's" \
        '^  rndwr +op/s .*unclear \(need n≥6\)' '^  smallfiles +files/s' \
        '^  rndwr +f2fs +[0-9.]*[1-9][0-9.]* ' "Results: $results"
    out=$(cat "$results"/cells/*-f2fs.json | jq -s '.[0]')
    assert_json '.fs == "f2fs"' '.checked' '.mount_options | test("fsync_mode=posix")' \
        '.device.write_sectors > 0'
    assert_no_guest
}

@test "matched profiles are in force in the guest" {
    SB_LIMIT=400 compare --fs-guest=on --fs-profile=matched --output-format=json
    assert_status 0
    assert_json '.complete' '.plan.targets | map(.profile) == ["matched", "matched"]'
    out=$(cat "$results"/cells/*-f2fs.json | jq -s '.[0]')
    assert_json '.sysfs.cp_interval == "5"' \
        '.mount_options | test("fsync_mode=strict") and test("noinline_data") and test("nodiscard")'
    out=$(cat "$results"/cells/*-ext4.json | jq -s '.[0]')
    assert_json '.mount_options | test("commit=5") and test("lazytime") and test("noatime")'
    assert_no_guest
}

@test "a comparison in the guest is written to --output of this side" {
    SB_LIMIT=400 compare --fs-guest=on --output="$BATS_TEST_TMPDIR/report"
    assert_status 0
    cmp "$results/report.txt" <(sed -n '/ against /,/^A virtual disk/p' "$BATS_TEST_TMPDIR/report")
    rm -r "$results"
    SB_LIMIT=400 compare --fs-guest=on --output-format=csv
    assert_status 0
    assert_equal "$out" "$(cat "$results/cells.csv")"
    assert_equal "$(wc -l <<<"$out")" 5
    assert_no_guest
}

@test "SIGINT while cells run in the guest: done cells are kept, nothing is left" {
    "$SBENCH" fscompare --fs-guest=on --fs-results="$results" --fs-image-size=64M --fs-settle=0 \
        --fs-image-dir="$BATS_TEST_TMPDIR/images" --fs-time=3 --fs-tests=rndwr run \
        >"$BATS_TEST_TMPDIR/log" 2>&1 &
    pid=$!
    wait_for 200 test -e "$results/cells/001-rndwr-ext4.json" -o -e "$results/cells/001-rndwr-f2fs.json" ||
        { kill "$pid" || true; fail_with "$(cat "$BATS_TEST_TMPDIR/log")"; }
    kill -INT "$pid"
    status=0
    wait "$pid" || status=$?
    ((status > 0)) || fail_with "$(cat "$BATS_TEST_TMPDIR/log")"
    assert_has "$(cat "$results/report.txt")" INCOMPLETE
    jq -e '.complete == false and .cells >= 1' "$results/summary.json"
    assert_no_guest
}

@test "refused before the guest starts: a device that it cannot reach" {
    compare --fs-guest=on --fs-targets=ext4:image,f2fs:device=/dev/sdx1
    assert_status 3
    assert_has "$err$out" 'only with images' 'f2fs:device=/dev/sdx1'
    [[ ! -e $results ]]
    assert_no_guest
}
