#include "harness/measure/main.h"

#include "harness/measure/case.h"
#include "harness/measure/cases_file.h"
#include "harness/measure/describe.h"
#include "harness/measure/explain.h"
#include "harness/measure/options.h"
#include "harness/measure/runner.h"
#include "kernels/blas/blas.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/* Orphans must not go on measuring: if the harness dies, so does its child. */
static void die_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
}

static enum status make_plan(const struct options *options, const struct plan_context *context,
                             struct plan *plan)
{
    if (options->cases)
        return cases_file_read(options->cases, main_bench, main_controls, context, plan);
    if (options->controls)
        TRY(plan_add_controls(plan, main_controls, main_bench, context));
    TRY(plan_add(plan, main_bench, options->kernel, options->settings, context));
    return plan_refuse_empty(plan, main_bench);
}

/* How a finished point is shown: as a row, or as a lesson. */
struct shower {
    struct table table;
    const struct plan *plan;
    const struct plan_context *context;
    struct roof_book book;
    bool explains;
};

static void show_point(void *arg, const struct record *point)
{
    struct shower *shower = arg;
    if (!shower->explains) {
        table_row(&shower->table, point);
        return;
    }
    for (size_t i = 0; i < shower->plan->count; i++)
        if (strcmp(shower->plan->cases[i].case_id, point->case_id) == 0)
            explain(stdout, &shower->book, &shower->plan->cases[i],
                    device_info(shower->context->device), point);
}

static enum status open_shower(const struct options *options, struct shower *shower)
{
    shower->explains = options->explain;
    if (options->explain)
        return roof_book_open(options->roof, &shower->book);
    table_begin(&shower->table, stdout, options->format, shower->plan, shower->context);
    return STATUS_OK;
}

static void close_shower(struct shower *shower)
{
    if (shower->explains)
        roof_book_close(&shower->book);
    else
        table_end(&shower->table);
}

static enum status run_plan(const struct options *options, const struct plan_context *context,
                            const struct plan *plan, struct emit *emit)
{
    struct shower shower = {.plan = plan, .context = context};
    struct runner_result result;
    struct runner_options how = {.policy = &options->policy,
                                 .run_id = options->run_id,
                                 .child = options->child,
                                 .check_only = options->mode == MODE_CHECK};
    bool prints = emit->record_fd < 0;
    if (prints)
        TRY(open_shower(options, &shower));
    enum status status =
        runner_run(plan, context, &how, emit, prints ? show_point : NULL, &shower, &result);
    if (prints)
        close_shower(&shower);
    if (status == STATUS_OK && result.wrong)
        status = FAIL(STATUS_WRONG_ANSWER, "%d of %zu cases gave a wrong answer", result.wrong,
                      result.count);
    else if (status == STATUS_OK && prints && result.count && result.skipped == (int)result.count)
        status = FAIL(STATUS_SKIP, "all of the %zu cases were skipped: %s", result.count,
                      result.points[0].reason);
    else if (status == STATUS_OK && result.failed)
        status = FAIL(STATUS_DEVICE, "%d of %zu cases could not be measured", result.failed,
                      result.count);
    runner_result_clear(&result);
    return status;
}

/* One launch and nothing else, so that a profiler sees the kernel alone. */
static enum status profile(const struct plan *plan, const struct plan_context *context)
{
    const struct planned_case *planned = &plan->cases[0];
    struct bench_case c = {.device = context->device, .kernel = planned->kernel, .amplitude = 1};
    TRY(device_set_threads(context->device, (int)plan_axis(planned, "threads", 1)));
    TRY(plan_state(planned, &c.state));
    enum status status = planned->bench->setup(&c);
    if (status == STATUS_OK)
        status = planned->bench->run(&c, 0, 1);
    if (status == STATUS_OK)
        status = device_finish(context->device);
    case_free_buffers(&c);
    free(c.state);
    return status;
}

static enum status act(const struct options *options, const struct plan_context *context,
                       const struct plan *plan)
{
    struct emit emit;
    if (options->mode == MODE_LIST) {
        if (options->format == OUTPUT_JSONL)
            return cases_file_list_records(plan, context, stdout);
        cases_file_list(plan, context, stdout);
        return STATUS_OK;
    }
    if (options->mode == MODE_PROFILE)
        return profile(plan, context);
    TRY(emit_open(options->record, options->ack, &emit));
    enum status status = run_plan(options, context, plan, &emit);
    emit_close(&emit);
    return status;
}

static enum status with_device(const struct options *options)
{
    struct device *device;
    struct plan plan = {0};
    TRY(device_open(&options->device, &device));
    struct plan_context context = {.device = device,
                                   .policy = &options->policy,
                                   .pages = options->device.pages,
                                   .constant_fill = options->constant_fill,
                                   .isa_forced = options->device.isa != NULL};
    enum status status = options->blas ? blas_open_path(options->blas) : STATUS_OK;
    if (status == STATUS_OK)
        status = make_plan(options, &context, &plan);
    if (status == STATUS_OK)
        status = act(options, &context, &plan);
    plan_clear(&plan);
    device_close(device);
    return status;
}

static enum status print_description(void)
{
    char *json;
    TRY(describe_bench(main_bench, &json));
    puts(json);
    free(json);
    return STATUS_OK;
}

static enum status print_devices(void)
{
    device_list(describe_device, stdout);
    return fflush(stdout) == 0 ? STATUS_OK : FAIL(STATUS_IO, "cannot write the list of devices");
}

int main(int argc, char **argv)
{
    struct options options;
    options_parse(argc, argv, main_bench, &options);
    if (options.ack)
        die_with_parent();
    enum status status = options.mode == MODE_DESCRIBE  ? print_description()
                         : options.mode == MODE_DEVICES ? print_devices()
                                                        : with_device(&options);
    if (status != STATUS_OK)
        error_print(main_bench->name);
    return status_exit_code(status);
}
