-- f2fs as mkfs.f2fs and mount give it.
return {
   fs = "f2fs",
   name = "defaults",
   summary = "what users get: checkpoint every 60 s, fsync_mode=posix, discard, inline data",
   -- Linux mounts f2fs only where its block is as large as a memory page, and
   -- mkfs.f2fs of Debian 12 and 13 makes blocks of 4 KiB only.
   page_size = 4096,
   mkfs = {"mkfs.f2fs", "-q", "-f", "-t", "0", "-r", "-U", "%{uuid}"},
   check = {"fsck.f2fs", "--dry-run"},
   mount = "defaults",
   sysfs = {},
   expect = {"relatime", "fsync_mode=posix", "inline_data"},
   never = {"nobarrier", "fsync_mode=nobarrier"},
}
