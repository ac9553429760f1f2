/* Rung 3: tiles in registers. Rung 2 loads two elements from shared memory for each multiply-add;
 * here a thread keeps a square of sums and loads a column of A and a row of B for it, so that each
 * load of 16 bytes serves 16 multiply-adds in f32 (8 x 8 sums, 4 loads) and 4 in f64 (4 x 4, 4).
 * All memory is moved in pieces of 16 bytes, and the next tile is on its way in registers while
 * this one is multiplied: one barrier per tile.
 *
 * Traffic from the L2 per multiply-add, in elements: 2 / 128 in f32, 2 / 64 in f64.
 * Banks: A stands transposed, for a thread needs neighbouring rows at once. The lanes that store at
 * the same time hold 16 rows of 2 pieces of depth (f64: 4 of 4): `swizzle` moves each piece's rows
 * to banks of their own.
 *
 * What limits it next: the plain cores' multiply-adds; only the Tensor Cores have more. */
#include "kernels/gemm/gemm_cuda.cuh"

enum { THREADS = 256, THREADS_ACROSS = 16, DEPTH = 8 };

template <class T>
struct shape {
    static constexpr int chunk = 16 / sizeof(T); /* elements in 16 bytes */
    static constexpr int side = 2 * chunk * THREADS_ACROSS;
    static constexpr int depth_chunks = DEPTH / chunk, side_chunks = side / chunk;
    static_assert(DEPTH * side / chunk == THREADS, "16 bytes of A and of B for each thread");
    static constexpr int swizzle = 128 / static_cast<int>(sizeof(T)) / depth_chunks;
};

template <class T>
struct tiles {
    T a[DEPTH][shape<T>::side], b[DEPTH][shape<T>::side];
};

/* Each thread carries 16 bytes of A and of B from global to shared memory. */
template <class T>
struct cargo {
    gemm_chunk<T> a, b;
};

/* Where it takes them, and how far along the depth of a tile that is: NOWHERE if A has no such row,
 * or B no such column. */
constexpr int NOWHERE = 0x7fffffff;

template <class T>
struct source {
    const T *a, *b;
    int a_depth, b_depth;
};

template <class T>
PORT_DEVICE source<T> find_source(const gemm_work &work, const gemm_place &place)
{
    using s = shape<T>;
    const int piece = static_cast<int>(threadIdx.x);
    const int64_t a_row = place.row + piece / s::depth_chunks;
    const int64_t b_column = place.column + piece % s::side_chunks * s::chunk;
    const int a_depth = piece % s::depth_chunks * s::chunk, b_depth = piece / s::side_chunks;
    source<T> from;
    from.a = static_cast<const T *>(work.a) + (place.matrix * work.m + a_row) * work.k + a_depth;
    from.b = static_cast<const T *>(work.b) + (place.matrix * work.k + b_depth) * work.n + b_column;
    from.a_depth = a_row < work.m ? a_depth : NOWHERE;
    from.b_depth = b_column < work.n ? b_depth : NOWHERE;
    return from;
}

/* left: of the depth, from the tile's beginning on. */
template <bool is_aligned, class T>
PORT_DEVICE cargo<T> fetch(source<T> &from, const gemm_work &work, const gemm_place &place,
                           int64_t left)
{
    using s = shape<T>;
    int64_t b_left = s::chunk;
    if constexpr (!is_aligned)
        b_left = work.n - place.column - static_cast<int>(threadIdx.x) % s::side_chunks * s::chunk;
    const cargo<T> fetched = {
        gemm_load_chunk<is_aligned>(from.a, left - from.a_depth),
        gemm_load_chunk<is_aligned>(from.b, left > from.b_depth ? b_left : 0)};
    from.a += DEPTH;
    from.b += DEPTH * work.n;
    return fetched;
}

template <class T>
PORT_DEVICE void put(tiles<T> &to, const cargo<T> &cargo)
{
    using s = shape<T>;
    const int piece = static_cast<int>(threadIdx.x);
    const int depth_chunk = piece % s::depth_chunks, row = piece / s::depth_chunks;
    CUDA_UNROLL
    for (int j = 0; j < s::chunk; j++)
        shared_store(&to.a[depth_chunk * s::chunk + j][row ^ depth_chunk * s::swizzle],
                     cargo.a.at[j]);
    shared_store16(reinterpret_cast<gemm_chunk<T> *>(
                       &to.b[piece / s::side_chunks][piece % s::side_chunks * s::chunk]),
                   cargo.b);
}

/* A thread's two chunks of rows, or of columns, lie half a tile apart, so that neighbouring threads
 * read neighbouring 16 bytes. */
template <class T>
using sums = T[2 * shape<T>::chunk][2 * shape<T>::chunk];

template <class T>
PORT_DEVICE void multiply(sums<T> &total, const tiles<T> &from, int y, int x)
{
    using s = shape<T>;
    CUDA_UNROLL
    for (int l = 0; l < DEPTH; l++) {
        gemm_chunk<T> a[2], b[2];
        CUDA_UNROLL
        for (int half = 0; half < 2; half++) {
            const int row = (half * s::side / 2 + y * s::chunk) ^ l / s::chunk * s::swizzle;
            const int column = half * s::side / 2 + x * s::chunk;
            a[half] = shared_load16(reinterpret_cast<const gemm_chunk<T> *>(&from.a[l][row]));
            b[half] = shared_load16(reinterpret_cast<const gemm_chunk<T> *>(&from.b[l][column]));
        }
        CUDA_UNROLL
        for (int i = 0; i < 2 * s::chunk; i++)
            CUDA_UNROLL
        for (int j = 0; j < 2 * s::chunk; j++)
            total[i][j] = gemm_multiply_add(a[i / s::chunk].at[i % s::chunk],
                                            b[j / s::chunk].at[j % s::chunk], total[i][j]);
    }
}

template <bool is_aligned, class T>
PORT_DEVICE void store(const sums<T> &total, const gemm_work &work, const gemm_place &place, int y,
                       int x)
{
    using s = shape<T>;
    const int64_t column = place.column + x * s::chunk;
    int64_t row = place.row + y * s::chunk;
    T *to = static_cast<T *>(work.c) + (place.matrix * work.m + row) * work.n + column;
    CUDA_UNROLL
    for (int i = 0; i < 2 * s::chunk; i++) {
        CUDA_UNROLL
        for (int half = 0; half < 2; half++) {
            const int across = half * s::side / 2;
            gemm_chunk<T> chunk;
            CUDA_UNROLL
            for (int j = 0; j < s::chunk; j++)
                chunk.at[j] = total[i][half * s::chunk + j];
            gemm_store_chunk(to + across, chunk, row < work.m ? work.n - column - across : 0,
                             is_aligned);
        }
        const int down = i == s::chunk - 1 ? s::side / 2 - s::chunk + 1 : 1;
        row += down;
        to += down * work.n;
    }
}

template <class T, bool is_aligned>
static __global__ void __launch_bounds__(THREADS, is_aligned ? 2 : 1) gemm_registers(gemm_work work)
{
    CUDA_SHARED(tiles<T>, stage, [2]);
    const gemm_place place = gemm_find_place(work, shape<T>::side, shape<T>::side);
    /* A warp is 4 threads down by 8 across, the block 4 warps down by 2 across. */
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int y = warp / 2 * 4 + lane / 8, x = warp % 2 * 8 + lane % 8;
    sums<T> total = {};
    source<T> from = find_source<T>(work, place);
    cargo<T> next = fetch<is_aligned>(from, work, place, work.k);
    put(stage[0], next);
    __syncthreads();
    int current = 0;
    CUDA_NO_UNROLL
    for (int64_t left = work.k; left > 0; left -= DEPTH, current ^= 1) {
        if (left > DEPTH)
            next = fetch<is_aligned>(from, work, place, left - DEPTH);
        multiply<T>(total, stage[current], y, x);
        if (left > DEPTH)
            put(stage[current ^ 1], next);
        __syncthreads();
    }
    store<is_aligned, T>(total, work, place, y, x);
}

template <class T>
static int launch(const struct gemm_args *args, void *stream)
{
    using s = shape<T>;
    gemm_work work = gemm_describe_work(args);
    const unsigned blocks = gemm_cut_tiles(work, s::side, s::side);
    const bool is_aligned = work.k % s::chunk == 0 && work.n % s::chunk == 0;
    if (blocks == 0)
        return CUDA_INVALID_VALUE;
    if (is_aligned)
        CUDA_LAUNCH((gemm_registers<T, true>), blocks, THREADS, 0, stream, work);
    else
        CUDA_LAUNCH((gemm_registers<T, false>), blocks, THREADS, 0, stream, work);
    return CUDA_LAUNCH_ERROR();
}

int gemm_cuda_3_registers(const struct gemm_args *args, const struct cuda_grid *, void *stream)
{
    switch (static_cast<int>(args->type)) {
    case GEMM_F32: return launch<float>(args, stream);
    case GEMM_F64: return launch<double>(args, stream);
    default: return CUDA_INVALID_VALUE;
    }
}
