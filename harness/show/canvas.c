#include "harness/show/canvas.h"

#include <math.h>
#include <string.h>

enum { DOTS_ACROSS = 2, DOTS_DOWN = 4, BRAILLE_BASE = 0x2800 };

void canvas_begin(struct canvas *canvas, int columns, int rows)
{
    memset(canvas, 0, sizeof(*canvas));
    canvas->columns = columns < CANVAS_MOST_COLUMNS ? columns : CANVAS_MOST_COLUMNS;
    canvas->rows = rows < CANVAS_MOST_ROWS ? rows : CANVAS_MOST_ROWS;
}

static bool is_inside(double x, double y)
{
    return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}

/* Index of the dot or character that a coordinate of 0..1 falls into. */
static int bin(double part, int count)
{
    int index = (int)floor(part * count);
    return index < count ? index : count - 1;
}

void canvas_dot(struct canvas *canvas, double x, double y, int color)
{
    static const unsigned char bits[DOTS_DOWN][DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (!is_inside(x, y))
        return;
    int dx = bin(x, canvas->columns * DOTS_ACROSS), dy = bin(1 - y, canvas->rows * DOTS_DOWN);
    canvas->dots[dy / DOTS_DOWN][dx / DOTS_ACROSS] |= bits[dy % DOTS_DOWN][dx % DOTS_ACROSS];
    canvas->colors[dy / DOTS_DOWN][dx / DOTS_ACROSS] = (unsigned char)color;
}

void canvas_line(struct canvas *canvas, double x0, double y0, double x1, double y1, int color)
{
    int steps = 2 * (canvas->columns * DOTS_ACROSS + canvas->rows * DOTS_DOWN);
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps;
        canvas_dot(canvas, x0 + t * (x1 - x0), y0 + t * (y1 - y0), color);
    }
}

void canvas_mark(struct canvas *canvas, double x, double y, char mark, int color)
{
    if (!is_inside(x, y))
        return;
    int column = bin(x, canvas->columns), row = bin(1 - y, canvas->rows);
    canvas->marks[row][column] = mark;
    canvas->colors[row][column] = (unsigned char)color;
}

void canvas_text(struct canvas *canvas, double x, double y, const char *text, int color)
{
    if (!is_inside(x, y))
        return;
    int column = bin(x, canvas->columns), row = bin(1 - y, canvas->rows);
    for (; *text && column < canvas->columns; text++, column++) {
        if (canvas->marks[row][column])
            continue;
        canvas->marks[row][column] = *text;
        canvas->colors[row][column] = (unsigned char)color;
    }
}

static void print_braille(unsigned char dots, FILE *file)
{
    int code = BRAILLE_BASE + dots;
    fputc(0xe0 | code >> 12, file);
    fputc(0x80 | (code >> 6 & 0x3f), file);
    fputc(0x80 | (code & 0x3f), file);
}

void canvas_print_row(const struct canvas *canvas, int row, bool color, FILE *file)
{
    for (int c = 0; c < canvas->columns; c++) {
        bool is_colored = color && canvas->colors[row][c];
        if (is_colored)
            fprintf(file, "\033[%dm", canvas->colors[row][c]);
        if (canvas->marks[row][c])
            fputc(canvas->marks[row][c], file);
        else if (canvas->dots[row][c])
            print_braille(canvas->dots[row][c], file);
        else
            fputc(' ', file);
        if (is_colored)
            fputs("\033[0m", file);
    }
}
