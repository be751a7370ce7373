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
