# shellcheck shell=bash
#
# Finds and removes what a test program left behind: processes, mounts, loop devices, files.
# Only what is surely the program's own is touched: its processes carry a mark in their
# environment, everything else lies below its scratch folder.

mark_name=SBENCH_TEST_RUN
mark=$$-$RANDOM

# leftovers_processes: ids of the processes that carry this run's mark ($mark).
leftovers_processes() {
    local file
    grep -lsxz "$mark_name=$mark" /proc/[0-9]*/environ 2>/dev/null | while read -r file; do
        file=${file#/proc/}
        echo "${file%/environ}"
    done
}

leftovers_mounts() {
    awk -v below="$1/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | sort -r
}

leftovers_loops() {
    losetup -n -O NAME,BACK-FILE 2>/dev/null | awk -v below="$1/" 'index($2, below) == 1 { print $1 }'
}

# leftovers_remove FOLDER: removes all there is and names each thing; true when there was nothing.
leftovers_remove() {
    local folder=$1 pid mount loop file none=0
    [[ -d $folder ]] || return 0
    # A process that has just been told to stop may need a moment, on a busy machine some seconds.
    for _ in {1..50}; do
        [[ -n $(leftovers_processes) ]] || break
        sleep 0.1
    done
    for pid in $(leftovers_processes); do
        echo "process $pid ($(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | cut -c1-60))"
        kill -KILL "$pid" 2>/dev/null
        none=1
    done
    for mount in $(leftovers_mounts "$folder"); do
        echo "mount $mount"
        umount "$mount" || umount -l "$mount"
        none=1
    done
    for loop in $(leftovers_loops "$folder"); do
        echo "loop device $loop"
        losetup -d "$loop"
        none=1
    done
    while read -r file; do
        echo "file ${file#"$folder"/}"
        none=1
    done < <(find "$folder" -xdev -mindepth 1 -maxdepth 1 2>/dev/null)
    # Not across file systems: a mount that could not be undone must not be emptied.
    rm -rf --one-file-system "$folder"
    return $none
}
