/* Rung 3: a tile of C stays in registers, and A and B are copied into the order in which they are
 * used. Rung 2 loads and stores C around each multiply-add, two loads and a store for one step of a
 * core's units; here a step of a tile (gemm_cpu_micro_tile.h: 8 rows x 3 vectors) is 24 multiply-
 * adds on 11 loads, and C is touched once per depth block (gemm_cpu_blocking.c) of 256 or 512
 * steps. Packed, each load hits a line that was just read or follows it: no strides, no conflicts
 * in a cache, no new pages.
 *
 * Traffic per multiply-add (2 operations): from L2 1/8 of an element of B (1/6 where there are 16
 * registers); from L3 1/240 of one of A; from memory C, read and written once per depth block: in
 * f64 16 bytes per 256 multiply-adds. bf16 and int8 are widened while they are packed and then cost
 * as much as f32 and int32.
 * What limits it next: the multiply-add units; what they lose (8 % on Zen 4) goes into the ends of
 * tiles and into packing. For bf16 and int8 that is no end: dot instructions do 2 or 4 products in
 * the place of one. */
#include "isa_list.h"
#include "kernels/gemm/gemm_cpu_blocking.h"
#include "kernels/kernels.h"

#define DECLARE_TYPE(set, type)                                                                    \
    extern const struct gemm_micro gemm_micro_##set##_gemm_##type;                                 \
    extern const struct gemm_micro_direct gemm_micro_direct_##set##_gemm_##type;
#define DECLARE(set, name, vector_bytes)                                                           \
    DECLARE_TYPE(set, f32) DECLARE_TYPE(set, f64) DECLARE_TYPE(set, bf16) DECLARE_TYPE(set, int8)
ISA_LIST(DECLARE)

#define ROW_TYPE(set, type)                                                                        \
    {                                                                                              \
        &gemm_micro_##set##_gemm_##type, &gemm_micro_direct_##set##_gemm_##type                    \
    }
#define ROW(set, name, vector_bytes)                                                               \
    {[GEMM_F32] = ROW_TYPE(set, f32),                                                              \
     [GEMM_F64] = ROW_TYPE(set, f64),                                                              \
     [GEMM_BF16] = ROW_TYPE(set, bf16),                                                            \
     [GEMM_INT8] = ROW_TYPE(set, int8)},
static const struct gemm_blocked loops[][GEMM_CPU_TYPE_COUNT] = {ISA_LIST(ROW)};

static const struct gemm_blocked *chosen(const struct gemm_args *args)
{
    return &loops[kernels_cpu_isa()][args->type];
}

static enum status launch(struct device *device, const void *untyped, int64_t first_unit,
                          int64_t unit_count)
{
    (void)first_unit;
    const struct gemm_args *args = untyped;
    return gemm_blocked_launch(device, args, chosen(args), unit_count);
}

static size_t workspace_bytes(const void *args, int thread_count)
{
    return gemm_blocked_workspace_bytes(args, chosen(args), thread_count);
}

static void describe(const void *args, int thread_count, char *text, size_t size)
{
    (void)thread_count;
    gemm_blocked_describe(args, chosen(args), text, size);
}

static bool traffic(const void *args, struct kernel_traffic *moved)
{
    return gemm_blocked_traffic(args, chosen(args), moved);
}

const struct kernel gemm_cpu_packed = {
    .name = "packed",
    .idea = "a tile of C stays in registers, and A and B are copied into the order of their use",
    .launch = launch,
    .limit = "the multiply-add units: one product per lane, and bf16 and int8 take whole lanes",
    .supports = gemm_cpu_supports,
    .workspace_bytes = workspace_bytes,
    .describe = describe,
    .traffic = traffic,
};
