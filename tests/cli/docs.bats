# bats file_tags=docs
#
# What is made from the option rows is current, and says what the program does.

# shellcheck disable=SC2016,SC2154 # backquotes of Markdown; run_sb sets out, err

load ../lib/common

docs=$ROOT/docs

@test "options.md and the man page are what make docs writes" {
    [[ $(getconf LONG_BIT) == 64 ]] || skip "the smallest block of memory is the word of 64-bit builds"
    SBENCH=$SBENCH "$ROOT/scripts/make-docs" "$BATS_TEST_TMPDIR"
    local name
    for name in options.md sbench.1; do
        diff -u "$docs/$name" "$BATS_TEST_TMPDIR/$name" || fail_with "docs/$name is not current: make docs"
    done
}

@test "make-docs leaves the old file when the program fails" {
    echo old >"$BATS_TEST_TMPDIR/options.md"
    run env SBENCH=false "$ROOT/scripts/make-docs" "$BATS_TEST_TMPDIR"
    assert_status 1
    assert_equal "$(<"$BATS_TEST_TMPDIR/options.md")" old
    [[ ! -e $BATS_TEST_TMPDIR/options.md.tmp ]]
}

@test "every option of every test's help is in all three forms of the reference" {
    local form name test
    for form in text markdown man; do
        sb options --output-format=$form | sed 's/\\//g' >"$BATS_TEST_TMPDIR/$form"
    done
    for test in cpu memory threads mutex fileio fscompare smallfiles; do
        run_sb $test help
        assert_status 0
        while read -r name; do
            for form in text markdown man; do
                grep -qE -e "(^|[\` ])$name([=[\` ]|\$)" "$BATS_TEST_TMPDIR/$form" ||
                    fail_with "$name of $test is not in $form"
            done
        done < <(grep -oE '^  --[a-z0-9_-]+' <<<"$out" | tr -d ' ')
        grep -q . <<<"$out" || fail_with "no help of $test"
    done
    # It would show if the loop above had looked at nothing.
    (($(grep -c '^  --' "$BATS_TEST_TMPDIR/text") > 80)) || fail_with "hardly any options"
}

@test "defaults, ranges, choices and secrets of the reference" {
    run_sb options --output-format=markdown
    assert_status 0
    assert_has "$out" \
        '^\| `--threads=N` \| `1` \| whole number, from 1 to 65535 \| worker threads \|$' \
        '^\| `--file-test-mode=STRING` \|  \| one of: seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw \|' \
        '^\| `--mysql-password=STRING` \|  \| text \|' \
        '^\| `--debug\[=on\\\|off\]` \| `off` \| on or off \|' \
        '^## fscompare$' \
        '^Takes the options of cpu; those of fileio, here with --file-num=4 --file-total-size=64M\.$'
    assert_lacks "$out" '\{text, json'
    # A cell of a table holds one line, and each row has four cells.
    assert_equal "$(grep '^|' <<<"$out" | sed 's/\\|//g' | awk -F'|' 'NF != 6' | wc -l)" 0
}

@test "bad words of options are refused with the way out" {
    run_sb options --output-format=pdf
    assert_status 1
    assert_has "$err" "output-format.*'pdf'.*text, markdown, man"
    assert_equal "$out" ""
    run_sb options cpu
    assert_status 1
    assert_has "$err" "'cpu' is not known"
}

@test "a scenario that cannot be opened is told in the text and refused in the documents" {
    mkdir "$BATS_TEST_TMPDIR/lua"
    echo 'error("no disk here")' >"$BATS_TEST_TMPDIR/lua/smallfiles.lua"
    export SBENCH_LUA_PATH=$BATS_TEST_TMPDIR/lua
    run_sb options
    assert_status 0
    assert_has "$out" '^fscompare options:$' '^smallfiles options:$' '^  \(not in this build: .*no disk here'
    run_sb options --output-format=markdown
    assert_status 1
    assert_equal "$out" ""
    assert_has "$err" "scenario 'smallfiles'.*no disk here"
}

@test "the reference does not depend on the environment" {
    mkdir "$BATS_TEST_TMPDIR/away"
    cd "$BATS_TEST_TMPDIR/away" || return 1
    HOME=/nowhere TMPDIR=/nowhere LANG=de_DE.UTF-8 sb options --output-format=man >../a
    cd /
    sb options --output-format=man >"$BATS_TEST_TMPDIR/b"
    cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
}

@test "the man page is without faults and shows its options as they are typed" {
    need_command groff col
    run groff -man -Tutf8 -ww -z "$docs/sbench.1"
    assert_equal "$output" ""
    run groff -man -Tascii -ww -z "$docs/sbench.1"
    assert_equal "$output" ""
    groff -man -Tascii -rLL=100n "$docs/sbench.1" | col -bx >"$BATS_TEST_TMPDIR/page"
    assert_has "$(<"$BATS_TEST_TMPDIR/page")" '^EXIT STATUS' '^ +--file-test-mode=STRING$' '128\+N' \
        "sbench $(sb --version | cut -d' ' -f2) " '^ +--smallfiles[-_]sync\[=on\|off\]$'
}

@test "every link between documents leads to a file" {
    local file link
    for file in "$docs"/*.md; do
        while read -r link; do
            [[ -e $docs/$link ]] || fail_with "$(basename "$file") links to $link"
        done < <(grep -oE '\]\([^)#:]+\)' "$file" | sed 's/^](//; s/)$//')
    done
}

@test "functions and files that architecture.md names exist" {
    local name missing=
    # `name()` is a function of the engine or the Lua library, `folder/file` a file.
    while read -r name; do
        grep -rqwE -e "$name" "$ROOT/engine" "$ROOT/fs" "$ROOT/lua" --include='*.[ch]' --include='*.lua' ||
            missing+=" $name()"
    done < <(grep -oE '`[a-z_.:]+\(\)`' "$docs/architecture.md" | tr -d '`()' | sort -u)
    while read -r name; do
        compgen -G "$ROOT/$name" >/dev/null || missing+=" $name"
    done < <(grep -oE '`(engine|lua|fs|scripts|tests|docs)/[^` ]*`' "$docs/architecture.md" | tr -d '`' | sort -u)
    [[ -z $missing ]] || fail_with "architecture.md names what is not there:$missing"
    (($(grep -coE '`[a-z_]+\(\)`' "$docs/architecture.md") > 10)) || fail_with "hardly any names"
}

@test "README.md names every package that scripts/setup installs" {
    local package
    for package in $("$ROOT/scripts/setup" --list --test); do
        grep -qE "^\|.*[ |]${package}[ ;|]" "$ROOT/README.md" || fail_with "README.md does not name $package"
    done
}
