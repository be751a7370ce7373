function done() error("on purpose") end
function event() end
