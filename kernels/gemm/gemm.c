#include "kernels/gemm/gemm.h"

const char *const gemm_type_names[] = {"f32",  "f64",  "bf16", "int8", "f16",
                                       "tf32", "e4m3", "e5m2", NULL};
const char *const gemm_sum_names[] = {"f32", "f64", "f32", "int32", "f32",
                                      "f32", "f32", "f32", NULL};

int64_t gemm_element_bytes(enum gemm_type type)
{
    static const int64_t bytes[GEMM_TYPE_COUNT] = {4, 8, 2, 1, 2, 4, 1, 1};
    return bytes[type];
}

int64_t gemm_sum_bytes(enum gemm_type type)
{
    return type == GEMM_F64 ? 8 : 4;
}

void gemm_unit_rows(const struct kernel *kernel, const struct gemm_args *args, int64_t unit,
                    int64_t *first, int64_t *count)
{
    const int64_t rows = args->batch * args->m;
    const int64_t units = kernel->units ? kernel->units(args) : 1;
    *first = rows * unit / units;
    *count = rows * (unit + 1) / units - *first;
}

enum status gemm_cpu_supports(const void *untyped)
{
    const struct gemm_args *args = untyped;
    if (args->type >= GEMM_CPU_TYPE_COUNT)
        return FAIL(STATUS_SKIP, "no rung of the CPU multiplies %s", gemm_type_names[args->type]);
    return STATUS_OK;
}

double gemm_operations(const struct gemm_args *args)
{
    return 2.0 * (double)args->m * (double)args->n * (double)args->k * (double)args->batch;
}

double gemm_operand_bytes(const struct gemm_args *args)
{
    const double m = (double)args->m, n = (double)args->n, k = (double)args->k;
    return (double)args->batch * ((m * k + k * n) * (double)gemm_element_bytes(args->type) +
                                  m * n * (double)gemm_sum_bytes(args->type));
}
