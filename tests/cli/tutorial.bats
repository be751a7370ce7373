#!/usr/bin/env bats
# bats file_tags=slow
# docs/writing-scenarios.md, followed word by word: each block of Lua becomes the
# file that its first line names, each command is run as it stands.

load ../lib/common

@test "every step of the tutorial runs" {
    cd "$BATS_TEST_TMPDIR"
    mkdir bin
    ln -s "$SBENCH" bin/sbench
    PATH=$PWD/bin:$PATH
    step=0 kind='' block=''
    while IFS= read -r line; do
        case $kind:$line in
            :'```lua') kind=lua block='' ;;
            :'```sh') kind=sh block='' ;;
            lua:'```')
                name=$(sed -n '1s/^-- \([a-z]*\.lua\):.*/\1/p' <<<"$block")
                printf '%s' "$block" >"$name"
                kind=''
                ;;
            sh:'```')
                while IFS= read -r command; do
                    [ -n "$command" ] || continue
                    step=$((step + 1))
                    timeout -k 5 120 bash -c "$command" >"step.$step" 2>&1 ||
                        fail_with "'$command' failed: $(tail -n 5 "step.$step")"
                done <<<"$block"
                kind=''
                ;;
            *) [ -z "$kind" ] || block+=$line$'\n' ;;
        esac
    done <"$ROOT/docs/writing-scenarios.md"
    assert_equal "$step" 10
    # what the text says about its steps
    assert_has "$(cat step.3)" 'writes/s: +[0-9.]*[1-9]'
    assert_has "$(cat step.4)" 'flush_every.*records between two flushes \[16\]'
    assert_has "$(cat step.6)" '^Metrics:' 'commits_per_s' 'commit_max'
    assert_has "$(cat step.7)" '"commits_per_s"' '"commit"'
    assert_has "$(cat step.8)" '^0\.[5-9],[0-9]+,[0-9.]+$'
    assert_has "$(cat step.9)" '^[1-9][0-9]*\.[0-9],[0-9]+,[0-9.]+$'
    assert_equal "$(find . -name 'test_file.*' | wc -l)" 0
}
