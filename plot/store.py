"""A run as its HDF5 file holds it (results/SCHEMA.md): facts, points and their samples.

Numbers are in SI base units. What cannot be read raises Unreadable with one sentence.
"""

from __future__ import annotations

import json
import math
import pathlib
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np

from flags import of_bits

NEWEST_SCHEMA = 2
COLUMNS = (
    "case_id bench variant device dtype accumulator isa store_kind params_json source status "
    "reason flags threads bytes operations working_set_bytes samples_offset samples_count"
).split()
NEWER_COLUMNS = ["implementation"]  # of schema 2; empty in older files
SAMPLE_COLUMNS = ["seconds", "start_seconds", "clock_hz", "foreign_load", "round"]
CEILING_TEXTS = "reading kind level mix dtype device unit basis status reason sharp".split()
CEILING_NUMBERS = (
    "threads value low high asymptote plateau sharpness sharpness_low sharpness_high ridge maximum "
    "misfit points"
).split()
# What the keys of params_json tell of a point.
CONTROL, LADDER, STREAM = '"beside":', '"fmas":', '"op":'
CPU, SHARED, MEMORY = "cpu", "shared", "memory"  # a device; levels that are no caches


class Unreadable(Exception):
    """The file is not one that these pictures can be drawn from."""


@dataclass(frozen=True)
class Part:
    """What shares a roof."""

    device: str  # "cpu", "cuda:0"
    dtype: str
    threads: int


@dataclass(frozen=True)
class Point:
    """One case: what was asked, what it counts per run, and every sample."""

    case_id: str
    bench: str
    variant: str
    device: str
    dtype: str
    accumulator: str
    isa: str
    store_kind: str
    params_json: str
    source: str
    status: str
    reason: str  # of a point that is not ok
    flags: tuple[str, ...]
    threads: int
    bytes: float  # counted, per run
    operations: float  # per run
    working_set_bytes: float
    seconds: np.ndarray  # per run, one for each sample
    rounds: np.ndarray  # the round of each sample
    starts: np.ndarray  # seconds of the machine's raw clock
    clocks: np.ndarray  # core clock in Hz; 0: not probed
    loads: np.ndarray  # cores that other processes used; negative: not known
    implementation: str = ""  # whose code, or the shape of our inner kernel

    @property
    def params(self) -> dict[str, Any]:
        """Every axis by name."""
        return json.loads(self.params_json)

    @property
    def part(self) -> Part:
        """Whose roofs it is under."""
        return Part(self.device, self.dtype, self.threads)

    @property
    def is_control(self) -> bool:
        """Was it measured beside another bench, to know the drift?"""
        return CONTROL in self.params_json

    @property
    def is_ladder(self) -> bool:
        """Is it a rung of the intensity ladder (bench_intensity)?"""
        return LADDER in self.params_json

    @property
    def is_stream(self) -> bool:
        """Does it move arrays (bench_vector_add)?"""
        return STREAM in self.params_json


@dataclass(frozen=True)
class Level:
    """A cache; capacity_bytes is of one instance of it."""

    name: str
    capacity_bytes: int
    shared: bool


@dataclass(frozen=True)
class Ceiling:
    """A row of /ceilings: rates in operations/s where its level is "compute", else in bytes/s;
    0 for what is not determined."""

    reading: str  # "typical" or "capable"
    kind: str  # "compute" or "bandwidth"
    level: str  # "compute", "shared", "L1" .. "memory"
    mix: str
    dtype: str
    device: str
    unit: str
    basis: str  # "plateau", "asymptote", "streams", "best of sizes", "chains", "nothing"
    status: str  # "determined" or "not_determined"
    reason: str
    sharp: str  # "determined", "sharp", "not_determined"; "" for compute
    threads: int
    value: float
    low: float  # of the 95 % interval
    high: float
    asymptote: float  # of the fitted curve
    plateau: float
    sharpness: float  # p of the knee
    sharpness_low: float
    sharpness_high: float
    ridge: float  # operations per byte
    maximum: float  # best typical rate of a point
    misfit: float
    points: int
    flags: tuple[str, ...]

    @property
    def part(self) -> Part:
        """Whose roof it is."""
        return Part(self.device, self.dtype, self.threads)

    @property
    def half_width(self) -> float:
        """Half the interval's width, relative; infinite where there is none."""
        if not (self.value > 0 and self.low > 0 and self.high > 0):
            return math.inf
        return (self.high - self.low) / (2 * self.value)


@dataclass(frozen=True)
class Run:
    """Everything of a file that a picture uses."""

    meta: dict[str, Any]
    machine: dict[str, Any]
    levels: dict[str, tuple[Level, ...]]  # by device: L1 first, without memory
    points: tuple[Point, ...]
    ceilings: tuple[Ceiling, ...]  # of `ridge fit`

    def levels_of(self, device: str) -> tuple[Level, ...]:
        """Its caches; a GPU that the file does not describe has none, a fake device the cpu's."""
        unknown = () if device.startswith("cuda") else self.levels[CPU]
        return self.levels.get(device, unknown)


def text_of(value: Any) -> str:
    """A text of the file, whether h5py hands it out as bytes or as str."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def check_schema(file: h5py.File, path: pathlib.Path) -> None:
    """Refuses files of other programs, and of a newer ridge."""
    attributes = file["run"].attrs if isinstance(file.get("run"), h5py.Group) else {}
    if "schema_version" not in attributes or "points" not in file or "samples" not in file:
        raise Unreadable(
            f"{path} is an HDF5 file, but no result of ridge: it has no /run, /points "
            "and /samples; give a file that 'ridge run -o FILE' wrote"
        )
    version = int(attributes["schema_version"])
    if version > NEWEST_SCHEMA:
        raise Unreadable(
            f"{path} has schema {version}, and this plotter knows {NEWEST_SCHEMA}: "
            "use the plotter of the ridge that wrote it"
        )


def parse_levels(text: str) -> tuple[Level, ...]:
    """Caches as in "L1=32768,L3=33554432*", where the star marks a shared one; "" for none."""
    levels = []
    for item in text.split(",") if text else []:
        name, _, capacity = item.partition("=")
        levels.append(Level(name, int(capacity.rstrip("*")), capacity.endswith("*")))
    return tuple(levels)


def find_levels(meta: dict[str, Any], machine: dict[str, Any]) -> dict[str, tuple[Level, ...]]:
    """The caches that the run was measured with, of every device; none where it does not say."""
    arguments = meta.get("child_arguments", [])
    is_told = "--levels" in arguments[:-1]
    of_cpu = arguments[arguments.index("--levels") + 1] if is_told else ""
    others = {
        device["device"]: parse_levels(device.get("levels") or "")
        for device in machine.get("devices") or []
    }
    return {**others, CPU: parse_levels(of_cpu)}


def read_machine(file: h5py.File) -> dict[str, Any]:
    """Identity of the first machine; empty where there is none."""
    for machine in file.get("machines", {}).values():
        if "machine_json" in machine.attrs:
            return json.loads(text_of(machine.attrs["machine_json"]))
    return {}


def read_points(file: h5py.File) -> tuple[Point, ...]:
    """All points, each with its own rows of /samples."""
    there = file["points"].dtype.names
    names = COLUMNS + [name for name in NEWER_COLUMNS if name in there]
    rows = {name: file["points"].fields(name)[:] for name in names}
    samples = file["samples"].fields(SAMPLE_COLUMNS)[:]
    points = []
    for i in range(len(rows["case_id"])):
        row = {n: text_of(v[i]) if v.dtype.kind in "SO" else v[i].item() for n, v in rows.items()}
        first, count = int(row.pop("samples_offset")), int(row.pop("samples_count"))
        if first + count > len(samples):
            raise ValueError(f"point {row['case_id']} ends behind the last sample")
        mine = samples[first : first + count]
        row["flags"] = tuple(flag for flag in row["flags"].split(",") if flag)
        points.append(
            Point(
                **row,
                seconds=mine["seconds"],
                rounds=mine["round"],
                starts=mine["start_seconds"],
                clocks=mine["clock_hz"],
                loads=mine["foreign_load"],
            )
        )
    return tuple(points)


def read_ceilings(file: h5py.File, path: pathlib.Path) -> tuple[Ceiling, ...]:
    """All rows of both readings."""
    if "ceilings" not in file or not len(file["ceilings"]):
        raise Unreadable(f"{path} holds no ceilings yet: run 'ridge fit {path}' first")
    rows = file["ceilings"].fields([*CEILING_TEXTS, *CEILING_NUMBERS, "flags"])[:]
    ceilings = []
    for row in rows:
        texts = {name: text_of(row[name]) for name in CEILING_TEXTS}
        if texts["kind"] == "compute":
            texts["level"] = "compute"
        numbers = {name: row[name].item() for name in CEILING_NUMBERS}
        ceilings.append(Ceiling(**texts, **numbers, flags=of_bits(int(row["flags"]))))
    return tuple(ceilings)


def read_run(path: pathlib.Path) -> Run:
    """The whole file, into memory."""
    try:
        with h5py.File(path, "r") as file:
            check_schema(file, path)
            meta = json.loads(text_of(file["run"].attrs["meta_json"]))
            machine, points = read_machine(file), read_points(file)
            levels = find_levels(meta, machine)
            return Run(meta, machine, levels, points, read_ceilings(file, path))
    except FileNotFoundError as error:
        raise Unreadable(f"there is no file {path}") from error
    except OSError as error:
        raise Unreadable(
            f"{path} cannot be read as HDF5 ({' '.join(str(error).split())}): give a "
            "file that 'ridge run -o FILE' wrote"
        ) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(
            f"{path} is damaged or no result of ridge: {' '.join(str(error).split())}"
        ) from error
