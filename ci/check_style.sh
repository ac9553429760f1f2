#!/usr/bin/env bash
# The rules of STYLE.md that a machine can check. Prints each breach; exit 1 if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cu')
breaches=0
breach() { echo "$1"; breaches=1; }

formatter=$(bash ci/formatter.sh)
"$formatter" --dry-run -Werror "${sources[@]}" || breach "not formatted; run: bash ci/format.sh"

for file in $(git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cu' '*.py' '*.sh'); do
  lines=$(wc -l <"$file")
  case $file in bench/*) most=200 ;; *) most=400 ;; esac
  [ "$lines" -le "$most" ] || breach "$file: $lines lines; at most $most"
done

# A difference between builds is a file that CMake picks. One header is read by C and by C++.
if grep -nE '^ *# *(if|ifdef|ifndef|elif)\b' "${sources[@]}" | grep -vE '^harness/base/c_api\.h:'; then
  breach "conditional compilation: let CMake pick a file instead"
fi

# A bench knows the harness and the kernels' headers, and nothing of vendors, files or memory.
if grep -nE '#include .*(cuda|mpi|nccl|hdf5|cublas|stdlib|stdio)' bench/*.c; then
  breach "a bench reaches past the harness"
fi

# Dependencies point downward only.
if grep -nE '#include "harness/(store|model|show|drive|cli|machine)/' harness/{base,record,measure}/*.[ch] kernels -r ||
  grep -nE '#include "harness/(model|show|drive|cli|machine|measure)/' harness/store/*.[ch] ||
  grep -nE '#include "harness/(show|drive|cli)/' harness/model/*.[ch] ||
  grep -nE '#include .*hdf5' -r harness kernels bench | grep -v '^harness/store/'; then
  breach "a dependency points upward"
fi

# Quantities carry their unit: no bare time, bandwidth or size.
if grep -nwE 'double (time|elapsed|duration|bandwidth|bw|latency|clock|power)' "${sources[@]}"; then
  breach "a quantity without its unit: say _seconds, _bytes_per_s, _hz, _watts"
fi

# Functions a reader can hold: 60 lines.
ctags -x --_xformat='%F %n %{end} %N' --langmap=C++:+.cu --kinds-C=f --kinds-C++=f --fields=+e "${sources[@]}" |
  awk '$3 - $2 > 60 { print $1 ":" $2 ": " $4 "() has " $3 - $2 " lines; at most 60"; bad = 1 }
       END { exit bad }' || breaches=1

# Every folder says which question it answers.
for folder in bench kernels harness harness/* suites topologies results plot ci tests docs cmake; do
  [ ! -d "$folder" ] || [ -f "$folder/README.md" ] || breach "$folder has no README.md"
done
exit $breaches
