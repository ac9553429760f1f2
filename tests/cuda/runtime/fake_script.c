/* The script of the fake runtime, and its books: calls, errors, what is held, what waits. */
#include "kernels/cuda/latch.h"
#include "tests/cuda/runtime/fake.h"
#include "tests/cuda/runtime/fake_signals.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FUNCTIONS = 64, MOST_THINGS = 4096 };

static const char *const kind_names[] = {"memory", "host memory", "streams", "events"};

static struct {
    pthread_mutex_t lock;
    struct {
        const char *function;
        long calls;
    } counted[MOST_FUNCTIONS];
    struct {
        enum fake_kind kind;
        size_t bytes;
        void *thing;
    } held[MOST_THINGS];
    long queries, latches, launches, waited;
    cudaError_t sticky;
    bool hangs, reports;
    struct cuda_latch *latch; /* closed, in front of the stream */
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local cudaError_t last_error;

/* ---- The script. */

static const char *find_word(const char *word)
{
    const char *script = getenv("RIDGE_FAKE_CUDA");
    const size_t length = strlen(word);
    for (; script && *script; script += strcspn(script, ","), script += *script == ',')
        if (strncmp(script, word, length) == 0 && script[length] == '=')
            return script + length + 1;
    return NULL;
}

long fake_script(const char *word, long otherwise)
{
    const char *value = find_word(word);
    return value ? strtol(value, NULL, 10) : otherwise;
}

/* "name:2:CODE" or "2:CODE" from behind the colon of the count; 0: none given. */
static long code_of(const char *count)
{
    char *end;
    strtol(count, &end, 10);
    return *end == ':' ? strtol(end + 1, NULL, 10) : 0;
}

static cudaError_t scripted_failure(const char *function, long calls)
{
    const char *value = find_word("fail");
    const size_t length = strlen(function);
    if (!value || strncmp(value, function, length) != 0 || value[length] != ':')
        return cudaSuccess;
    if (strtol(value + length + 1, NULL, 10) != calls)
        return cudaSuccess;
    const bool allocates = strstr(function, "lloc") || strstr(function, "Create");
    const long code = code_of(value + length + 1);
    return (cudaError_t)(code ? code : allocates ? cudaErrorMemoryAllocation : cudaErrorUnknown);
}

/* ---- Calls. */

static void write_report(void)
{
    long left[FAKE_KIND_COUNT] = {0}, all = 0;
    const char *path = getenv("RIDGE_FAKE_CUDA_REPORT"), *comma = "";
    for (int i = 0; i < MOST_THINGS; i++)
        if (fake.held[i].thing)
            left[fake.held[i].kind]++, all++;
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "{\"calls\":{");
        for (int i = 0; i < MOST_FUNCTIONS && fake.counted[i].function; i++, comma = ",")
            fprintf(file, "%s\"%s\":%ld", comma, fake.counted[i].function, fake.counted[i].calls);
        fprintf(file, "},\"left\":%ld,\"waited\":%ld,\"hangs\":%d}\n", all, fake.waited,
                fake.hangs);
        fclose(file);
    }
    if (fake.hangs) /* then nothing can be given back */
        return;
    for (int i = 0; i < FAKE_KIND_COUNT; i++)
        if (left[i])
            fprintf(stderr, "fake CUDA: %ld %s not given back\n", left[i], kind_names[i]);
    if (fake.waited)
        fprintf(stderr, "fake CUDA: %ld calls waited behind a closed latch\n", fake.waited);
    fflush(NULL);
    if (all || fake.waited)
        _exit(all ? FAKE_LEAK_EXIT : FAKE_WAITED_EXIT);
}

static long count(const char *function)
{
    if (!fake.reports) {
        fake.reports = true;
        atexit(write_report);
    }
    for (int i = 0; i < MOST_FUNCTIONS; i++) {
        if (!fake.counted[i].function)
            fake.counted[i].function = function;
        if (strcmp(fake.counted[i].function, function) == 0)
            return ++fake.counted[i].calls;
    }
    abort(); /* more functions than the table holds */
}

static cudaError_t keep(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t fake_call(const char *function, cudaError_t otherwise)
{
    pthread_mutex_lock(&fake.lock);
    const long calls = count(function);
    const cudaError_t scripted = scripted_failure(function, calls), sticky = fake.sticky;
    pthread_mutex_unlock(&fake.lock);
    return keep(sticky ? sticky : scripted ? scripted : otherwise);
}

cudaError_t fake_waiting_call(const char *function, cudaError_t otherwise)
{
    pthread_mutex_lock(&fake.lock);
    if (fake.latch && !__atomic_load_n(&fake.latch->open, __ATOMIC_ACQUIRE)) {
        fake.latch->outcome = CUDA_LATCH_TIMED_OUT;
        fake.waited++;
        fprintf(stderr, "fake CUDA: %s waits behind a closed latch\n", function);
    }
    if (fake.latch && fake.latch->outcome == CUDA_LATCH_WAITING)
        fake.latch->outcome = CUDA_LATCH_OPENED;
    fake.latch = NULL;
    pthread_mutex_unlock(&fake.lock);
    return fake_call(function, otherwise);
}

cudaError_t fake_last_error(bool and_clear)
{
    const cudaError_t error = fake.sticky ? fake.sticky : last_error;
    if (and_clear)
        last_error = cudaSuccess;
    return error;
}

/* ---- The stream. */

void fake_close_latch(struct cuda_latch *latch)
{
    pthread_mutex_lock(&fake.lock);
    fake.latch = latch;
    if (++fake.latches == fake_script("latch", 0)) {
        latch->outcome = CUDA_LATCH_TIMED_OUT;
        fake.latch = NULL;
    }
    pthread_mutex_unlock(&fake.lock);
}

void fake_launched(void)
{
    pthread_mutex_lock(&fake.lock);
    fake.launches++;
    pthread_mutex_unlock(&fake.lock);
}

cudaError_t fake_query(const char *function)
{
    const char *sticky = find_word("sticky"), *broken = find_word("broken");
    cudaError_t idle = cudaSuccess;
    pthread_mutex_lock(&fake.lock);
    const long queries = ++fake.queries;
    if (sticky && queries == strtol(sticky, NULL, 10))
        fake.sticky = (cudaError_t)(code_of(sticky) ? code_of(sticky) : cudaErrorIllegalAddress);
    if (broken && fake.launches >= strtol(broken, NULL, 10) && !fake.sticky)
        fake.sticky = (cudaError_t)(code_of(broken) ? code_of(broken) : cudaErrorIllegalAddress);
    fake.hangs |= queries == fake_script("hang", 0);
    if (fake.hangs || (fake.latch && !__atomic_load_n(&fake.latch->open, __ATOMIC_ACQUIRE)))
        idle = cudaErrorNotReady;
    else if (fake.latch) {
        fake.latch->outcome = CUDA_LATCH_OPENED;
        fake.latch = NULL;
    }
    pthread_mutex_unlock(&fake.lock);
    return fake_call(function, idle);
}

/* ---- What is held. */

size_t fake_memory_used(void)
{
    size_t sum = 0;
    pthread_mutex_lock(&fake.lock);
    for (int i = 0; i < MOST_THINGS; i++)
        if (fake.held[i].thing && fake.held[i].kind == FAKE_MEMORY)
            sum += fake.held[i].bytes;
    pthread_mutex_unlock(&fake.lock);
    return sum;
}

void *fake_acquire(enum fake_kind kind, size_t bytes)
{
    void *thing = NULL;
    if (posix_memalign(&thing, 256, bytes ? bytes : 1) != 0)
        return NULL;
    memset(thing, 0xff, bytes ? bytes : 1); /* NaN */
    pthread_mutex_lock(&fake.lock);
    for (int i = 0; i < MOST_THINGS; i++)
        if (!fake.held[i].thing) {
            fake.held[i].kind = kind;
            fake.held[i].bytes = bytes;
            fake.held[i].thing = thing;
            pthread_mutex_unlock(&fake.lock);
            return thing;
        }
    abort();
}

bool fake_give_back(enum fake_kind kind, void *thing)
{
    bool is_found = false;
    pthread_mutex_lock(&fake.lock);
    for (int i = 0; thing && i < MOST_THINGS && !is_found; i++)
        if (fake.held[i].thing == thing && fake.held[i].kind == kind) {
            fake.held[i].thing = NULL;
            is_found = true;
        }
    pthread_mutex_unlock(&fake.lock);
    if (is_found)
        free(thing);
    return is_found || !thing;
}
