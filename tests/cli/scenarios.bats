# Each bundled scenario once, briefly, from its files to their removal: also what the builds with
# sanitizers run of them.

# shellcheck disable=SC2154 # run_sb sets out

load ../lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    mkdir files
}

# step ARGS...: a command that must succeed.
step() {
    run_sb "$@"
    assert_status 0
}

offers() {
    run_sb "$1" help
    grep -qE "^$1 commands:.* $2( |\$)" <<<"$out"
}

# scenario NAME OPTIONS...: prepare, run and cleanup, where the scenario has them; $threads and
# $warm_up say how.
threads=2
warm_up=0.05
scenario() {
    local name=$1
    shift
    ! offers "$name" prepare || step "$name" "$@" prepare
    local time
    for time in '' --time=3 --time=30; do # a slow flush may be longer than a short run
        step "$name" "$@" $time --threads=$threads --warmup-time=$warm_up --report-interval=0.1 \
            --output-format=json run
        ! jq -e '.events > 0' <<<"$out" >/dev/null || break
    done
    assert_json '.complete' '.events > 0' ".threads == $threads" '.env | length > 5'
    ! offers "$name" cleanup || step "$name" "$@" cleanup
    assert_equal "$(ls files)" ""
}

on_files=(--file-dir=files --file-num=3 --file-total-size=192K --time=0.3)

@test "cpu" {
    scenario cpu --cpu-max-prime=200 --time=0.3
}

@test "memory" {
    scenario memory --memory-block-size=64K --time=0.3
}

@test "threads" {
    scenario threads --thread-yields=10 --time=0.3
}

@test "mutex" {
    warm_up=0 # it would do all of its work there
    scenario mutex --mutex-num=8 --mutex-locks=20000 --mutex-loops=10 --time=0
}

@test "mutex: work that is over within the warm-up was not measured" {
    run_sb mutex --mutex-num=8 --mutex-locks=10 --time=0 --warmup-time=1 --output-format=json run
    assert_status 1
    assert_json '.complete == false' '.error | test("--warmup-time")'
    assert_has "$err" '^FATAL: .*--warmup-time'
}

@test "null" {
    scenario null --time=0.3
}

@test "fileio" {
    local mode
    for mode in sync async mmap uring; do
        scenario fileio "${on_files[@]}" --file-test-mode=rndrw --file-io-mode=$mode --file-fsync-freq=10
    done
}

@test "files" {
    scenario files --files-dir=files --files-keep=5 --time=0.3
}

@test "chase" {
    scenario chase --chase_size=1M --time=0.3
}

@test "journal" {
    scenario journal "${on_files[@]}"
}

@test "mixed" {
    scenario mixed "${on_files[@]}" --mixed_primes=100
}

@test "sqlite" {
    threads=1 # one writer at a time has a database
    scenario sqlite "${on_files[@]}"
}

@test "smallfiles" {
    scenario smallfiles --smallfiles_dir=files --smallfiles_keep=5 --time=0.3
}

@test "fileserver" {
    scenario fileserver --files-dir=files --fileserver_files=10 --fileserver_size=8K --time=0.3
}

@test "varmail" {
    scenario varmail --files-dir=files --varmail_files=10 --varmail_size=8K --time=0.3
}

# Sets for kinds of devices: fileio with other defaults.
preset_set() {
    scenario "$1" "${on_files[@]}" --file-extra-flags= # not every file system takes direct
    step "$1" help
    assert_has "$out" '--file-test-mode=.*\[rndrd\]$' '--file-extra-flags=.*\[direct\]$' "$2"
}

@test "sdcard" {
    preset_set sdcard '--file-total-size=SIZE .*\[1G\]$'
}

@test "harddisk" {
    preset_set harddisk '--file-total-size=SIZE .*\[8G\]$'
}

@test "ssd" {
    preset_set ssd '--file-async-backlog=N .*\[32\]$'
}

@test "nvme" {
    preset_set nvme '--file-async-backlog=N .*\[64\]$'
}

# The runs themselves need disks or a guest: tests/fs.
@test "fscompare" {
    step fscompare help
    assert_has "$out" '^fscompare options:'
}

@test "no scenario is left out here" {
    local name
    step list
    while read -r name; do
        grep -qx "@test \"$name\" {" "$BATS_TEST_DIRNAME/scenarios.bats" ||
            fail_with "no test of the scenario $name"
    done < <(awk '/^  [a-z]/ { print $1 }' <<<"$out")
}
