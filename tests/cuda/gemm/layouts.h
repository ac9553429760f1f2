/* Where mma.sync keeps its matrices, as PTX ISA draws it, section "Matrix Fragments for
 * mma.m*n*k*": data, apart from all code that computes with it. Of lane l, groupID = l / 4 and
 * threadID = l mod 4; element i of a fragment (the lowest bits of its first register first) stands
 * at
 *
 *     A    row groupID + a[i].row,                  column a_step threadID + a[i].column
 *     B    row b_step threadID + b[i],              column groupID
 *     D    row groupID + d[i].row,                  column 2 threadID + d[i].column
 */
#pragma once

struct Offset {
    int row, column;
};

struct Layout {
    const char *name;
    int depth, bits; /* of an element of A and B */
    int a_step, a_count;
    Offset a[16];
    int b_step, b_count;
    int b[8];
};

static const Offset d_offsets[] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}};

static const Layout layout_m16n8k16_16bit = {
    "m16n8k16, f16 and bf16",
    16,
    16,
    2,
    8,
    {{0, 0}, {0, 1}, {8, 0}, {8, 1}, {0, 8}, {0, 9}, {8, 8}, {8, 9}},
    2,
    4,
    {0, 1, 8, 9}};
static const Layout layout_m16n8k8_tf32 = {
    "m16n8k8, tf32", 8, 32, 1, 4, {{0, 0}, {8, 0}, {0, 4}, {8, 4}}, 1, 2, {0, 4}};
static const Layout layout_m16n8k8_f64 = {
    "m16n8k8, f64", 8, 64, 1, 4, {{0, 0}, {8, 0}, {0, 4}, {8, 4}}, 1, 2, {0, 4}};
static const Layout layout_m16n8k32_8bit = {"m16n8k32, s8 and fp8",
                                            32,
                                            8,
                                            4,
                                            16,
                                            {{0, 0},
                                             {0, 1},
                                             {0, 2},
                                             {0, 3},
                                             {8, 0},
                                             {8, 1},
                                             {8, 2},
                                             {8, 3},
                                             {0, 16},
                                             {0, 17},
                                             {0, 18},
                                             {0, 19},
                                             {8, 16},
                                             {8, 17},
                                             {8, 18},
                                             {8, 19}},
                                            4,
                                            8,
                                            {0, 1, 2, 3, 16, 17, 18, 19}};
