#!/usr/bin/env python3
"""Draws the ladders of a ridge result: what each idea adds, rung by rung, beside the libraries.

To the left the rungs under the roofs that 'ridge fit' left in the file, to the right what share of
the compute roof each reaches. A file may hold several ladders, by device, dtype, threads and shape:
each that is asked for is drawn, as STEM-NAME where there are more than one.

exit codes: 0 drawn, 2 the file or an option cannot be used, 3 a Python package is missing
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from command import add_picture_options, make_parser, run, threads_of

PROGRAM = "ladder.py"


def make(options: argparse.Namespace) -> dict[pathlib.Path, bytes]:
    """The files that were asked for."""
    from parts import Wanted
    from render import render_to
    from rungs import file_name, find_some, title_of
    from rungs_chart import make_chart
    from store import read_run

    stem = options.output or options.file.with_name(f"{options.file.stem}-ladder")
    wanted = Wanted(options.device, options.dtype, options.threads)
    ladders = find_some(read_run(options.file), wanted)
    files = {}
    for ladder in ladders:
        mine = stem.with_name(f"{stem.name}-{file_name(ladder)}") if len(ladders) > 1 else stem
        picture, title = make_chart(ladder), title_of(ladder)
        files |= render_to(mine, picture, title, options.formats, options.scale)
    return files


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = make_parser(PROGRAM, __doc__ or "")
    add_picture_options(parser, "ladder", "all there are", "all there are")
    parser.add_argument("--threads", metavar="N", type=threads_of, help="default: all there are")
    options = parser.parse_args(arguments)
    return run(PROGRAM, lambda: make(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
