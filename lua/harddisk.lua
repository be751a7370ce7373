-- fileio with a set for a hard disk or USB stick: one file of 8 GiB, 4 KiB blocks, direct
--
-- A smaller set lies on a few tracks, or in the cache of the stick.
-- sbench harddisk prepare; sbench harddisk run; sbench harddisk cleanup
return sysbench.primitive("fileio", {
   ["file-num"] = 1, ["file-total-size"] = "8G", ["file-block-size"] = "4K",
   ["file-test-mode"] = "rndrd", ["file-extra-flags"] = "direct", ["file-fsync-freq"] = 0,
})
