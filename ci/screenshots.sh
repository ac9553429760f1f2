#!/usr/bin/env bash
# Makes the pictures in docs/pictures: bash ci/screenshots.sh [FILE.h5]
#
# Without a file it sweeps this machine with the suite quick first. Needs a build (preset cpu), the
# packages of 'bash ci/deps.sh plot', and Chromium for the page.
set -euo pipefail
cd "$(dirname "$0")/.."
ridge=build/cpu/bin/ridge
python=build/venv/bin/python3
pictures=docs/pictures
most_bytes=400000

die() { echo "ci/screenshots.sh: $*" >&2; exit 3; }

[ -x "$ridge" ] || die "no $ridge: cmake --preset cpu && cmake --build --preset cpu"
[ -x "$python" ] || die "no $python: bash ci/deps.sh plot"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  die "no Chromium: sudo apt-get install chromium"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ $# -gt 0 ]; then cp "$1" "$folder/run.h5"; else "$ridge" run quick -q -o "$folder/run.h5"; fi

"$ridge" report "$folder/run.h5" -o "$folder/report.html" >/dev/null
mkdir -p "$pictures"
for picture in roofline staircase; do
  "$python" -B "plot/$picture.py" "$folder/run.h5" --formats png --scale 1 -o "$pictures/$picture"
done

"$python" -B plot/ladder.py "$folder/run.h5" --dtype f32 --formats png --scale 1 -o "$pictures/ladder"

# The page as it opens: machine, key numbers, the first ceilings.
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" \
  --virtual-time-budget=20000 --window-size=1280,1240 --force-device-scale-factor=1 \
  --screenshot="$pictures/report.png" "file://$folder/report.html" 2>/dev/null ||
  die "$browser could not draw the page"
echo "$pictures/report.png"

for picture in "$pictures"/*.png; do
  bytes=$(stat -c %s "$picture")
  [ "$bytes" -le $most_bytes ] || die "$picture has $bytes bytes; at most $most_bytes"
done
