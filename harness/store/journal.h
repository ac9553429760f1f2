/* The journal: the truth while a run lasts. One JSON line per event, appended by one writer:
 *
 *     {"kind":"run","schema":1,"run_id":..,"meta":{..},"machine":{..},"topology_xml":..}   first
 * line
 *     {"kind":"slice",...record...}
 *     {"kind":"lost","case_id":..,"round":..,"status":..,"reason":..,"record":{identity}}
 *     {"kind":"log","name":..,"text":..}
 *     {"kind":"meta","meta":{..}}                                  replaces the first line's meta
 *
 * A line that was cut by a crash is dropped when the journal is read, and cut off when it is
 * opened for appending. A line is in the file when journal_append returns (it survives the death
 * of this process); it is on the disk when journal_sync returns (it survives a power cut).
 */
#pragma once

#include "harness/store/run.h"

struct journal;

C_API_BEGIN

/* Creates a new journal; the folder must be writable. STATUS_BAD_ARGUMENT if it exists ("resume or
 * remove it"), STATUS_IO with the path and reason otherwise. The writer holds a lock; where
 * another process holds it, STATUS_BAD_ARGUMENT names that process. Where the file system has no
 * locks, that is said on stderr and the run goes on. */
enum status journal_create(const char *path, struct journal **journal);

/* The same, but holding already what is known of a run: it appears whole, or not at all, so that
 * whatever exists under `path` can be resumed. */
enum status journal_create_of(const char *path, const struct run *run, struct journal **journal);

/* Opens an existing one to append; cuts off a torn last line. STATUS_BAD_ARGUMENT for a file that
 * does not begin like a journal, which is left as it is. */
enum status journal_open(const char *path, struct journal **journal);

/* Writes one line (no newline inside). On a full disk the file is cut back to its last whole line
 * and STATUS_IO says so. */
enum status journal_append(struct journal *journal, const char *line);
enum status journal_sync(struct journal *journal);
void journal_close(struct journal *journal);

/* Seconds spent in append and sync so far. */
double journal_seconds(const struct journal *journal);

/* Rebuilds the run from a journal's lines; *run is overwritten without being freed. Foreign lines
 * and slices of a round already there are skipped and counted in *skipped_lines; a torn last line
 * is ignored silently, since nobody was told that it is there. STATUS_BAD_ARGUMENT for what is no
 * journal, or one of a newer schema. "lost" lines become points (or mark existing ones) with their
 * status and reason only where no sample of that case exists; else the point stays ok. */
enum status journal_read(const char *path, struct run *run, size_t *skipped_lines);

/* The JSON lines above. The caller frees. */
enum status journal_line_run(const struct run *run, char **line);
enum status journal_line_slice(const struct record *slice, char **line);
enum status journal_line_lost(const struct record *identity, int round, char **line);
enum status journal_line_log(const struct run_log *log, char **line);
enum status journal_line_meta(const char *meta_json, char **line);

C_API_END
