-- f2fs with what ext4-matched has too. fsync_mode=strict is the mode that keeps
-- what ext4's fsync keeps; data inside inodes and directories is off, since ext4
-- has none; the checkpoint interval is ext4's commit interval.
return {
   fs = "f2fs",
   name = "matched",
   summary = "same rules for all: checkpoint every 5 s, fsync_mode=strict, no discard, noatime, "
      .. "no inline data",
   page_size = 4096, -- see f2fs-defaults
   mkfs = {"mkfs.f2fs", "-q", "-f", "-t", "0", "-r", "-U", "%{uuid}"},
   check = {"fsck.f2fs", "--dry-run"},
   mount = "noatime,nodiscard,fsync_mode=strict,noinline_data,noinline_dentry",
   sysfs = {cp_interval = "5"},
   expect = {
      "noatime", "lazytime", "nodiscard", "fsync_mode=strict", "noinline_data", "noinline_dentry",
   },
   never = {"nobarrier", "fsync_mode=nobarrier"},
}
