#define _GNU_SOURCE /* asprintf */
#include "record_read.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "tool.h"

enum { MODULES = 256, BATCH = 400 };

#define FARTHEST ((int64_t) 1 << 48) /* bytes between two addresses */

/* A program counter that is asked for. */
typedef struct question {
    int module;
    uint64_t offset;
    char *file;
    int64_t line;
} question_t;

typedef struct reader {
    const char *path;
    char *modules[MODULES];
    question_t *questions;
    size_t nquestions;
    record_rank_t *rank;
} reader_t;

/* ---- source lines ---- */

static int compare_questions(const void *a, const void *b)
{
    const question_t *x = a, *y = b;
    return x->module != y->module ? x->module - y->module
                                  : (x->offset > y->offset) - (x->offset < y->offset);
}

/* A path without the current directory. */
static const char *relative(const char *path)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof(here)) == NULL ? 0 : strlen(here);
    return length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1
                                                                                 : path;
}

/* addr2line's answer, "FILE:LINE" perhaps with " (discriminator 2)"; "??:0" is none. */
static void take_answer(question_t *question, char *line)
{
    char *colon = strrchr(line, ':');
    if (colon != NULL && line[0] != '?' && strtol(colon + 1, NULL, 10) > 0) {
        question->line = strtol(colon + 1, NULL, 10);
        *colon = '\0';
        question->file = strdup(relative(line));
    }
}

static void ask(const char *module, question_t *questions, size_t n)
{
    const char *arguments[BATCH + 4] = {"addr2line", "-e", module};
    char offsets[BATCH][24];
    int code = 0;
    for (size_t i = 0; i < n; i++) {
        snprintf(offsets[i], sizeof(offsets[i]), "0x%" PRIx64, questions[i].offset);
        arguments[3 + i] = offsets[i];
    }
    char *text = command_output(arguments, 60, &code);
    size_t i = 0;
    for (char *line = text == NULL || code != 0 ? NULL : strtok(text, "\n"); line != NULL && i < n;
         line = strtok(NULL, "\n")) {
        take_answer(&questions[i++], line);
    }
    free(text);
}

static void ask_all(reader_t *reader)
{
    qsort(reader->questions, reader->nquestions, sizeof(question_t), compare_questions);
    for (size_t i = 0, n; i < reader->nquestions; i += n) {
        int module = reader->questions[i].module;
        for (n = 1;
             n < BATCH && i + n < reader->nquestions && reader->questions[i + n].module == module;
             n++) {
        }
        if (reader->modules[module] != NULL) {
            ask(reader->modules[module], &reader->questions[i], n);
        }
    }
}

/* Until ask_all(), `line` holds the offset and `file` the module's number; see answer(). */
static int parse_place(reader_t *reader, const char *text, record_place_t *place)
{
    question_t question = {0};
    if (sscanf(text, "%d:%" SCNx64, &question.module, &question.offset) != 2 ||
        question.module < 0 || question.module >= MODULES) {
        return 0;
    }
    question_t *grown =
        realloc(reader->questions, (reader->nquestions + 1) * sizeof(*reader->questions));
    if (grown == NULL) {
        return tool_status_error(reader->path, DAME_ERR_NOMEM);
    }
    reader->questions = grown;
    reader->questions[reader->nquestions++] = question;
    place->line = (int64_t) question.offset;
    place->file = (char *) (intptr_t) (question.module + 1);
    return TOOL_OK;
}

static void answer(const reader_t *reader, record_place_t *place)
{
    question_t wanted = {.module = (int) (intptr_t) place->file - 1,
                         .offset = (uint64_t) place->line};
    char *file = NULL;
    if (place->file == NULL) {
        return;
    }
    const question_t *found = bsearch(&wanted, reader->questions, reader->nquestions,
                                      sizeof(question_t), compare_questions);
    if (found != NULL && found->file != NULL) {
        place->file = strdup(found->file);
        place->line = found->line;
        return;
    }
    const char *module = reader->modules[wanted.module];
    if (asprintf(&file, "%s+0x%" PRIx64, module == NULL ? "?" : module, wanted.offset) < 0) {
        file = NULL;
    }
    place->file = file;
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
        return tool_status_error(reader->path, DAME_ERR_NOMEM);
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
    if (sscanf(line, "run %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &kind, &run.address,
               &run.length, &run.step, &run.count) != 5 ||
        kind < 0 || kind >= RECORD_KINDS || run.length < 1 || run.count < 1 ||
        run.count > message->bytes / run.length || !is_near(run.address, 1) ||
        !is_near(run.step, run.count)) {
        return TOOL_WRONG;
    }
    run.kind = (record_kind_t) kind;
    if ((message->nruns & (message->nruns + 1)) == 0) { /* room doubles */
        record_run_t *grown =
            realloc(message->runs, 2 * ((size_t) message->nruns + 1) * sizeof(*message->runs));
        if (grown == NULL) {
            return tool_status_error(reader->path, DAME_ERR_NOMEM);
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
        number >= MODULES || reader->modules[number] != NULL) {
        return TOOL_WRONG;
    }
    reader->modules[number] = strdup(line + length);
    return reader->modules[number] != NULL ? TOOL_OK
                                           : tool_status_error(reader->path, DAME_ERR_NOMEM);
}

static int parse_lost(record_rank_t *rank, const char *line)
{
    int64_t *n = rank->lost;
    return sscanf(line, "lost %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64,
                  &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]) == RECORD_LOST
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
    ask_all(reader);
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
    if (line == NULL || strcmp(line, "dame-record 1") != 0) {
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
        return tool_status_error(prefix, DAME_ERR_NOMEM);
    }
    reader_t reader = {.path = path, .rank = out};
    int code = tool_read(path, SIZE_MAX, &text, &length);
    if (code == TOOL_OK) {
        code = parse(&reader, text);
    }
    for (int i = 0; i < MODULES; i++) {
        free(reader.modules[i]);
    }
    for (size_t i = 0; i < reader.nquestions; i++) {
        free(reader.questions[i].file);
    }
    free(reader.questions);
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
