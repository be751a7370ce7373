-- a file server's larger files, after filebench's personality fileserver
--
-- One event is one turn of its loop: create a file and write it whole; append to
-- one; read one whole; delete one; look at one. Make the files first:
--    sbench fileserver prepare; sbench fileserver run; sbench fileserver cleanup
local from = require("sbench.bounds").from

sysbench.cmdline.options = {
   threads = { "worker threads; filebench uses 50", 16, sysbench.cmdline.ARG_INT },
   fileserver_files = { "files of the set; filebench has 10000", 1000, sysbench.cmdline.ARG_INT,
                        from(1) },
   fileserver_size = { "mean bytes of a file", "128K", sysbench.cmdline.ARG_SIZE, from(1) },
   fileserver_append = { "mean bytes of an append", "16K", sysbench.cmdline.ARG_SIZE, from(1) },
}

local files = sysbench.primitive("files")
local fileset = require("sbench.fileset")
local FOLDER = "fileserver"

local mine, whole, more

function prepare()
   fileset.prepare(FOLDER, sysbench.opt.fileserver_files, sysbench.opt.fileserver_size)
end

function cleanup()
   fileset.cleanup(FOLDER)
end

function thread_init()
   mine = fileset.mine(files, FOLDER, sysbench.opt.fileserver_files, "fileserver")
   whole, more = sysbench.opt.fileserver_size, sysbench.opt.fileserver_append
end

-- The set keeps its size: what is deleted is what is created next.
function event()
   local doomed = fileset.take(mine.there)
   files.delete(doomed)
   mine.gone[#mine.gone + 1] = doomed

   local name = fileset.take(mine.gone)
   local file = files.open(name, "c")
   file:write(fileset.gamma_size(whole))
   file:close()
   mine.there[#mine.there + 1] = name

   file = files.open(fileset.any(mine.there), "a")
   file:write(fileset.gamma_size(more))
   file:close()

   name = fileset.any(mine.there)
   file = files.open(name, "r")
   file:read(files.size(name))
   file:close()

   files.size(fileset.any(mine.there))
end
