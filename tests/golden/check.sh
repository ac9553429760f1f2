#!/usr/bin/env bash
# What is printed, compared with what is written down: check.sh BIN_FOLDER [--update]
#
# Times come from the fake device's script, so every digit is known. Lines that name this machine
# are left out.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(realpath "$1")
update=${2:-}
levels='L1=32768,L2=1048576,L3=33554432*'
fake="--device fake:1e-3,1.02e-3,0.99e-3 --levels $levels --set threads=1 --policy quick"
differing=0

# compare NAME: standard input against NAME.txt
compare() {
  local name=$1 got
  got=$(mktemp)
  cat >"$got"
  if [ "$update" = --update ]; then cp "$got" "$here/$name.txt"; fi
  if ! diff -u "$here/$name.txt" "$got"; then
    echo "$name differs; if that is intended: $0 $bin --update"
    differing=1
  fi
  rm -f "$got"
}

without_machine() { grep -vE ' kernels$|^[0-9]+ threads?: |commit|compiler'; }

"$bin/bench_vector_add" $fake --set op=read,add,triad --set dtype=f32,f64 --set array_bytes=64Ki |
  without_machine | compare vector_add_table
"$bin/bench_vector_add" $fake --set op=add --set array_bytes=64Ki,1Mi --format csv | compare vector_add_csv
"$bin/bench_vector_add" $fake --list --set op=add,copy --set array_bytes=64Ki | compare vector_add_list
# The lesson: of the read roof although the ladder is undetermined, of its own mix, of reads for want
# of its own, between two levels; and right of the ridge.
{
  (cd "$here" && "$bin/bench_vector_add" $fake --explain --roof roof.json --set op=read,copy,add --set array_bytes=8Ki)
  (cd "$here" && "$bin/bench_vector_add" $fake --explain --roof roof.json --set op=read --set array_bytes=32Ki)
  (cd "$here" && "$bin/bench_intensity" $fake --explain --roof roof.json --set dtype=f32 --set level=L1 --set fmas=4096,2048)
} | compare explain
# Each rung of the matrix product has a prediction of its own.
for rung in naive order tiles; do
  (cd "$here" && "$bin/bench_gemm" $fake --explain --roof roof.json --kernel $rung --set dtype=f32 --set shape=256)
done | compare explain_gemm
"$bin/bench_vector_add" --describe | compare vector_add_describe
"$bin/bench_intensity" --describe | compare intensity_describe
"$bin/bench_gemm" --describe | compare gemm_describe
"$bin/bench_vector_add" --help | compare bench_help
for verb in "" run fit show report list doctor; do "$bin/ridge" $verb --help; echo; done | compare ridge_help
exit $differing
