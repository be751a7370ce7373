function init() error("on purpose") end
function event() end
