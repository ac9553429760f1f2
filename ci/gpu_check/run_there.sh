#!/usr/bin/env bash
# Runs on the GPU machine: run_there.sh OUT [DEVICE]. Checks every kernel, sweeps, compares, and
# writes OUT/gpu_check.h5, OUT/gpu_check.log and OUT/summary.md and .txt. Every part has a time limit, and all
# together have RIDGE_GPU_CHECK_SECONDS (470); what fails, is missing or has no time left does not
# keep the rest from running. Exit code: 1 where a part failed, 77 where DEVICE cannot be used.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?run_there.sh OUT [DEVICE]}
device=${2:-cuda:0}
dry=${RIDGE_GPU_CHECK_DRY:-}
budget=${RIDGE_GPU_CHECK_SECONDS:-470}
mkdir -p "$out"
out=$(cd "$out" && pwd)
log=$out/gpu_check.log
bin=$here/bin
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} RIDGE_DATA=$here XDG_STATE_HOME=$out/state
: >"$log"
rows=()
lines=()
failed=0

# row NAME TIME RESULT
row() {
  rows+=("| $1 | $2 | $3 |")
  lines+=("$(printf '%-32s %6s  %s' "$1" "$2" "$3")")
  echo "$1: $3"
}

# part NAME LIMIT command...: one row of the summary.
part() {
  local name=$1 limit=$2 start=$SECONDS left=$((budget - SECONDS)) before said code result
  shift 2
  if [ "$left" -lt 5 ]; then skip "$name" "no time left of $budget s"; return; fi
  [ "$limit" -le "$left" ] || limit=$left
  { echo; echo "== $name: $*"; } >>"$log"
  before=$(stat -c %s "$log")
  timeout -k 5 "$limit" "$@" >>"$log" 2>&1
  code=$?
  case $code in
    0)
      result=passed # a program that skipped all of its cases ends well, too, but shows nothing
      said=$(tail -c +$((before + 1)) "$log" | grep -E ' (checked|skipped) ' || true)
      [ -z "$said" ] || grep -q ' checked ' <<<"$said" || result="skipped: $(sed -n '1s/.* skipped //p' <<<"$said")"
      ;;
    77) result="skipped: $(tail -1 "$log")" ;;
    124 | 137) result="FAILED: over its limit of $limit s" ;;
    *) result="FAILED ($code): $(tail -1 "$log")" ;;
  esac
  case $result in FAILED*) failed=1 ;; esac
  row "$name" "$((SECONDS - start)) s" "$result"
}

# skip NAME why
skip() {
  row "$1" - "skipped: $2"
}

# Where only PyTorch brought cuBLAS along, its folder is not among the loader's.
find_cublas() {
  local folder
  ! ldconfig -p 2>/dev/null | grep 'libcublas\.so\.1[23]' >/dev/null || return 0
  folder=$(python3 -c 'import glob, sys
found = [f for p in sys.path for f in glob.glob(p + "/nvidia/*/lib/libcublas.so.1[23]")]
print(found[0].rpartition("/")[0] if found else "")' 2>/dev/null) || return 0
  [ -z "$folder" ] || export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder
}

facts() {
  uname -a
  if command -v nvidia-smi >/dev/null; then nvidia-smi; else echo "no nvidia-smi here"; fi
  "$bin/bench_gemm" --devices
}

shapes=37x41x43,64,48x80x112,128x132x136,1x300x70,300x1x70,257x129x1
rungs="naive coalesced shared registers mma cublas cublaslt"
types=f32,f64,f16,bf16,tf32,int8,e4m3,e5m2
if [ -n "$dry" ]; then # emulation is slow
  shapes=37x41x43,64
fi
checks() {
  local rung answer
  part "check: streams" 60 "$bin/bench_vector_add" --device "$device" --check-only --kernel all --set array_bytes=4,4100,64Ki
  part "check: intensity" 60 "$bin/bench_intensity" --device "$device" --check-only --kernel all \
    --set level=shared,L1,L2 --set dtype=f32,f64,f16x2,bf16x2,int32 --set fmas=1,8,64
  part "check: tensor" 60 "$bin/bench_tensor" --device "$device" --check-only --set dtype=f64,tf32,f16,f16_sums,bf16,int8,e4m3,e5m2 --set steps=33
  for rung in $rungs; do
    answer=$("$bin/bench_gemm" --device "$device" --kernel "$rung" --list 2>&1)
    if grep -q "has no kernel" <<<"$answer"; then
      skip "check: gemm $rung" "this build has no such rung"
      continue
    fi
    part "check: gemm $rung" 60 "$bin/bench_gemm" --device "$device" --check-only --kernel "$rung" \
      --set dtype=$types --set shape=$shapes --set batch=1,3
  done
}

sanitizer() {
  local tool rung
  if ! command -v compute-sanitizer >/dev/null; then skip "compute-sanitizer" "not installed here"; return; fi
  for tool in memcheck racecheck; do
    for rung in shared registers mma; do
      part "$tool: gemm $rung" 40 compute-sanitizer --tool "$tool" --error-exitcode 1 \
        "$bin/bench_gemm" --device "$device" --check-only --kernel "$rung" --set dtype=f64,f16,int8 --set shape=130x70x90
    done
    part "$tool: intensity" 40 compute-sanitizer --tool "$tool" --error-exitcode 1 \
      "$bin/bench_intensity" --device "$device" --check-only --set level=shared --set dtype=f32 --set fmas=8
  done
  part "memcheck: streams" 40 compute-sanitizer --tool memcheck --error-exitcode 1 \
    "$bin/bench_vector_add" --device "$device" --check-only --kernel all --set array_bytes=4100
}

torch() {
  if [ -n "$dry" ]; then skip "PyTorch" "a dry run measures nothing"; return; fi
  if ! python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
    skip "PyTorch" "no python3 with torch and a GPU here"
    return
  fi
  part "PyTorch's copy and matmul" 60 python3 "$here/torch_peer.py" "$out/torch.md"
}

suite=gpu_check
[ -z "$dry" ] || suite=gpu_check_dry

# Without the device there is nothing to summarize.
answer=$("$bin/bench_vector_add" --device "$device" --list 2>&1) || {
  echo "nothing was checked: $(tail -1 <<<"$answer")" >&2
  exit 77
}
find_cublas
{ facts; } >>"$log" 2>&1
checks
sanitizer
rm -f "$out/gpu_check.h5"*
part "sweep ($suite)" 300 "$bin/ridge" run "$suite" --device "$device" -o "$out/gpu_check.h5" --quiet
[ ! -e "$out/gpu_check.h5" ] || part "fit" 60 "$bin/ridge" fit "$out/gpu_check.h5" --roof "$out/roof.json"
torch

title() {
  [ -z "$dry" ] || echo "${1}NOT MEASURED$1: a dry run on emulated kernels and a fake CUDA runtime."
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ), $(uname -n), $device, $SECONDS s"
  echo
}

show() {
  "$bin/ridge" show "$out/gpu_check.h5" "$@" 2>&1
}

# The machine is told once.
below_head() {
  sed '1,/^$/d'
}

{
  title ""
  printf '%s\n' "${lines[@]}"
  echo
  show prices
  show ladder | below_head
  show ceilings | below_head
  [ ! -e "$out/torch.md" ] || cat "$out/torch.md"
} >"$out/summary.txt"
{
  echo "# GPU check"
  echo
  title "**"
  echo "| part | time | result |"
  echo "|---|---|---|"
  printf '%s\n' "${rows[@]}"
  echo
  echo "## Prices"
  echo
  show prices --format md
  echo
  echo "## Matrix products, rung by rung"
  echo
  show ladder --format md
  echo
  echo "## Ceilings"
  echo
  show ceilings --format md | below_head
  [ ! -e "$out/torch.md" ] || { echo; cat "$out/torch.md"; }
} >"$out/summary.md"
echo "$out/summary.md"
exit $failed
