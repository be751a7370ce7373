# The program runs on every processor of its architecture, not only on ones like the builder's.
# bats file_tags=slow

load ../lib/common

@test "nothing is compiled for the processor that it is built on" {
    run make -C "$ROOT" -n -B V=1 BUILD="$BATS_TEST_TMPDIR/build" OUT="$BATS_TEST_TMPDIR/sbench"
    assert_status 0
    assert_has "$output" ' -c -o .*engine/main.o'
    assert_lacks "$output" ' -m(arch|cpu|tune)=' ' -m(avx|sse|popcnt|bmi)'
}

# The machine that the program is built for, as the emulators are called.
machine() {
    case $(uname -m) in
    i?86) echo i386 ;;
    *) uname -m ;;
    esac
}

# emulated CPU ARGS...: the program on that model, by emulation.
emulated() {
    local cpu=$1
    shift
    status=0
    out=$(timeout -k 5 120 "qemu-$(machine)-static" -cpu "$cpu" "$SBENCH" "$@" 2>/dev/null) || status=$?
}

# The oldest model that the architecture's packages promise to run on, and one of the day.
models() {
    case $(uname -m) in
    i?86) echo pentium3 coreduo ;;
    x86_64) echo qemu64 core2duo ;;
    aarch64) echo cortex-a53 cortex-a72 ;;
    *) skip "no emulation of this architecture is known" ;;
    esac
}

@test "the tests run on old processors" {
    need_command "qemu-$(machine)-static"
    [[ $SBENCH == "$ROOT/sbench" ]] || skip "sanitizers do not run emulated"
    local cpu test
    for cpu in $(models); do
        for test in "cpu --cpu-max-prime=100" "memory --memory-total-size=1M" threads \
            "mutex --mutex-locks=5 --mutex-loops=5" null; do
            # shellcheck disable=SC2086 # a test and its options are words
            emulated "$cpu" $test --events=3 --time=0 run
            assert_status 0
            assert_has "$out" 'total number of events: +[1-9]'
        done
    done
}

@test "a script is compiled and runs on old processors" {
    need_command "qemu-$(machine)-static"
    [[ $SBENCH == "$ROOT/sbench" ]] || skip "sanitizers do not run emulated"
    local cpu
    echo 'local n = 0 function event() n = n + math.floor(n / 3) % 7 end' >"$BATS_TEST_TMPDIR/s.lua"
    for cpu in $(models); do
        emulated "$cpu" "$BATS_TEST_TMPDIR/s.lua" --events=500 --time=0 --output-format=json run
        assert_status 0
        assert_json '.complete and .events == 500'
    done
}
