/* A CUDA runtime on host memory, linked instead of NVIDIA's: the programs' own code up to the
 * runtime's functions runs as it is, their kernels run by the emulation, and every call can be made
 * to fail. What is timed is the emulation, so records say `emulated`.
 *
 * RIDGE_FAKE_CUDA is the script, words separated by commas:
 *
 *     fail=cudaMalloc:2[:CODE]   the 2nd call of that function fails, once (default: 2 for what
 *                                allocates, 999 for the rest)
 *     sticky=3[:CODE]            from the 3rd question whether the stream is idle, every call
 *                                fails (default 700, an illegal address)
 *     broken=2[:CODE]            the 2nd kernel launched fails while it runs: the next question
 *                                whether the stream is idle says so, and then every call
 *     hang=3                     from then on, the stream never becomes idle
 *     latch=2                    the 2nd latch times out instead of being opened
 *     devices=N driver=N         how many GPUs; the driver's version (0: none; 11040: too old)
 *     capability=N memory=N      90 for 9.0; bytes of device memory
 *     mig=1 exclusive=1 full=1   a MIG instance; held by another process; no memory left
 *
 * At the end a JSON line is appended to the file that RIDGE_FAKE_CUDA_REPORT names: how often each
 * function was called, what was not given back, what waited behind a closed latch. A program that
 * gave something not back ends with code 99.
 */
#pragma once

#include <cuda_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>

enum { FAKE_LEAK_EXIT = 99, FAKE_WAITED_EXIT = 98 };

/* Counts the call; what the script wants of it, else `otherwise`. An error stays until asked for.
 */
cudaError_t fake_call(const char *function, cudaError_t otherwise);

/* A call that on a GPU waits for all that is queued: behind a closed latch it would wait for it. */
cudaError_t fake_waiting_call(const char *function, cudaError_t otherwise);

/* Value of a word of the script, or `otherwise`. */
long fake_script(const char *word, long otherwise);

/* The error kept on this thread, and its end; a sticky one never ends. */
cudaError_t fake_last_error(bool and_clear);

/* Is all done that was queued? Counts for sticky= and hang=. */
cudaError_t fake_query(const char *function);

/* A launch that was accepted. Counts for broken=. */
void fake_launched(void);

/* What is acquired must be given back. */
enum fake_kind { FAKE_MEMORY, FAKE_HOST_MEMORY, FAKE_STREAM, FAKE_EVENT, FAKE_KIND_COUNT };
void *fake_acquire(enum fake_kind kind, size_t bytes);
bool fake_give_back(enum fake_kind kind, void *thing);
size_t fake_memory_used(void);
