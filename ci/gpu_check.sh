#!/usr/bin/env bash
# Turns minutes on a GPU into results: builds here, packs what a bare GPU machine lacks, runs there.
#
#     bash ci/gpu_check.sh [--arch 90] [--device cuda:0]   # builds, packs, and runs where a GPU is
#     bash ci/gpu_check.sh --pack-only --arch 90           # for another machine: carry the folder
#     bash build/gpu_check/carry/run_there.sh OUT          # on that machine, under 8 minutes
#     bash ci/gpu_check.sh --dry-run BIN                   # the same road on emulated programs
#
# The folder needs NVIDIA's driver and nothing else. Clocks, power limits and MIG stay as they are.
# BIN is the folder of the programs with emulated kernels: build/cpu/fake_cuda.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=90 device=cuda:0 dry_run='' pack_only='' folder=build/gpu_check
while [ $# -gt 0 ]; do
  case $1 in
    --arch) arch=$2; shift 2 ;;
    --device) device=$2; shift 2 ;;
    --dry-run) dry_run=$2; shift 2 ;;
    --pack-only) pack_only=yes; shift ;;
    --folder) folder=$2; shift 2 ;;
    *) echo "ci/gpu_check.sh: '$1' is no option; see its first lines" >&2; exit 2 ;;
  esac
done
most_bytes=$((60 << 20))
carry=$folder/carry
die() { echo "ci/gpu_check.sh: $*" >&2; exit 3; }

build() {
  command -v nvcc >/dev/null || die "no nvcc on PATH: CUDA 12 or 13 builds the kernels"
  cmake -S . -B "$folder/build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D RIDGE_CUDA=ON -D RIDGE_MPI=OFF \
    -D RIDGE_TESTS=OFF -D CMAKE_CUDA_ARCHITECTURES="$arch" >"$folder/build.log" 2>&1 &&
    cmake --build "$folder/build" >>"$folder/build.log" 2>&1 ||
    { tail -20 "$folder/build.log" >&2; die "the build failed: $folder/build.log"; }
}

# Libraries that a program needs and a bare machine may lack: all but the C library's own.
needed_libraries() {
  ldd "$@" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | sort -u |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*|libgcc_s|libstdc\+\+|libasan|libubsan)\.so' || true
}

pack() {
  local from=$1 library
  rm -rf "$carry"
  mkdir -p "$carry/bin" "$carry/lib"
  cp "$from"/ridge "$from"/bench_vector_add "$from"/bench_intensity "$from"/bench_gemm "$from"/bench_tensor "$carry/bin/"
  [ -n "$dry_run" ] || strip "$carry"/bin/*
  for library in $(needed_libraries "$carry"/bin/*); do cp -L "$library" "$carry/lib/"; done
  cp -r suites ci/gpu_check/run_there.sh ci/gpu_check/torch_peer.py "$carry/"
  # One run, one file: what quick asks for and what gpu adds.
  { cat suites/quick.suite; grep '^measure' suites/gpu.suite; } |
    sed 's/^points .*/points 400/' >"$carry/suites/gpu_check.suite"
  # And one so small that emulation gets through it: all kinds of points that the other has.
  { cat suites/smoke.suite
    echo "measure bench_intensity level=shared fmas=1,16 dtype=f32"
    echo "measure bench_tensor dtype=f64,tf32,f16,f16_sums,bf16,int8 steps=33"
    echo "measure bench_gemm kernel=all dtype=f16,tf32,int8,e4m3 shape=48x80x112"
    echo "measure bench_gemm kernel=cublaslt dtype=f16,tf32,int8,e4m3 shape=64"
  } >"$carry/suites/gpu_check_dry.suite"
  local bytes
  bytes=$(du -sb "$carry" | cut -f1)
  [ "$bytes" -lt "$most_bytes" ] || die "$carry has $((bytes >> 20)) MB, over its limit of 60"
  echo "packed $carry: $((bytes >> 20)) MB"
}

mkdir -p "$folder"
if [ -n "$dry_run" ]; then
  [ -x "$dry_run/bench_gemm" ] || die "no programs in $dry_run: 'cmake --build --preset cpu' makes build/cpu/fake_cuda"
  pack "$dry_run"
  # The fakes of NVIDIA's product libraries, where they are built.
  fakes=$(cd "$dry_run/.." && pwd)/fake_cublas/fine
  [ ! -d "$fakes" ] || export LD_LIBRARY_PATH=$fakes
  RIDGE_GPU_CHECK_DRY=yes bash "$carry/run_there.sh" "$folder/results" "$device"
  exit
fi
build
pack "$folder/build/bin"
[ -z "$pack_only" ] || exit 0
[ -e /dev/nvidiactl ] || { echo "no GPU here: carry $carry to a machine that has one"; exit 77; }
bash "$carry/run_there.sh" "$folder/results" "$device"
