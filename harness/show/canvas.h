/* A picture in characters: lines in Braille dots (2 x 4 to a character), marks and text on top. */
#pragma once

#include "harness/base/status.h"

#include <stdbool.h>
#include <stdio.h>

enum { CANVAS_MOST_COLUMNS = 200, CANVAS_MOST_ROWS = 60 };

struct canvas {
    int columns, rows; /* characters */
    unsigned char dots[CANVAS_MOST_ROWS][CANVAS_MOST_COLUMNS];
    char marks[CANVAS_MOST_ROWS][CANVAS_MOST_COLUMNS];           /* 0: none */
    unsigned char colors[CANVAS_MOST_ROWS][CANVAS_MOST_COLUMNS]; /* ANSI foreground, 0: none */
};

void canvas_begin(struct canvas *canvas, int columns, int rows);

/* Coordinates run from 0 to 1, left to right and bottom to top; what lies outside is left out. */
void canvas_dot(struct canvas *canvas, double x, double y, int color);
void canvas_line(struct canvas *canvas, double x0, double y0, double x1, double y1, int color);
void canvas_mark(struct canvas *canvas, double x, double y, char mark, int color);
/* Text that starts at x, on the row that y falls into; it does not cover marks. */
void canvas_text(struct canvas *canvas, double x, double y, const char *text, int color);

/* One row, without its newline. */
void canvas_print_row(const struct canvas *canvas, int row, bool color, FILE *file);
