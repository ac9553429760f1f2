/* The record: the one thing that benches and `ridge` share.
 *
 * A child emits one slice per case and round, as one JSON line; the harness appends the slices
 * of a case to one point. Both are a struct record: a slice is a record whose samples come from
 * one round. SI base units throughout, the unit in the name. results/SCHEMA.md has every key.
 */
#pragma once

#include "harness/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Schema 2 added implementation, share_of_peer and share_of_roof: empty and 0 in older files. */
enum { RECORD_SCHEMA = 2, CASE_ID_BYTES = 17 };

/* Where the numbers come from. Only `measured` ones may stand in a table of results. */
#define RECORD_SOURCES(X)  X(measured) X(emulated) X(fake) X(drilled) X(imported)
#define RECORD_STATUSES(X) X(ok) X(skipped) X(wrong) X(wrong_transport) X(failed) X(timeout)

/* A point's guards: set where a number must not be read without them. */
#define RECORD_FLAGS(X)                                                                            \
    X(unsteady, "the median's interval is wider than the target; digits beyond it are noise")      \
    X(foreign_load, "other processes used more than 0.1 core while it was measured")               \
    X(clock_unsteady, "the core clock moved by more than 5 % between samples")                     \
    X(too_few_samples, "fewer than 16 samples")                                                    \
    X(incomplete_rounds, "some of the planned rounds are missing")                                 \
    X(virtual_machine, "measured in a virtual machine, beside unseen neighbours")                  \
    X(constant_data, "the inputs are constant: fewer bits toggle, less power is drawn")            \
    X(cache_resident,                                                                              \
      "larger than the last level cache, but below 4 times it: some of it stays cached")           \
    X(huge_pages_refused, "huge pages were asked for and not granted for the whole buffer")        \
    X(oversubscribed, "more threads than processors")                                              \
    X(no_latch, "timed without a latch: launches that came late may be counted")

#define X(name) SOURCE_##name,
enum source { RECORD_SOURCES(X) SOURCE_COUNT };
#undef X
#define X(name) RECORD_##name,
enum record_status { RECORD_STATUSES(X) RECORD_STATUS_COUNT };
#undef X
#define X(name, text) FLAG_BIT_##name,
enum record_flag_bit { RECORD_FLAGS(X) FLAG_COUNT };
#undef X
#define X(name, text) FLAG_##name = 1u << FLAG_BIT_##name,
enum record_flag { RECORD_FLAGS(X) };
#undef X

/* One timed window. `seconds` is per run: the window's length divided by `runs`. */
struct sample {
    double seconds;
    double runs;          /* how often the work was done in the window; may be a fraction */
    double start_seconds; /* CLOCK_MONOTONIC_RAW, so that children of one boot compare */
    double clock_hz;      /* core clock: of a CPU just before, of a GPU meanwhile; 0: not known */
    double foreign_load;  /* cores that other processes used around it; negative: not known */
    int32_t round;
    int32_t child; /* counts the processes of a run; set by the harness */
};

struct record {
    /* identity: what case_id is the hash of */
    char case_id[CASE_ID_BYTES]; /* 16 hexadecimal digits */
    char bench[48], variant[48], device[32], dtype[16], accumulator[16];
    char params[512]; /* JSON object of all axes, keys in the bench's order */
    char method[17];  /* hash of counting rule, policy and the method's version */
    /* how it was done */
    char run_id[40];
    enum source source;
    char isa[24], store_kind[16], cache[8], fill[12], commit[48], compiler[160];
    int32_t threads, rounds_planned;
    char cpus[128], host[72], rank[16]; /* placement */
    char implementation[160]; /* library, version, core type, shape of the inner kernel; "" */
    /* counted, per run, by the bench's counting rule */
    double bytes, bus_bytes, link_bytes, operations;
    double working_set_bytes;  /* all buffers of the case together */
    double clock_tick_seconds; /* smallest step of the clock that timed it */
    double target_half_width;  /* relative, of the median's 95 % interval: wider is unsteady */
    /* check */
    double check_max_error, check_tolerance;
    /* of this point's rate, in its run, set by the harness (model/ladder.h); 0: not known */
    double share_of_peer, share_of_roof;
    /* outcome */
    enum record_status status;
    uint32_t flags;         /* FLAG_* */
    char reason[240];       /* one sentence, empty when ok */
    int32_t round;          /* of a slice; of a point, the highest seen */
    struct sample *samples; /* owned; samples_count of them */
    size_t samples_count, samples_room;
};

C_API_BEGIN

void record_clear(struct record *record); /* frees the samples and zeroes everything */
enum status record_add_sample(struct record *record, const struct sample *sample);

/* Copies everything, samples included; `to` is overwritten without being freed. */
enum status record_copy(struct record *to, const struct record *from);

/* Appends the samples of `slice` to `point`, unites flags and keeps the worse status. A second
 * slice of a round that the point already has is refused with STATUS_BAD_ARGUMENT. */
enum status record_merge(struct record *point, const struct record *slice);
bool record_has_round(const struct record *record, int32_t round);
int32_t record_round_count(const struct record *record); /* distinct rounds with samples */

/* "measured", "ok", "unsteady" ...; the parsers return -1 for an unknown name. */
const char *record_source_name(enum source source);
const char *record_status_name(enum record_status status);
const char *record_flag_name(enum record_flag_bit bit);
const char *record_flag_text(enum record_flag_bit bit);
int record_source_parse(const char *name);
int record_status_parse(const char *name);
int record_flag_parse(const char *name);

/* Was the field of record_fields.h added after schema 1, so that older files may lack it? */
bool record_field_is_new(const char *name);

/* One letter that stands for the flag in tables ('u' for unsteady), and the letters of a set. */
char record_flag_mark(enum record_flag_bit bit);
const char *record_flags_marks(uint32_t flags, char *buffer, size_t size);

/* "unsteady,virtual_machine", or "" ; returns buffer. */
const char *record_flags_join(uint32_t flags, char *buffer, size_t size);

/* Is that the name of a GPU ("cuda:0")? Else it is the cpu, or a fake device, which runs on it. */
bool record_device_is_gpu(const char *device);

/* One JSON line without the newline; the caller frees *line. */
enum status record_to_json(const struct record *record, char **line);

/* The inverse. STATUS_BAD_ARGUMENT with a sentence for anything that is not a valid record of
 * this schema: unknown schema, missing key, wrong type, NaN, non-positive time, overlong text.
 * *record is overwritten without being freed; on failure it is left cleared. Strange keys are
 * ignored (a newer minor writer). */
enum status record_from_json(const char *line, size_t length, struct record *record);

/* Fills record->case_id from the identity fields: 64-bit FNV-1a, see record_hash. */
void record_identify(struct record *record);

/* FNV-1a (64 bit, offset 14695981039346656037, prime 1099511628211) over the text and a closing
 * zero byte, continuing from `seed` (RECORD_HASH_SEED to begin). */
uint64_t record_hash(uint64_t seed, const char *text);
#define RECORD_HASH_SEED UINT64_C(14695981039346656037)

C_API_END
