-- the writes of a database with a rollback journal, as SQLite makes them
--
-- One event is one transaction: the old pages go to the journal, a flush, the
-- new pages go to the database at random places, a flush, the journal's header
-- is cleared, a flush (SQLite's journal_mode=PERSIST, synchronous=FULL). File 0
-- of the set is the database, file 1 the journal. Prepare them first:
--    sbench sqlite prepare; sbench sqlite run; sbench sqlite cleanup
local from = require("sbench.bounds").from

sysbench.cmdline.options = {
   sqlite_pages = { "pages changed by one transaction", 4, sysbench.cmdline.ARG_INT, from(1) },
   sqlite_page_size = { "bytes of a page", "4K", sysbench.cmdline.ARG_SIZE, from(1) },
}

local io = sysbench.primitive("fileio", { ["file-num"] = 2, ["file-total-size"] = "128M" })
local uniform = sysbench.rand.uniform
local DATABASE, JOURNAL, HEADER = 0, 1, 512

local pages, page, last_page

prepare, cleanup = io.prepare, io.cleanup

function init()
   if sysbench.opt.threads > 1 then
      error("sqlite: one writer at a time has the database, so --threads must be 1", 0)
   end
end

function thread_init()
   pages, page = sysbench.opt.sqlite_pages, sysbench.opt.sqlite_page_size
   last_page = math.floor(io.file_size() / page) - 1
   if HEADER + pages * (page + 8) > io.file_size() or last_page < 1 then
      error("sqlite: the pages do not fit the files; raise --file-total-size", 0)
   end
end

function event()
   for i = 0, pages - 1 do
      io.write(JOURNAL, HEADER + i * (page + 8), page + 8)
   end
   io.fsync(JOURNAL)
   for _ = 1, pages do
      io.write(DATABASE, uniform(0, last_page) * page, page)
   end
   io.fsync(DATABASE)
   io.write(JOURNAL, 0, HEADER)
   io.fsync(JOURNAL)
end

sysbench.metric("transactions_per_s", "1/s", function(stat)
   return stat.events / stat.time_interval
end)
