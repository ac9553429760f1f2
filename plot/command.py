"""What the programs of this folder share: options, packages that are missing, files that are
written whole or not at all, and one sentence where something is wrong."""

from __future__ import annotations

import argparse
import importlib
import os
import pathlib
import sys
from collections.abc import Callable

PACKAGES = {"numpy": "numpy", "h5py": "h5py", "altair": "altair", "vl_convert": "vl-convert-python"}
FORMATS = ("html", "svg", "png", "pdf")
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


def scale_of(text: str) -> float:
    """A size between a quarter and eight times the picture's own."""
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.25 <= scale <= 8:
        raise argparse.ArgumentTypeError(f"'{text}' is no size; write 0.25 to 8")
    return scale


def make_parser(program: str, document: str) -> argparse.ArgumentParser:
    """With the file that all need; the document's last paragraph says the exit codes."""
    summary, _, codes = document.rpartition("\n\n")
    parser = argparse.ArgumentParser(
        prog=program,
        description=summary,
        epilog=codes,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file", metavar="FILE.h5", type=pathlib.Path, help="a run that 'ridge fit' has fitted"
    )
    return parser


def add_picture_options(
    parser: argparse.ArgumentParser,
    ending: str,
    dtypes: str = "the first there is",
    devices: str = "a GPU before the cpu",
) -> None:
    """Where a picture goes, and in which formats; without --dtype and --device, `dtypes` of
    `devices` are drawn."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="STEM",
        type=pathlib.Path,
        help=f"writes STEM.html ... (default: FILE-{ending})",
    )
    parser.add_argument(
        "--dtype", metavar="NAME", help=f"f32, f64 ... (default: {dtypes})"
    )
    parser.add_argument(
        "--device", metavar="NAME", help=f"cpu, cuda:0 ... (default: {devices})"
    )
    parser.add_argument(
        "--formats",
        metavar="LIST",
        type=formats_of,
        default=["html", "svg", "png"],
        help="of html, svg, png and pdf, with commas (default: html,svg,png)",
    )
    parser.add_argument(
        "--scale", metavar="X", type=scale_of, default=2.0, help="size of the PNG (default: 2)"
    )


def first_missing() -> str:
    """The name, as pip knows it, of the first package that cannot be imported; "" for none."""
    for module, package in PACKAGES.items():
        try:
            importlib.import_module(module)
        except ImportError:
            return package
    return ""


def write_whole(path: pathlib.Path, content: bytes) -> None:
    """Under a temporary name first, so that a file is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def run(program: str, make: Callable[[], dict[pathlib.Path, bytes]]) -> int:
    """Makes all files, then writes them and prints their paths; returns the exit code."""

    def fail(sentence: str, code: int) -> int:
        """One sentence on stderr."""
        print(f"{program}: {sentence}", file=sys.stderr)
        return code

    missing = first_missing()
    if missing:
        return fail(
            f"the Python package {missing} is missing: run 'bash ci/deps.sh plot', then use "
            "build/venv/bin/python3",
            EXIT_MISSING,
        )
    from store import Unreadable

    try:
        for path, content in make().items():
            write_whole(path, content)
            print(path)
    except Unreadable as error:
        return fail(str(error), EXIT_UNUSABLE)
    except OSError as error:
        return fail(f"cannot write {error.filename}: {error.strerror}", EXIT_UNUSABLE)
    return 0
