"""The one chart definition: a Figure becomes an Altair chart, which is then HTML, SVG and PNG."""

from __future__ import annotations

import textwrap

import altair as alt

from canvas import FAINT, FONT, GRID, HEIGHT, INK, WARNING, WIDTH, Plane, layer, position
from figure import Figure, caption_of, not_measured, subtitle_of, title_of
from marks import draw_dots, draw_roofs
from words import (
    draw_labels,
    draw_legend,
    draw_warning,
    place_roof_labels,
    ridge_label,
    stream_labels,
)

CAPTION_PX, CAPTION_CHARACTERS = 12, 195  # so many fill the width of the whole picture


def make_title(figure: Figure) -> alt.TitleParams:
    """Machine, dtype, threads; below it numbers and date, or the warning first."""
    warning = not_measured(figure)
    return alt.TitleParams(
        text=[f"{warning}. {title_of(figure)}" if warning else title_of(figure)],
        subtitle=[subtitle_of(figure)],
        anchor="start",
        frame="bounds",
        offset=14,
        fontSize=20,
        color=WARNING if warning else INK,
        subtitleFontSize=14,
        subtitleColor=FAINT,
        subtitlePadding=6,
    )


def make_caption(figure: Figure) -> alt.TitleParams:
    """The paragraphs below, wrapped to the picture's width."""
    lines = [
        line
        for text in caption_of(figure)
        for line in textwrap.wrap(text, CAPTION_CHARACTERS, subsequent_indent="    ")
    ]
    return alt.TitleParams(
        text=lines,
        orient="bottom",
        anchor="start",
        frame="bounds",
        offset=14,
        fontSize=CAPTION_PX,
        fontWeight="normal",
        color=FAINT,
        lineHeight=17,
    )


def make_chart(figure: Figure) -> alt.VConcatChart:
    """The picture."""
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
    plot = alt.layer(
        *draw_warning(figure, plane, where),
        guides,
        draw_roofs(figure, where),
        *draw_labels(words, plane, where, "words"),
        *draw_labels(roofs, plane, where, "roof_labels"),
        *draw_dots(figure, where),
        *draw_legend(figure, plane, where),
    ).properties(width=WIDTH, height=HEIGHT, title=make_title(figure))
    return (
        alt.vconcat(plot)
        .properties(
            description=title_of(figure), title=make_caption(figure), background="white", padding=18
        )
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
