function help() error("on purpose") end
function event() end
