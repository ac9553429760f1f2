/* JSON as text: strings that may be broken, and the spelling of a value. jansson keeps values and
 * drops their spelling (0.1 would come back as 0.10000000000000001), but case ids are hashes of
 * spellings, so the params of a record travel as text. */
#pragma once

#include "harness/base/status.h"

#include <jansson.h>
#include <stddef.h>

/* How every line is printed: 17 significant digits bring each double back to the same bits. */
#define JSON_TEXT_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(17))

C_API_BEGIN

/* A JSON string of the text. Where it is not valid UTF-8 (a message cut inside a character, the
 * output of a child), every byte above 127 becomes '?'. NULL only where memory is short. */
json_t *json_text_repair(const char *text);

/* An object from its text; NULL stands for an empty one. STATUS_BAD_ARGUMENT names it by `what`. */
enum status json_text_parse_object(const char *what, const char *text, json_t **object);

/* Where the value of a member begins in a text that jansson has accepted as an object; NULL if the
 * object has no such member, or spells its key with escapes. */
const char *json_text_member(const char *text, const char *end, const char *key);

/* The length of the object that begins at `text`, which jansson has accepted. */
size_t json_text_object_length(const char *text);

/* Copies JSON without the white space outside strings, as far as there is room (a closing zero is
 * always written), and returns the length that the whole has. */
size_t json_text_compact(const char *text, size_t length, char *to, size_t room);

C_API_END
