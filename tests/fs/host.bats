#!/usr/bin/env bats
#
# fscompare with this machine's own kernel: ext4 on loop devices. Needs root.

# shellcheck disable=SC2030,SC2031 # each test is a subshell on purpose
# shellcheck disable=SC2154,SC2153 # out, err, status, results, ROOT are set by what is loaded

load disks

setup() {
    use_scratch
    need_loops
}

teardown() {
    drop_disk
    [[ ! -d $BATS_TEST_TMPDIR/ram ]] || umount "$BATS_TEST_TMPDIR/ram" 2>/dev/null || true
}

two_profiles=("--fs-targets=ext4:image,ext4:image" "--fs-profile=defaults,matched")

@test "two profiles on an image: report, cells, nothing left" {
    compare "${two_profiles[@]}" --fs-tests=rndwr,smallfiles
    assert_status 0
    assert_has "$out" 'Plan: 8 cells' 'Order: (ABBA|BAAB)' 'Written to ext4-defaults: [0-9]+ MiB at least' \
        '^  rndwr +op/s +[0-9.]+ ±' '^  smallfiles +files/s ' 'virtual disk: loop device' \
        "speeds are the host's" 'unclear \(need n≥6\)'
    assert_has "$err" '^cell 8 of 8: smallfiles on ext4-(defaults|matched), block 1: [0-9.]+ files/s$'
    assert_equal "$(find "$results/cells" -name '*.json' | wc -l)" 8
    jq -e '.complete and .cells == 8' "$results/summary.json"
    jq -e '.cells == 8 and (.order | length) == 1' "$results/plan.json"
    cmp <(cat "$results/report.txt") <(sed -n '/ against /,/^A virtual disk/p' <<<"$out")
    assert_nothing_left
}

@test "a cell records what was in force and what reached the disk" {
    compare "${two_profiles[@]}"
    assert_status 0
    out=$(cat "$results"/cells/*-rndwr-ext4-matched.json | jq -s '.[0]')
    assert_json '.mount_options | test("noatime") and test("commit=5") and test("nodiscard")' \
        '.checked and .all_caches_dropped' '.mkfs | index("-m")' \
        '.device.write_sectors * 512 >= .app_write_bytes' '.app_write_bytes > 0' \
        '.device.flushes > 0' '.value == .result.fileio.write.ops / .result.time_s' \
        '.arguments | index("--file-fsync-all=on")'
}

@test "the same seed gives the same order, identities and requests" {
    local first
    compare "${two_profiles[@]}" --fs-seed=12 --fs-time=0.1
    assert_status 0
    first=$(jq -c '[.number, .target, .mkfs, (.arguments | map(select(test("rand-seed"))))]' \
        "$results"/cells/*.json)
    rm -r "$results"
    compare "${two_profiles[@]}" --fs-seed=12 --fs-time=0.1
    assert_equal "$(jq -c '[.number, .target, .mkfs,
        (.arguments | map(select(test("rand-seed"))))]' "$results"/cells/*.json)" "$first"
    assert_equal "$(jq -r '.mkfs | .[index("-U") + 1]' "$results"/cells/*.json | sort -u | wc -l)" 1
}

@test "json: one document on stdout, the plan elsewhere" {
    compare "${two_profiles[@]}" --output-format=json
    assert_status 0
    assert_json '.schema == "sbench-fscompare/1"' '.complete' '.tests[0].name == "rndwr"' \
        '.tests[0].comparisons[0].ratio > 0' '.plan.targets | length == 2'
    assert_has "$err" 'Plan: 4 cells'
}

@test "csv: one line a cell on stdout, the same in the results" {
    compare "${two_profiles[@]}" --output-format=csv
    assert_status 0
    assert_equal "$(wc -l <<<"$out")" 5
    assert_has "$out" '^number,block,half,test,target,fs,profile,' \
        '^4,1,2,rndwr,ext4-(defaults|matched),ext4,(defaults|matched),.*,discard,'
    assert_equal "$(cat "$results/cells.csv")" "$out"
}

@test "a comparison that was stopped is resumed: cells that were done are kept" {
    compare "${two_profiles[@]}" --fs-time=0.1
    assert_status 0
    local kept seed
    seed=$(jq .seed "$results/plan.json")
    rm "$results"/cells/00[34]*.json "$results"/{summary.json,report.txt}
    kept=$(sha256sum "$results"/cells/*.json)
    compare "${two_profiles[@]}" --fs-time=0.3 --fs-resume=on
    assert_refused
    assert_has "$err$out" 'fs-resume=on' 'begun with another time_s' 'Nothing|nothing was changed'
    compare "${two_profiles[@]}" --fs-time=0.1 --fs-resume=on
    assert_status 0
    assert_has "$out" '2 of the cells are done already' "seed $seed" '^4 of 4 cells'
    assert_lacks "$err" 'cell 1 of 4' 'cell 2 of 4'
    sha256sum -c --quiet <<<"$kept"
    jq -e '.complete and .cells == 4' "$results/summary.json"
    compare "${two_profiles[@]}" --fs-results="$BATS_TEST_TMPDIR/none" --fs-resume=on
    assert_refused
    assert_has "$err$out" 'names no folder with a comparison'
    assert_nothing_left
}

@test "refused: a results folder that holds results, or cannot be one" {
    compare "${two_profiles[@]}" --fs-time=0.1
    assert_status 0
    local before
    before=$(find "$results" -type f -exec sha256sum {} + | sort)
    compare "${two_profiles[@]}" --fs-time=0.1
    assert_refused
    assert_has "$err$out" "fs-results=$results: this folder holds the results" 'Name another'
    assert_equal "$(find "$results" -type f -exec sha256sum {} + | sort)" "$before"
    touch "$BATS_TEST_TMPDIR/file"
    compare "${two_profiles[@]}" --fs-results="$BATS_TEST_TMPDIR/file/x"
    assert_refused
    assert_has "$err$out" "fs-results=$BATS_TEST_TMPDIR/file/x:"
    assert_nothing_left
}

@test "refused: files that fit no target, before it is formatted" {
    make_disk 96M 'label: gpt
,,'
    refused_unchanged "${disk}p1" "--fs-targets=ext4:device=${disk}p1,ext4:device=${disk}p1" \
        --fs-profile=defaults,matched "--fs-erase=PARTUUID=$(partuuid "${disk}p1")" --fs-data-size=1G
    assert_has "$err$out" 'fs-data-size: 1024 MiB are wanted' 'Nothing was changed'
}

@test "three blocks give an interval and a verdict" {
    compare "${two_profiles[@]}" --fs-blocks=3 --fs-time=0.1
    assert_status 0
    assert_has "$out" '3 blocks of (ABBA|BAAB) (ABBA|BAAB) (ABBA|BAAB)' \
        '[0-9.]+ \[[0-9.]+, [0-9.]+\]' 'bootstrap over blocks'
}

@test "a mounted folder is used without formatting" {
    need_command mount
    make_disk 96M 'label: gpt
,,'
    mkfs.ext4 -q "${disk}p1"
    mkdir "$BATS_TEST_TMPDIR/mnt"
    mount "${disk}p1" "$BATS_TEST_TMPDIR/mnt"
    echo mine >"$BATS_TEST_TMPDIR/mnt/precious"
    compare "--fs-targets=ext4:dir=$BATS_TEST_TMPDIR/mnt,ext4:dir=$BATS_TEST_TMPDIR/mnt"
    local after
    after=$(ls "$BATS_TEST_TMPDIR/mnt"; cat "$BATS_TEST_TMPDIR/mnt/precious")
    umount "$BATS_TEST_TMPDIR/mnt"
    assert_status 0
    assert_equal "$after" "lost+found
precious
mine"
    assert_has "$out" 'was not formatted'
}

@test "a folder on another file system is refused" {
    mkdir "$BATS_TEST_TMPDIR/mnt"
    compare "--fs-targets=ext4:dir=/proc,ext4:dir=/proc"
    assert_refused
    assert_has "$err$out" '/proc is on proc, not on ext4'
    touch "$BATS_TEST_TMPDIR/mnt/file"
    compare "--fs-targets=ext4:dir=$BATS_TEST_TMPDIR/mnt/file,ext4:dir=$BATS_TEST_TMPDIR/mnt/file"
    assert_refused
    assert_has "$err$out" 'mnt/file: no usable folder'
    [[ ! -e $results ]]
}

@test "a partition named twice is formatted and compared, its neighbour is not touched" {
    make_disk 160M 'label: gpt
,80M
,'
    echo neighbour >"${disk}p2"
    local before
    before=$(sha256sum <"${disk}p2")
    compare "--fs-targets=ext4:device=${disk}p1,ext4:device=${disk}p1" \
        --fs-profile=defaults,matched "--fs-erase=PARTUUID=$(partuuid "${disk}p1")"
    assert_status 0
    assert_has "$out" "${disk}p1 WILL BE ERASED"
    assert_equal "$(sha256sum <"${disk}p2")" "$before"
    assert_equal "$(blkid -p -s TYPE -o value "${disk}p1")" ext4
    assert_nothing_left
}

@test "a partition may be named by a link, as in /dev/disk" {
    make_disk 96M 'label: gpt
,,'
    ln -s "${disk}p1" "$BATS_TEST_TMPDIR/card"
    compare "--fs-targets=ext4:device=$BATS_TEST_TMPDIR/card,ext4:device=$BATS_TEST_TMPDIR/card" \
        --fs-profile=defaults,matched "--fs-erase=PARTUUID=$(partuuid "${disk}p1")"
    assert_status 0
    # found by the kernel's name: the full list of options, and what the device wrote
    out=$(cat "$results"/cells/*-rndwr-ext4-defaults.json | jq -s '.[0]')
    assert_json '.mount_options | test("data=ordered")' '.device.writes > 0'
    assert_has "$(cat "$results/report.txt")" 'virtual disk: loop device' "speeds are the host's"
    assert_lacks "$(cat "$results/report.txt")" 'another partition'
    assert_nothing_left
}

@test "refused: a device that another comparison works on" {
    make_disk 96M 'label: gpt
,,'
    # what a session does with its device, done by somebody else
    exec 9<"${disk}p1"
    flock -x 9
    refused_unchanged "${disk}p1" "--fs-targets=ext4:device=${disk}p1,ext4:device=${disk}p1" \
        --fs-profile=defaults,matched "--fs-erase=PARTUUID=$(partuuid "${disk}p1")"
    exec 9<&-
    assert_has "$err$out" "${disk}p1 is refused: another program has locked it"
}

@test "a disk without discard: said, and overwritten where that is asked for" {
    # files in ramfs have no holes, so that a disk made of one takes no discard
    mkdir "$BATS_TEST_TMPDIR/ram"
    mount -t ramfs ram "$BATS_TEST_TMPDIR/ram" || skip "no ramfs here"
    make_disk 80M 'label: gpt
,,' "$BATS_TEST_TMPDIR/ram"
    [[ $(<"/sys/block/${disk#/dev/}/queue/discard_max_bytes") == 0 ]] || skip "it takes discards"
    local targets=("--fs-profile=defaults,matched" "--fs-erase=PARTUUID=$(partuuid "${disk}p1")")
    targets+=("--fs-targets=ext4:device=${disk}p1,ext4:device=${disk}p1")
    compare "${targets[@]}"
    assert_status 0
    assert_has "$out" 'takes no discard: each file system met the blocks'
    assert_equal "$(jq -r .blocks_before "$results"/cells/*.json | sort -u)" nothing
    rm -r "$results"
    compare "${targets[@]}" --fs-overwrite=on
    assert_status 0
    # 4 cells of 78 MiB and some for each target, 2 of them its own
    assert_has "$out" 'it was overwritten before each cell' 'Written to ext4-matched: 1[5-7][0-9] MiB'
    assert_equal "$(jq -r .blocks_before "$results"/cells/*.json | sort -u)" overwrite
    drop_disk || true # parts of it fail where there is nothing to undo
    umount "$BATS_TEST_TMPDIR/ram"
    assert_nothing_left
}

@test "an MBR partition is named by its PARTUUID, too" {
    make_disk 96M 'label: dos
,,'
    compare "--fs-targets=ext4:device=${disk}p1,ext4:device=${disk}p1" \
        --fs-profile=defaults,matched "--fs-erase=PARTUUID=$(partuuid "${disk}p1")"
    assert_status 0
}

@test "refused: a partition that is named once" {
    make_disk 96M 'label: gpt
,,'
    refused_unchanged "${disk}p1" "--fs-targets=ext4:device=${disk}p1,ext4:image"
    assert_has "$err$out" "${disk}p1 would be erased" 'fs-erase=PARTUUID=' 'lsblk' 'Nothing was changed'
}

@test "refused: the wrong PARTUUID, and that of the neighbour" {
    make_disk 160M 'label: gpt
,80M
,'
    refused_unchanged "${disk}p1" "--fs-targets=ext4:device=${disk}p1,ext4:image" \
        "--fs-erase=PARTUUID=$(partuuid "${disk}p2")"
    assert_has "$err$out" "${disk}p1 is refused" 'Is it the right card'
    refused_unchanged "${disk}p2" "--fs-erase=PARTUUID=$(partuuid "${disk}p1")" \
        "--fs-targets=ext4:device=${disk}p1,ext4:device=${disk}p2"
    assert_has "$err$out" "${disk}p2 would be erased"
}

@test "refused: a mounted partition" {
    make_disk 96M 'label: gpt
,,'
    mkfs.ext4 -q "${disk}p1"
    mkdir "$BATS_TEST_TMPDIR/mnt"
    mount -o ro,noload "${disk}p1" "$BATS_TEST_TMPDIR/mnt"
    local before
    before=$(sha256sum <"${disk}p1")
    compare "--fs-targets=ext4:device=${disk}p1,ext4:image" \
        "--fs-erase=PARTUUID=$(partuuid "${disk}p1")"
    umount "$BATS_TEST_TMPDIR/mnt"
    assert_refused
    assert_has "$err$out" "${disk}p1 is refused: it is mounted on $BATS_TEST_TMPDIR/mnt" \
        "umount $BATS_TEST_TMPDIR/mnt"
    assert_equal "$(sha256sum <"${disk}p1")" "$before"
}

@test "refused: a partition mounted where only another namespace sees it" {
    make_disk 96M 'label: gpt
,,'
    mkfs.ext4 -q "${disk}p1"
    mkdir "$BATS_TEST_TMPDIR/mnt"
    # In a chroot that is no mount point nothing can be made private, nor has it to be.
    local how=private
    unshare --mount --propagation private true 2>/dev/null || how=unchanged
    unshare --mount --propagation "$how" bash -c \
        "mount '${disk}p1' '$BATS_TEST_TMPDIR/mnt' && touch '$BATS_TEST_TMPDIR/up' && sleep 300" &
    local other=$!
    wait_for 100 test -e "$BATS_TEST_TMPDIR/up"
    compare "--fs-targets=ext4:device=${disk}p1,ext4:image" \
        "--fs-erase=PARTUUID=$(partuuid "${disk}p1")"
    pkill -KILL -P "$other" || true # the shell may have become the sleep
    kill -KILL "$other" 2>/dev/null || true
    wait "$other" || true
    assert_refused
    assert_has "$err$out" "${disk}p1 is refused: something has it in use"
}

@test "refused: swap" {
    need_command mkswap swapon
    make_disk 96M 'label: gpt
,,'
    mkswap -q "${disk}p1"
    swapon "${disk}p1" || skip "no swap here"
    compare "--fs-targets=ext4:device=${disk}p1,ext4:image" \
        "--fs-erase=PARTUUID=$(partuuid "${disk}p1")"
    swapoff "${disk}p1"
    assert_refused
    assert_has "$err$out" "${disk}p1 is refused: it is used as swap" "swapoff ${disk}p1"
    assert_equal "$(blkid -p -s TYPE -o value "${disk}p1")" swap
}

@test "refused: a whole disk with partitions" {
    make_disk 96M 'label: gpt
,,'
    refused_unchanged "$disk" "--fs-targets=ext4:device=$disk,ext4:image" --fs-erase=SERIAL=x
    assert_has "$err$out" "$disk is refused: it is a whole disk with 1 partition"
}

@test "refused: the disk of the running system" {
    local root
    root=$(findmnt -n -o SOURCE / || true)
    [[ -b $root ]] || skip "/ is on no block device"
    compare "--fs-targets=ext4:device=$root,ext4:image"
    assert_refused
    assert_has "$err$out" "$root is refused: the running system uses its disk"
    assert_nothing_left
}

@test "refused: an image larger than the free space, with the missing amount" {
    compare "${two_profiles[@]}" --fs-image-size=900T
    assert_refused
    assert_has "$err$out" "image of 943718400 MiB does not fit into $BATS_TEST_TMPDIR/images" \
        '[0-9]+ MiB are missing' 'fs-image-dir'
    assert_nothing_left
}

@test "refused: what is no disk, and values that make no sense" {
    compare --fs-targets=ext4:device=/dev/null,ext4:image --fs-erase=SERIAL=x
    assert_refused
    assert_has "$err$out" '/dev/null is not a block device'
    compare --fs-targets=ext4:image,zfs:image
    assert_refused
    assert_has "$err$out" 'zfs' 'ext4-defaults'
    compare "${two_profiles[@]}" --fs-tests=rndwr,none
    assert_refused
    assert_has "$err$out" "fs-tests: there is no test 'none'" 'smallfiles'
    compare "${two_profiles[@]}" --fs-guest=perhaps
    assert_refused
    assert_has "$err$out" 'fs-guest=perhaps'
    [[ ! -e $results ]]
}

@test "refused: pages larger than the file system's blocks, before anything is formatted" {
    mkdir -p "$BATS_TEST_TMPDIR/lua/fs/profiles"
    sed 's/fs = "ext4",/fs = "ext4", page_size = 65536,/' "$ROOT/fs/profiles/ext4-matched.lua" \
        >"$BATS_TEST_TMPDIR/lua/fs/profiles/ext4-matched.lua"
    SBENCH_LUA_PATH=$BATS_TEST_TMPDIR/lua compare "${two_profiles[@]}" --fs-guest=off
    assert_status 3
    assert_has "$err$out" 'ext4 is refused before anything is formatted' '65536 bytes' 'kernel8.img'
    [[ ! -e $results ]]
    assert_nothing_left
}

@test "refused: a kernel without f2fs when the guest is not wanted" {
    ! grep -qw f2fs /proc/filesystems || skip "this kernel has f2fs"
    ! modprobe -q f2fs 2>/dev/null || skip "this kernel has f2fs"
    compare --fs-guest=off
    assert_status 3
    assert_has "$err$out" 'this kernel has no f2fs'
    assert_nothing_left
}

@test "a profile whose options do not take effect ends the comparison" {
    mkdir -p "$BATS_TEST_TMPDIR/lua/fs/profiles"
    sed 's/expect = {/expect = {"data=journal", /' "$ROOT/fs/profiles/ext4-matched.lua" \
        >"$BATS_TEST_TMPDIR/lua/fs/profiles/ext4-matched.lua"
    SBENCH_LUA_PATH=$BATS_TEST_TMPDIR/lua compare "${two_profiles[@]}"
    assert_refused
    assert_has "$err$out" "'data=journal' of the profile matched is not in force"
    assert_nothing_left
}

# start_slow: a comparison in the background, in its first cell; its id in $pid.
start_slow() {
    "$SBENCH" fscompare "${two_profiles[@]}" --fs-results="$results" --fs-image-size=64M \
        --fs-image-dir="$BATS_TEST_TMPDIR/images" --fs-time=200 --fs-tests=rndwr run \
        >"$BATS_TEST_TMPDIR/out" 2>&1 &
    pid=$!
    # its measuring process is there
    wait_for 100 pgrep -P "$pid" -f 'fileio.* run' >/dev/null || {
        kill "$pid"
        fail_with "$(cat "$BATS_TEST_TMPDIR/out")"
    }
}

# gone PID: the process and its children have ended.
gone() {
    ! kill -0 "$1" 2>/dev/null && ! pgrep -P "$1" >/dev/null
}

@test "SIGINT and SIGTERM in a cell undo everything" {
    local signal ended
    for signal in INT TERM; do
        rm -rf "$results"
        start_slow
        kill "-$signal" "$pid"
        wait_for 100 gone "$pid" || { kill -KILL "$pid"; fail_with "still there after SIG$signal"; }
        ended=0
        wait "$pid" || ended=$?
        ((ended > 0)) || fail_with "status $ended after SIG$signal"
        grep -q "stopped by SIG$signal" "$BATS_TEST_TMPDIR/out" || fail_with "$(cat "$BATS_TEST_TMPDIR/out")"
        assert_nothing_left
    done
}

@test "SIGKILL leaves no loop device, mount or image" {
    start_slow
    local child
    child=$(pgrep -P "$pid")
    kill -KILL "$pid"
    wait "$pid" || true
    wait_for 100 gone "$child"
    # folders for temporary files that nobody could remove any more; no image is in them
    [[ -z $(find "$TMPDIR" -type f -size +64k) ]]
    rm -r --one-file-system "$TMPDIR"/sbench-*
    wait_for 100 assert_nothing_left
}
