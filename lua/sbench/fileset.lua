-- A set of files for scenarios after filebench's personalities: made by prepare
-- below --files-dir, owned by the threads in turn, so that no two threads change
-- the same file, removed by cleanup.
local fs = require("sbench.fs")

local fileset = {}

-- Sizes as filebench draws them: a gamma distribution of shape 1.5 round the
-- mean (generator: Marsaglia and Tsang 2000), at least one byte.
function fileset.gamma_size(mean)
   local double = sysbench.rand.uniform_double
   local d = 1.5 - 1 / 3
   local c = 1 / math.sqrt(9 * d)
   while true do
      local u1, u2 = double(), double()
      local x = math.sqrt(-2 * math.log(1 - u1)) * math.cos(2 * math.pi * u2)
      local v = (1 + c * x) ^ 3
      if v > 0 and math.log(1 - double()) < 0.5 * x * x + d - d * v + d * math.log(v) then
         return math.max(1, math.floor(d * v * mean / 1.5))
      end
   end
end

local function path(dir, folder, i)
   return string.format("%s/%s/%d", dir, folder, i)
end

-- Random bytes: nothing that a file system or a card could compress.
local function noise(size)
   local ffi = require("ffi")
   local words = math.floor(size / 8) + 1
   local data = ffi.new("uint64_t[?]", words)
   for i = 0, words - 1 do
      data[i] = sysbench.rand.uniform_uint64()
   end
   return ffi.string(data, size)
end

function fileset.prepare(folder, count, mean)
   local dir = sysbench.opt.files_dir
   fs.make_dirs(dir .. "/" .. folder)
   for i = 0, count - 1 do
      fs.make_file(path(dir, folder, i), noise(fileset.gamma_size(mean)), false)
   end
   print(string.format("%d files made in %s/%s", count, dir, folder))
end

function fileset.cleanup(folder)
   fs.remove_tree(sysbench.opt.files_dir .. "/" .. folder)
end

-- The calling thread's files: names of those that exist and of those that do not.
function fileset.mine(files, folder, count, scenario)
   local set = { there = {}, gone = {} }
   for i = sysbench.tid, count - 1, sysbench.opt.threads do
      local name = folder .. "/" .. i
      local list = files.size(name) and set.there or set.gone
      list[#list + 1] = name
   end
   if #set.there < 2 then
      error(string.format("%s: thread %d finds no files in %s/%s; make them with 'sbench %s " ..
                          "--files-dir=%s prepare' (and use fewer threads than files)", scenario,
                          sysbench.tid, sysbench.opt.files_dir, folder, scenario,
                          sysbench.opt.files_dir), 0)
   end
   return set
end

-- A random one of them; taken out of the list for good.
function fileset.any(list)
   return list[sysbench.rand.uniform(1, #list)]
end

function fileset.take(list)
   local i = sysbench.rand.uniform(1, #list)
   local name = list[i]
   list[i] = list[#list]
   list[#list] = nil
   return name
end

return fileset
