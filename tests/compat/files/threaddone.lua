function thread_done() error("on purpose") end
function event() end
