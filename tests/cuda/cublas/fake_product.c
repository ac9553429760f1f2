/* The naive product, in double, of column-major matrices of any of the types. */
#include "tests/cuda/cublas/fake_blas.h"

#include <math.h>
#include <string.h>

/* By the bits of a format: sign, exponent, fraction; no infinities are asked for. */
static double from_bits(uint32_t bits, int exponent_bits, int fraction_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const int fraction = (int)(bits & ((1u << fraction_bits) - 1));
    const double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    const double whole = exponent ? (1 << fraction_bits) + fraction : fraction;
    return sign * ldexp(whole, (exponent ? exponent : 1) - bias - fraction_bits);
}

static double element(const void *elements, cudaDataType_t type, int64_t i)
{
    const uint16_t *halves = elements;
    const uint8_t *bytes = elements;
    switch (type) {
    case CUDA_R_32F: return ((const float *)elements)[i];
    case CUDA_R_64F: return ((const double *)elements)[i];
    case CUDA_R_16F: return from_bits(halves[i], 5, 10);
    case CUDA_R_16BF: return from_bits(halves[i], 8, 7);
    case CUDA_R_8F_E4M3: return from_bits(bytes[i], 4, 3);
    case CUDA_R_8F_E5M2: return from_bits(bytes[i], 5, 2);
    case CUDA_R_8I: return ((const int8_t *)elements)[i];
    default: return NAN;
    }
}

/* What a unit for tf32 reads of an f32: 10 bits of the fraction. */
static double tf32(double value)
{
    float f32 = (float)value;
    uint32_t bits;
    memcpy(&bits, &f32, sizeof(bits));
    bits &= 0xffffe000u;
    memcpy(&f32, &bits, sizeof(bits));
    return f32;
}

static double at(const struct fake_product *p, const struct fake_matrix *m, int64_t batch,
                 int64_t row, int64_t column)
{
    const int64_t place = m->is_transposed ? row * m->leading + column : column * m->leading + row;
    const double value = element(m->elements, m->type, batch * m->stride + place);
    return p->compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? tf32(value) : value;
}

static double scalar(const struct fake_product *p, const void *value)
{
    return p->compute == CUBLAS_COMPUTE_64F   ? *(const double *)value
           : p->compute == CUBLAS_COMPUTE_32I ? *(const int32_t *)value
                                              : (double)*(const float *)value;
}

static void store(const struct fake_matrix *c, int64_t i, double value)
{
    void *elements = (void *)c->elements;
    if (c->type == CUDA_R_64F)
        ((double *)elements)[i] = value;
    else if (c->type == CUDA_R_32I)
        ((int32_t *)elements)[i] = (int32_t)value;
    else
        ((float *)elements)[i] = (float)value;
}

static void multiply_one(const struct fake_product *p, int64_t batch, int64_t depth)
{
    const double alpha = scalar(p, p->alpha);
    for (int64_t j = 0; j < p->c.columns; j++)
        for (int64_t i = 0; i < p->c.rows; i++) {
            double sum = 0;
            for (int64_t l = 0; l < depth; l++)
                sum += at(p, &p->a, batch, i, l) * at(p, &p->b, batch, l, j);
            store(&p->c, batch * p->c.stride + j * p->c.leading + i, alpha * sum);
        }
}

/* ---- What the real ones take. */

static bool is_combined(const struct fake_product *p)
{
    static const struct {
        cudaDataType_t a, b, c;
        cublasComputeType_t compute;
    } known[] = {
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
        {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F},
        {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
        {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
        {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I},
        {CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].a == p->a.type && known[i].b == p->b.type && known[i].c == p->c.type &&
            known[i].compute == p->compute)
            return true;
    return false;
}

/* rows and columns are those of op(matrix). */
static bool fits(const struct fake_matrix *m, int64_t batch)
{
    const int64_t height = m->is_transposed ? m->columns : m->rows;
    const int64_t width = m->is_transposed ? m->rows : m->columns;
    const bool is_apart = batch == 1 || m->stride >= m->leading * width;
    return m->elements && m->rows > 0 && m->columns > 0 && m->leading >= height && is_apart;
}

cublasStatus_t fake_blas_judge(const struct fake_product *p)
{
    const bool is_int8 = p->a.type == CUDA_R_8I;
    if (!is_combined(p))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!fits(&p->a, p->batch) || !fits(&p->b, p->batch) || !fits(&p->c, p->batch))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->a.rows != p->c.rows || p->b.columns != p->c.columns || p->a.columns != p->b.rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (is_int8 && (p->a.leading % 4 || p->b.leading % 4))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fake_blas_multiply(const char *function, const struct fake_product *p)
{
    cublasStatus_t status = fake_blas_judge(p);
    if (status == CUBLAS_STATUS_SUCCESS &&
        (scalar(p, p->beta) != 0 || !p->workspace || (uintptr_t)p->workspace % 256))
        status = CUBLAS_STATUS_INVALID_VALUE; /* C is poison, which nothing may be added to */
    status = fake_blas_call(function, status);
    fake_blas_note(function, p);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    memset(p->workspace, 0xee, p->workspace_bytes);
    for (int64_t i = 0; i < p->batch; i++)
        multiply_one(p, i, p->a.columns);
    return CUBLAS_STATUS_SUCCESS;
}
