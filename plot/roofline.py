#!/usr/bin/env python3
"""Draws the roofline of a ridge result as HTML, SVG and PNG, from its HDF5 file alone.

The slanted roofs are read bandwidths of the memory levels, the horizontal one is the compute
ceiling; points are medians with their 95 % intervals. The HTML shows everything about a point when
it is hovered, and needs no network.

exit codes: 0 drawn, 2 the file or an option cannot be used, 3 a Python package is missing
"""

from __future__ import annotations

import argparse
import html
import importlib
import os
import pathlib
import sys

PACKAGES = {"numpy": "numpy", "h5py": "h5py", "altair": "altair", "vl_convert": "vl-convert-python"}
FORMATS = ("html", "svg", "png")
PNG_SCALE = 2
EXIT_UNUSABLE, EXIT_MISSING = 2, 3


def formats_of(text: str) -> list[str]:
    """ "html,png" as a list. Raises for an unknown name."""
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in FORMATS:
            raise argparse.ArgumentTypeError(f"no format '{name}'; there are {', '.join(FORMATS)}")
    if not names:
        raise argparse.ArgumentTypeError(f"name one or more of {', '.join(FORMATS)}")
    return names


def threads_of(text: str) -> int:
    """A thread count, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no thread count; write 1 or more")
    return int(text)


def parse_options(arguments: list[str]) -> argparse.Namespace:
    """The command line; leaves with 2 where it is wrong."""
    summary, _, codes = (__doc__ or "").rpartition("\n\n")
    parser = argparse.ArgumentParser(
        prog="roofline.py",
        description=summary,
        epilog=codes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE.h5", type=pathlib.Path, help="what ridge run wrote")
    parser.add_argument(
        "-o",
        "--output",
        metavar="STEM",
        type=pathlib.Path,
        help="writes STEM.html ... (default: FILE-roofline)",
    )
    parser.add_argument(
        "--dtype", metavar="NAME", help="f32, f64 ... (default: the first there is)"
    )
    parser.add_argument(
        "--threads", metavar="N", type=threads_of, help="default: the most there are"
    )
    parser.add_argument(
        "--formats",
        metavar="LIST",
        type=formats_of,
        default=list(FORMATS),
        help="of html, svg and png, with commas (default: all)",
    )
    return parser.parse_args(arguments)


def first_missing() -> str:
    """The name, as pip knows it, of the first package that cannot be imported; "" for none."""
    for module, package in PACKAGES.items():
        try:
            importlib.import_module(module)
        except ImportError:
            return package
    return ""


def render(options: argparse.Namespace) -> dict[str, bytes]:
    """Every format that was asked for, from one chart definition."""
    import vl_convert
    from chart import make_chart
    from figure import make_figure, title_of
    from store import read_run

    figure = make_figure(read_run(options.file), options.dtype, options.threads)
    chart = make_chart(figure)
    specification = chart.to_json()
    rendered = {}
    for name in options.formats:
        if name == "html":
            actions = {"export": True, "source": False, "compiled": False, "editor": False}
            page = chart.to_html(inline=True, embed_options={"actions": actions})
            page = escape_data(page)
            head = f"<head>\n  <title>{html.escape(title_of(figure))}</title>"
            rendered[name] = page.replace("<head>", head, 1).encode()
        elif name == "svg":
            rendered[name] = vl_convert.vegalite_to_svg(specification).encode()
        else:
            rendered[name] = vl_convert.vegalite_to_png(specification, scale=PNG_SCALE)
    return rendered


def escape_data(page: str) -> str:
    """A text of the file that looks like the end of a script stays a text."""
    before, found, after = page.rpartition("const spec = ")
    data, newline, rest = after.partition("\n")
    return before + found + data.replace("</", "<\\/") + newline + rest


def write_whole(path: pathlib.Path, content: bytes) -> None:
    """Under a temporary name first, so that a picture is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def fail(sentence: str, code: int) -> int:
    """One sentence on stderr."""
    print(f"roofline.py: {sentence}", file=sys.stderr)
    return code


def main(arguments: list[str]) -> int:
    """Reads, draws, writes; returns the exit code."""
    options = parse_options(arguments)
    missing = first_missing()
    if missing:
        return fail(
            f"the Python package {missing} is missing: run 'bash ci/deps.sh plot', then use "
            "build/venv/bin/python3",
            EXIT_MISSING,
        )
    from store import Unreadable

    stem = options.output or options.file.with_name(f"{options.file.stem}-roofline")
    try:
        for name, content in render(options).items():
            path = stem.with_name(f"{stem.name}.{name}")
            write_whole(path, content)
            print(path)
    except Unreadable as error:
        return fail(str(error), EXIT_UNUSABLE)
    except OSError as error:
        return fail(f"cannot write {error.filename or stem}: {error.strerror}", EXIT_UNUSABLE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
