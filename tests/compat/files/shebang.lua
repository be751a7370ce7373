#!/usr/bin/env sysbench
function event() end
