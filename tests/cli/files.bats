#!/usr/bin/env bats
# shellcheck disable=SC2154 # run_sb sets out, err
# The primitive files: what it makes, what it leaves alone.

load ../lib/common

setup() {
  dir=$BATS_TEST_TMPDIR/files
  mkdir "$dir"
}

@test "events make, flush and delete files, and leave none behind" {
  run_sb files --files-dir="$dir" --files-keep=3 --events=20 --threads=2 --output-format=json run
  assert_status 0
  assert_equal "$(jq .events <<<"$out")" 20
  assert_equal "$(jq .files.create.ops <<<"$out")" 20
  assert_equal "$(jq .files.fsync.ops <<<"$out")" 20
  assert_equal "$(jq .files.write.bytes <<<"$out")" 81920
  assert_equal "$(find "$dir" -type f | wc -l)" 0
}

@test "cleanup removes files of a killed run and nothing else" {
  touch "$dir/sbench.files.0.7" "$dir/sbench.files.1.12" "$dir/sbench.files.0.7.bak" "$dir/mine"
  run_sb files --files-dir="$dir" cleanup
  assert_status 0
  assert_equal "$(find "$dir" -type f -printf '%f\n' | sort | xargs)" "mine sbench.files.0.7.bak"
}

@test "a folder that is not there is refused by name" {
  run_sb files --files-dir="$dir/nowhere" --events=1 run
  assert_status 1
  assert_has "$err" nowhere
}

@test "a link with the name of a file is not followed" {
  echo precious >"$dir/doc"
  ln -s doc "$dir/sbench.files.0.0"
  run_sb files --files-dir="$dir" --events=1 run
  assert_status 1
  assert_equal "$(cat "$dir/doc")" precious
}

@test "fileio and files in one script each tell what they moved themselves" {
  cd "$dir" || return 1
  printf '%s\n' 'local io = sysbench.primitive("fileio")' 'local files = sysbench.primitive("files")' \
    'prepare = io.prepare' 'sysbench.metric("reads_per_s", "1/s", function() return 7 end)' \
    'function event() io.write() io.read() io.read() local f = files.open("own", "c") f:write(100) f:close() end' \
    >both.lua
  local small=(--file-num=1 --file-total-size=64K --file-block-size=4K)
  run_sb ./both.lua "${small[@]}" prepare
  assert_status 0
  run_sb ./both.lua "${small[@]}" --events=10 --output-format=json run
  assert_status 0
  assert_json '.fileio.read.bytes == 81920 and .fileio.write.bytes == 40960' \
    '.files.write.bytes == 1000 and .files.read.bytes == 0' '.counters.bytes_written == 41960' \
    '.counters."fileio.bytes_written" == 40960 and .counters."files.bytes_written" == 1000' \
    '.metrics.writes_per_s.value * .time_s | . > 9.99 and . < 10.01' \
    '.metrics.written_mib_per_s.value > 30 * .metrics."files.written_mib_per_s".value' \
    '.metrics.reads_per_s.value == 7 and .metrics."fileio.reads_per_s".value > 0'
  # each name once
  assert_equal "$(grep -c '"written_mib_per_s"' <<<"$out") $(grep -c '"reads_per_s"' <<<"$out")" "1 1"
}

@test "what is there already is neither emptied nor removed" {
  echo precious >"$dir/doc"
  local way
  for way in "ln $dir/doc" "mkfifo" "mkdir"; do
    $way "$dir/sbench.files.0.0"
    run_sb files --files-dir="$dir" --events=1 run
    assert_status 1
    assert_has "$err" "'sbench.files.0.0' is there already.*cleanup"
    run_sb files --files-dir="$dir" cleanup
    assert_status 1
    assert_has "$err" "'sbench.files.0.0' stays"
    [[ -e $dir/sbench.files.0.0 ]] || fail_with "it was removed"
    rm -r "$dir/sbench.files.0.0"
  done
  assert_equal "$(cat "$dir/doc")" precious
  run_sb files --files-dir= --events=1 run
  assert_status 1
  assert_has "$err" "--files-dir: the value '' names no directory"
}

@test "no name of a script leads out of the folder, links on the way included" {
  mkdir "$dir/in" "$dir/out"
  echo precious >"$dir/out/doc"
  ln -s ../out "$dir/in/link"
  ln -s ../out/doc "$dir/in/doc"
  printf '%s\n' 'local files = sysbench.primitive("files")' 'local function try(what, name)' \
    '  local ok = pcall(what, name, "r") if ok then print("reached " .. name) end end' \
    'function event()' '  files.make_dir("sub") files.open("sub/own", "c"):close() files.delete("sub/own")' \
    '  for _, n in ipairs({"../out/doc", "link/doc", "sub/../../out/doc", "link/new"}) do' \
    '    try(files.open, n) try(files.size, n) try(files.delete, n) try(files.make_dir, n)' '  end' \
    '  try(files.open, "doc")' 'end' >"$dir/out.lua"
  run_sb "$dir/out.lua" --files-dir="$dir/in" --events=1 run
  assert_status 0
  assert_lacks "$out" reached
  assert_equal "$(ls "$dir/out") $(cat "$dir/out/doc")" "doc precious"
}

@test "errors name the file" {
  printf '%s\n' 'local files = sysbench.primitive("files")' 'function event()' \
    '  local f = files.open("here", "c") f:close() f = files.open("here", "r") f:write(10) end' >"$dir/own.lua"
  run_sb "$dir/own.lua" --files-dir="$dir" --events=1 run
  assert_status 1
  assert_has "$err" "files/here' cannot be written.*Bad file descriptor"
}
