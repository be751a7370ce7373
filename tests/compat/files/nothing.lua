-- Options that are none; commands that return things.
sysbench.cmdline.options = {}
sysbench.cmdline.commands = {
   three = { function() return 3 end },
   text = { function() return "5" end },
   called = { setmetatable({}, { __call = function() print("called") end }) },
   wrong = { function() end, 1, 2 },
   exits = { function() os.exit(6) end },
}

function event()
   return true
end
