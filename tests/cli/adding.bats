# bats file_tags=docs,scripts
#
# The walk-through of docs/adding-a-primitive.md, walked through: its code builds without a warning
# and the new primitive has all that others have.

# shellcheck disable=SC2154 # run_sb sets out, err
# shellcheck disable=SC2034 # SBENCH is for run_sb

load ../lib/common

doc=$ROOT/docs/adding-a-primitive.md

# take FILE: makes the file from the fenced text that follows the line which names it.
take() {
    awk -v title="\`$1\`:" '$0 == title {wanted = 1}
        wanted && /^```/ {if (inside) exit; inside = 1; next} inside' "$doc" >"$tree/$1"
    [[ -s $tree/$1 ]] || fail_with "the page has no $1"
}

# A tree of its own that shares what is built already: with the same flags make compiles only what
# is new.
setup() {
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/build"
    cd "$ROOT" || return 1
    cp -a Makefile engine fs lua scripts "$tree/"
    [[ ! -e build/flags ]] || cp -a build/engine build/fs build/flags "$tree/build/"
    cd "$tree" || return 1
}

# The lines of list.c that the page shows, put where it says.
add_to_list() {
    local list=engine/primitive/list.c
    sed -i -e '/^const struct workload \*const primitive_list/i extern const struct workload pipe_workload;\n' \
        -e 's/^    &fileio_workload,$/    \&pipe_workload,\n&/' $list
    diff <(diff -U 9 "$ROOT/$list" $list | grep '^+[^+]') \
        <(sed '1,/^```diff$/d; /^```$/,$d' "$doc" | grep '^+.')
}

make_there() {
    local log=$BATS_TEST_TMPDIR/make.log
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -j2 >"$log" 2>&1 || fail_with "$(tail -n 30 "$log")"
    assert_lacks "$(<"$log")" 'pipe\.c.*warning'
}

@test "the primitive of the walk-through builds, is listed, documented, refused and measured" {
    take engine/primitive/pipe.c
    take lua/pipe.lua
    add_to_list
    make_there
    SBENCH=$tree/sbench

    run_sb list
    assert_has "$out" '^  pipe +a block into a pipe and back$'
    run_sb pipe help
    assert_has "$out" '--pipe-size=SIZE bytes that each event sends \[4K\]' '^pipe commands: run help$'
    run_sb options
    assert_has "$out" '^pipe options:$'
    run_sb pipe --pipe-size=1M run
    assert_status 1
    assert_has "$err" 'pipe-size.*1M.*out of range'
    run_sb pipe --pipe-size=16K --threads=2 --events=1000 run
    assert_status 0
    assert_has "$out" '^Pipe:$' 'MiB per second: [0-9.]+$' 'total number of events: +1000$'
    run_sb pipe --pipe-size=16K --events=1000 --output-format=json run
    assert_json '.events == 1000' '.counters.bytes_written == 16384000' \
        '.metrics.mib_per_s.unit == "MiB/s"' '.metrics.mib_per_s.value > 0'

    printf 'sysbench.primitive("pipe", {pipe_size = "1K"})\nfunction event() end\n' >own.lua
    run_sb ./own.lua --events=10 --output-format=json run
    assert_status 0
    assert_json '.options["pipe-size"] == "1K"' '.events == 10'
}

@test "the C file of the walk-through is formatted like the others" {
    need_command clang-format
    take engine/primitive/pipe.c
    cp "$ROOT/.clang-format" .
    clang-format --dry-run --Werror engine/primitive/pipe.c
}
