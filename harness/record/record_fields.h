/* The plain fields of struct record, in the order in which files show them: the keys of a JSON
 * line and the columns of /points are both made from this list, so that they cannot differ.
 *
 * TEXT is a name or an identity, PROSE is text from outside that may hold broken characters,
 * REAL is a finite number >= 0 with its unit, WHOLE an int32_t with its unit. The fields that need
 * care of their own (params, source, status, flags, samples) are not here. record_field_is_new
 * tells which ones files of schema 1 lack.
 */
#pragma once

#define RECORD_FIELDS(TEXT, PROSE, REAL, WHOLE)                                                    \
    TEXT(case_id)                                                                                  \
    TEXT(bench)                                                                                    \
    TEXT(variant)                                                                                  \
    TEXT(device)                                                                                   \
    TEXT(dtype)                                                                                    \
    TEXT(accumulator)                                                                              \
    TEXT(method)                                                                                   \
    TEXT(run_id)                                                                                   \
    TEXT(isa)                                                                                      \
    TEXT(store_kind)                                                                               \
    TEXT(cache)                                                                                    \
    TEXT(fill)                                                                                     \
    TEXT(commit)                                                                                   \
    TEXT(compiler)                                                                                 \
    WHOLE(threads, "1")                                                                            \
    WHOLE(rounds_planned, "1")                                                                     \
    TEXT(cpus)                                                                                     \
    TEXT(host)                                                                                     \
    TEXT(rank)                                                                                     \
    REAL(bytes, "B")                                                                               \
    REAL(bus_bytes, "B")                                                                           \
    REAL(link_bytes, "B")                                                                          \
    REAL(operations, "1")                                                                          \
    REAL(working_set_bytes, "B")                                                                   \
    REAL(clock_tick_seconds, "s")                                                                  \
    REAL(target_half_width, "1")                                                                   \
    REAL(check_max_error, "1")                                                                     \
    REAL(check_tolerance, "1")                                                                     \
    PROSE(reason)                                                                                  \
    WHOLE(round, "1")                                                                              \
    PROSE(implementation)                                                                          \
    REAL(share_of_peer, "1")                                                                       \
    REAL(share_of_roof, "1")
