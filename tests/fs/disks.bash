# shellcheck shell=bash
#
# Disks for the tests of fscompare: loop devices with partition tables, in the test's
# own folder, and looks at what a test left.

load ../lib/common

# Whatever a comparison makes in its folder for temporary files can be seen there.
use_scratch() {
    mkdir -p "$BATS_TEST_TMPDIR/tmp" "$BATS_TEST_TMPDIR/images"
    export TMPDIR=$BATS_TEST_TMPDIR/tmp
    results=$BATS_TEST_TMPDIR/results
    disk=
}

need_loops() {
    need_root
    need_command losetup sfdisk mkfs.ext4
    [[ -e /dev/loop-control ]] || skip "no loop devices here"
}

need_guest() {
    need_command linux.uml mkfs.f2fs
}

# make_disk SIZE SFDISK_LINES [FOLDER]: a loop device with that partition table in $disk.
make_disk() {
    local image=${3:-$BATS_TEST_TMPDIR}/disk.img
    truncate -s "$1" "$image"
    sfdisk -q "$image" <<<"$2"
    disk=$(losetup -P --show -f "$image")
    # some kernels read no partition tables: then util-linux tells them
    [[ -b ${disk}p1 ]] || partx -a "$disk"
    wait_for 100 test -b "${disk}p1"
}

partuuid() {
    blkid -p -s PART_ENTRY_UUID -o value "$1"
}

drop_disk() {
    [[ -n $disk ]] || return 0
    # only what the test itself may have set up on its own disk
    swapoff "${disk}p1" 2>/dev/null
    umount "${disk}p1" 2>/dev/null
    partx -d "$disk" 2>/dev/null
    losetup -d "$disk"
    disk=
}

# compare ARGS...: a short comparison with its results in $results.
compare() {
    run_sb fscompare --fs-results="$results" --fs-image-dir="$BATS_TEST_TMPDIR/images" \
        --fs-image-size=64M --fs-settle=0 --fs-time=0.2 --fs-blocks=1 --fs-tests=rndwr "$@" run
}

# No image, no mount, no loop device, no temporary folder of ours.
assert_nothing_left() {
    local left
    left=$(find "$TMPDIR" "$BATS_TEST_TMPDIR/images" -mindepth 1)
    [[ -z $left ]] || fail_with "files left: $left" || return 1
    left=$(losetup -n -O BACK-FILE | grep -F "$BATS_TEST_TMPDIR/images" || true)
    [[ -z $left ]] || fail_with "loop devices left: $left" || return 1
    left=$(grep -F "$BATS_TEST_TMPDIR" /proc/self/mounts || true)
    [[ -z $left ]] || fail_with "mounts left: $left" || return 1
}

# refused_unchanged DEVICE ARGS...: refused, and not a byte of the device differs.
refused_unchanged() {
    local device=$1 before
    shift
    before=$(sha256sum <"$device")
    compare "$@"
    assert_refused
    assert_equal "$(sha256sum <"$device")" "$before"
    [[ ! -e $results ]] || fail_with "a results folder was made"
    assert_nothing_left
}
