"""HTML from Python: every text is escaped where it enters."""

from __future__ import annotations

import html
from collections.abc import Iterable


def escaped(text: object) -> str:
    """A text of the file or of ours, safe between tags and in attributes."""
    return html.escape(str(text), quote=True)


def tag(name: str, *inner: str, **attributes: object) -> str:
    """An element around HTML; attributes are texts, `cls` stands for class, _ for a hyphen, and
    None leaves one out."""
    told = "".join(
        f' {"class" if key == "cls" else key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{told}>{''.join(inner)}</{name}>"


def text(name: str, content: object, **attributes: object) -> str:
    """An element around a text."""
    return tag(name, escaped(content), **attributes)


def row(cells: Iterable[str], **attributes: object) -> str:
    """A line of a table."""
    return tag("tr", *cells, **attributes)


def number(shown: str, value: float | None = None, **attributes: object) -> str:
    """A cell to the right; `value` is what it is sorted by."""
    told = None if value is None else f"{value:.9g}"
    return text("td", shown, cls="number", data_v=told, **attributes)


def definitions(pairs: Iterable[tuple[str, object]]) -> str:
    """Names and values, without those that are not known."""
    lines = [
        text("dt", name) + text("dd", value) for name, value in pairs if value not in (None, "")
    ]
    return tag("dl", *lines, cls="facts")
