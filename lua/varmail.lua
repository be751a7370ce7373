-- a mail server's small files, after filebench's personality varmail
--
-- One event is one turn of its loop: delete a file; create one, append, flush;
-- open one, read it, append, flush; open one and read it. Make the files first:
--    sbench varmail prepare; sbench varmail run; sbench varmail cleanup
local from = require("sbench.bounds").from

sysbench.cmdline.options = {
   threads = { "worker threads; filebench uses 16", 16, sysbench.cmdline.ARG_INT },
   varmail_files = { "files of the set", 1000, sysbench.cmdline.ARG_INT, from(1) },
   varmail_size = { "mean bytes of a file and of an append", "16K", sysbench.cmdline.ARG_SIZE,
                    from(1) },
}

local files = sysbench.primitive("files")
local fileset = require("sbench.fileset")
local FOLDER = "varmail"

local mine, mean

function prepare()
   fileset.prepare(FOLDER, sysbench.opt.varmail_files, sysbench.opt.varmail_size)
end

function cleanup()
   fileset.cleanup(FOLDER)
end

function thread_init()
   mine = fileset.mine(files, FOLDER, sysbench.opt.varmail_files, "varmail")
   mean = sysbench.opt.varmail_size
end

local function append_and_flush(file)
   file:write(fileset.gamma_size(mean))
   file:fsync()
   file:close()
end

local function read_whole(name)
   local file = files.open(name, "r")
   file:read(files.size(name))
   file:close()
end

function event()
   local doomed = fileset.take(mine.there)
   files.delete(doomed)
   mine.gone[#mine.gone + 1] = doomed

   local new = fileset.take(mine.gone)
   append_and_flush(files.open(new, "c"))
   mine.there[#mine.there + 1] = new

   local old = fileset.any(mine.there)
   read_whole(old)
   append_and_flush(files.open(old, "a"))

   read_whole(fileset.any(mine.there))
end
