"""The report's tables: ceilings, points, caches, flags."""

from __future__ import annotations

import math
from typing import Any

from canvas import look_of
from ceilings import FMA, Attainment, attain, capable_of
from flags import FLAGS, letters_of
from markup import number, row, tag, text
from parts import levels_in, order_of
from parts import name_of as part_name
from readings import Reading, describe, reading_of
from rungs import Ladder, Rung, name_of, percent, roof_words
from store import Ceiling, Part, Run
from units import binary, measured, plus_minus, si

DASH = "–"
LEAST_WIDTH = 1e-4  # of an interval that is said in digits, relative
CEILING_HEADS = (
    ("level", ""),
    ("access", ""),
    ("typical", "number"),
    ("95 % interval", "number"),
    ("capable", "number"),
    ("from", ""),
    ("sharpness p", "number"),
    ("ridge op/B", "number"),
    ("n", "number"),
    ("flags", ""),
)
POINT_HEADS = (
    ("bench and parameters", ""),
    ("level", ""),
    ("n", "number"),
    ("median", "number"),
    ("±95 %", "number"),
    ("bytes", "number"),
    ("operations", "number"),
    ("op/B", "number"),
    ("attainable", "number"),
    ("share", "number"),
    ("bound", ""),
    ("flags", ""),
)
LADDER_HEADS = (
    ("rung", ""),
    ("rate", "number"),
    ("±95 %", "number"),
    ("of roof", "number"),
    ("of best peer", "number"),
    ("× below", "number"),
    ("implementation", ""),
    ("flags", ""),
)


def heads(columns: tuple[tuple[str, str], ...], sorts: bool) -> str:
    """The first line of a table."""
    cells = []
    for name, kind in columns:
        inner = text("button", name, type="button") if sorts else text("span", name)
        cells.append(tag("th", inner, scope="col", cls=kind or None))
    return tag("thead", row(cells))


def flags_cell(flags: tuple[str, ...]) -> str:
    """Letters, with the names where they are hovered."""
    names = ", ".join(flag.replace("_", " ") for flag in flags)
    return tag("td", text("abbr", letters_of(flags), title=names) if flags else "")


def level_cell(level: str, name: str = "td") -> str:
    """A level with its colour."""
    color = f"--c:{look_of(level)[0]}" if level else None
    scope = "row" if name == "th" else None
    return text(name, level or DASH, cls="level nowrap", style=color, scope=scope)


# ---- Ceilings.


def sharpness_text(c: Ceiling) -> str:
    """p with its interval; "sharp" where only its lower end is known."""
    if c.sharp == "determined":
        return f"{c.sharpness:.2g} ({c.sharpness_low:.2g} to {c.sharpness_high:.2g})"
    return f"sharp, > {c.sharpness_low:.2g}" if c.sharp == "sharp" else DASH


def interval_text(c: Ceiling) -> str:
    """The interval's ends and its relative half-width."""
    if not math.isfinite(c.half_width):
        return DASH
    low, high = si(c.low, c.unit), si(c.high, c.unit)
    shared = low.split(" ")[-1] == high.split(" ")[-1]
    return f"{low.split(' ')[0] if shared else low} to {high} ({plus_minus(c.half_width)})"


def ceiling_row(run: Run, c: Ceiling) -> str:
    """One ceiling; one that is not determined says why."""
    first = [level_cell(c.level, "th"), text("td", c.mix, cls="nowrap")]
    last = [number(str(c.points)), flags_cell(c.flags)]
    if not c.value > 0:
        reason = f"not determined: {c.reason}" if c.reason else "not determined"
        return row([*first, text("td", reason, colspan=6), *last], cls="undetermined")
    capable = capable_of(run, c)
    told = measured(capable.value, capable.half_width, c.unit) if capable else DASH
    return row(
        [
            *first,
            number(measured(c.value, c.half_width, c.unit)),
            number(interval_text(c)),
            number(DASH if told == "-" else told),
            tag("td", text("abbr", c.basis, title=c.reason) if c.reason else c.basis),
            number(sharpness_text(c)),
            number(f"{c.ridge:.3g}" if c.ridge > 0 else DASH),
            *last,
        ]
    )


def ceilings_table(run: Run) -> str:
    """All typical ceilings: a group for each part, levels in order."""
    groups: dict[Part, list[Ceiling]] = {}
    for c in run.ceilings:
        if c.reading == "typical":
            groups.setdefault(c.part, []).append(c)
    bodies = []
    for part in sorted(groups, key=lambda p: (order_of(p.device), p.dtype, -p.threads)):
        order = {name: i for i, name in enumerate(["compute", *levels_in(run, part.device)])}
        members = sorted(
            groups[part],
            key=lambda c: (order.get(c.level, 99), c.mix != FMA, "read" not in c.mix, c.mix),
        )
        title = part_name(part)
        group = text("th", title, colspan=len(CEILING_HEADS), scope="rowgroup", cls="group")
        bodies.append(tag("tbody", row([group]), *(ceiling_row(run, c) for c in members)))
    return tag("table", heads(CEILING_HEADS, False), *bodies, cls="ceilings wide")


# ---- Points.


def share_cell(a: Attainment) -> str:
    """The share of what is attainable, with a bar."""
    if not a.share > 0:
        return number(DASH, math.nan)
    shown = f"{100 * a.share:.0f} %{' r' * a.of_read_roof}"
    bar = f"--s:{min(a.share, 1):.3f}"
    return text("td", shown, cls="number share", data_v=f"{a.share:.6g}", style=bar)


def rate_cell(amount: float, r: Reading, unit: str) -> str:
    """A rate with the digits that were measured."""
    if not (amount > 0 and r.typical_s > 0):
        return number(DASH, math.nan)
    return number(measured(amount / r.typical_s, r.half_width, unit), amount / r.typical_s)


def point_row(run: Run, r: Reading) -> str:
    """One point; one that failed says why."""
    p, is_ok = r.point, r.typical_s > 0
    name = text("a", describe(p), href="#samples", data_point=p.case_id)
    first = [tag("th", name if is_ok else describe(p), scope="row"), level_cell(r.level)]
    if not is_ok:
        reason = f"{p.status}: {p.reason}" if p.reason else p.status
        empty = [number("", math.nan) for _ in range(len(POINT_HEADS) - 5)]
        cells = [*first, number(str(len(p.seconds)), len(p.seconds)), text("td", reason), *empty]
        return row([*cells, flags_cell(p.flags)], cls="failed")
    a = attain(run, r)
    unit = "op/s" if p.operations > 0 else "B/s"
    width = plus_minus(r.half_width).removeprefix("±")
    width = "< 0.01 %" if r.half_width < LEAST_WIDTH else width
    return row(
        [
            *first,
            number(str(len(p.seconds)), len(p.seconds)),
            number(measured(r.typical_s, r.half_width, "s"), r.typical_s),
            number(width, r.half_width if math.isfinite(r.half_width) else math.nan),
            rate_cell(p.bytes, r, "B/s"),
            rate_cell(p.operations, r, "op/s"),
            number(f"{r.intensity:.4g}" if r.intensity > 0 else DASH, r.intensity),
            number(si(a.attainable, unit) if a.attainable > 0 else DASH, a.attainable or math.nan),
            share_cell(a),
            text("td", a.bound or DASH),
            flags_cell(p.flags),
        ]
    )


def points_table(run: Run) -> str:
    """All points in the order of the file, controls too."""
    lines = [point_row(run, reading_of(run, p)) for p in run.points]
    return tag("table", heads(POINT_HEADS, True), tag("tbody", *lines), cls="points wide")


# ---- Ladders.


def part_cell(part: float) -> str:
    """A share, with a bar."""
    if not part > 0:
        return number(DASH)
    return text("td", percent(part), cls="number share", style=f"--s:{min(part, 1):.3f}")


def rung_row(rung: Rung) -> str:
    """One rung; one that failed says why."""
    p = rung.point
    name = text("th", f"{rung.name} (peer)" if rung.is_peer else rung.name, scope="row")
    if not rung.rate > 0:
        reason = f"{p.status}: {p.reason}" if p.reason else p.status
        return row(
            [name, text("td", reason, colspan=len(LADDER_HEADS) - 2), flags_cell(p.flags)],
            cls="failed",
        )
    return row(
        [
            name,
            number(measured(rung.rate, rung.reading.half_width, "op/s")),
            number(plus_minus(rung.reading.half_width)),
            part_cell(rung.share_of_roof),
            part_cell(rung.share_of_peer),
            number(f"{rung.times_below:.1f}" if rung.times_below > 0 else DASH),
            text("td", p.implementation or DASH),
            flags_cell(p.flags),
        ]
    )


def ladders_table(ladders: list[Ladder]) -> str:
    """Every rung: a group for each ladder, with its compute roof."""
    bodies = []
    for ladder in ladders:
        roof = ladder.compute
        told = measured(roof.value, roof.half_width, "op/s") if roof else "not determined"
        whose = f", {roof_words(ladder)}" if roof_words(ladder) else ""
        title = f"{name_of(ladder)}; compute roof{whose}: {told}"
        group = text("th", title, colspan=len(LADDER_HEADS), scope="rowgroup", cls="group")
        bodies.append(tag("tbody", row([group]), *(rung_row(rung) for rung in ladder.rungs)))
    return tag("table", heads(LADDER_HEADS, False), *bodies, cls="ladders wide")


# ---- The rest.


def caches_table(machine: dict[str, Any]) -> str:
    """What each source says of the caches."""
    caches = machine.get("caches", [])
    if not caches:
        return ""
    names = ("cache", "used", "sysfs", "CPUID", "probed", "latency", "")
    lines = []
    for cache in caches:
        keys = ("capacity_bytes", "claimed_bytes", "cpuid_bytes", "probed_bytes")
        sizes = [binary(float(cache.get(key) or 0)) for key in keys]
        latency = si(float(cache.get("latency_seconds") or 0), "s")
        cells = [number(DASH if shown == "-" else shown) for shown in [*sizes, latency]]
        shared = text("td", "shared" if cache.get("shared") else "per core")
        lines.append(row([level_cell(str(cache.get("name", "")), "th"), *cells, shared]))
    memory = si(float(machine.get("memory_latency_seconds") or 0), "s")
    size = binary(float(machine.get("memory_bytes") or 0))
    cells = [number(shown) for shown in (size, DASH, DASH, DASH, memory)]
    lines.append(row([level_cell("memory", "th"), *cells, text("td", "")]))
    columns = tuple((name, "number" if 0 < i < 6 else "") for i, name in enumerate(names))
    return tag("table", heads(columns, False), tag("tbody", *lines), cls="caches")


def flags_table(run: Run) -> str:
    """Every flag that occurs, how often, and what it means."""
    total = len(run.points)
    lines = []
    for name, letter, meaning in FLAGS:
        count = sum(name in p.flags for p in run.points)
        if count:
            cells = [
                text("th", letter, scope="row"),
                text("td", name.replace("_", " "), cls="nowrap"),
                number(f"{count} of {total}"),
                text("td", meaning),
            ]
            lines.append(row(cells))
    if not lines:
        return text("p", "No point carries a flag.")
    columns = (("", ""), ("flag", ""), ("points", "number"), ("means", ""))
    return tag("table", heads(columns, False), tag("tbody", *lines), cls="flags")
