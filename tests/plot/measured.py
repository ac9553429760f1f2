"""What the tests of the pictures share: a run of a small suite in which every compute ceiling is
determined, however noisy the machine, copies of it with other points or on other devices, the marks
of an SVG."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

ATTEMPTS = 5
SKIPPED = 77  # exit code
SVG = "{http://www.w3.org/2000/svg}"


def why_skipped() -> str:
    """What is missing here, or ""."""
    for module in ("numpy", "h5py", "altair", "vl_convert"):
        if importlib.util.find_spec(module) is None:
            return f"the Python package of {module} is missing; 'bash ci/deps.sh plot' installs it"
    if not (pathlib.Path(os.environ.get("RIDGE_BIN_DIR", "")) / "ridge").is_file():
        return "RIDGE_BIN_DIR does not name the folder of ridge"
    return ""


def marks(svg: pathlib.Path, name: str) -> list[ElementTree.Element]:
    """The marks of a named layer, in whichever panel of the picture."""
    named = re.compile(rf"role-mark {name}(_\d+)?_marks")
    groups = [
        g for g in ElementTree.parse(svg).iter(f"{SVG}g") if named.search(g.get("class", ""))
    ]
    return [mark for group in groups for mark in group]


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


def rows_of(points, ending: str) -> list[int]:
    """Where a ladder of bench_gemm stands in /points, e.g. that of f32-96x96x96."""
    dtype, _, shape = ending.partition("-")
    return [
        i
        for i, p in enumerate(points)
        if (p["bench"], p["dtype"]) == (b"bench_gemm", dtype.encode())
        and f'"{shape}"'.encode() in p["params_json"]
    ]


def changed(run_file: pathlib.Path, name: str, change) -> pathlib.Path:
    """A copy of the run beside it, after change(points, samples)."""
    import h5py

    path = run_file.with_name(name)
    shutil.copy(run_file, path)
    with h5py.File(path, "r+") as file:
        points, samples = file["points"][:], file["samples"][:]
        change(points, samples)
        file["points"][:], file["samples"][:] = points, samples
    return path


def samples_of(points, row: int) -> slice:
    """Which rows of /samples belong to a point."""
    first = int(points["samples_offset"][row])
    return slice(first, first + int(points["samples_count"][row]))


def case_id_of(point) -> bytes:
    """The hash of results/SCHEMA.md: 64-bit FNV-1a, each text with a closing zero byte."""
    value = 14695981039346656037
    keys = ("bench", "variant", "device", "dtype", "accumulator", "params_json", "method")
    for byte in b"".join(bytes(point[key]) + b"\0" for key in keys):
        value = ((value ^ byte) * 1099511628211) % 2**64
    return f"{value:016x}".encode()


def appended(file, name: str, rows) -> None:
    """More rows at the end of a table."""
    table = file[name]
    count = len(table)
    table.resize((count + len(rows),))
    table[count:] = rows


def copy_to_device(file, device: str, times: float, rename: tuple[bytes, bytes]) -> None:
    """All points of the cpu with one thread again, and the controls, as if another device had
    measured them so many times as fast, with `rename` in their parameters."""
    import numpy

    points, samples = file["points"][:], file["samples"][:]
    is_control = [b'"beside"' in params for params in points["params_json"]]
    is_copied = (points["threads"] == 1) | numpy.array(is_control)
    mine = points[(points["device"] == b"cpu") & is_copied]
    mine["threads"] = 1  # a device works as a whole
    copies, count = [], len(samples)
    for i, point in enumerate(mine):
        copied = samples[samples_of(mine, i)]
        copied["seconds"] /= times
        mine["device"][i], mine["samples_offset"][i] = device.encode(), count
        mine["params_json"][i] = point["params_json"].replace(*rename)
        mine["case_id"][i] = case_id_of(mine[i])
        copies.append(copied)
        count += len(copied)
    appended(file, "points", mine)
    appended(file, "samples", numpy.concatenate(copies))


def describe_devices(file, devices: list[dict]) -> None:
    """What the run says of its devices."""
    import h5py

    host = next(m for m in file["machines"].values() if "machine_json" in m.attrs)
    machine = json.loads(host.attrs["machine_json"])
    text = json.dumps({**machine, "devices": devices}).encode()
    host.attrs.create("machine_json", text, dtype=h5py.string_dtype("utf-8", len(text) + 1))


def add_ceiling(file, device: str, **columns) -> None:
    """One more row of /ceilings, the first: the device's FMA chains with other values in it."""
    rows = file["ceilings"][:]
    keys = (("reading", b"typical"), ("mix", b"fma"), ("device", device.encode()))
    row = next(r for r in rows if all(r[key] == value for key, value in keys)).copy()
    for key, value in columns.items():
        row[key] = value
    appended(file, "ceilings", rows[-1:])
    file["ceilings"][0], file["ceilings"][1:] = row, rows
