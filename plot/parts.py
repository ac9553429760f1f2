"""The parts of a run, and the words for them: device, dtype and thread count together.

What belongs to one part shares a roof. On the cpu the words name the thread count; on any other
device they name the device, which always works as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from store import CPU, MEMORY, SHARED, Part, Run
from units import counted


@dataclass(frozen=True)
class Wanted:
    """What a picture was asked for; None stands for any."""

    device: str | None = None
    dtype: str | None = None
    threads: int | None = None

    def fits(self, part: Part) -> bool:
        """Is the part one of those?"""
        return (
            self.device in (None, part.device)
            and self.dtype in (None, part.dtype)
            and self.threads in (None, part.threads)
        )

    @property
    def words(self) -> str:
        """ " for f32, 2 threads, cuda:0"; "" where anything will do."""
        asked = [self.dtype, counted(self.threads, "thread") if self.threads else None]
        told = [word for word in (*asked, self.device) if word]
        return f" for {', '.join(told)}" if told else ""


def order_of(device: str) -> tuple[bool, int, str]:
    """By which devices are sorted: the cpu last, cuda:2 before cuda:10."""
    return device == CPU, len(device), device


def devices_of(run: Run) -> list[str]:
    """Those that were measured."""
    return sorted({p.device for p in run.points}, key=order_of)


def has_others(run: Run) -> bool:
    """Was any device but the cpu measured?"""
    return any(device != CPU for device in devices_of(run))


def levels_in(run: Run, device: str) -> list[str]:
    """All levels of a device that may have a roof, the nearest first."""
    near = [] if device == CPU else [SHARED]
    return [*near, *(level.name for level in run.levels_of(device)), MEMORY]


def facts_of(run: Run, device: str) -> dict[str, Any]:
    """What the file tells of a device other than the cpu; empty for nothing."""
    described = run.machine.get("devices") or []
    return next((facts for facts in described if facts["device"] == device), {})


# ---- Words.


def model_of(run: Run, device: str) -> str:
    """The processor's name, or the device's."""
    if device == CPU:
        return run.machine.get("cpu_model") or "unknown processor"
    return facts_of(run, device).get("model") or "unknown device"


def models_of(run: Run) -> list[str]:
    """Names of all that was measured, each once; the processor's where nothing was."""
    models = [model_of(run, device) for device in devices_of(run) or [CPU]]
    return list(dict.fromkeys(models))


def where_of(part: Part) -> str:
    """ "2 threads", or "cuda:0"."""
    return counted(part.threads, "thread") if part.device == CPU else part.device


def name_of(part: Part) -> str:
    """ "f32, 2 threads", or "f32, cuda:0"."""
    return f"{part.dtype}, {where_of(part)}"


def on_of(part: Part) -> str:
    """ "f32 with 2 threads", or "f32 on cuda:0"."""
    return f"{part.dtype} {'with' if part.device == CPU else 'on'} {where_of(part)}"


def stem_of(part: Part) -> str:
    """ "f32-2", or "f32-cuda-0": of file names."""
    return f"{part.dtype}-{part.threads if part.device == CPU else safe(part.device)}"


def safe(text: str) -> str:
    """Letters, digits and hyphens alone."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


def listed(words: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def part_words(run: Run) -> str:
    """What tells the parts of this run apart."""
    return "device, dtype and thread count" if has_others(run) else "dtype and thread count"
