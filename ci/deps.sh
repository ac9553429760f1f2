#!/usr/bin/env bash
# Installs what a fresh machine lacks: bash ci/deps.sh [build] [test] [peers] [plot] [browser] [aarch64]
# (default: build)
#
# Everything that this project needs from outside stands here. Asks the network for nothing that is
# already there, so it works offline on a machine that has run it before.
set -euo pipefail
cd "$(dirname "$0")/.."

packages_build="build-essential cmake ninja-build pkg-config git libhdf5-dev libhwloc-dev libjansson-dev"
packages_test="libcmocka-dev hdf5-tools clang libclang-rt-dev universal-ctags libopenmpi-dev
  openmpi-bin python3 python3-venv python3-pip"
packages_peers="libopenblas0-pthread libblis4-pthread" # BLAS libraries to measure; none is linked
packages_plot="python3 python3-venv python3-pip"
packages_browser="chromium fonts-liberation"
packages_aarch64="cmake ninja-build pkg-config git gcc-aarch64-linux-gnu qemu-user"
venv=build/venv

die() { echo "ci/deps.sh: $*" >&2; exit 3; }

check_system() {
  command -v apt-get >/dev/null || die "this system has no apt-get. ridge is built on Debian 12+ and" \
    "Ubuntu 24.04+; elsewhere install CMake 3.25, Ninja, GCC 12, HDF5, hwloc and jansson with their headers"
  local id version
  id=$(. /etc/os-release; echo "${ID:-}")
  version=$(. /etc/os-release; echo "${VERSION_ID:-}")
  case $id in
    debian) [ -z "$version" ] || [ "${version%%.*}" -ge 12 ] || die "Debian $version is too old: 12 or newer is needed" ;;
    ubuntu) [ "${version%%.*}" -ge 24 ] || die "Ubuntu $version is too old: 24.04 or newer is needed" ;;
    *) echo "ci/deps.sh: $id is neither Debian nor Ubuntu; trying their package names" >&2 ;;
  esac
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "not root and no sudo; as root, run: $*"
  fi
}

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

install_packages() {
  local missing=()
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  check_system
  echo "ci/deps.sh: installing ${missing[*]}"
  as_root apt-get update -qq || die "the package lists cannot be fetched; is the network down?"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null || die "apt-get could not install ${missing[*]}"
}

# install_python REQUIREMENTS STAMP: into the virtual environment, once per version of the list.
install_python() {
  local stamp="$venv/$2.$(sha256sum "$1" | cut -c1-16)"
  [ ! -e "$stamp" ] || return 0
  [ -x "$venv/bin/python3" ] || /usr/bin/python3 -m venv "$venv" || die "cannot make $venv"
  echo "ci/deps.sh: installing the Python packages of $1 into $venv"
  "$venv/bin/python3" -m pip install -q --disable-pip-version-check -r "$1" ||
    die "pip could not install the packages of $1; is the network down?"
  touch "$stamp"
}

for part in "${@:-build}"; do
  case $part in
    build) install_packages $packages_build ;;
    test)
      install_packages $packages_build $packages_test $packages_peers
      install_python ci/requirements.txt tools
      ! command -v nvcc >/dev/null || install_python ci/requirements_cuda.txt cuda
      ;;
    peers) install_packages $packages_peers ;;
    plot)
      install_packages $packages_plot
      install_python plot/requirements.txt plot
      ;;
    aarch64) install_packages $packages_aarch64 ;;
    browser) install_packages $packages_browser ;;
    *) die "no part '$part'; there are build, test, peers, plot, browser and aarch64" ;;
  esac
done
