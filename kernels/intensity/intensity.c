#include "kernels/intensity/intensity.h"

#include "kernels/intensity/intensity_cuda.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

enum { MAX_BLOCK = INTENSITY_CUDA_BLOCK_BYTES / 2, MAX_PRODUCTS = 4 };

const int64_t intensity_fmas[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 0};

const char *const intensity_type_names[] = {"f32",   "f64",    "bf16",  "int8",
                                            "f16x2", "bf16x2", "int32", NULL};
const char *const intensity_sum_names[] = {"f32", "f64",  "f32",   "int32",
                                           "f16", "bf16", "int32", NULL};

/* Of a dot instruction: weights that differ from place to place, so that a wrong place is a wrong
 * sum. `largest`: values are the whole numbers from -largest to largest - 1, times `step`. */
static const struct {
    int products;
    double weights[MAX_PRODUCTS], largest, step, ratio;
    int bytes; /* of an element */
} rules[INTENSITY_ALL_TYPE_COUNT] = {
    [INTENSITY_F32] = {1, {1}, 0, 0, 1 - 0x1p-20, 4},
    [INTENSITY_F64] = {1, {1}, 0, 0, 1 - 0x1p-20, 8},
    [INTENSITY_BF16] = {2, {1, -2}, 16, 1, 1, 2},
    [INTENSITY_INT8] = {4, {1, 2, 3, 4}, 128, 1, 1, 1},
    [INTENSITY_F16X2] = {1, {1}, 1024, 0x1p-10, 0.5, 2},
    [INTENSITY_BF16X2] = {1, {1}, 128, 0x1p-7, 0.5, 2},
    [INTENSITY_INT32] = {1, {1}, 0x1p31, 1, 3, 4},
};

void intensity_shape_of(bool is_gpu, enum intensity_type type, struct intensity_shape *shape)
{
    if (is_gpu)
        *shape = (struct intensity_shape){.chains = INTENSITY_CUDA_CHAINS,
                                          .lanes = INTENSITY_CUDA_VECTOR_BYTES / rules[type].bytes,
                                          .products = 1,
                                          .out_bytes = INTENSITY_CUDA_OUT_BYTES};
    else
        *shape = (struct intensity_shape){.chains = intensity_chains(),
                                          .lanes = intensity_lanes(type),
                                          .products = intensity_products(type),
                                          .out_bytes = INTENSITY_OUT_BYTES};
}

int64_t intensity_element_bytes(enum intensity_type type)
{
    return rules[type].bytes;
}

double intensity_ratio(enum intensity_type type)
{
    return rules[type].ratio;
}

int intensity_products(enum intensity_type type)
{
    return rules[type].products;
}

double intensity_weight(enum intensity_type type, int place)
{
    return rules[type].weights[place];
}

double intensity_value(enum intensity_type type, double number)
{
    const double largest = rules[type].largest;
    return largest > 0 ? floor(number * largest) * rules[type].step : number;
}

/* `steps` fused multiply-adds with one value v: acc becomes acc * factor + v * sum, where
 * factor = r^steps and sum = 1 + r + ... + r^(steps-1) = (1 - r^steps) / (1 - r). The sum is
 * taken term by term: the quotient would lose the digits that 1 - r^steps cancels. */
struct closed_form {
    double factor, sum;
};

static struct closed_form take_steps(double r, int64_t steps, double modulus)
{
    struct closed_form form = {.factor = 1, .sum = 0};
    for (int64_t i = 0; i < steps; i++) {
        form.sum = form.sum * r + 1;
        form.factor *= r;
        if (modulus > 0) {
            form.sum = fmod(form.sum, modulus);
            form.factor = fmod(form.factor, modulus);
        }
    }
    return form;
}

/* The same for 32-bit whole numbers, which wrap around as the hardware's do. */
static double wrap(double acc, const struct closed_form *form, double term)
{
    const uint32_t was = (uint32_t)(int64_t)acc, added = (uint32_t)(int64_t)term;
    return (int32_t)(was * (uint32_t)form->factor + added * (uint32_t)form->sum);
}

/* What a block does to the accumulators. Every chain takes a value vector fmas / chains times or
 * once more: `least` and `more`; those from `first` on, round the ring, are the ones with more. */
struct expectation {
    enum intensity_type type;
    int chains, lanes;
    int64_t fmas;
    struct closed_form least, more;
};

/* What one step adds to a lane. */
static double weigh(enum intensity_type type, const double *values_of_lane)
{
    double sum = 0;
    for (int place = 0; place < rules[type].products; place++)
        sum += values_of_lane[place] * rules[type].weights[place];
    return sum;
}

static void feed_vector(const struct expectation *e, int64_t w, const double *value,
                        double *expected, double *scale)
{
    const int64_t rest = e->fmas % e->chains, first = w * e->fmas % e->chains;
    for (int chain = 0; chain < e->chains; chain++) {
        const int64_t turn = (chain - first + e->chains) % e->chains;
        const struct closed_form form = turn < rest ? e->more : e->least;
        double *acc = expected + chain * e->lanes;
        for (int lane = 0; lane < e->lanes; lane++) {
            const double term = weigh(e->type, value + lane * rules[e->type].products);
            acc[lane] = e->type == INTENSITY_INT32 ? wrap(acc[lane], &form, term)
                                                   : acc[lane] * form.factor + term * form.sum;
            *scale = fmax(*scale, fabs(acc[lane]));
        }
    }
}

static double rounded_r(const struct intensity_args *args)
{
    const bool is_dot = args->type == INTENSITY_BF16 || args->type == INTENSITY_INT8;
    return is_dot ? 1 : args->type == INTENSITY_F32 ? (double)(float)args->r : args->r;
}

static struct expectation expect_of(const struct intensity_args *args,
                                    const struct intensity_shape *shape)
{
    const double modulus = args->type == INTENSITY_INT32 ? 0x1p32 : 0, r = rounded_r(args);
    const int64_t least = args->fmas / shape->chains;
    return (struct expectation){
        .type = args->type,
        .chains = shape->chains,
        .lanes = shape->lanes,
        .fmas = args->fmas,
        .least = take_steps(r, least, modulus),
        .more = take_steps(r, least + 1, modulus),
    };
}

void intensity_expect(const struct intensity_args *args, int64_t begin, int64_t n, int64_t unit,
                      void (*values)(const void *state, int64_t first, int64_t count, double *out),
                      const void *state, double *expected, double *scale)
{
    struct intensity_shape shape = args->shape;
    if (!shape.chains)
        intensity_shape_of(false, args->type, &shape);
    const int64_t sums = (int64_t)shape.chains * shape.lanes, block = sums * shape.products;
    const int64_t blocks = n / block;
    const int64_t chunks = (blocks + args->chunk_blocks - 1) / args->chunk_blocks;
    assert(blocks >= 1 && n % block == 0 && block <= MAX_BLOCK);
    const int64_t first_block = unit % chunks * args->chunk_blocks;
    const int64_t end_block =
        first_block + args->chunk_blocks < blocks ? first_block + args->chunk_blocks : blocks;
    const struct expectation e = expect_of(args, &shape);

    *scale = 0;
    for (int64_t i = 0; i < sums; i++)
        expected[i] = 0;
    for (int64_t b = first_block; b < end_block; b++) {
        double value[MAX_BLOCK];
        values(state, begin + b * block, block, value);
        for (int64_t w = 0; w < e.chains; w++)
            feed_vector(&e, w, value + w * (block / e.chains), expected, scale);
    }
}
