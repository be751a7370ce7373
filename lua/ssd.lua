-- fileio with a set for a SATA SSD: 4 files of 2 GiB, 4 KiB blocks, direct, 32 at a time
--
-- sbench ssd prepare; sbench ssd run; sbench ssd cleanup. Writes get slower until the disk has used
-- up what it had erased beforehand: add --until-steady=5 to --file-test-mode=rndwr.
return sysbench.primitive("fileio", {
   ["file-num"] = 4, ["file-total-size"] = "8G", ["file-block-size"] = "4K",
   ["file-test-mode"] = "rndrd", ["file-extra-flags"] = "direct", ["file-fsync-freq"] = 0,
   ["file-io-mode"] = "async", ["file-async-backlog"] = 32,
})
