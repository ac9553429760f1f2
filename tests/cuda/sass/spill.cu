/* Compiled with fewer registers than it needs, so that it spills: the check of the machine code
 * must say so. */
extern "C" __global__ void spills(float *data, int rounds)
{
    float sums[96];
#pragma unroll
    for (int i = 0; i < 96; i++)
        sums[i] = data[i];
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < 96; i++)
            sums[i] = fmaf(sums[i], sums[(i + 1) % 96], sums[(i + 7) % 96]);
#pragma unroll
    for (int i = 0; i < 96; i++)
        data[i] = sums[i];
}
