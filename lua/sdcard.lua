-- fileio with a set for an SD card or eMMC: one file of 1 GiB, 4 KiB blocks, direct
--
-- sbench sdcard prepare; sbench sdcard run; sbench sdcard cleanup. A card's host may queue commands
-- (class A2): --file-io-mode=async --file-async-backlog=32 shows whether it does.
return sysbench.primitive("fileio", {
   ["file-num"] = 1, ["file-total-size"] = "1G", ["file-block-size"] = "4K",
   ["file-test-mode"] = "rndrd", ["file-extra-flags"] = "direct", ["file-fsync-freq"] = 0,
})
