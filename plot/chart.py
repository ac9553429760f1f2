"""The roofline's chart definition: a Figure becomes an Altair chart, which is then HTML, SVG, PNG
and PDF."""

from __future__ import annotations

import altair as alt

from canvas import FAINT, HEIGHT, INK, WARNING, WIDTH, Plane, captioned, dressed, headed, layer
from canvas import position
from figure import Figure, caption_of, not_measured, subtitle_of, title_of
from marks import draw_dots, draw_knees, draw_roofs
from words import (
    draw_labels,
    draw_legend,
    draw_warning,
    place_roof_labels,
    ridge_label,
    stream_labels,
)

CAPTION_CHARACTERS = 195  # so many fill the width of the whole picture


def make_plot(figure: Figure) -> alt.LayerChart:
    """The plot with its axes, without title and caption."""
    plane, where = Plane(figure), position(figure)
    streams, stream_guides = stream_labels(figure, plane)
    ridge, ridge_guides = ridge_label(figure, plane)
    guides = (
        layer(stream_guides + ridge_guides, "guides")
        .mark_line(strokeWidth=1, strokeDash=[2, 3], color=FAINT)
        .encode(**where, detail="guide:N")
    )
    words = streams + ridge
    roofs = place_roof_labels(figure, plane, words, stream_guides + ridge_guides)
    return alt.layer(
        *draw_warning(figure, plane, where),
        guides,
        draw_roofs(figure, where),
        *draw_knees(figure, where),
        *draw_labels(words, plane, where, "words"),
        *draw_labels(roofs, plane, where, "roof_labels"),
        *draw_dots(figure, where),
        *draw_legend(figure, plane, where),
    ).properties(width=WIDTH, height=HEIGHT)


def make_bare_chart(figure: Figure) -> alt.LayerChart:
    """For a page that says the rest itself."""
    return dressed(make_plot(figure), title_of(figure)).properties(padding=4)


def make_chart(figure: Figure) -> alt.VConcatChart:
    """The whole picture: machine, dtype and threads above, or the warning first; notes below."""
    warning = not_measured(figure)
    title = f"{warning}. {title_of(figure)}" if warning else title_of(figure)
    plot = make_plot(figure).properties(
        title=headed(title, subtitle_of(figure), WARNING if warning else INK)
    )
    return dressed(alt.vconcat(plot), title_of(figure)).properties(
        title=captioned(caption_of(figure), CAPTION_CHARACTERS)
    )
