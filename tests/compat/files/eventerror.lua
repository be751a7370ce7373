function event() error("on purpose") end
