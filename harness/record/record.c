#include "harness/record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source_names[] = {
#define X(name) #name,
    RECORD_SOURCES(X)
#undef X
};
static const char *const status_names[] = {
#define X(name) #name,
    RECORD_STATUSES(X)
#undef X
};
static const struct {
    const char *name, *text;
} flag_table[] = {
#define X(name, text) {#name, text},
    RECORD_FLAGS(X)
#undef X
};

void record_clear(struct record *record)
{
    free(record->samples);
    *record = (struct record){0};
}

enum status record_add_sample(struct record *record, const struct sample *sample)
{
    if (record->samples_count == record->samples_room) {
        size_t room = record->samples_room ? 2 * record->samples_room : 64;
        struct sample *grown = realloc(record->samples, room * sizeof(*grown));
        if (!grown)
            return FAIL(STATUS_NO_MEMORY, "no memory for %zu samples", room);
        record->samples = grown;
        record->samples_room = room;
    }
    record->samples[record->samples_count++] = *sample;
    return STATUS_OK;
}

enum status record_copy(struct record *to, const struct record *from)
{
    *to = *from;
    to->samples = NULL;
    to->samples_count = to->samples_room = 0;
    for (size_t i = 0; i < from->samples_count; i++)
        TRY(record_add_sample(to, &from->samples[i]));
    return STATUS_OK;
}

bool record_has_round(const struct record *record, int32_t round)
{
    for (size_t i = 0; i < record->samples_count; i++)
        if (record->samples[i].round == round)
            return true;
    return false;
}

int32_t record_round_count(const struct record *record)
{
    int32_t count = 0;
    for (size_t i = 0; i < record->samples_count; i++) {
        size_t first = 0;
        while (record->samples[first].round != record->samples[i].round)
            first++;
        count += first == i;
    }
    return count;
}

enum status record_merge(struct record *point, const struct record *slice)
{
    if (slice->samples_count && record_has_round(point, slice->round))
        return FAIL(STATUS_BAD_ARGUMENT, "case %s already has round %d", slice->case_id,
                    (int)slice->round);
    for (size_t i = 0; i < slice->samples_count; i++)
        TRY(record_add_sample(point, &slice->samples[i]));
    point->flags |= slice->flags;
    if (slice->check_max_error > point->check_max_error)
        point->check_max_error = slice->check_max_error;
    if (slice->round > point->round)
        point->round = slice->round;
    if (slice->status != RECORD_ok && point->status == RECORD_ok) {
        point->status = slice->status;
        memcpy(point->reason, slice->reason, sizeof(point->reason));
    }
    return STATUS_OK;
}

const char *record_source_name(enum source source)
{
    return source_names[source];
}

const char *record_status_name(enum record_status status)
{
    return status_names[status];
}

const char *record_flag_name(enum record_flag_bit bit)
{
    return flag_table[bit].name;
}

const char *record_flag_text(enum record_flag_bit bit)
{
    return flag_table[bit].text;
}

/* The flag's initial where it is free, else a letter of its name. */
char record_flag_mark(enum record_flag_bit bit)
{
    static const char marks[] = {
        [FLAG_BIT_unsteady] = 'u',           [FLAG_BIT_foreign_load] = 'f',
        [FLAG_BIT_clock_unsteady] = 'c',     [FLAG_BIT_too_few_samples] = 't',
        [FLAG_BIT_incomplete_rounds] = 'i',  [FLAG_BIT_virtual_machine] = 'v',
        [FLAG_BIT_constant_data] = 'd',      [FLAG_BIT_cache_resident] = 'r',
        [FLAG_BIT_huge_pages_refused] = 'h', [FLAG_BIT_oversubscribed] = 'o',
        [FLAG_BIT_no_latch] = 'l',
    };
    return marks[bit];
}

const char *record_flags_marks(uint32_t flags, char *buffer, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < FLAG_COUNT && used + 1 < size; i++)
        if (flags & (1u << i))
            buffer[used++] = record_flag_mark((enum record_flag_bit)i);
    buffer[used] = '\0';
    return buffer;
}

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

int record_source_parse(const char *name)
{
    return find_name(source_names, SOURCE_COUNT, name);
}

int record_status_parse(const char *name)
{
    return find_name(status_names, RECORD_STATUS_COUNT, name);
}

int record_flag_parse(const char *name)
{
    for (int i = 0; i < FLAG_COUNT; i++)
        if (strcmp(flag_table[i].name, name) == 0)
            return i;
    return -1;
}

const char *record_flags_join(uint32_t flags, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (int i = 0; i < FLAG_COUNT && used < size; i++)
        if (flags & (1u << i))
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? "," : "",
                                     flag_table[i].name);
    return buffer;
}

bool record_field_is_new(const char *name)
{
    static const char *const added[] = {"implementation", "share_of_peer", "share_of_roof"};
    for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++)
        if (strcmp(added[i], name) == 0)
            return true;
    return false;
}

uint64_t record_hash(uint64_t seed, const char *text)
{
    uint64_t hash = seed;
    do
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    while (*text++);
    return hash;
}

void record_identify(struct record *r)
{
    const char *const parts[] = {r->bench,       r->variant, r->device, r->dtype,
                                 r->accumulator, r->params,  r->method};
    uint64_t hash = RECORD_HASH_SEED;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        hash = record_hash(hash, parts[i]);
    snprintf(r->case_id, sizeof(r->case_id), "%016" PRIx64, hash);
}

bool record_device_is_gpu(const char *device)
{
    return strncmp(device, "cuda", strlen("cuda")) == 0;
}
