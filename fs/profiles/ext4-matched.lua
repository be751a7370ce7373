-- ext4 with what f2fs-matched has too: the same commit interval, no discard while
-- running, no access times, lazy time stamps, nothing reserved for root.
return {
   fs = "ext4",
   name = "matched",
   summary = "same rules for all: commit every 5 s, no discard, noatime, lazytime, no reserve",
   mkfs = {
      "mkfs.ext4", "-q", "-F", "-T", "default", "-m", "0", "-U", "%{uuid}", "-E",
      "lazy_itable_init=0,lazy_journal_init=0,nodiscard,hash_seed=%{uuid}",
   },
   check = {"fsck.ext4", "-f", "-n"},
   mount = "noatime,lazytime,nodiscard,commit=5",
   sysfs = {},
   expect = {"noatime", "lazytime", "nodiscard", "commit=5", "barrier", "data=ordered"},
   never = {"nobarrier", "barrier=0"},
}
