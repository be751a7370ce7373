function thread_init() error("on purpose") end
function event() end
