# bats file_tags=cli
#
# The command line in the native form: what is understood, what is refused and how, where things go.

# shellcheck disable=SC2030,SC2031,SC2154 # run_sb sets out and err; each test is a subshell on purpose

bats_require_minimum_version 1.5.0

load ../lib/common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

quick=(cpu --cpu-max-prime=10 --events=3)

# refused WORD... -- ARGS...: status 1, each word in the message, nothing on stdout, nothing started
refused() {
    local words=()
    while [[ $1 != -- ]]; do
        words+=("$1")
        shift
    done
    shift
    run_sb "$@"
    assert_status 1
    for word in "${words[@]}"; do
        [[ $err == *"$word"* ]] || fail_with "the message does not name '$word'"
    done
    assert_lacks "$out" 'Threads started'
}

# --- every option ------------------------------------------------------------------------------

# listed: "test name suffix choices" of each option of the program's own list; general ones are
# tried with cpu.
listed() {
    sb options | awk '
        / options:$/ {
            test = $1
            own = own || test == "fileio" # the first group that belongs to a test
            next
        }
        /^  --/ {
            choices = match($0, /\{[^}]*\}/) ? substr($0, RSTART, RLENGTH) : "-"
            gsub(/ /, "", choices)
            name = $1
            sub(/^--/, "", name)
            suffix = name
            sub(/(\[?=).*/, "", name)
            print own ? test : "cpu", name, substr(suffix, length(name) + 1), choices
        }'
}

# wrong_values NAME SUFFIX CHOICES: what no option of that kind takes
wrong_values() {
    case $2 in
    '=N') printf '%s\n' abc 1x 1.2.3 0x10 99999999999999999999999 '' '1 2' ;;
    '=SIZE') printf '%s\n' abc 10X 1KK -1 99999999999999999999999 1.3 '' ;;
    '[=on|off]') printf '%s\n' maybe ON 2 '' ;;
    *) [[ $3 == - ]] || echo nosuch ;;
    esac
    case $1 in
    rand-seed | hard-stop | rand-zipfian-exp) ;;
    *) [[ $2 != '=N' ]] || echo -5 ;;
    esac
}

# no_swallowing PATTERN: each listed option of these tests, with each wrong value
no_swallowing() {
    local test name suffix choices value n=0
    while read -r test name suffix choices; do
        [[ $test =~ ^($1)$ ]] || continue
        while IFS= read -r value; do
            run_sb "$test" "--$name=$value" run
            [[ $status == 1 ]] || fail_with "$test --$name=$value is taken" || return 1
            # a scenario in Lua sees the number, not how it was written
            [[ $err == *"${name//_/-}"* || $err == *"$name"* ]] &&
                [[ $err == *"'$value'"* || $err == *"=$value:"* || $value == 9999* ]] ||
                fail_with "the message does not name --$name and '$value'" || return 1
            assert_lacks "$out" 'Threads started'
            n=$((n + 1))
        done < <(wrong_values "$name" "$suffix" "$choices")
    done < <(listed)
    echo "$n values"
    ((n > 10)) || fail_with "hardly any values"
    assert_equal "$(ls)" "" # nothing was made
}

others='memory|threads|mutex|fileio|files'
scenarios='chase|fileserver|fscompare|harddisk|journal|mixed|nvme|sdcard|smallfiles|sqlite|ssd|varmail'

@test "no general option and none of cpu swallows a wrong value" {
    no_swallowing cpu
}

# bats test_tags=slow
@test "no option of the other tests swallows a wrong value" {
    no_swallowing "$others"
}

# bats test_tags=slow
@test "no option of a bundled scenario swallows a wrong value" {
    no_swallowing "$scenarios"
}

@test "every test and scenario of the list is among those that were tried" {
    run ! grep -vE "^(cpu|$others|$scenarios) " <(listed)
}

@test "no choice is empty or part of a word" {
    for o in rand-type output-format compat db-ps-mode rate-pace; do
        refused "--$o" "''" -- cpu "--$o=" run
    done
    refused --rand-type "'uni'" -- cpu --rand-type=uni run
    refused --rand-type "'Uniform'" -- cpu --rand-type=Uniform run
    refused --memory-oper "''" -- memory --memory-oper= run
}

@test "what is empty where something must stand" {
    for o in percentile output hooks cpu-list luajit-cmd; do
        refused "--$o" "''" -- "${quick[@]}" "--$o=" run
        refused "--$o" "''" -- "${quick[@]}" "--$o" run
    done
}

@test "numbers out of range are told the range" {
    refused --threads "'0'" 'from 1' -- cpu --threads=0 run
    refused --percentile 101 'from 0 to 100' -- cpu --percentile=50,101 run
    refused --verbosity "'6'" 'from 0 to 5' -- cpu --verbosity=6 run
    refused --report-checkpoints "'-1'" -- cpu --report-checkpoints=-1 run
    refused --forced-shutdown "'x'" -- cpu --forced-shutdown=x run
}

# --- words ----------------------------------------------------------------------------------------

@test "a blank instead of '=' names the option and the right spelling" {
    refused "'--threads 4'" '--threads=4' -- cpu --threads 4 run
    refused "'--threads 4'" '--threads=4' -- --threads 4 cpu run
    refused "'--max-time 4'" '--max-time=4' -- cpu --max-time 4 run
}

@test "the word that is wrong is blamed, not the one that is too many" {
    refused "'--cpu-max-prime 10'" '--cpu-max-prime=10' -- cpu --cpu-max-prime 10 run
    refused "'--events 3'" -- cpu --events 3 run
    refused "'--events =3'" '--events=3' -- cpu --events =3 run
    refused "'--events= 3'" '--events=3' -- cpu --events= 3 run
    refused "'--histogram on'" '--histogram=on' -- cpu --histogram on run
    refused "'threads=4'" '--threads=4' -- cpu threads=4 run
    refused "'threads=4'" '--threads=4' -- threads=4 cpu run
    refused "'threads=4'" '--threads=4' -- cpu run threads=4
    refused --test=NAME -- --test cpu run
    run_sb cpu --events 3 run
    assert_lacks "$err" "'run'"
}

@test "capitals are no other letters to the suggestions" {
    refused --THREADS=2 'did you mean --threads' -- cpu --THREADS=2 run
    refused --Num-Threads=2 'did you mean --num-threads' -- cpu --Num-Threads=2 run
    refused CPU 'did you mean cpu' -- CPU run
    refused RUN 'did you mean run' -- cpu RUN
    refused smalfiles 'did you mean smallfiles' -- smalfiles run
}

@test "a command in the place of the test" {
    for word in run prepare cleanup help; do
        refused "'$word'" command "cpu $word" -- "$word"
    done
}

@test "one dash names the word and the right spelling" {
    refused "'-threads=2'" '--threads=2' -- cpu -threads=2 run
}

@test "typographic dashes are read, with a note" {
    run_sb cpu –cpu-max-prime=10 —events=3 run
    assert_status 0
    assert_has "$out" '^    total number of events: +3$'
    assert_has "$err" '^note: .*--events=3'
}

@test "pasted blanks, quotes, line ends and invisible characters are read, with a note" {
    local line
    # shellcheck disable=SC1112 # the quotes are meant
    for line in '“cpu”|--events=3|run' 'cpu|‘--events=3’|run' 'cpu|--events=“3”|run' \
        $'cpu|--events=3\xc2\xa0run' $'cpu\xc2\xa0run|--events=3' $'\xe2\x80\x89cpu|--events=3|run' \
        $'cpu|--events=3|run\r' $'cpu|--events=3\r|run' $'\xef\xbb\xbfcpu|--events=3|run\xe2\x80\x8b' \
        'cpu|--events=3| run' 'cpu|--events=3| |run' 'cpu|--events=3|\|run' \
        $'cpu|\xe2\x80\x93-events\xc2\xa0=\xc2\xa03|run'; do
        IFS='|' read -ra args <<<"$line"
        run_sb "${args[@]}" --cpu-max-prime=10
        assert_status 0
        assert_has "$out" '^    total number of events: +3$'
        assert_has "$err" '^note: .*(typed with|left out)'
        run_sb "${args[@]}" --cpu-max-prime=10 --compat=1.0
        assert_status 0
        assert_lacks "$err" 'typed with'
    done
}

@test "a pasted file name is left alone if the file is there" {
    printf 'function event() end\n' >$'a\xe2\x80\x93b.lua'
    run_sb $'a\xe2\x80\x93b.lua' --events=3 run
    assert_status 0
    assert_lacks "$err" 'typed with'
}

@test "a backslash with a blank behind it leaves a command without its rest" {
    run_sb cpu --events=3 ' '
    assert_status 1
    assert_has "$err" '^note: .*backslash' 'command'
}

@test "help and version come first, whatever else is wrong" {
    run_sb --help --threads=abc
    assert_status 0
    assert_has "$out" '^Usage:'
    run_sb cpu --version --verbosity=9 run
    assert_status 0
    assert_has "$out" '^sbench '
    refused --help "'maybe'" -- cpu --help=maybe run
}

@test "the last value of an option counts, but a switch is on or off each time" {
    run_sb cpu --cpu-max-prime=abc --events=x --cpu-max-prime=10 --events=3 run
    assert_status 0
    assert_has "$out" '^    total number of events: +3$'
    refused --events "'x'" -- cpu --events=3 --events=x run
    refused --debug "'maybe'" -- cpu --debug=maybe --debug=off run
}

@test "list, env and options: help, wrong arguments, and their place" {
    for tool in list env options; do
        run_sb "$tool" --help
        assert_status 0
        assert_has "$out" '^Usage:' "sbench $tool"
        run_sb "$tool" nosuch
        assert_status 1
        assert_has "$err" nosuch
        run_sb --quiet-notes "$tool"
        assert_status 1
        assert_has "$err" "sbench $tool"
    done
    mkdir env # as of Python
    run_sb env --help
    assert_status 0
    printf 'function event() end\n' >list
    run_sb list --events=1 run
    assert_status 0
    assert_has "$out" '^    total number of events: +1$'
}

@test "a third word, an unknown test, an unknown command" {
    refused "'more'" -- cpu run more
    refused nosuch -- nosuch run
    refused runn run -- cpu runn
    refused cpu run -- cpu
}

@test "unknown options: the nearest name is suggested" {
    refused --thread=2 'did you mean --threads' -- cpu --thread=2 run
    refused --cpu-max-prim=2 'did you mean --cpu-max-prime' -- cpu --cpu-max-prim=2 run
    refused --qqqqqqqq -- cpu --qqqqqqqq run
    refused --memory-block-size -- cpu --memory-block-size=1K run
}

@test "an option that only looks like a general one, of a script that takes any" {
    printf 'function event() end\n' >any.lua
    run_sb any.lua --thread=4 --events=1 run
    assert_status 0
    assert_has "$err" '^note: --thread=4 .*--threads'
    run_sb any.lua --own-thing=4 --events=1 run
    assert_status 0
    assert_lacks "$err" 'own-thing'
}

@test "oltp points to the scripts that replace it" {
    refused oltp oltp_read -- oltp run
}

@test "a bare call does not wait for a terminal" {
    need_command script
    script -qec "timeout 100 $SBENCH" /dev/null </dev/null >typescript 2>&1 || status=$?
    grep -q '^Usage:' typescript
}

@test "help names the commands" {
    for t in cpu memory threads mutex fileio; do
        run_sb "$t" help
        assert_status 0
        assert_has "$out" "^$t commands: .*run.*help"
    done
}

# --- old names --------------------------------------------------------------------------------------

@test "old names work, with a note that names the new form" {
    run_sb --test=cpu --cpu-max-prime=10 --num-threads=2 --max-requests=7 --init-rng=on run
    assert_status 0
    assert_has "$out" '^Number of threads: 2$' '^    total number of events: +7$'
    assert_has "$err" '^note: --test=cpu .*cpu' '^note: --num-threads is now --threads' \
        '^note: --max-requests is now --events' '^note: --init-rng has no effect'
    assert_lacks "$out" 'WARNING|note:'
}

@test "--max-time=0 and --max-requests=0 are honoured" {
    run_sb --test=cpu --cpu-max-prime=10 --max-time=0 --max-requests=20 --output-format=json run
    assert_json '(.options.time | tostring) == "0"' '.events == 20'
    run_sb cpu --events=5 --max-requests=0 --max-time=1 --output-format=json run
    assert_json '.events > 5' '.limit == "time"'
}

# --- files of options ----------------------------------------------------------------------------------

@test "a file of options reaches every test" {
    printf 'memory-block-size = 1M\nmemory-total-size=4M # small\ndebug=off\n' >c
    run_sb --config-file=c memory run
    assert_status 0
    assert_has "$out" 'block size: 1024KiB' '^Total operations: 4 '
    assert_lacks "$out" 'Debug mode'
}

@test "what comes later counts, in files as well" {
    printf 'events=5\n' >c
    run_sb cpu --cpu-max-prime=10 --config-file=c --events=7 run
    assert_has "$out" '^    total number of events: +7$'
    run_sb cpu --cpu-max-prime=10 --events=7 --config-file=c run
    assert_has "$out" '^    total number of events: +5$'
}

@test "files of options of other systems and from web pages" {
    printf '\xef\xbb\xbf# caf\xc3\xa9\r\nevents\xc2\xa0= 3\r\n\xe2\x80\x93\xe2\x80\x93cpu-max-prime=\xe2\x80\x9c10\xe2\x80\x9d\r\n' >c
    run_sb cpu --config-file=c run
    assert_status 0
    assert_has "$out" '^Prime numbers limit: 10$' '^    total number of events: +3$'
    assert_has "$err" '^note: c:2: ' '^note: c:3: '
    assert_lacks "$err" '^note: c:1: '
    printf 'events=3\0\n' >c
    refused c:1: zero -- cpu --config-file=c run
    printf 'events=3 4\n' >c
    refused c:1: events "'3,4'" -- cpu --config-file=c run
    printf 'histogram\n' >c
    refused c:1: histogram NAME=on -- cpu --config-file=c run
}

@test "errors in a file name it and the line" {
    printf 'events=5\n\nthreads=many\n' >c
    refused c:3: threads "'many'" -- "${quick[@]}" --config-file=c run
    printf 'events=5\nevnets=5\n' >c
    refused c:2: evnets events -- "${quick[@]}" --config-file=c run
    printf 'events\n' >c
    refused c:1: events -- "${quick[@]}" --config-file=c run
    printf "mysql-user='a\n" >c
    refused c:1: quote -- "${quick[@]}" --config-file=c run
    refused --config-file missing "No such file" -- "${quick[@]}" --config-file=missing run
    refused --config-file -- "${quick[@]}" --config-file=. run
}

# --- secrets ------------------------------------------------------------------------------------------------

@test "passwords are not in the list of processes, the report or messages" {
    "$SBENCH" cpu --mysql-password=hush1 --pgsql-password=hush2 --time=200 run >o 2>&1 &
    local pid=$!
    wait_for 100 grep -q 'Threads started' o
    tr '\0' ' ' <"/proc/$pid/cmdline" >line
    kill "$pid"
    wait "$pid" || true
    grep -q 'mysql-password=x' line
    run ! grep -q hush line
    run_sb "${quick[@]}" --mysql-password=hush1 --output-format=json run
    assert_status 0
    assert_lacks "$out$err" hush
}

# --- where results go ------------------------------------------------------------------------------------------

@test "messages go to standard error, the report to standard output" {
    run_sb "${quick[@]}" run
    assert_has "$out" '^Threads fairness:'
    assert_lacks "$out" '^note:|WARNING|FATAL'
    assert_has "$err" '^note: '
}

@test "--quiet-notes" {
    run_sb "${quick[@]}" --quiet-notes run
    assert_status 0
    assert_equal "$err" ""
}

@test "--verbosity=0 leaves the report" {
    run_sb "${quick[@]}" --verbosity=0 run
    assert_has "$out" '^    total number of events: +3$'
    assert_lacks "$out" 'Threads started'
}

@test "--output=FILE holds the result, whole or not at all" {
    run_sb "${quick[@]}" --output-format=json --output=result.json run
    assert_status 0
    assert_equal "$out" ""
    jq -e '.events == 3' result.json
    assert_equal "$(echo result.json*)" result.json
    echo before >kept.json
    run_sb cpu --cpu-max-prime=0 --output-format=json --output=kept.json run
    assert_status 1
    assert_equal "$(<kept.json)" before
    refused --output nowhere -- "${quick[@]}" --output=nowhere/r.json --output-format=json run
    run_sb "${quick[@]}" --output=report.txt run
    assert_status 0
    grep -q '^Threads fairness:' report.txt
}

@test "--output-format=csv has a head and numbers" {
    run_sb "${quick[@]}" --output-format=csv run
    assert_status 0
    (($(wc -l <<<"$out") >= 2))
    assert_has "$(head -n 1 <<<"$out")" ','
    assert_has "$out" '(^|,)3(,|$)'
    assert_lacks "$out" 'Threads started|note:'
}

@test "a full disk and a closed output are errors" {
    [[ -w /dev/full ]] || skip "no /dev/full"
    status=0
    sb "${quick[@]}" run >/dev/full 2>err || status=$?
    ((status != 0))
}

@test "fractions: times, intervals, percentiles" {
    local time
    for time in 0.5 3.5 30.5; do # where the machine pauses a short run is over before its report
        run_sb cpu --cpu-max-prime=10 --time=$time --report-interval=200ms --percentile=50,99.9 run
        assert_status 0
        ! grep -q '^\[ ' <<<"$out" || break
    done
    assert_has "$out" '^\[ [0-9]+\.[0-9]s \] ' '^         50th percentile:  ' '^       99\.9th percentile:  '
    run_sb cpu --cpu-max-prime=10 --time=0.5 --report-interval=200ms --output-format=json run
    assert_json '.limit == "time"' '.time_s >= 0.5' '.options.time == "0.5"' \
        '.options["report-interval"] == "0.2"'
}

@test "what comes with the program needs a command; a script of one's own may do without" {
    local test
    for test in cpu fileio journal fscompare; do
        run_sb $test
        assert_refused
        assert_has "$err" "'$test' test requires a command argument.* $test run"
    done
    cd "$BATS_TEST_TMPDIR" || return 1
    echo 'print("loaded")' >journal
    run_sb journal
    assert_status 0
    assert_has "$out" '^loaded$'
}
