#!/usr/bin/env bash
# From nothing to this machine's roofline: installs what is missing, builds, sweeps, fits, shows.
#
#     bash ci/quickstart.sh [FOLDER]     results go to FOLDER (default: out)
#
# Works as root and with sudo, again and again, and offline when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out}

bash ci/deps.sh build
bash ci/deps.sh peers || echo "quickstart: no BLAS library to compare with; everything else works" >&2
bash ci/deps.sh plot || echo "quickstart: no Python packages, so no picture; everything else works" >&2
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
  echo "quickstart: no NVIDIA GPU here, so the CPU is measured" >&2
elif ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
  echo "quickstart: a GPU, but no nvcc to build for it, so the CPU alone is measured; put that of CUDA" \
    "12 or 13 on PATH" >&2
elif ! command -v nvcc >/dev/null; then
  export CUDACXX=/usr/local/cuda/bin/nvcc
fi

# For this machine's own GPU alone: one architecture is built in a seventh of the time of all.
cmake --preset native -D RIDGE_TESTS=OFF >build-log.txt 2>&1 || { cat build-log.txt >&2; exit 3; }
cmake --build --preset native >>build-log.txt 2>&1 || { cat build-log.txt >&2; exit 3; }
rm -f build-log.txt
bin=build/native/bin

mkdir -p "$out"
file="$out/ridge-$(hostname)-$(date -u +%Y%m%dT%H%M%S).h5"
"$bin/ridge" run quick -o "$file"
"$bin/ridge" fit "$file" --quiet
"$bin/ridge" show "$file" ceilings
echo
"$bin/ridge" show "$file" roofline
echo
"$bin/ridge" show "$file" ladder --dtype f32 | sed -n '/^bench_gemm/,/^$/p'
if "$bin/ridge" report "$file" -o "$out/report.html" >/dev/null; then echo "report:   $out/report.html"; fi
if [ -x build/venv/bin/python3 ] && build/venv/bin/python3 plot/roofline.py "$file" >/dev/null; then
  echo "picture:  ${file%.h5}-roofline.html (also .svg and .png)"
fi
echo "samples:  $file"
echo "next:     $bin/ridge show $file points"
