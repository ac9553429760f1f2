/* The script of the fake libraries and their books: calls, products, what is held. */
#include "tests/cuda/cublas/fake_blas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FUNCTIONS = 32, MOST_THINGS = 512, NOTES_BYTES = 1 << 16 };

static struct {
    struct {
        const char *function;
        long calls;
    } counted[MOST_FUNCTIONS];
    void *held[MOST_THINGS];
    char notes[NOTES_BYTES];
    size_t notes_used;
} books;

static cublasStatus_t scripted(const char *function, long calls)
{
    const char *script = getenv("RIDGE_FAKE_CUBLAS");
    const size_t length = strlen(function);
    if (!script || strncmp(script, "fail=", 5) != 0 || strncmp(script + 5, function, length) != 0 ||
        script[5 + length] != ':')
        return CUBLAS_STATUS_SUCCESS;
    char *end;
    const long nth = strtol(script + 5 + length + 1, &end, 10);
    if (nth && nth != calls)
        return CUBLAS_STATUS_SUCCESS;
    return *end == ':' ? (cublasStatus_t)strtol(end + 1, NULL, 10) : CUBLAS_STATUS_INTERNAL_ERROR;
}

cublasStatus_t fake_blas_call(const char *function, cublasStatus_t otherwise)
{
    for (int i = 0; i < MOST_FUNCTIONS; i++) {
        if (!books.counted[i].function)
            books.counted[i].function = function;
        if (strcmp(books.counted[i].function, function) != 0)
            continue;
        const cublasStatus_t code = scripted(function, ++books.counted[i].calls);
        return code != CUBLAS_STATUS_SUCCESS ? code : otherwise;
    }
    abort(); /* more functions than the table holds */
}

void *fake_blas_acquire(size_t bytes)
{
    for (int i = 0; i < MOST_THINGS; i++)
        if (!books.held[i])
            return books.held[i] = calloc(1, bytes);
    abort();
}

bool fake_blas_is_held(const void *thing)
{
    for (int i = 0; thing && i < MOST_THINGS; i++)
        if (books.held[i] == thing)
            return true;
    return false;
}

cublasStatus_t fake_blas_give_back(void *thing)
{
    if (!fake_blas_is_held(thing))
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int i = 0; i < MOST_THINGS; i++)
        if (books.held[i] == thing)
            books.held[i] = NULL;
    free(thing);
    return CUBLAS_STATUS_SUCCESS;
}

/* Of the last products, as many as there is room for. */
void fake_blas_note(const char *function, const struct fake_product *p)
{
    const size_t left = sizeof(books.notes) - books.notes_used;
    const int wrote = snprintf(
        books.notes + books.notes_used, left,
        "%s{\"call\":\"%s\",\"ops\":\"%c%c\",\"m\":%ld,\"n\":%ld,\"k\":%ld,\"leading\":[%ld,%ld,%"
        "ld],"
        "\"batch\":%ld,\"types\":[%d,%d,%d],\"compute\":%d,\"workspace\":%zu}",
        books.notes_used ? "," : "", function, p->a.is_transposed ? 'T' : 'N',
        p->b.is_transposed ? 'T' : 'N', (long)p->c.rows, (long)p->c.columns, (long)p->a.columns,
        (long)p->a.leading, (long)p->b.leading, (long)p->c.leading, (long)p->batch, (int)p->a.type,
        (int)p->b.type, (int)p->c.type, (int)p->compute, p->workspace_bytes);
    if ((size_t)wrote < left)
        books.notes_used += (size_t)wrote;
    else
        books.notes[books.notes_used] = '\0';
}

/* When the program ends, behind everything that it registered itself. */
__attribute__((destructor)) static void write_report(void)
{
    const char *path = getenv("RIDGE_FAKE_CUBLAS_REPORT"), *comma = "";
    long left = 0;
    for (int i = 0; i < MOST_THINGS; i++)
        left += books.held[i] != NULL;
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "{\"calls\":{");
        for (int i = 0; i < MOST_FUNCTIONS && books.counted[i].function; i++, comma = ",")
            fprintf(file, "%s\"%s\":%ld", comma, books.counted[i].function, books.counted[i].calls);
        fprintf(file, "},\"left\":%ld,\"products\":[%s]}\n", left, books.notes);
        fclose(file);
    }
    if (!left)
        return;
    fprintf(stderr, "fake cuBLAS: %ld things not given back\n", left);
    fflush(NULL);
    _exit(FAKE_BLAS_LEAK_EXIT);
}
