"""Where a label may stand: beside its line, in pixels, on nothing that is already there.

Everything in the way is a disc (x, y, radius), x to the right and y down; a line is a row of small
ones. A label's box is turned with its line, so the discs are turned into the box's frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

CHARACTER_EM = 0.56  # mean width of Helvetica's letters and digits, and a little more
GAP = 3.0  # pixels between a line and its label
MARGIN = 28.0  # pixels between the ends of a line and its label
FARTHER = 9.0  # pixels: over the dots on the line, where there is no place between them
STEP = 6.0  # pixels between two places that are tried


@dataclass(frozen=True)
class Label:
    """A text centred at (x, y) pixels, turned clockwise by `angle_deg`."""

    text: str
    x: float
    y: float
    angle_deg: float
    font_px: float
    color: str = "#000000"

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in pixels, before it is turned."""
        return len(self.text) * CHARACTER_EM * self.font_px, self.font_px

    def discs(self) -> list[tuple[float, float, float]]:
        """What it covers, for the labels that come after it."""
        width, height = self.size
        steps = max(int(width / (height / 2)), 1)
        cos, sin = math.cos(math.radians(self.angle_deg)), math.sin(math.radians(self.angle_deg))
        along = [(i / steps - 0.5) * width for i in range(steps + 1)]
        return [(self.x + t * cos, self.y + t * sin, height / 2) for t in along]


def line_discs(x0: float, y0: float, x1: float, y1: float) -> list[tuple[float, float, float]]:
    """A line of the picture as something in the way."""
    steps = max(int(math.hypot(x1 - x0, y1 - y0) / 3), 1)
    return [(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps, 1.0) for i in range(steps + 1)]


def crowding(label: Label, discs: np.ndarray) -> float:
    """The radii in pixels of all discs that touch its box: 0 for a free place."""
    angle = math.radians(label.angle_deg)
    dx, dy = discs[:, 0] - label.x, discs[:, 1] - label.y
    along = np.abs(dx * math.cos(angle) + dy * math.sin(angle))
    across = np.abs(dy * math.cos(angle) - dx * math.sin(angle))
    width, height = label.size
    touched = (along < width / 2 + discs[:, 2] + 2) & (across < height / 2 + discs[:, 2])
    return float(discs[touched, 2].sum())


def place_beside(
    text: str,
    font_px: float,
    line: tuple[float, float, float, float],
    discs: list[tuple[float, float, float]],
    color: str,
    from_end: bool = False,
) -> Label:
    """The first free place beside the line (x0, y0, x1, y1), above it, below it, or farther off,
    from its beginning or its end on; the least crowded one where none is free."""
    x0, y0, x1, y1 = line
    length = math.hypot(x1 - x0, y1 - y0)
    ux, uy = ((x1 - x0) / length, (y1 - y0) / length) if length > 0 else (1.0, 0.0)
    angle = math.degrees(math.atan2(uy, ux))
    half = Label(text, 0, 0, angle, font_px).size[0] / 2
    away = font_px / 2 + GAP
    there = np.array(discs).reshape(-1, 3)
    best, fewest = None, math.inf
    places = np.arange(half + MARGIN, max(length - half, half + MARGIN + 1), STEP)
    for offset in (away, -away, away + FARTHER, -away - FARTHER, away + 2 * FARTHER):
        for t in places[::-1] if from_end else places:
            label = Label(
                text, x0 + t * ux + offset * uy, y0 + t * uy - offset * ux, angle, font_px, color
            )
            crowded = crowding(label, there)
            if crowded == 0:
                return label
            if crowded < fewest:
                best, fewest = label, crowded
    assert best is not None  # there is always one place
    return best


def spread_apart(wanted: list[float], apart: float, least: float, most: float) -> list[float]:
    """Places in the same rising order, as near to the wanted ones as can be, neighbours at least
    so far apart, and all between `least` and `most` if they fit.

    Less their distances, the places must only not fall: that is isotonic regression, by pooling
    neighbours that stand in the wrong order (Ayer and others, 1955).
    """
    pools: list[list[float]] = []
    for i, place in enumerate(wanted):
        pools.append([place - i * apart])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    means = [float(np.mean(pool)) for pool in pools for _ in pool]
    highest = most - (len(wanted) - 1) * apart
    return [max(min(mean, highest), least) + i * apart for i, mean in enumerate(means)]
