#!/usr/bin/env python3
"""Draws the staircase of a ridge result: bandwidth over the working set, a panel per thread count.

Each step is a level of the memory hierarchy, as probed before the run; lines are its ceilings for
this access mix, as 'ridge fit' left them in the file.

exit codes: 0 drawn, 2 the file or an option cannot be used, 3 a Python package is missing
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from command import add_picture_options, make_parser, run

PROGRAM = "staircase.py"


def make(options: argparse.Namespace) -> dict[pathlib.Path, bytes]:
    """The files that were asked for."""
    from parts import Wanted
    from render import render_to
    from stairs import find_sweep, title_of
    from stairs_chart import make_chart
    from store import read_run

    sweep = find_sweep(read_run(options.file), Wanted(options.device, options.dtype))
    stem = options.output or options.file.with_name(f"{options.file.stem}-staircase")
    title = title_of(sweep)
    return render_to(stem, make_chart(sweep), title, options.formats, options.scale)


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = make_parser(PROGRAM, __doc__ or "")
    add_picture_options(parser, "staircase")
    options = parser.parse_args(arguments)
    return run(PROGRAM, lambda: make(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
