/* Rung 4: dot instructions. Rung 3 widens bf16 and int8 until each fills a 32-bit lane, and so
 * multiplies no more of them in a cycle than of f32; here a lane takes two products of bf16 or four
 * of int8, added to its f32 or int32 in one instruction. Blocks and tiles are those of rung 3; only
 * packing differs: it puts two or four rows of B side by side (kernels/gemm/operand).
 *
 * Traffic per multiply-add (2 operations): from L2 2 bytes of bf16 or 1 of int8 per 8 (6 where
 * there are 16 registers), as much per cycle as rung 3. What limits it next: the dot units, while
 * matrices are large. Packing remains, now two or four times as dear beside the multiplication, and
 * small or narrow products are packed, too: there rung 3, which does not, may be faster. */
#include "isa_list.h"
#include "kernels/gemm/gemm_cpu_blocking.h"
#include "kernels/isa/isa.h"
#include "kernels/kernels.h"

#include <string.h>

#define DECLARE(set, set_name, type, TYPE, dot, name)                                              \
    extern const struct gemm_micro gemm_micro_##set##_##type;
ISA_DOT_LIST(DECLARE)

/* Beside isa_dots, row by row. */
#define ROW(set, set_name, type, TYPE, dot, name)                                                  \
    {set_name, GEMM_##TYPE, {.micro = &gemm_micro_##set##_##type}},
static const struct dot_loops {
    const char *isa_name;
    enum gemm_type type;
    struct gemm_blocked blocked;
} dot_loops[] = {ISA_DOT_LIST(ROW){NULL, GEMM_TYPE_COUNT, {0}}};

static const struct gemm_blocked *chosen(const struct gemm_args *args)
{
    for (int i = 0; dot_loops[i].isa_name; i++)
        if (dot_loops[i].type == args->type && kernels_cpu_has_dot(i) &&
            strcmp(dot_loops[i].isa_name, kernels_cpu_isa_name()) == 0)
            return &dot_loops[i].blocked;
    return NULL;
}

static enum status supports(const void *untyped)
{
    const struct gemm_args *args = untyped;
    const char *name = gemm_type_names[args->type], *set = kernels_cpu_isa_name();
    if (args->type == GEMM_F32 || args->type == GEMM_F64)
        return FAIL(STATUS_SKIP, "dot instructions multiply bf16 and int8 only, not %s", name);
    if (chosen(args))
        return STATUS_OK;
    int last = -1;
    for (int i = 0; dot_loops[i].isa_name; i++)
        if (dot_loops[i].type == args->type)
            last = i;
    if (last < 0)
        return FAIL(STATUS_SKIP, "no dot instruction of %s multiplies %s here yet", set, name);
    if (kernels_cpu_has_dot(last))
        return FAIL(STATUS_SKIP, "%s has no dot instruction for %s: %s belongs to %s", set, name,
                    isa_dots[last].name, dot_loops[last].isa_name);
    return FAIL(STATUS_SKIP, "this processor lacks %s, the dot instruction for %s",
                isa_dots[last].name, name);
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
    const struct gemm_blocked *blocked = chosen(args);
    return blocked ? gemm_blocked_workspace_bytes(args, blocked, thread_count) : 0;
}

static void describe(const void *args, int thread_count, char *text, size_t size)
{
    (void)thread_count;
    gemm_blocked_describe(args, chosen(args), text, size);
}

static bool traffic(const void *args, struct kernel_traffic *moved)
{
    const struct gemm_blocked *blocked = chosen(args);
    return blocked && gemm_blocked_traffic(args, blocked, moved);
}

const struct kernel gemm_cpu_dot = {
    .name = "dot",
    .idea = "one instruction takes two products of bf16 or four of int8 per lane",
    .launch = launch,
    .limit = "the dot units; packing, done even where a matrix is used once",
    .supports = supports,
    .workspace_bytes = workspace_bytes,
    .describe = describe,
    .traffic = traffic,
};
