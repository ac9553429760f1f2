"""From one chart definition to HTML, SVG, PNG and PDF."""

from __future__ import annotations

import html
import json
import pathlib
from typing import Any

import altair as alt
import vl_convert

ACTIONS = {"export": True, "source": False, "compiled": False, "editor": False}  # of a chart's menu


def escape_script(data: str) -> str:
    """JSON inside a script: a text of the file that looks like the script's end stays a text."""
    return data.replace("<", "\\u003c")


def script_data(value: Any) -> str:
    """As JSON inside a script element."""
    return escape_script(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def to_html(chart: alt.TopLevelMixin, title: str) -> str:
    """A page that needs no network."""
    page = chart.to_html(inline=True, embed_options={"actions": ACTIONS})
    before, found, after = page.rpartition("const spec = ")
    data, newline, rest = after.partition("\n")
    page = before + found + escape_script(data) + newline + rest
    return page.replace("<head>", f"<head>\n  <title>{html.escape(title)}</title>", 1)


def render(
    chart: alt.TopLevelMixin, title: str, formats: list[str], scale: float
) -> dict[str, bytes]:
    """Every format that is asked for, by its name; the PNG is so many times the size of the SVG."""
    specification = chart.to_json()
    makers = {
        "html": lambda: to_html(chart, title).encode(),
        "svg": lambda: vl_convert.vegalite_to_svg(specification).encode(),
        "png": lambda: vl_convert.vegalite_to_png(specification, scale=scale),
        "pdf": lambda: vl_convert.vegalite_to_pdf(specification),
    }
    return {name: makers[name]() for name in formats}


def render_to(
    stem: pathlib.Path,
    chart: alt.TopLevelMixin,
    title: str,
    formats: list[str],
    scale: float = 2.0,
) -> dict[pathlib.Path, bytes]:
    """The same, by the files that they become: STEM.html ..."""
    files = render(chart, title, formats, scale)
    return {stem.with_name(f"{stem.name}.{name}"): content for name, content in files.items()}
