# Reads the TAP that one test program printed (cmocka's, bats' or plain) and prints what it amounts
# to, one tab-separated row each:
#   passed N / failed N / skipped N / planned N     counts; planned is -1 without a plan
#   fail TITLE                                      a failed test
#   note TEXT                                       what the program said about the failure above it
#   skip REASON                                     a skipped test
#
# cmocka 1.1.5 prints a skipped test as "not ok N # SKIP name", a broken group set-up as "not ok 0",
# and one plan per group: plans are added up, and a directive decides before "ok" does.

BEGIN { FS = "\n"; OFS = "\t"; passed = failed = skipped = planned = 0; plans = 0 }

/^[ \t]*1\.\.[0-9]+/ {
    plan = $0
    sub(/^[ \t]*1\.\./, "", plan)
    planned += plan + 0
    plans++
    if (plan ~ /^0[ \t]*#[ \t]*[Ss][Kk][Ii][Pp]/) {   # "1..0 # SKIP why": nothing can run here
        sub(/^0[ \t]*#[ \t]*[Ss][Kk][Ii][Pp][: \t]*/, "", plan)
        planned++
        skipped++
        print "skip", plan
    }
    next
}

/^[ \t]*(not )?ok [0-9]+/ {
    failing = 0
    title = $0
    sub(/^[ \t]*(not )?ok [0-9]+[ \t]*(- )?/, "", title)
    if (match(title, /#[ \t]*[Ss][Kk][Ii][Pp]/)) {
        reason = substr(title, RSTART + RLENGTH)
        sub(/^[ \t:]+/, "", reason)
        skipped++
        print "skip", (reason == "" ? substr(title, 1, RSTART - 1) : reason)
    } else if ($0 ~ /^[ \t]*not ok/) {
        failing = 1
        failed++
        print "fail", title
    } else {
        passed++
    }
    next
}

failing && /^[ \t]*#/ { print "note", $0 }

END {
    print "passed", passed
    print "failed", failed
    print "skipped", skipped
    print "planned", (plans ? planned : -1)
}
