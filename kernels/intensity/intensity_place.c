#include "kernels/intensity/intensity_place.h"

#include "kernels/intensity/intensity_cuda.h"

#include <math.h>

enum { CHUNK_BYTES = 256 << 10, FEWEST_MEMORY_BYTES = 64 << 20, CACHES_PER_MEMORY = 4 };

const char *const intensity_level_names[] = {"L1", "L2", "L3", "memory", "shared", NULL};

/* How one part is cut. */
struct cut {
    int64_t parts, blocks, most_blocks; /* blocks of a part, and at most of a chunk */
};

bool intensity_has_level(const struct device_info *info, enum intensity_level level)
{
    return level == INTENSITY_LEVEL_SHARED
               ? info->multiprocessors > 0
               : level == INTENSITY_LEVEL_MEMORY || (int)level < info->levels.count;
}

/* ---- A CPU: a part per thread. */

/* Bytes of the array per thread: three quarters of L1 (a short walk pays more for its ends) and
 * half of another private cache; of a shared one a quarter (neighbours use it, too), but twice the
 * level below; four times the last cache for memory. */
static double part_bytes(const struct levels *levels, enum intensity_level where, int64_t count)
{
    const double threads = (double)count;
    if (where == INTENSITY_LEVEL_MEMORY)
        return fmax(FEWEST_MEMORY_BYTES, CACHES_PER_MEMORY * (double)levels_last_bytes(levels)) /
               threads;
    const struct level *level = &levels->level[where];
    double below = where ? 2 * (double)levels->level[where - 1].capacity_bytes : 0;
    double capacity = (double)level->capacity_bytes;
    double share = level->shared ? capacity / 4 / threads : capacity * (where ? 0.5 : 0.75);
    return fmax(share, below);
}

static struct cut cut_for_cpu(const struct device_info *info, enum intensity_level level,
                              int64_t threads, int64_t block_bytes)
{
    const double bytes = part_bytes(&info->levels, level, threads);
    return (struct cut){.parts = threads,
                        .blocks = (int64_t)fmax(1, bytes / (double)block_bytes),
                        .most_blocks = CHUNK_BYTES / block_bytes};
}

/* ---- A GPU: a part per block of threads, as many as are there at once.
 *
 * Two blocks of 8 warps keep 64 KiB of loads in flight and 16 independent multiply-adds per thread:
 * enough for what lies inside the multiprocessor, and fewer, longer chunks cost less at their ends.
 * For what lies outside it is four, which fit even where a thread takes 64 registers. */
enum { NEAR_PARTS = 2, FAR_PARTS = 4, RESERVED_SHARED_BYTES = 1 << 10 };

static struct cut cut_for_gpu(const struct device_info *info, enum intensity_level level)
{
    const double l2_bytes = (double)levels_last_bytes(&info->levels);
    const double near_bytes = (double)info->shared_bytes / NEAR_PARTS;
    const bool is_near = level == INTENSITY_LEVEL_SHARED || level == INTENSITY_LEVEL_L1;
    const int parts = info->multiprocessors * (is_near ? NEAR_PARTS : FAR_PARTS);
    const double bytes = level == INTENSITY_LEVEL_SHARED   ? near_bytes - RESERVED_SHARED_BYTES
                         : level == INTENSITY_LEVEL_L1     ? 0.75 * near_bytes
                         : level == INTENSITY_LEVEL_MEMORY ? CACHES_PER_MEMORY * l2_bytes / parts
                                                           : l2_bytes / 2 / parts;
    const int most_blocks = CHUNK_BYTES / INTENSITY_CUDA_BLOCK_BYTES;
    int64_t blocks = (int64_t)fmax(1, bytes / INTENSITY_CUDA_BLOCK_BYTES);
    if (level == INTENSITY_LEVEL_MEMORY) /* up to whole chunks: less would be cached */
        blocks = (blocks + most_blocks - 1) / most_blocks * most_blocks;
    return (struct cut){.parts = parts, .blocks = blocks, .most_blocks = most_blocks};
}

/* ---- */

static struct cut cut_for(const struct device_info *info, enum intensity_level level,
                          int64_t threads, int64_t block_bytes)
{
    return info->multiprocessors ? cut_for_gpu(info, level)
                                 : cut_for_cpu(info, level, threads, block_bytes);
}

static int64_t block_elements(const struct intensity_shape *shape)
{
    return (int64_t)shape->chains * shape->lanes * shape->products;
}

double intensity_buffer_bytes(const struct device_info *info, enum intensity_level level,
                              int64_t threads)
{
    if (!info->multiprocessors)
        return (part_bytes(&info->levels, level, threads) + INTENSITY_OUT_BYTES) * (double)threads;
    const struct cut cut = cut_for_gpu(info, level);
    return (double)cut.parts *
           (double)(cut.blocks * INTENSITY_CUDA_BLOCK_BYTES + INTENSITY_CUDA_OUT_BYTES);
}

void intensity_place(const struct device_info *info, enum intensity_level level, int64_t threads,
                     struct intensity_args *args)
{
    const bool is_gpu = info->multiprocessors > 0;
    intensity_shape_of(is_gpu, args->type, &args->shape);
    const int64_t block = block_elements(&args->shape);
    const struct cut cut =
        cut_for(info, level, threads, block * intensity_element_bytes(args->type));
    args->parts = cut.parts;
    args->chunk_blocks = cut.blocks < cut.most_blocks ? cut.blocks : cut.most_blocks;
    args->count = cut.blocks / args->chunk_blocks * args->chunk_blocks * block * cut.parts;
    args->from_shared = level == INTENSITY_LEVEL_SHARED;
    args->past_l1 = is_gpu && (level == INTENSITY_LEVEL_L2 || level == INTENSITY_LEVEL_MEMORY);
}

int64_t intensity_units(const struct intensity_args *args)
{
    return args->count / args->parts / block_elements(&args->shape) / args->chunk_blocks;
}
