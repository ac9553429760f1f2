#!/usr/bin/env bash
# The road of ci/gpu_check.sh on programs of the fake runtime: every part passes or says why not, and
# the summary has what a reader looks for. test_gpu_check.sh SOURCE PROGRAMS FOLDER
set -euo pipefail
source=$1 programs=$2 folder=$3
rm -rf "$folder/results"
said=$(bash "$source/ci/gpu_check.sh" --dry-run "$programs" --folder "$folder")
echo "$said"
failed=0
expect() {
  grep -qE -- "$1" "$2" || { echo "no '$1' in $2"; failed=1; }
}
for part in streams intensity tensor "gemm naive" "gemm coalesced" "gemm shared" "gemm registers" "gemm mma"; do
  grep -q "check: $part: passed" <<<"$said" || { echo "check: $part did not pass"; failed=1; }
done
! grep -q FAILED <<<"$said" || failed=1
grep -qE "packed .*: [1-5]?[0-9] MB" <<<"$said" || { echo "the folder is too large, or not weighed"; failed=1; }
for summary in "$folder/results/summary.txt" "$folder/results/summary.md"; do
  expect "NOT MEASURED[*]*: a dry run" "$summary"
  expect "sweep \(gpu_check_dry\).* passed" "$summary"
  expect "cuda:0: fake GPU .*compute capability 9.0" "$summary"
  expect "(^|\\| )f16 .* f32 .*mma.sync throughput" "$summary"
  expect "drift: " "$summary"
done
expect '"status"' <("$programs/ridge" show "$folder/results/gpu_check.h5" points --format json)
expect "== fit" "$folder/results/gpu_check.log"
if [ -d "$programs/../fake_cublas" ]; then
  expect "cuBLASLt, best of sizes" "$folder/results/summary.txt"
  expect "cublaslt: cuBLASLt .*algorithm [0-9]+" "$folder/results/summary.txt"
fi
exit $failed
