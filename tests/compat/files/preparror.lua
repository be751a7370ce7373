function prepare() error("on purpose") end
