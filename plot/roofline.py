#!/usr/bin/env python3
"""Draws the roofline of a ridge result as HTML, SVG, PNG and PDF, from its HDF5 file alone.

The slanted roofs are read bandwidths of the memory levels, the horizontal one is the compute
ceiling, as 'ridge fit' left them in the file; points are medians with their 95 % intervals. The
HTML shows everything about a point when it is hovered, and needs no network.

exit codes: 0 drawn, 2 the file or an option cannot be used, 3 a Python package is missing
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from command import add_picture_options, make_parser, run, threads_of

PROGRAM = "roofline.py"


def make(options: argparse.Namespace) -> dict[pathlib.Path, bytes]:
    """The files that were asked for."""
    from chart import make_chart
    from figure import choose, make_figure, title_of
    from parts import Wanted
    from render import render_to
    from store import read_run

    run_of_file = read_run(options.file)
    wanted = Wanted(options.device, options.dtype, options.threads)
    figure = make_figure(run_of_file, choose(run_of_file, wanted))
    stem = options.output or options.file.with_name(f"{options.file.stem}-roofline")
    title = title_of(figure)
    return render_to(stem, make_chart(figure), title, options.formats, options.scale)


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = make_parser(PROGRAM, __doc__ or "")
    add_picture_options(parser, "roofline")
    parser.add_argument(
        "--threads", metavar="N", type=threads_of, help="default: the most there are"
    )
    options = parser.parse_args(arguments)
    return run(PROGRAM, lambda: make(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
