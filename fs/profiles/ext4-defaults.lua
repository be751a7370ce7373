-- ext4 as mkfs.ext4 and mount give it. Two things are set that a user would not:
-- the type, because small images would get 1 KiB blocks that no card gets, and
-- the lazy initialisation, which would write behind the measurement's back.
return {
   fs = "ext4",
   name = "defaults",
   summary = "what users get: journal commit every 5 s, relatime, discard only on demand",
   mkfs = {
      "mkfs.ext4", "-q", "-F", "-T", "default", "-U", "%{uuid}", "-E",
      "lazy_itable_init=0,lazy_journal_init=0,nodiscard,hash_seed=%{uuid}",
   },
   check = {"fsck.ext4", "-f", "-n"},
   mount = "defaults",
   sysfs = {},
   expect = {"relatime", "barrier", "data=ordered"},
   never = {"nobarrier", "barrier=0"},
}
