/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/places.h"
#include "shared/tool.h"

#define FARTHEST ((int64_t) 1 << 48) /* bytes between two addresses */

typedef struct reader {
    const char *path;
    places_t places;
    record_rank_t *rank;
} reader_t;

/* ---- source lines ---- */

/* Until answer(), `line` holds the offset and `file` the module's number. */
static int parse_place(reader_t *reader, const char *text, record_place_t *place)
{
    int module;
    uint64_t offset;
    if (sscanf(text, "%d:%" SCNx64, &module, &offset) != 2) {
        return 0;
    }
    int code = places_ask(&reader->places, reader->path, module, offset);
    if (code != TOOL_OK) {
        return code == TOOL_USAGE ? 0 : code;
    }
    place->line = (int64_t) offset;
    place->file = (char *) (intptr_t) (module + 1);
    return TOOL_OK;
}

static void answer(const reader_t *reader, record_place_t *place)
{
    if (place->file == NULL) {
        return;
    }
    int module = (int) (intptr_t) place->file - 1;
    uint64_t offset = (uint64_t) place->line;
    const place_t *found = places_find(&reader->places, module, offset);
    if (found != NULL && found->file != NULL) {
        place->file = strdup(found->file);
        place->line = found->line;
        return;
    }
    place->file = places_offset_text(&reader->places, module, offset);
    place->line = 0;
}

/* ---- lines of the file ---- */

static int parse_message(reader_t *reader, const char *line)
{
    record_rank_t *rank = reader->rank;
    record_message_t message = {0};
    char direction[8], place[64] = "";
    if (sscanf(line, "%7s %39s %" SCNd64 " %" SCNd64 " %63s %" SCNd64 " %63s", direction,
               message.function, &message.bytes, &message.element, message.type, &message.messages,
               place) != 7 ||
        message.bytes < 1 || message.element < 1) {
        return TOOL_WRONG;
    }
    message.receives = strcmp(direction, "receive") == 0;
    record_message_t *grown =
        realloc(rank->messages, ((size_t) rank->nmessages + 1) * sizeof(message));
    if (grown == NULL) {
        return tool_no_memory(reader->path);
    }
    rank->messages = grown;
    rank->messages[rank->nmessages++] = message;
    return parse_place(reader, place, &rank->messages[rank->nmessages - 1].call);
}

static int parse_site(reader_t *reader, record_message_t *message, const char *line)
{
    char place[64] = "";
    int s = message->nsites;
    if (s == RECORD_SITES_MAX ||
        sscanf(line, "site %" SCNd64 " %" SCNd64 " %63s", &message->sites[s].copied,
               &message->sites[s].computed, place) != 3) {
        return TOOL_WRONG;
    }
    message->nsites++;
    return parse_place(reader, place, &message->sites[s].place);
}

static int parse_checks(reader_t *reader, record_message_t *message, const char *line)
{
    char late[64] = "", reads[64] = "";
    if (sscanf(line, "checks %" SCNd64 " %63s %" SCNd64 " %63s %" SCNd64 " %" SCNd64,
               &message->late, late, &message->reads, reads, &message->changed,
               &message->twice) != 6) {
        return TOOL_WRONG;
    }
    int code = parse_place(reader, late, &message->late_at);
    return code != TOOL_OK ? code : parse_place(reader, reads, &message->read_at);
}

/* Is `count` times a distance one that addresses can have? */
static int is_near(int64_t distance, int64_t count)
{
    return distance <= FARTHEST / count && distance >= -FARTHEST / count;
}

static int parse_run(reader_t *reader, record_message_t *message, const char *line)
{
    record_run_t run;
    int kind;
    if (sscanf(line, "run %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %d", &kind,
               &run.address, &run.length, &run.step, &run.count, &run.allocation) != 6 ||
        kind < 0 || kind >= RECORD_KINDS || run.allocation < 0 ||
        run.allocation >= RECORD_ALLOCATIONS || run.length < 1 || run.count < 1 ||
        run.count > message->bytes / run.length || !is_near(run.address, 1) ||
        !is_near(run.step, run.count)) {
        return TOOL_WRONG;
    }
    run.kind = (record_kind_t) kind;
    if ((message->nruns & (message->nruns + 1)) == 0) { /* room doubles */
        record_run_t *grown =
            realloc(message->runs, 2 * ((size_t) message->nruns + 1) * sizeof(*message->runs));
        if (grown == NULL) {
            return tool_no_memory(reader->path);
        }
        message->runs = grown;
    }
    message->runs[message->nruns++] = run;
    return TOOL_OK;
}

static int parse_module(reader_t *reader, const char *line)
{
    int number, length = 0;
    if (sscanf(line, "module %d %n", &number, &length) != 1 || length == 0 || number < 0 ||
        number >= PLACES_MODULES || reader->places.modules[number] != NULL) {
        return TOOL_WRONG;
    }
    reader->places.modules[number] = strdup(line + length);
    return reader->places.modules[number] != NULL ? TOOL_OK : tool_no_memory(reader->path);
}

static int parse_lost(record_rank_t *rank, const char *line)
{
    int64_t *n = rank->lost;
    return sscanf(line,
                  "lost %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                  " %" SCNd64,
                  &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]) == RECORD_LOST
               ? TOOL_OK
               : TOOL_WRONG;
}

static int starts(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0');
}

static int parse_line(reader_t *reader, const char *line, int *complete)
{
    record_rank_t *rank = reader->rank;
    record_message_t *message = rank->nmessages == 0 ? NULL : &rank->messages[rank->nmessages - 1];
    int64_t runs;
    if (starts(line, "rank")) {
        return sscanf(line, "rank %d size %d", &rank->rank, &rank->size) == 2 && rank->size > 0
                   ? TOOL_OK
                   : TOOL_WRONG;
    }
    if (starts(line, "library")) {
        snprintf(rank->library, sizeof(rank->library), "%s", line + strlen("library "));
        return TOOL_OK;
    }
    if (starts(line, "program")) {
        snprintf(rank->program, sizeof(rank->program), "%s", line + strlen("program "));
        return TOOL_OK;
    }
    if (starts(line, "lost")) {
        return parse_lost(rank, line);
    }
    if (starts(line, "module")) {
        return parse_module(reader, line);
    }
    if (starts(line, "send") || starts(line, "receive")) {
        return parse_message(reader, line);
    }
    if (starts(line, "complete")) {
        *complete = 1;
        return TOOL_OK;
    }
    if (message == NULL) {
        return TOOL_WRONG;
    }
    if (starts(line, "checks")) {
        return parse_checks(reader, message, line);
    }
    if (starts(line, "site")) {
        return parse_site(reader, message, line);
    }
    if (starts(line, "run")) {
        return parse_run(reader, message, line);
    }
    message->whole = sscanf(line, "end %" SCNd64, &runs) == 1 && runs == message->nruns;
    return starts(line, "end") ? TOOL_OK : TOOL_WRONG;
}

static void answer_all(reader_t *reader)
{
    places_answer(&reader->places);
    for (int64_t m = 0; m < reader->rank->nmessages; m++) {
        record_message_t *message = &reader->rank->messages[m];
        answer(reader, &message->call);
        answer(reader, &message->late_at);
        answer(reader, &message->read_at);
        for (int s = 0; s < message->nsites; s++) {
            answer(reader, &message->sites[s].place);
        }
    }
}

static int parse(reader_t *reader, char *text)
{
    int complete = 0, code = TOOL_OK;
    int64_t number = 1;
    char *save = NULL, *line = strtok_r(text, "\n", &save);
    if (line == NULL || strcmp(line, "dame-record 2") != 0) {
        return tool_error(TOOL_WRONG, "%s: not a file of libdame-record of this version",
                          reader->path);
    }
    while (code == TOOL_OK && (line = strtok_r(NULL, "\n", &save)) != NULL) {
        number++;
        code = parse_line(reader, line, &complete);
        if (code == TOOL_WRONG) {
            tool_error(TOOL_WRONG, "%s:%" PRId64 ": '%.60s' is not what libdame-record writes",
                       reader->path, number, line);
        }
    }
    answer_all(reader); /* also after an error: places are to be freed */
    if (code == TOOL_OK && !complete) {
        return tool_error(TOOL_WRONG, "%s: its end is missing", reader->path);
    }
    return code;
}

int record_read(const char *prefix, int rank, record_rank_t *out)
{
    char *path = NULL, *text = NULL;
    size_t length;
    *out = (record_rank_t){0};
    if (asprintf(&path, "%s.%d", prefix, rank) < 0) {
        return tool_no_memory(prefix);
    }
    reader_t reader = {.path = path, .rank = out};
    int code = tool_read(path, &text, &length);
    if (code == TOOL_OK) {
        code = parse(&reader, text);
    }
    places_free(&reader.places);
    free(text);
    free(path);
    return code;
}

void record_free(record_rank_t *rank)
{
    for (int64_t m = 0; m < rank->nmessages; m++) {
        record_message_t *message = &rank->messages[m];
        free(message->call.file);
        free(message->late_at.file);
        free(message->read_at.file);
        for (int s = 0; s < message->nsites; s++) {
            free(message->sites[s].place.file);
        }
        free(message->runs);
    }
    free(rank->messages);
    *rank = (record_rank_t){0};
}
