#include "kernels/intensity/intensity.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

enum { MAX_BLOCK = INTENSITY_OUT_BYTES, MAX_PRODUCTS = 4 };

const int64_t intensity_fmas[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 0};

const char *const intensity_type_names[] = {"f32", "f64", "bf16", "int8", NULL};
const char *const intensity_sum_names[] = {"f32", "f64", "f32", "int32", NULL};

/* Of a dot instruction: weights that differ from place to place, so that a wrong place is a wrong
 * sum, and whole numbers from -largest to largest - 1 as values. */
static const struct {
    int products;
    double weights[MAX_PRODUCTS], largest;
} rules[INTENSITY_TYPE_COUNT] = {
    [INTENSITY_F32] = {1, {1}, 0},
    [INTENSITY_F64] = {1, {1}, 0},
    [INTENSITY_BF16] = {2, {1, -2}, 16},
    [INTENSITY_INT8] = {4, {1, 2, 3, 4}, 128},
};

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
    return largest > 0 ? floor(number * largest) : number;
}

/* `steps` fused multiply-adds with one value v: acc becomes acc * factor + v * sum, where
 * factor = r^steps and sum = 1 + r + ... + r^(steps-1) = (1 - r^steps) / (1 - r). The sum is
 * taken term by term: the quotient would lose the digits that 1 - r^steps cancels. */
struct closed_form {
    double factor, sum;
};

static struct closed_form take_steps(double r, int64_t steps)
{
    struct closed_form form = {.factor = 1, .sum = 0};
    for (int64_t i = 0; i < steps; i++) {
        form.sum = form.sum * r + 1;
        form.factor *= r;
    }
    return form;
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
            acc[lane] = acc[lane] * form.factor + term * form.sum;
            *scale = fmax(*scale, fabs(acc[lane]));
        }
    }
}

static double rounded_r(const struct intensity_args *args)
{
    if (args->type >= INTENSITY_FMA_TYPE_COUNT)
        return 1;
    return args->type == INTENSITY_F32 ? (double)(float)args->r : args->r;
}

void intensity_expect(const struct intensity_args *args, int64_t begin, int64_t n, int64_t unit,
                      void (*values)(const void *state, int64_t first, int64_t count, double *out),
                      const void *state, double *expected, double *scale)
{
    const int64_t block = intensity_block(args->type), blocks = n / block;
    const int64_t chunks = (blocks + args->chunk_blocks - 1) / args->chunk_blocks;
    assert(blocks >= 1 && n % block == 0);
    const int64_t first_block = unit % chunks * args->chunk_blocks;
    const int64_t end_block =
        first_block + args->chunk_blocks < blocks ? first_block + args->chunk_blocks : blocks;
    const struct expectation e = {
        .type = args->type,
        .chains = intensity_chains(),
        .lanes = intensity_lanes(args->type),
        .fmas = args->fmas,
        .least = take_steps(rounded_r(args), args->fmas / intensity_chains()),
        .more = take_steps(rounded_r(args), args->fmas / intensity_chains() + 1),
    };

    *scale = 0;
    for (int64_t i = 0; i < intensity_sums(args->type); i++)
        expected[i] = 0;
    for (int64_t b = first_block; b < end_block; b++) {
        double value[MAX_BLOCK];
        values(state, begin + b * block, block, value);
        for (int64_t w = 0; w < e.chains; w++)
            feed_vector(&e, w, value + w * (block / e.chains), expected, scale);
    }
}
