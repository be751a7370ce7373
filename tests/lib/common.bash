# shellcheck shell=bash
#
# What the bats files share. In a file: load ../lib/common
#
# The program under test is $SBENCH (tests/run sets it, so that the same tests run on the sanitizer
# builds); every file a test makes belongs in $BATS_TEST_TMPDIR, which bats removes.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
SBENCH=${SBENCH:-$ROOT/sbench}
# A profile or an override of the user must not change what is tested.
unset SBENCH_LUA_PATH
export LC_ALL=C

# sb ARGS...: the program, bounded: a hang is an error of its own (exit status 124), not of the suite.
sb() {
    timeout -k 5 "${SB_LIMIT:-120}" "$SBENCH" "$@"
}

# run_sb ARGS...: sb with stdout in $out, stderr in $err, the exit status in $status.
run_sb() {
    status=0
    sb "$@" >"$BATS_TEST_TMPDIR/.out" 2>"$BATS_TEST_TMPDIR/.err" || status=$?
    out=$(<"$BATS_TEST_TMPDIR/.out")
    err=$(<"$BATS_TEST_TMPDIR/.err")
}

# fail_with TEXT: ends the test, and shows what the program said last.
fail_with() {
    printf '%s\n' "$1"
    printf 'exit status: %s\n--- stdout\n%s\n--- stderr\n%s\n' "${status-}" "${out-${output-}}" "${err-}"
    return 1
}

assert_status() {
    [[ $status == "$1" ]] || fail_with "expected exit status $1"
}

# Refused: neither success, nor a crash (128 and above), nor a hang (124).
assert_refused() {
    ((status > 0 && status < 124)) || fail_with "expected a refusal"
}

# assert_has TEXT PATTERN...: each extended regular expression matches a line of TEXT.
assert_has() {
    local text=$1 pattern
    shift
    for pattern; do
        grep -qE -e "$pattern" <<<"$text" || fail_with "missing: $pattern" || return 1
    done
}

assert_lacks() {
    local text=$1 pattern
    shift
    for pattern; do
        ! grep -qE -e "$pattern" <<<"$text" || fail_with "must not appear: $pattern" || return 1
    done
}

assert_equal() {
    [[ $1 == "$2" ]] || fail_with "expected '$2', got '$1'"
}

# assert_json FILTER...: each jq filter is true of $out, which is exactly one document.
assert_json() {
    local filter
    [[ $(jq -s length <<<"$out") == 1 ]] || fail_with "stdout is not one JSON document" || return 1
    for filter; do
        jq -e "$filter" <<<"$out" >/dev/null || fail_with "not true of the JSON: $filter" || return 1
    done
}

need_command() {
    local name
    for name; do
        command -v "$name" >/dev/null || skip "no $name here"
    done
}

need_root() {
    [[ $(id -u) == 0 ]] || skip "needs root"
}

# wait_for SECONDS COMMAND...: until the command succeeds; fails when the time is over.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < end)) || return 1
        sleep 0.05
    done
}
