#!/usr/bin/env bash
# Lays all C sources out as .clang-format says.
set -euo pipefail
cd "$(dirname "$0")/.."
formatter=$(bash ci/formatter.sh)
git ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' '*.cu' | xargs -0 "$formatter" -i
