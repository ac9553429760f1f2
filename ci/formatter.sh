#!/usr/bin/env bash
# Prints the path of clang-format 14: another version would lay the sources out differently.
set -euo pipefail
cd "$(dirname "$0")/.."
for candidate in build/venv/bin/clang-format clang-format-14 clang-format; do
  if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    echo "$candidate"
    exit 0
  fi
done
echo "no clang-format 14; run: bash ci/deps.sh test" >&2
exit 77
