print("top", sysbench.tid)
function init() print("init", sysbench.tid) end
function thread_init(tid) print("thread_init", tid) end
function event(tid) end
function thread_done(tid) print("thread_done", tid) end
function done() print("done", sysbench.tid) end
function prepare() print("prepare", sysbench.opt.threads) end
function cleanup() print("cleanup") return false end
