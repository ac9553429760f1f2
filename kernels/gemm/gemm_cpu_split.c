#include "kernels/gemm/gemm_cpu_split.h"

#include "harness/measure/team.h"

/* Of team_part_begin's parts the largest. */
static int64_t largest_part(int64_t count, int64_t granule, int parts)
{
    const int64_t granules = (count + granule - 1) / granule;
    const int64_t part = (granules + parts - 1) / parts * granule;
    return part < count ? part : count;
}

struct gemm_part gemm_split(int64_t rows, int64_t columns, int row_granule, int column_granule,
                            int thread, int thread_count)
{
    int best = 1;
    int64_t least_area = INT64_MAX, least_edge = INT64_MAX;
    for (int across = 1; across <= thread_count; across++) {
        const int64_t width = largest_part(columns, column_granule, across);
        const int64_t height = largest_part(rows, row_granule, thread_count / across);
        const int64_t area = width * height, edge = width + height;
        if (area < least_area || (area == least_area && edge < least_edge)) {
            best = across;
            least_area = area;
            least_edge = edge;
        }
    }
    const int down = thread_count / best;
    if (thread >= best * down)
        return (struct gemm_part){0};
    return (struct gemm_part){
        .row = team_part_begin(rows, row_granule, thread / best, down),
        .row_end = team_part_begin(rows, row_granule, thread / best + 1, down),
        .column = team_part_begin(columns, column_granule, thread % best, best),
        .column_end = team_part_begin(columns, column_granule, thread % best + 1, best),
    };
}
