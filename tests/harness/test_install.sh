#!/usr/bin/env bash
# What is installed works from anywhere, without the build or the source.
#
#     bash tests/harness/test_install.sh BUILD_FOLDER
set -euo pipefail
build=$1
unset RIDGE_DATA
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
ridge=$place/prefix/bin/ridge

fail() { echo "test_install: $1" >&2; exit 1; }

cmake --install "$build" --prefix "$place/prefix" >"$place/install.log"
[ ! -e "$place/prefix/bin/bench_misbehave" ] || fail "bench_misbehave was installed"
[ ! -e "$place/prefix/bin/ridge_inspect" ] || fail "ridge_inspect was installed"

mkdir "$place/elsewhere"
cd "$place/elsewhere"
"$ridge" list >"$place/list"
grep -q '^bench_vector_add: ' "$place/list" || fail "ridge list shows no bench_vector_add"
grep -q '^suites: .*smoke' "$place/list" || fail "ridge list shows no suite smoke"

"$ridge" run smoke --quiet -o run.h5 2>"$place/log" || { cat "$place/log"; fail "ridge run failed"; }
[ "$(ls)" = run.h5 ] || fail "ridge run left $(ls)"
for format in text md csv json; do
  "$ridge" show run.h5 points --format "$format" >"$place/$format" || fail "ridge show $format failed"
  [ -s "$place/$format" ] || fail "ridge show $format says nothing"
done
grep -q 'vector_add add f32' "$place/text" || fail "the points lack vector_add add f32"

# By a link from another folder, as package managers do it.
ln -s "$ridge" "$place/linked"
"$place/linked" list | grep -q '^suites: .*smoke' || fail "a link to ridge finds no suites"
echo "installed: $(ls "$place/prefix/bin" | tr '\n' ' ')"
