-- many small files: each event creates, flushes and closes one and deletes an old one
--
-- More events a second is better. The primitive files does the same with a latency for each
-- kind of call (sbench files), and fscompare uses that. Its one folder is --files-dir, so
-- that this scenario, with a folder for each thread and options of its own names, cannot be
-- made of its operations without changing what those options mean.

local ARG = sysbench.cmdline
local from = require("sbench.bounds").from

sysbench.cmdline.options = {
   smallfiles_dir = {"folder to work in", "."},
   smallfiles_size = {"bytes of each file", "4096", ARG.ARG_SIZE, from(0, 2147483647)},
   smallfiles_keep = {"files kept before the oldest is deleted", 200, ARG.ARG_INT, from(0)},
   smallfiles_sync = {"fsync each file", true},
}

local fs, dir, data, keep, sync
local made, removed = 0, 0

-- Bytes that no file system or card can compress.
local function noise(size, seed)
   local rng, bytes = require("sbench.stats").rng(seed), {}
   for i = 1, size do bytes[i] = string.char(rng:index(256) - 1) end
   return table.concat(bytes)
end

local function folder(tid)
   return string.format("%s/smallfiles.%d", sysbench.opt.smallfiles_dir, tid)
end

function prepare()
   print("smallfiles: nothing to prepare, files are made while it runs")
end

function thread_init()
   fs = require("sbench.fs")
   dir, keep = folder(sysbench.tid), sysbench.opt.smallfiles_keep
   sync = sysbench.opt.smallfiles_sync
   data = noise(sysbench.opt.smallfiles_size, sysbench.tid + 1)
   fs.remove_tree(dir) -- of a run that was killed
   fs.make_dirs(dir)
end

function event()
   made = made + 1
   fs.make_file(dir .. "/" .. made, data, sync)
   if made - removed > keep then
      removed = removed + 1
      fs.remove_file(dir .. "/" .. removed)
   end
end

function thread_done()
   fs.remove_tree(dir)
end

function cleanup()
   fs = require("sbench.fs")
   for tid = 0, sysbench.opt.threads - 1 do fs.remove_tree(folder(tid)) end
end
