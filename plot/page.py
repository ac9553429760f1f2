"""The report: one page with everything in it that a reader needs, and nothing from elsewhere."""

from __future__ import annotations

import pathlib
import shlex
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

import chart
import rungs
import rungs_chart
import samples
import stairs
import stairs_chart
from devices import device_tables, headline_of, key_numbers, values_sentence
from figure import make_figure, parts_drawn, peculiarities_of
from figure import notes_of as roofline_notes
from markup import definitions, escaped, tag, text
from parts import listed, models_of, name_of, order_of, part_words, stem_of
from readings import Reading, describe, readings_of
from render import script_data
from samples import ROUND_COLORS, compact, course_of, first_start, spread_of
from store import Run
from tables import caches_table, ceilings_table, flags_table, ladders_table, points_table
from units import binary, counted, si

HERE = pathlib.Path(__file__).resolve().parent
POLICY = (  # nothing may be loaded: the page proves that it needs no network
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:"
)
NO_ROOFLINE = (
    "No compute ceiling is determined in this run: it needs points of bench_intensity at high "
    "intensity, with enough samples."
)
NO_STAIRCASE = (
    f"No access mix was measured at {stairs.FEWEST_SIZES} sizes or more, which a staircase needs."
)
SECTIONS = (
    ("machine", "Machine"),
    ("ceilings", "Ceilings"),
    ("rooflines", "Rooflines"),
    ("ladder", "Ladder"),
    ("staircase", "Staircase"),
    ("samples", "Samples over time"),
    ("points", "Points"),
    ("flags", "Flags"),
    ("reproduce", "How to reproduce"),
)


@dataclass(frozen=True)
class Picture:
    """One chart of the page."""

    name: str  # of its specification
    label: str  # on its tab
    chart: alt.TopLevelMixin
    notes: list[str]


def roofline_pictures(run: Run) -> list[Picture]:
    """One for each device, dtype and thread count."""
    pictures = []
    for part in parts_drawn(run):
        figure = make_figure(run, part)
        name, notes = f"roofline-{stem_of(part)}", roofline_notes(figure)
        pictures.append(Picture(name, name_of(part), chart.make_bare_chart(figure), notes))
    return pictures


def ladder_pictures(ladders: list[rungs.Ladder]) -> list[Picture]:
    """The largest product of each device, dtype and thread count, the cpu's last."""
    largest = rungs.largest_of_each(ladders)
    largest.sort(key=lambda ladder: order_of(ladder.head.device)[0])
    return [
        Picture(
            f"ladder-{rungs.file_name(ladder)}",
            rungs.family_name(ladder),
            rungs_chart.make_bare_chart(ladder),
            rungs.notes_of(ladder),
        )
        for ladder in largest
    ]


def staircase_pictures(run: Run) -> list[Picture]:
    """One for each sweep over sizes."""
    return [
        Picture(
            f"staircase-{i}",
            stairs.name_of(sweep),
            stairs_chart.make_bare_chart(sweep),
            stairs.notes_of(sweep),
        )
        for i, sweep in enumerate(stairs.find_sweeps(run))
    ]


def panels(pictures: list[Picture], label: str, without: str) -> str:
    """A picture for each tab; all of them where it is printed or without JavaScript. `without`
    stands where there is none."""
    if not pictures:
        return text("p", without, cls="faint")
    tabs = [
        text("button", p.label, type="button", role="tab", aria_controls=f"panel-{p.name}")
        for p in pictures
    ]
    figures = [
        tag(
            "figure",
            text("h3", p.label),
            tag("div", cls="chart", data_chart=p.name),
            tag("figcaption", *(text("p", note.replace(" %", "\u00a0%")) for note in p.notes)),
            id=f"panel-{p.name}",
            role="tabpanel",
            aria_label=p.label,
            cls="panel",
        )
        for p in pictures
    ]
    if len(pictures) == 1:
        return figures[0].replace('class="panel"', 'class="panel shown"', 1)
    bar = tag("div", *tabs, cls="tabs js-only", role="tablist", aria_label=label)
    return bar + "".join(figures)


# ---- Sections.


def head_of(run: Run) -> str:
    """Title, when and by what, the numbers that a reader takes away, and the contents."""
    meta, machine = run.meta, run.machine
    when = str(meta.get("started", "at an unknown time")).replace("T", " ").removesuffix("Z")
    sources = sorted({p.source for p in run.points} - {"measured"})
    warnings = [f"NOT MEASURED: this run holds {', '.join(sources)} points."] if sources else []
    if not meta.get("complete", True):
        warnings.append("The run is not complete: 'ridge run --resume' goes on with it.")
    line = (
        f"{machine.get('host', 'unknown host')}, {when} UTC. Suite {meta.get('suite', 'unknown')}, "
        f"{counted(len(run.points), 'point')}, {sum(len(p.seconds) for p in run.points)} samples, "
        f"ridge {meta.get('tool_version', '')} ({meta.get('commit', 'unknown commit')})."
    )
    links = [text("a", title, href=f"#{name}") for name, title in SECTIONS]
    return tag(
        "header",
        text("h1", headline_of(run)),
        text("p", line, cls="faint"),
        *(text("p", warning, cls="warning") for warning in warnings),
        key_numbers(run),
        text("p", values_sentence(run), cls="faint"),
        tag("nav", *links, aria_label="Contents"),
    )


def machine_section(run: Run) -> str:
    """Identity, caches, and what is peculiar."""
    m = run.machine
    smt = {True: "with", False: "without"}.get(m.get("smt"))
    clock, counter = m.get("core_clock_hz"), m.get("time_stamp_counter_hz")
    facts = definitions(
        [
            ("processor", m.get("cpu_model")),
            ("identity", identity_of(m)),
            ("cores", f"{m.get('cores', '?')}{f', {smt} hyperthreads' if smt else ''}"),
            ("threads used", m.get("thread_reason")),
            ("core clock", f"{si(clock, 'Hz')}, probed" if clock else None),
            ("time-stamp counter", si(counter, "Hz") if counter else None),
            ("memory", binary(float(m.get("memory_bytes") or 0))),
            ("system", ", ".join(str(m[k]) for k in ("os", "kernel") if m.get(k))),
            ("hypervisor", m.get("hypervisor") if m.get("virtual_machine") else None),
            ("governor", m.get("governor")),
            ("huge pages", m.get("transparent_huge_pages")),
            ("instructions", " ".join(m.get("isa_flags", []))),
        ]
    )
    found = peculiarities_of(run)
    peculiar = tag("ul", *(text("li", f"{s[0].upper()}{s[1:]}.") for s in found), cls="peculiar")
    heading = text("h3", "Peculiar about this machine") if found else ""
    return heading + (peculiar if found else "") + facts + caches_table(m) + device_tables(run)


def identity_of(machine: dict[str, Any]) -> str:
    """Vendor, family, model, stepping and microcode."""
    keys = ("family", "model", "stepping", "microcode")
    told = [str(machine.get("cpu_vendor", ""))]
    told += [f"{key} {machine[key]}" for key in keys if machine.get(key) not in (None, "")]
    return ", ".join(part for part in told if part)


def ceilings_section(run: Run) -> str:
    """What the columns mean, and the table."""
    explained = (
        "Typical: the median of time, what users get. Capable: the 25 % quantile of time, what the "
        "machine does undisturbed; it needs 40 samples. Fitted rows (fma, read ladder) come from "
        f"one joint fit per {part_words(run)}: from the plateau far from the ridge, or from "
        "the curve's asymptote where no point is that far away. Streams are the median over the "
        "points of one access mix. Sharpness p: the larger, the sharper the knee; at the ridge the "
        "rate is 2^(-1/p) of either roof. What the points do not determine is not given."
    )
    return text("p", explained) + ceilings_table(run)


def ladder_section(run: Run, pictures: list[Picture], ladders: list[rungs.Ladder]) -> str:
    """The largest products as pictures, all of them in a table, and what is wrong with a peer."""
    without = f"{rungs.NO_LADDER[0].upper()}{rungs.NO_LADDER[1:]}."
    drawn = panels(pictures, part_words(run).capitalize(), without)
    if not ladders:
        return drawn
    slow = [
        f"{rungs.name_of(ladder)}: {sentence}."
        for ladder in ladders
        for sentence in rungs.advice_of(ladder)
    ]
    explained = (
        f"Pictures: the largest product of each {part_words(run)}; the table has all. A rung "
        "is the one above it and one idea more; × below: how much faster than that. A peer is a "
        "library of others; the best one is the fastest. ±95 %: the median's interval."
    )
    advice = tag("ul", *(text("li", sentence) for sentence in slow), cls="peculiar advice")
    return drawn + text("p", explained) + (advice if slow else "") + ladders_table(ladders)


def samples_section(shown: list[Reading], zero_s: float) -> tuple[str, dict[str, Any]]:
    """The choice of a point, and the samples of all."""
    kept = {r.point.case_id: compact(course_of(r, zero_s)) for r in shown}
    choices = [text("option", describe(r.point), value=r.point.case_id) for r in shown]
    explained = (
        "A column is a round; in it, samples stand at the time since the round's first one. "
        "Line and grey band: the median and its 95 % interval. It begins with the point whose "
        "interval is the widest; a point's name in the table below shows its samples here."
    )
    first = kept[shown[0].point.case_id]
    label = text("label", "Point", for_="point")
    inner = [
        text("p", explained),
        tag("div", label, tag("select", *choices, id="point"), cls="choice js-only"),
        tag(
            "figure",
            tag("div", cls="chart", data_chart="samples"),
            tag("figcaption", text("p", first["note"], id="samples-note", aria_live="polite")),
        ),
    ]
    return "".join(inner), kept


def points_section(run: Run) -> str:
    """The search, the table and what its columns mean."""
    explained = (
        "Attainable: the smaller of the compute ceiling and the bandwidth of the point's level and "
        "access mix times its operations per byte; r: compared with the read roof, since its own "
        "mix has no ceiling. Bound: the smaller of the two; below half of it, latency. A star "
        "marks a control, measured beside each bench to know the machine's drift; nt are "
        "non-temporal stores, m is the number of multiply-adds per value."
    )
    search = tag(
        "div",
        text("label", "Search", for_="search"),
        '<input id="search" type="search" placeholder="f64 memory" autocomplete="off">',
        text("span", counted(len(run.points), "point"), id="found", cls="faint", role="status"),
        cls="choice js-only",
    )
    return text("p", explained) + search + points_table(run)


def reproduce_section(run: Run) -> str:
    """Command line, versions, and the suite's text."""
    meta = run.meta
    program, *words = [str(word) for word in meta.get("command_line", [])] or ["ridge run"]
    command = f"{program} {shlex.join(words)}"  # the program is two words: ridge run
    facts = definitions(
        [
            ("ridge", f"{meta.get('tool_version', '')}, commit {meta.get('commit', 'unknown')}"),
            ("compiler", meta.get("compiler")),
            ("begun, ended", f"{meta.get('started', '?')}, {meta.get('ended', '?')}"),
            ("benches were run with", " ".join(str(a) for a in meta.get("child_arguments", []))),
            ("environment", ", ".join(f"{k}={v}" for k, v in environment_of(run).items())),
        ]
    )
    suite = str(meta.get("suite_text", "")).rstrip()
    closed = tag(
        "details",
        text("summary", f"Suite {meta.get('suite', '')}"),
        tag("pre", escaped(suite)),
        open="open",
    )
    return tag("pre", escaped(command)) + text("p", "") + facts + (closed if suite else "")


def environment_of(run: Run) -> dict[str, Any]:
    """Variables that change how libraries run, as they were found."""
    found = run.machine.get("environment", {})
    return found if isinstance(found, dict) else {}


def data_of(pictures: list[Picture], kept: dict[str, Any]) -> dict[str, Any]:
    """What report.js reads."""
    return {
        "charts": {p.name: p.chart.to_dict() for p in pictures},
        "samples": kept,
        "roundColors": ROUND_COLORS,
    }


def make_page(run: Run) -> str:
    """The whole page."""
    rooflines, staircases = roofline_pictures(run), staircase_pictures(run)
    ladders = rungs.find_ladders(run)
    rung_pictures = ladder_pictures(ladders)
    shown = sorted(readings_of(run), key=spread_of, reverse=True)
    course, kept = text("p", "No point has a valid sample.", cls="faint"), {}
    pictures = [*rooflines, *rung_pictures, *staircases]
    if shown:
        course, kept = samples_section(shown, first_start(run))
        first = samples.make_bare_chart(kept[shown[0].point.case_id])
        pictures.append(Picture("samples", "", first, []))
    bodies = {
        "machine": machine_section(run),
        "ceilings": ceilings_section(run),
        "rooflines": panels(rooflines, part_words(run).capitalize(), NO_ROOFLINE),
        "ladder": ladder_section(run, rung_pictures, ladders),
        "staircase": panels(staircases, "Access mix", NO_STAIRCASE),
        "samples": course,
        "points": points_section(run),
        "flags": flags_table(run),
        "reproduce": reproduce_section(run),
    }
    sections = [
        tag("section", text("h2", title), bodies[name], id=name) for name, title in SECTIONS
    ]
    content = head_of(run) + tag("main", *sections)
    return document(run, content, data_of(pictures, kept))


def document(run: Run, content: str, data: dict[str, Any]) -> str:
    """The page around its content: style, data and scripts inside it."""
    title = text("title", f"ridge: {listed(models_of(run))}")
    style, behaviour = ((HERE / name).read_text("utf-8") for name in ("report.css", "report.js"))
    missing = "The charts need JavaScript; 'ridge report --figures' also writes them as SVG."
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escaped(POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"{title}\n<style>\n{style}</style>\n</head>\n<body>",
        content,
        text("noscript", missing),
        f'<script type="application/json" id="data">{script_data(data)}</script>',
        f"<script>{vl_convert.javascript_bundle()}</script>",
        f"<script>\n{behaviour}</script>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)
