/* ldmatrix and mma: the places of a fragment as the PTX manual has them (section "Warp Level Matrix
 * Instructions"): lane l holds row l / 4, and columns 2 (l mod 4) and one more. */
#include "tests/cuda/emulation/warp.h"

namespace emulation
{

enum { MATRICES = 4, ROWS = 8, ROW_BYTES = 16, DEPTH = 16, M = 16, N = 8, BANK_GROUPS = 8 };

static uint16_t half_of(uint32_t pair, unsigned which)
{
    return static_cast<uint16_t>(pair >> (16 * which));
}

/* The eight rows of a matrix are read at once: each should have 16 bytes of banks of its own. */
static void count_rows(Fiber *const *lanes, unsigned matrix)
{
    unsigned groups = 0;
    for (unsigned row = 0; row < ROWS; row++)
        groups |= 1u << lanes[matrix * ROWS + row]->value / ROW_BYTES % BANK_GROUPS;
    counters.ldmatrix_rows += ROWS;
    counters.ldmatrix_conflicts += ROWS - static_cast<unsigned>(__builtin_popcount(groups));
}

static uint16_t element_at(Fiber *const *lanes, unsigned matrix, unsigned row, unsigned column)
{
    uint16_t bits;
    memcpy(&bits, lanes[matrix * ROWS + row]->row + 2 * column, sizeof(bits));
    return bits;
}

static void deal(Fiber *const *lanes, unsigned matrix, bool transposed)
{
    for (unsigned lane = 0; lane < warp_lanes; lane++) {
        uint32_t pair = 0;
        for (unsigned which = 0; which < 2; which++) {
            const unsigned row = lane / 4, column = lane % 4 * 2 + which;
            const uint16_t element = transposed ? element_at(lanes, matrix, column, row)
                                                : element_at(lanes, matrix, row, column);
            pair |= static_cast<uint32_t>(element) << (16 * which);
        }
        lanes[lane]->fragment[matrix] = pair;
    }
}

void load_matrix(uint32_t (&fragment)[4], bool transposed, const void *row, Site site)
{
    Fiber *fiber = self();
    check_address(row, ROW_BYTES, site);
    fiber->value = shared_offset(row, site);
    sanitizer::reads(row, ROW_BYTES);
    memcpy(fiber->row, row, ROW_BYTES);
    meet(WarpOperation::ldmatrix, 0xffffffffu, site, [=](Fiber *const *lanes, unsigned mask) {
        if (mask != 0xffffffffu)
            fail("ldmatrix needs a whole warp", site);
        for (unsigned matrix = 0; matrix < MATRICES; matrix++) {
            count_rows(lanes, matrix);
            deal(lanes, matrix, transposed);
        }
    });
    memcpy(fragment, fiber->fragment, sizeof(fragment));
}

static void gather(Narrow type, Fiber *const *lanes, float (&a)[M][DEPTH], float (&b)[N][DEPTH])
{
    for (unsigned lane = 0; lane < warp_lanes; lane++) {
        const unsigned group = lane / 4, place = lane % 4 * 2;
        const uint32_t *fragment = lanes[lane]->fragment;
        for (unsigned which = 0; which < 2; which++) {
            for (unsigned i = 0; i < 4; i++)
                a[group + i % 2 * 8][place + which + i / 2 * 8] =
                    static_cast<float>(value_of(type, half_of(fragment[i], which)));
            for (unsigned i = 0; i < 2; i++)
                b[group][place + which + i * 8] =
                    static_cast<float>(value_of(type, half_of(fragment[4 + i], which)));
        }
    }
}

/* Products are exact in f32; how a Tensor Core rounds their sum is not documented: a tolerance. */
static void multiply(Narrow type, Fiber *const *lanes)
{
    float a[M][DEPTH], b[N][DEPTH];
    gather(type, lanes, a, b);
    for (unsigned lane = 0; lane < warp_lanes; lane++)
        for (unsigned i = 0; i < 4; i++) {
            const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            float sum = 0;
            for (unsigned k = 0; k < DEPTH; k++)
                sum += a[row][k] * b[column][k];
            lanes[lane]->sums[i] += sum;
        }
    counters.matrix_multiplies++;
}

void multiply_matrix(Narrow type, float (&d)[4], const uint32_t (&a)[4], const uint32_t *b,
                     Site site)
{
    Fiber *fiber = self();
    memcpy(fiber->fragment, a, sizeof(a));
    memcpy(fiber->fragment + 4, b, 2 * sizeof(*b));
    memcpy(fiber->sums, d, sizeof(d));
    meet(WarpOperation::mma, 0xffffffffu, site, [=](Fiber *const *lanes, unsigned mask) {
        if (mask != 0xffffffffu)
            fail("mma needs a whole warp", site);
        multiply(type, lanes);
    });
    memcpy(d, fiber->sums, sizeof(d));
}

} // namespace emulation
