#!/usr/bin/env python3
"""Makes one page of a ridge result: machine, ceilings, rooflines, ladder, staircase, samples
and points.

The page holds everything that it shows, opens offline in any browser, and prints well. 'ridge
report FILE' calls this, and fits the file first where that was not done.

exit codes: 0 written, 2 the file or an option cannot be used, 3 a Python package is missing
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from command import FORMATS, make_parser, run

PROGRAM = "report.py"


def make_figures(held, folder: pathlib.Path) -> dict[pathlib.Path, bytes]:
    """Each picture with its title and notes, in every format."""
    import chart
    import rungs
    import rungs_chart
    import samples
    import stairs
    import stairs_chart
    from figure import make_figure, parts_drawn, title_of
    from parts import stem_of
    from readings import readings_of
    from render import render_to

    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for part in parts_drawn(held):
        figure = make_figure(held, part)
        stem = folder / f"roofline-{stem_of(part)}"
        files |= render_to(stem, chart.make_chart(figure), title_of(figure), list(FORMATS))
    for ladder in rungs.find_ladders(held):
        stem = folder / f"ladder-{rungs.file_name(ladder)}"
        title = rungs.title_of(ladder)
        files |= render_to(stem, rungs_chart.make_chart(ladder), title, list(FORMATS))
    for sweep in stairs.find_sweeps(held):
        stem = folder / f"staircase-{stairs.file_name(sweep)}"
        title = stairs.title_of(sweep)
        files |= render_to(stem, stairs_chart.make_chart(sweep), title, list(FORMATS))
    widest = max(readings_of(held), key=samples.spread_of, default=None)
    if widest:
        course = samples.course_of(widest, samples.first_start(held))
        picture, title = samples.make_chart(held, course), samples.title_of(course)
        files |= render_to(folder / "samples", picture, title, list(FORMATS))
    return files


def make(options: argparse.Namespace) -> dict[pathlib.Path, bytes]:
    """The page, and the figures where they are asked for."""
    from page import make_page
    from store import read_run

    held = read_run(options.file)
    path = options.output or options.file.with_name(f"{options.file.stem}-report.html")
    files = {path: make_page(held).encode()}
    if options.figures:
        files |= make_figures(held, options.figures)
    return files


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = make_parser(PROGRAM, __doc__ or "")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE.html",
        type=pathlib.Path,
        help="the page (default: FILE-report.html)",
    )
    parser.add_argument(
        "--figures",
        metavar="FOLDER",
        type=pathlib.Path,
        help="also write each picture there, as HTML, SVG, PNG and PDF",
    )
    options = parser.parse_args(arguments)
    return run(PROGRAM, lambda: make(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
