-- Errors that carry an exit status: tostring() gives the text, `status` the status
-- the program is to end with.

local Failure = {__tostring = function(self) return self.text end}

local failure = {FAILED = 1, UNABLE = 3} -- engine/base/err.h

function failure.new(status, text)
   return setmetatable({status = status, text = text}, Failure)
end

function failure.is(value)
   return getmetatable(value) == Failure
end

-- Raises; the words are for string.format.
function failure.raise(words, ...)
   error(failure.new(failure.FAILED, string.format(words, ...)), 0)
end

return failure
