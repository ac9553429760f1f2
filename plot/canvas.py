"""The picture's sheet: its size and looks, its logarithmic axes, and how a layer of it is begun.

Colours are Okabe and Ito's (Color Universal Design, 2008), which the colour-blind tell apart, and
Tol's wine (Colour Schemes, 2021) for what no processor has; each level has its own shape as well,
so that a grey print says the same.
"""

from __future__ import annotations

import math
import textwrap
from typing import Any

import altair as alt

from figure import Figure
from units import si

WIDTH, HEIGHT = 980, 560  # pixels of the plot without its axes
PADDING = 18  # pixels around a picture
FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
INK, FAINT, GRID, WARNING = "#1a1a1a", "#595959", "#e4e4e4", "#b33c00"
LOOKS = {
    "shared": ("#882255", "triangle-down"),
    "L1": ("#0072B2", "circle"),
    "L2": ("#009E73", "square"),
    "L3": ("#CC79A7", "triangle-up"),
    "L4": ("#E69F00", "cross"),
    "memory": ("#D55E00", "diamond"),
    "compute": ("#000000", "circle"),
}

OTHER_LOOK = ("#56B4E9", "triangle-left")
TEXT_SHADE = 0.7  # of a colour, where it is text: readable on white

Rows = list[dict[str, Any]]


def look_of(level: str) -> tuple[str, str]:
    """Colour and shape of a level."""
    return LOOKS.get(level, OTHER_LOOK)


def shaded(color: str) -> str:
    """A darker one, for text."""
    channels = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(TEXT_SHADE * channel):02x}" for channel in channels)


class Plane:
    """Both logarithmic axes: from values to pixels (y down) and back."""

    def __init__(self, figure: Figure, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.width, self.height = width, height
        self.x = (figure.least_intensity, figure.most_intensity)
        self.y = (figure.least_ops_per_s, figure.most_ops_per_s)

    def to_px(self, intensity: float, ops_per_s: float) -> tuple[float, float]:
        """Operations per byte and operations/s to pixels."""
        across = math.log(intensity / self.x[0]) / math.log(self.x[1] / self.x[0])
        up = math.log(ops_per_s / self.y[0]) / math.log(self.y[1] / self.y[0])
        return across * self.width, (1 - up) * self.height

    def from_px(self, x: float, y: float) -> dict[str, float]:
        """Pixels to a row's x and y."""
        return {
            "x": self.x[0] * (self.x[1] / self.x[0]) ** (x / self.width),
            "y": self.y[0] * (self.y[1] / self.y[0]) ** (1 - y / self.height),
        }


def layer(rows: Rows, name: str) -> alt.Chart:
    """A named layer: its name stands in the SVG as the class of its marks."""
    return alt.Chart(alt.InlineData(values=rows), name=name)


def draw_symbols(rows: Rows, name: str, where: dict[str, Any], keys: list[str]) -> alt.Chart:
    """Dots in the colour, shape and filling of their rows; hovering one tells the keys."""
    return (
        layer(rows, name)
        .mark_point(size=85, strokeWidth=2, opacity=1)
        .encode(
            **where,
            stroke=alt.Stroke("color:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
            tooltip=[alt.Tooltip(f"{key}:N") for key in keys],
        )
    )


def dressed(chart: alt.TopLevelMixin, description: str) -> alt.TopLevelMixin:
    """The looks that all pictures share: fonts, axes, a white ground."""
    return (
        chart.properties(description=description, background="white", padding=PADDING)
        .configure(font=FONT)
        .configure_view(stroke=FAINT)
        .configure_axis(
            labelFontSize=13,
            titleFontSize=14,
            titleFontWeight="normal",
            titlePadding=10,
            labelColor=INK,
            titleColor=INK,
            gridColor=GRID,
            domainColor=FAINT,
            tickColor=FAINT,
        )
    )


def headed(text: str, subtitle: str, color: str = INK) -> alt.TitleParams:
    """A title flush left, with a line below it."""
    return alt.TitleParams(
        text=[text],
        subtitle=[subtitle],
        anchor="start",
        frame="bounds",
        offset=14,
        fontSize=20,
        color=color,
        subtitleFontSize=14,
        subtitleColor=FAINT,
        subtitlePadding=6,
    )


def captioned(lines: list[str], characters: int) -> alt.TitleParams:
    """Paragraphs below a picture, wrapped to so many characters."""
    return alt.TitleParams(
        text=[
            line
            for text in lines
            for line in textwrap.wrap(text, characters, subsequent_indent="    ")
        ],
        orient="bottom",
        anchor="start",
        frame="bounds",
        offset=14,
        fontSize=12,
        fontWeight="normal",
        color=FAINT,
        lineHeight=17,
    )


def intensity_label(exponent: int) -> str:
    """2^exponent, as a fraction below 1."""
    return str(2**exponent) if exponent >= 0 else f"1/{2**-exponent}"


def axis(labels: dict[float, str], title: str) -> alt.Axis:
    """Ticks where the labels are."""
    cases = "".join(f"abs(datum.value/{v!r}-1)<1e-6?'{t}':" for v, t in labels.items())
    return alt.Axis(values=list(labels), labelExpr=f"{cases}''", title=title, labelOverlap=False)


def position(figure: Figure, octaves: int = 1) -> dict[str, Any]:
    """The x and y that all layers share, with a tick at every so many octaves."""
    first = math.ceil(math.log2(figure.least_intensity) - 1e-9)
    last = math.floor(math.log2(figure.most_intensity))
    across = {2.0**e: intensity_label(e) for e in range(first, last + 1) if e % octaves == 0}
    low, high = figure.least_ops_per_s, figure.most_ops_per_s
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [m * 10.0**d for d in decades for m in (1, 2, 5) if low <= m * 10.0**d <= high]
    up = {v: si(v, "op/s").replace(".00", "").replace(".0 ", " ") for v in values}
    return {
        "x": alt.X(
            "x:Q",
            scale=alt.Scale(
                type="log",
                base=2,
                nice=False,
                domain=[figure.least_intensity, figure.most_intensity],
            ),
            axis=axis(across, "operations per byte"),
        ),
        "y": alt.Y(
            "y:Q",
            scale=alt.Scale(type="log", nice=False, domain=[low, high]),
            axis=axis(up, "operations per second"),
        ),
    }
