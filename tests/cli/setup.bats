# bats file_tags=scripts
#
# scripts/setup with a pretended apt-get, dpkg-query, sudo and id: nothing is installed here. The
# pretended programs note their arguments in $calls; the files in $have are the installed packages.

# shellcheck disable=SC2016 # the pretended programs expand their variables themselves

load ../lib/common

setup() {
    bin=$BATS_TEST_TMPDIR/bin
    have=$BATS_TEST_TMPDIR/have
    calls=$BATS_TEST_TMPDIR/log
    mkdir "$bin" "$have"
    touch "$calls"
    export have calls
    local tool
    # The real ones of what the script uses besides, so that PATH can leave out the rest.
    for tool in bash env cat dirname grep head mktemp rm sed tail touch tr true uname; do
        ln -s "$(type -P "$tool")" "$bin/$tool"
    done
    pretend id 'echo "${uid:-0}"'
    pretend dpkg 'echo "${arch:-amd64}"'
    pretend dpkg-query '[[ -e $have/${!#} ]] && echo "installed ${arch:-amd64}"'
    pretend apt-get '
        echo "apt-get $* ($DEBIAN_FRONTEND)" >>"$calls"
        [[ " $* " != *" update "* ]] || exit "${update_status:-0}"
        names=${*#*--no-install-recommends}
        for name in $names; do
            [[ $name != "${unavailable-}" ]] || { echo "E: Unable to locate package $name"; exit 100; }
        done
        for name in $names; do touch "$have/$name"; done'
}

# pretend NAME SCRIPT
pretend() {
    printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

run_setup() {
    PATH=$bin run "$BASH" "$ROOT/scripts/setup" "$@"
}

pretend_all_installed() {
    local name
    while read -r name; do
        touch "$have/$name"
    done < <(arch=amd64 PATH=$bin "$BASH" "$ROOT/scripts/setup" --list --test)
}

@test "--list prints names and changes nothing" {
    run_setup --list
    assert_status 0
    assert_has "$output" '^gcc$' '^f2fs-tools$' '^user-mode-linux$'
    assert_lacks "$output" '^bats$' ' '
    [[ ! -s $calls ]] || fail_with "apt-get was called: $(<"$calls")"
}

@test "--list --test adds the packages of the tests" {
    run_setup --list --test
    assert_status 0
    assert_has "$output" '^gcc$' '^bats$' '^libcmocka-dev$'
}

@test "no package is named twice" {
    run_setup --list --test
    [[ -z $(sort <<<"$output" | uniq -d) ]] || fail_with "twice: $(sort <<<"$output" | uniq -d)"
}

@test "the guest is left out where Debian does not have it" {
    arch=arm64 run_setup --list
    assert_status 0
    assert_has "$output" '^gcc$'
    assert_lacks "$output" 'user-mode-linux'
}

@test "installs what is missing, named, without questions" {
    pretend_all_installed
    rm "$have/gcc" "$have/f2fs-tools"
    run_setup --test
    assert_status 0
    assert_has "$output" 'packages \(2\): gcc f2fs-tools$'
    assert_has "$(<"$calls")" 'apt-get .* update \(noninteractive\)' \
        'install --no-install-recommends gcc f2fs-tools \(noninteractive\)'
}

@test "a second call finds everything there and calls nothing" {
    run_setup
    assert_status 0
    : >"$calls"
    run_setup
    assert_status 0
    assert_has "$output" 'nothing to do'
    [[ ! -s $calls ]] || fail_with "apt-get was called: $(<"$calls")"
}

@test "one package that cannot be had is named and stops no other" {
    unavailable=f2fs-tools run_setup
    assert_status 1
    assert_has "$output" 'could not install f2fs-tools' 'Unable to locate package f2fs-tools' \
        'not installed: f2fs-tools$'
    [[ -e $have/gcc && -e $have/user-mode-linux ]]
}

@test "package lists that cannot be refreshed are said, not fatal" {
    update_status=100 run_setup
    assert_status 0
    assert_has "$output" 'lists could not be refreshed'
}

@test "not root: through sudo" {
    pretend sudo 'echo "sudo $*" >>"$calls"; while [[ $1 == -* ]]; do shift; done; exec "$@"'
    uid=1000 run_setup
    assert_status 0
    assert_has "$(<"$calls")" '^sudo .*apt-get .*install'
}

@test "not root and no sudo: refused, with the command for root" {
    uid=1000 run_setup
    assert_status 1
    assert_has "$output" 'needs root' 'apt-get install .*gcc'
    [[ ! -s $calls ]]
}

@test "not root and sudo refuses: said once, nothing tried" {
    pretend sudo 'exit 1'
    uid=1000 run_setup
    assert_status 1
    assert_has "$output" 'sudo refused'
    [[ ! -s $calls ]]
}

@test "a foreign architecture's package does not count" {
    pretend_all_installed
    pretend dpkg-query 'if [[ ${!#} == libluajit-5.1-dev ]]; then echo "installed arm64"
        else echo "installed all"; fi'
    run_setup
    assert_status 0
    assert_has "$output" 'packages \(1\): libluajit-5.1-dev'
}

@test "a removed package whose settings remain does not count" {
    pretend dpkg-query 'echo "config-files ${arch:-amd64}"'
    run_setup
    assert_status 0
    assert_has "$output" 'Installing'
}

@test "not Debian: an error that names what is needed" {
    rm "$bin/apt-get" "$bin/dpkg-query" "$bin/dpkg"
    run_setup
    assert_status 1
    assert_has "$output" 'no apt-get here' 'libluajit-5.1-dev'
}

@test "an unknown argument is refused before anything is done" {
    run_setup --tests
    assert_status 1
    assert_has "$output" "unknown argument '--tests'"
    [[ ! -s $calls ]]
}
