-- Where file systems cannot be made here (no root, no f2fs in the kernel), the same
-- command runs in a user-mode-linux guest, on disks that are temporary files.

local embedded = require("sbench.embedded")
local failure = require("sbench.failure")
local fs = require("sbench.fs")

local guest = {}

-- Looked up before a session has a mount namespace of its own: from inside of one
-- the kernel would give the path of the old one, which is another in a chroot.
local PROGRAM = fs.real_path("/proc/self/exe")
local LIMIT_SPARE_S = 900

-- Why the plan cannot be carried out by this kernel and user; nil when it can.
function guest.obstacle(p)
   for _, t in ipairs(p.targets) do
      if t.place ~= "dir" then
         local fits, why = fs.page_size_fits(t.fs, t.profile.page_size)
         if not fits then return why end
         local known, missing = fs.kernel_has(t.fs)
         if not known then return missing end
      end
   end
   for _, t in ipairs(p.targets) do
      if t.place == "image" and not fs.is_guest() then
         local can, why = fs.can_make_images()
         if not can then return why end
      elseif t.place == "device" and not fs.is_root() then
         return failure.new(failure.UNABLE, "formatting " .. t.path .. " needs root: use sudo")
      end
   end
   return nil
end

-- mkfs and fsck are the machine's own, in the guest too.
function guest.need_programs(p)
   for _, t in ipairs(p.targets) do
      if t.place ~= "dir" then
         for _, name in ipairs({t.profile.mkfs[1], t.profile.check[1]}) do
            local found, why = fs.has_program(name)
            if not found then error(why, 0) end
         end
      end
   end
end

local function only_images(p)
   for _, t in ipairs(p.targets) do
      if t.place ~= "image" then return false, t end
   end
   return true
end

local function refuse(why, more)
   error(failure.new(failure.UNABLE, tostring(why) .. ". " .. more), 0)
end

-- Decides between here and the guest. mode: auto, on, off. Returns the reason when the
-- guest is to do it, nil when it can be done here; raises where neither goes.
function guest.decide(p, mode)
   local why = guest.obstacle(p)
   if fs.is_guest() or mode == "off" then
      if why then error(why, 0) end
      return nil
   end
   if mode == "auto" and not why then return nil end
   why = why or "--fs-guest=on"
   local images, other = only_images(p)
   if not images then
      refuse(why, "The guest could do it, but only with images, and not reach " .. other.spec)
   end
   local found = fs.has_program("linux.uml")
   if not found then
      refuse(why, "A guest could do it on an x86-64 machine: apt-get install user-mode-linux")
   end
   return tostring(why)
end

-- Carries the whole command into the guest. arguments: those of this call; results: an
-- existing folder. Returns the guest's exit status.
function guest.run(session, p, arguments, results)
   return session:undoing(function()
      local temp = session:work_dir(os.getenv("TMPDIR") or "/tmp")
      local starter = temp .. "/guest"
      fs.save(starter, embedded.text("scripts/guest"))
      local argv = {
         "bash", starter, "--disk", string.format("%.0f", p.image_bytes), "--disk-dir", p.image_dir,
         "--out", results, "--limit", string.format("%.0f", p.minutes * 60 * 10 + LIMIT_SPARE_S),
         "--", PROGRAM,
      }
      for _, word in ipairs(arguments) do argv[#argv + 1] = word end
      -- A document is written here, from the results folder; the guest tells in words.
      argv[#argv + 1] = "--output-format=text"
      argv[#argv + 1] = "--output=/dev/stdout" -- wins over one in the arguments or a file
      argv[#argv + 1] = "--verbosity=2" -- the banner has been printed
      argv[#argv + 1] = "--fs-guest=off"
      argv[#argv + 1] = "--fs-results=" .. results
      return fs.run(argv, {grace_s = 60})
   end)
end

return guest
