#!/usr/bin/env bash
# Proves that nothing shown is lost: kills a running sweep again and again, fills its disk, makes it
# read-only; every time the file opens, the run is resumed and all that was shown is there.
#
#     bash ci/prove_nothing_lost.sh [BUILD_FOLDER]     (default build/cpu)
#
# RIDGE_KILLS (default 100) and RIDGE_SEED choose how often and when.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/cpu}")
tests=tests/harness
export RIDGE_TEST_BIN=$build/$tests/bin RIDGE_DATA=$PWD
export RIDGE_KILLS=${RIDGE_KILLS:-100} RIDGE_SEED=${RIDGE_SEED:-$RANDOM}
[ -x "$RIDGE_TEST_BIN/bench_misbehave" ] ||
  { echo "prove_nothing_lost: no tests in $build: cmake --build it with RIDGE_TESTS=ON" >&2; exit 2; }

log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
failed=0
rows=()

# prove NAME: runs a test program and keeps a row: test, outcome, what it printed of itself.
prove() {
  local name=$1 outcome code=0
  python3 "$tests/test_$name.py" --verbose >"$log/$name" 2>&1 || code=$?
  case $code in 0) outcome=ok ;; 77) outcome=skipped ;; *) outcome=FAILED; failed=1 ;; esac
  while IFS= read -r line; do
    rows+=("$line")
  done < <(sed -nE 's/^(test_[a-z0-9_]+) .*/\1/p; s/^(.* (kills|skipped).*)$/    \1/p' "$log/$name" |
    sed -E "s/^test_(.*)/$outcome  \1/; s/_/ /g")
  rows+=("$outcome  $name: $(sed -nE 's/^(Ran .*)/\1/p' "$log/$name")")
  [ "$code" -eq 0 ] || [ "$code" -eq 77 ] || cat "$log/$name"
}

prove kill
prove disk
prove faults

echo "outcome  test"
for row in "${rows[@]}"; do echo "$row"; done
exit $failed
