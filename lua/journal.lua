-- small writes to one file, one after the other, and a flush after every n
--
-- What databases and loggers do to a card. Prepare the file first:
--    sbench journal prepare; sbench journal run; sbench journal cleanup
-- More events a second is better; the latency of "fsync" says what one costs.
local from = require("sbench.bounds").from

sysbench.cmdline.options = {
   journal_write = { "bytes of each write", "4K", sysbench.cmdline.ARG_SIZE, from(1) },
   journal_sync_every = { "flush after this many writes", 1, sysbench.cmdline.ARG_INT,
                         from(1) },
}

local io = sysbench.primitive("fileio", { ["file-num"] = 1, ["file-total-size"] = "64M" })

local size, every, room
local at, written = 0, 0

prepare, cleanup = io.prepare, io.cleanup

function thread_init()
   size, every = sysbench.opt.journal_write, sysbench.opt.journal_sync_every
   room = io.file_size() / sysbench.opt.threads
   room = room - room % size -- each thread appends to a region of its own
   if room == 0 then
      error("--journal-write is larger than a thread's share of --file-total-size", 0)
   end
end

function event()
   io.write(0, sysbench.tid * room + at, size)
   at = (at + size) % room
   written = written + 1
   if written % every == 0 then
      io.fsync(0)
   end
end
