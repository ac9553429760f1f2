#!/usr/bin/env bash
# Builds for 64-bit Arm on a machine of another kind and runs its tests under qemu: that it compiles
# without a warning, that the NEON kernels give right answers, that nothing is taken for x86.
#
#     bash ci/cross_aarch64.sh
#
# The libraries for arm64 are unpacked into build/aarch64-sysroot; the machine's own packages stay as
# they are, but for the compiler and qemu. A machine whose package sources carry no arm64 (Ubuntu
# keeps it elsewhere) names a sources.list that does: RIDGE_AARCH64_SOURCES=FILE. Exit 77: not
# possible here, with the reason.
set -euo pipefail
cd "$(dirname "$0")/.."
packages="libc6-dev libjansson-dev libcmocka-dev libhwloc-dev libhdf5-dev"
sysroot=$PWD/build/aarch64-sysroot
failed=()

# Under emulation every instruction is translated, so time follows neither the work nor the caches:
# of these tests the answer is not asked.
timed="time_doubles_with_the_multiply_adds_and_with_the_units
  a_measured_curve_ascends_in_size_and_has_plausible_times
  a_probe_of_this_machine_yields_ascending_levels"
with_timed=(intensity levels_probe) # the programs that hold them

skip() { echo "cross_aarch64: skipped: $*" >&2; exit 77; }

# download FOLDER: the packages and all that they need, as archives, by an apt with folders of its
# own, to which this machine is an arm64 on which nothing is installed yet.
download() {
  local apt=$1 options log=$1/log
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  : >"$apt/status"
  options=(-qq -oAPT::Architecture=arm64 -oAPT::Architectures=arm64 -oAPT::Sandbox::User=root
    -oAcquire::Languages=none -oDir::State="$apt" -oDir::State::Lists="$apt/lists"
    -oDir::State::status="$apt/status" -oDir::Cache="$apt/cache")
  if [ -n "${RIDGE_AARCH64_SOURCES:-}" ]; then
    options+=(-oDir::Etc::SourceList="$(realpath "$RIDGE_AARCH64_SOURCES")" -oDir::Etc::SourceParts=/dev/null)
  fi
  apt-get "${options[@]}" update >"$log" 2>&1 || true # what it could not get shows at once
  apt-get "${options[@]}" --yes --no-install-recommends --download-only install $packages >>"$log" 2>&1 ||
    { tail -3 "$log" >&2; return 1; }
}

# Packages hold links like libm.so -> /lib/..., which point out of the sysroot.
make_links_relative() {
  find "$1" -type l -lname '/*' -printf '%p\t%l\n' |
    while IFS=$'\t' read -r link target; do ln -sfnr "$1$target" "$link"; done
}

make_sysroot() {
  local new=$sysroot.new apt=$PWD/build/aarch64-apt
  [ "$(cat "$sysroot/made_of" 2>/dev/null)" != "$packages" ] || return 0
  rm -rf "$new" "$sysroot" "$apt"
  mkdir -p "$new/usr/lib" "$new/usr/bin" "$new/usr/sbin"
  ln -s usr/lib usr/bin usr/sbin "$new"
  echo "== sysroot: $packages"
  if ! download "$apt"; then
    rm -rf "$new" "$apt"
    skip "this machine's package sources give no arm64 packages, or the network is down;" \
      "RIDGE_AARCH64_SOURCES=FILE names a sources.list that has them"
  fi
  for archive in "$apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$new" --keep-directory-symlink --no-same-owner
  done
  make_links_relative "$new"
  echo "$packages" >"$new/made_of"
  mv "$new" "$sysroot"
  rm -rf "$apt"
}

build() {
  echo "== build aarch64"
  cmake --preset aarch64 >build/aarch64.log 2>&1 &&
    cmake --build --preset aarch64 >>build/aarch64.log 2>&1 ||
    { cat build/aarch64.log; echo "FAILED: build aarch64"; exit 1; }
}

emulate() { timeout 300 "$(command -v qemu-aarch64 || command -v qemu-aarch64-static)" -L "$sysroot" "$@"; }

# test_but_timed NAME: every test of a program has to pass, but for those called timed.
test_but_timed() {
  local log=build/aarch64/test_$1.log bad=0 name
  emulate "build/aarch64/bin/test_$1" >"$log" 2>&1 || true
  grep -q 'test(s) run' "$log" || bad=1 # it did not even reach its end
  for name in $(sed -nE 's/^\[  FAILED  \] ([a-z0-9_]+)$/\1/p' "$log" | sort -u); do
    grep -qw "$name" <<<"$timed" || bad=1
  done
  if [ $bad = 0 ]; then echo "unit.$1: passed"; else cat "$log"; failed+=("unit.$1"); fi
}

[ "$(uname -m)" != aarch64 ] || skip "this machine is an aarch64: bash ci/test.sh tests it as it is"
bash ci/deps.sh aarch64
mkdir -p build
make_sysroot
build

echo "== test aarch64, under $(emulate --version | head -1)"
programs=$(IFS='|'; echo "${with_timed[*]}")
ctest --preset aarch64 -L '^(unit|smoke)$' -E "^unit\.($programs)$" || failed+=("ctest: see above")
for program in "${with_timed[@]}"; do test_but_timed "$program"; done
for name in $timed; do
  echo "not judged: $name: time follows neither work nor caches where instructions are translated"
done
echo "skipped: golden, harness, docs, plot: they start programs of the build, which only qemu can run"
echo "skipped: OpenMPI and CUDA: not built here for arm64"

for part in "${failed[@]}"; do echo "FAILED: $part"; done
[ ${#failed[@]} -eq 0 ] && echo "aarch64: all passed"
