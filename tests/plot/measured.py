"""A run of a small suite in which every compute ceiling is determined, however noisy the machine."""

import json
import os
import pathlib
import subprocess

ATTEMPTS = 5


def ridge(*arguments: str | pathlib.Path) -> str:
    """Runs ridge and returns what it printed."""
    binary = pathlib.Path(os.environ["RIDGE_BIN_DIR"]) / "ridge"
    return subprocess.run([binary, *arguments], check=True, capture_output=True, text=True).stdout


def undetermined(path: pathlib.Path) -> list[str]:
    """The compute ceilings that the fit of this file leaves open, each with its reason."""
    rows = json.loads(ridge("show", path, "ceilings", "--format", "json"))
    return [r["reason"] for r in rows if r["kind"] == "compute" and r["status"] != "determined"]


def measure(suite_text: str, path: pathlib.Path) -> None:
    """Measures the suite into `path`, again where noise left a compute ceiling undetermined.

    The pictures are what is tested, and they need roofs; that a noisy ladder gives none is right.
    """
    suite = path.with_suffix(".suite")
    suite.write_text(suite_text, encoding="utf-8")
    for _ in range(ATTEMPTS):
        path.unlink(missing_ok=True)
        ridge("run", suite, "-q", "-o", path)
        left_open = undetermined(path)
        if not left_open:
            return
    raise AssertionError(f"no compute ceiling in {ATTEMPTS} runs: {left_open}")
