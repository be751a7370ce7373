#!/usr/bin/env bats
# sbench beside Debian's sysbench, on the command lines of rows/: exit status, stream, labels,
# formats and order, in the form 1.0 (called `sysbench`) and in the native one. What may differ is
# a row of docs/compat.md, and each of its rows is shown by a command line.

bats_require_minimum_version 1.5.0

load ../lib/common

here=$BATS_TEST_DIRNAME

setup() {
    need_command sysbench lua
    [[ $(sysbench --version) == "sysbench 1.0.20" ]] || skip "the sysbench here is not 1.0.20"
    [[ $(getconf LONG_BIT) == 64 ]] || skip "sysbench of 32-bit systems takes other numbers for good"
}

compare() {
    SBENCH=$SBENCH "$here/pairs" "$BATS_FILE_TMPDIR/results" "$here/rows/$1.rows"
}

documented() {
    # shellcheck disable=SC2016 # the quotes of Markdown
    sed -n 's/^| `\([a-z][a-z0-9-]*\)` .*/\1/p' "$ROOT/docs/compat.md" | sort
}

@test "words: tests, commands, and where they stand" {
    compare words
}

@test "values: good, bad and odd ones of each type and option" {
    compare values
}

@test "help: general, of tests, of scripts" {
    compare help
}

@test "files of options" {
    compare config
}

@test "old names" {
    compare legacy
}

@test "the built-in tests" {
    compare tests
}

@test "reports" {
    compare reports
}

@test "scripts" {
    compare scripts
}

@test "there are 150 command lines or more" {
    (($(cat "$here"/rows/*.rows | grep -cv -e '^#' -e '^ *$') >= 150))
}

@test "each difference is a row of docs/compat.md, and each row is shown" {
    local shown
    shown=$(cat "$BATS_FILE_TMPDIR"/results/*/said | sed -n 's/^used //p' | sort -u)
    diff <(documented) <(echo "$shown")
}
