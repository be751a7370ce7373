# bats file_tags=scripts
#
# The test driver and the include check on small trees of their own: what must be a failure is one.

# shellcheck disable=SC2016 # the pretended programs expand their variables themselves

load ../lib/common

setup() {
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree"/{scripts,tests/unit,build/tests/unit,engine/{base,option,script},fs,lua,docs,.ci}
    cp -r "$ROOT/tests/run" "$ROOT/tests/lib" "$tree/tests/"
    cp "$ROOT/scripts/lint" "$tree/scripts/"
    cp "$ROOT/.clang-format" "$tree/"
    touch "$tree/Makefile"
}

# unit NAME SCRIPT: a pretended unit test program.
unit() {
    printf '#!/bin/bash\n%s\n' "$2" >"$tree/build/tests/unit/$1"
    chmod +x "$tree/build/tests/unit/$1"
}

run_driver() {
    run "$tree/tests/run" "$@"
}

last_line() {
    assert_equal "${lines[-1]}" "$1"
}

@test "counts passed, failed and skipped, and says why" {
    unit mixed 'echo 1..3; echo ok 1 - a; echo not ok 2 - b; echo "# 1 != 2"
        echo "ok 3 - c # SKIP no disk"; exit 1'
    run_driver unit
    assert_status 1
    assert_has "$output" 'FAILED: b' '# 1 != 2' 'mixed: no disk'
    last_line "1 passed, 1 failed, 1 skipped"
}

@test "all passed is status 0" {
    unit good 'echo 1..1; echo ok 1 - a'
    run_driver unit
    assert_status 0
    last_line "1 passed, 0 failed, 0 skipped"
}

@test "cmocka's way of writing a skipped test is no failure" {
    unit skip 'echo 1..1; echo "not ok 1 # SKIP c"'
    run_driver unit
    assert_status 0
    last_line "0 passed, 0 failed, 1 skipped"
}

@test "a crash, silence, a bad exit status and a short plan are failures" {
    unit crash 'echo 1..2; echo ok 1 - a; kill -SEGV $$'
    unit silent 'exit 0'
    unit status 'echo 1..1; echo ok 1 - a; exit 3'
    unit short 'echo 1..2; echo ok 1 - a'
    unit none 'echo 1..0'
    run_driver unit
    assert_status 1
    assert_has "$output" 'crash: planned 2 .* reported 1' 'silent: printed no test plan' \
        'status: .*exit status is 3' 'short: planned 2' 'none: has no tests'
    last_line "3 passed, 5 failed, 0 skipped"
}

@test "a program that overruns its time is stopped and a failure" {
    sed -i -E 's/^unit .*/unit quick - 1 programs_in build\/tests\/unit/' "$tree/tests/run"
    unit hang 'echo 1..1; sleep 100'
    run_driver unit
    assert_status 1
    assert_has "$output" 'hang: stopped after 1 s'
}

# gone ID: true when there is no such process, or but its exit status, which nobody has asked for yet.
gone() {
    [[ -z $(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline") ]]
}

# bats test_tags=slow
@test "a process and a file that stay are removed and a failure" {
    export pid_file=$BATS_TEST_TMPDIR/pid
    unit litter 'echo 1..1; echo ok 1 - a; sleep 100 & echo $! >"$pid_file"; touch "$TMPDIR/file"'
    run_driver unit
    assert_status 1
    assert_has "$output" 'left behind: process .*file file'
    wait_for 100 gone "$(<"$pid_file")"
}

@test "a group without programs is a failure, unless marked optional" {
    run_driver unit
    assert_status 1
    assert_has "$output" 'the group ran no test'
    unit good 'echo 1..1; echo ok 1 - a'
    run_driver unit compat
    assert_status 0
}

@test "a sanitizer build that fails is a failure" {
    printf 'asan:\n\tfalse\n' >"$tree/Makefile"
    run_driver asan
    assert_status 1
    assert_has "$output" 'make asan failed'
}

@test "an unknown group is refused with the names there are" {
    run_driver units
    assert_status 2
    assert_has "$output" "no group 'units'" 'unit lua cli'
}

# bats test_tags=slow
@test "lint finds an include that points upwards, and lets one down pass" {
    need_command clang clang-tidy clang-format cppcheck gcc shellcheck
    echo 'int option_value(void);' >"$tree/engine/option/option.h"
    echo 'int fs_value(void);' >"$tree/fs/mount.h"
    printf '#include "option/option.h"\n#include "fs/mount.h"\n' >"$tree/engine/script/script.c"
    run "$tree/scripts/lint"
    assert_has "$output" '^ok .* include direction'
    printf '#include "option/option.h"\n' >"$tree/engine/base/err.c"
    printf '#include "fs/mount.h"\n' >"$tree/engine/option/option.c"
    run "$tree/scripts/lint"
    assert_has "$output" '^not ok .* include direction' 'engine/base/err.c .*option.h' \
        'engine/option/option.c .*fs/mount.h'
}
