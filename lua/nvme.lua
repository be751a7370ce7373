-- fileio with a set for an NVMe disk: 4 files of 4 GiB, 4 KiB blocks, direct, 64 at a time
--
-- sbench nvme prepare; sbench nvme --threads=4 run; sbench nvme cleanup. Add threads until the rate
-- no longer grows: one of them cannot keep such a disk busy.
return sysbench.primitive("fileio", {
   ["file-num"] = 4, ["file-total-size"] = "16G", ["file-block-size"] = "4K",
   ["file-test-mode"] = "rndrd", ["file-extra-flags"] = "direct", ["file-fsync-freq"] = 0,
   ["file-io-mode"] = "async", ["file-async-backlog"] = 64,
})
