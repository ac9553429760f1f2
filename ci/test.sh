#!/usr/bin/env bash
# Installs what is missing, builds every variant that this machine can, runs every test.
#
#     bash ci/test.sh
#
# The builds: cpu (with MPI where found), cpu without MPI under the address and undefined
# sanitizers, the thread sanitizer for the parts with threads, CUDA for every architecture where nvcc
# is, and the fuzz targets where clang brings libFuzzer. The CUDA kernels run by emulation in the cpu
# build, wherever the toolkit's headers are. What is left out is said with its reason.
set -euo pipefail
cd "$(dirname "$0")/.."

bash ci/deps.sh test
bash ci/deps.sh plot || echo "test: no plot packages; the plot tests are skipped" >&2
if command -v apt-cache >/dev/null && apt-cache show chromium 2>/dev/null | grep -q "^Depends: .*libc6"; then
  bash ci/deps.sh browser || echo "test: no Chromium; the report is not rendered" >&2
fi
rm -rf build/test-install
skipped=()
failed=()

# build PRESET [cmake options...]
build() {
  local preset=$1
  shift
  echo "== build $preset"
  cmake --preset "$preset" "$@" >"build/$preset.log" 2>&1 &&
    cmake --build --preset "$preset" >>"build/$preset.log" 2>&1 ||
    { cat "build/$preset.log"; failed+=("build $preset"); return 1; }
}

# run PRESET [ctest options...]
run() {
  local preset=$1
  shift
  echo "== test $preset"
  ctest --preset "$preset" "$@" || failed+=("test $preset")
}

mkdir -p build
build sanitize && run sanitize -LE "plot|style" --quiet
build thread && run thread -L threads --quiet
if command -v nvcc >/dev/null; then build cuda -D RIDGE_TESTS=OFF; else skipped+=("CUDA build: no nvcc on PATH"); fi
if command -v clang >/dev/null; then
  build fuzz && run fuzz -L fuzz --quiet
else
  skipped+=("fuzzing: no clang")
fi
build cpu && run cpu

for reason in "${skipped[@]}"; do echo "skipped: $reason"; done
for part in "${failed[@]}"; do echo "FAILED: $part"; done
[ ${#failed[@]} -eq 0 ]
