function help() print("own help") end
function event() end
