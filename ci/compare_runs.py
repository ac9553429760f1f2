#!/usr/bin/env python3
"""Do runs of one machine agree on its ceilings within their printed intervals?

    ci/compare_runs.py RIDGE FILE FILE [FILE FILE ...]      compares files in pairs: 1 and 2, 3 and 4 ...

Of each pair, every typical ceiling that both determine: the difference, and whether the 95 %
intervals overlap. Two honest 95 % intervals of the same truth fail to overlap in about 1 of 180
cases; a machine that changed between the runs shows in more. Exit 0 always: it prints, it judges nothing.
"""

import json
import subprocess
import sys

Key = tuple[str, str, str, str, int]


def ceilings(ridge: str, path: str) -> dict[Key, dict[str, float]]:
    """The determined typical ceilings of a file, by (kind, level, mix, dtype, threads)."""
    text = subprocess.run([ridge, "show", path, "ceilings", "--format", "json"], capture_output=True, text=True, check=True).stdout
    rows = json.loads(text)
    return {(r["kind"], r["level"], r["mix"], r["dtype"], int(r["threads"])): r
            for r in rows if r["value"] and r["low"] and r["high"]}


def compare(ridge: str, first: str, second: str) -> None:
    """One line for the pair, and one for each ceiling whose intervals do not overlap."""
    one, two = ceilings(ridge, first), ceilings(ridge, second)
    both = [key for key in one if key in two]
    apart = [key for key in both if one[key]["high"] < two[key]["low"] or two[key]["high"] < one[key]["low"]]
    flagged = [key for key in apart if "unsteady" in one[key]["flags"] + two[key]["flags"]
               or "foreign_load" in one[key]["flags"] + two[key]["flags"]]
    print(f"{first} and {second}: {len(both) - len(apart)} of {len(both)} ceilings agree; of the other {len(apart)}, "
          f"{len(flagged)} are flagged unsteady or under foreign load")
    for key in apart:
        change = two[key]["value"] / one[key]["value"] - 1
        mark = "flagged" if key in flagged else "NOT FLAGGED"
        print(f"    {' '.join(str(part) for part in key if part)}: {change:+.1%}  {mark}")


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    ridge, files = sys.argv[1], sys.argv[2:]
    for first, second in zip(files[::2], files[1::2]):
        compare(ridge, first, second)
    return 0


if __name__ == "__main__":
    sys.exit(main())
