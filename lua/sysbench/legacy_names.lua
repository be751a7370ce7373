-- Global names of sysbench 0.5, for scripts of its days.
return function(given)
   _G.thread_id = given.tid
   _G.test = given.script_path
end
