/* SPDX-License-Identifier: BSD-3-Clause */
#include "evidence.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Messages of one call and layout. */
typedef struct message {
    const char *file, *function, *type, *read_file;
    int64_t line, bytes, copied, computed, used, messages, reads_after, read_line;
    bool receives;
    bool changed, late, twice, overlaps; /* reasons of `dame record` */
    bool has_reasons;
    bool is_decided;
} message_t;

typedef struct evidence {
    json_t *json; /* has the texts */
    message_t *messages;
    size_t n;
    char *run;
    bool is_whole; /* nothing was lost */
} evidence_t;

static int64_t number_of(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static bool has_reason(const json_t *message, const char *id)
{
    const json_t *reasons = json_object_get(message, "reasons");
    size_t i;

    for (i = 0; i < json_array_size(reasons); i++) {
        if (!id || strcmp(text_of(json_array_get(reasons, i), "id"), id) == 0) {
            return true;
        }
    }
    return false;
}

static message_t message_of(const json_t *json)
{
    const json_t *call = json_object_get(json, "call"), *read = json_object_get(json, "read_at");

    return (message_t){
        .file = text_of(call, "file"),
        .line = number_of(call, "line"),
        .function = text_of(json, "function"),
        .receives = json_is_true(json_object_get(json, "receives")),
        .bytes = number_of(json, "bytes"),
        .copied = number_of(json, "copied"),
        .computed = number_of(json, "computed"),
        .used = number_of(json, "used"),
        .type = text_of(json, "type"),
        .messages = number_of(json, "messages"),
        .reads_after = number_of(json, "reads_after"),
        .read_file = text_of(read, "file"),
        .read_line = number_of(read, "line"),
        .changed = has_reason(json, "changed"),
        .late = has_reason(json, "late-store"),
        .twice = has_reason(json, "twice"),
        .overlaps = has_reason(json, "overlap"),
        .has_reasons = has_reason(json, NULL),
    };
}

static bool nothing_lost(const json_t *json)
{
    const char *name;
    json_t *value;

    if (number_of(json, "size") <= 0 || number_of(json, "ranks") != number_of(json, "size")) {
        return false;
    }
    json_object_foreach(json_object_get(json, "lost"), name, value)
    {
        if (strcmp(name, "derived") != 0 && json_integer_value(value) != 0) {
            return false;
        }
    }
    return true;
}

evidence_t *evidence_read(const char *path)
{
    json_error_t error;
    evidence_t *evidence = c_checked(calloc(1, sizeof *evidence));
    const json_t *messages;
    const char *program, *slash;
    size_t i;

    evidence->json = json_load_file(path, 0, &error);
    messages = json_object_get(evidence->json, "messages");
    if (!json_is_array(messages) || !json_is_object(json_object_get(evidence->json, "lost"))) {
        fprintf(stderr, "dame suggest: %s: not what 'dame record --json' writes%s%s\n", path,
                evidence->json ? "" : ": ", evidence->json ? "" : error.text);
        evidence_free(evidence);
        return NULL;
    }
    evidence->n = json_array_size(messages);
    evidence->messages = c_checked(calloc(evidence->n + 1, sizeof *evidence->messages));
    program = text_of(evidence->json, "program");
    slash = strrchr(program, '/');
    evidence->run = c_printed("a run of %s, %lld rank%s",
                              slash      ? slash + 1
                              : *program ? program
                                         : "the program",
                              (long long) number_of(evidence->json, "size"),
                              number_of(evidence->json, "size") == 1 ? "" : "s");
    for (i = 0; i < evidence->n; i++) {
        evidence->messages[i] = message_of(json_array_get(messages, i));
    }
    evidence->is_whole = nothing_lost(evidence->json);
    return evidence;
}

void evidence_free(evidence_t *evidence)
{
    if (evidence) {
        json_decref(evidence->json);
        free(evidence->messages);
        free(evidence->run);
        free(evidence);
    }
}

const char *evidence_run(const evidence_t *evidence)
{
    return evidence->run;
}

/* ---- which messages ---- */

/* Compilers write paths from the directory that they run in, or whole ones. */
static bool same_file(const char *a, const char *b)
{
    size_t n_a, n_b;

    a += strncmp(a, "./", 2) == 0 ? 2 : 0;
    b += strncmp(b, "./", 2) == 0 ? 2 : 0;
    n_a = strlen(a);
    n_b = strlen(b);
    if (n_a < n_b) {
        return n_a > 0 && strcmp(b + n_b - n_a, a) == 0 && b[n_b - n_a - 1] == '/';
    }
    return n_b > 0 && strcmp(a + n_a - n_b, b) == 0 && (n_a == n_b || a[n_a - n_b - 1] == '/');
}

static bool is_of(const message_t *message, const site_t *site)
{
    const char *path = site->call->span.file ? site->call->span.file->path : site->run->unit->path;

    return message->line == site->call->span.line &&
           message->receives == site->function->receives &&
           strcmp(message->function, c_callee(site->call)) == 0 && same_file(message->file, path);
}

void evidence_decided(evidence_t *evidence, const site_t *site)
{
    size_t i;

    for (i = 0; i < evidence->n; i++) {
        evidence->messages[i].is_decided =
            evidence->messages[i].is_decided || is_of(&evidence->messages[i], site);
    }
}

/* ---- what they show ---- */

static void contradict(const evidence_t *evidence, const message_t *message, site_t *site)
{
    const char *run = evidence->run;

    if (message->computed > 0) {
        site_refuse(site, C_REFUSED_VALUE, NULL,
                    "in %s, %lld of %lld bytes are computed, not copied", run,
                    (long long) message->computed, (long long) message->bytes);
    } else if (message->changed) {
        site_refuse(site, C_REFUSED_SOURCE, NULL,
                    "in %s, the data or the buffer changed between packing and the call", run);
    } else if (message->late) {
        site_refuse(site, C_REFUSED_SOURCE, NULL,
                    "in %s, the data was written before the request was complete", run);
    } else if (message->reads_after > 0 && !site->shared) { /* else the packing stays */
        site_refuse(site, C_REFUSED_READ, NULL,
                    "in %s, the buffer was read after the call, at %s:%lld", run,
                    message->read_file, (long long) message->read_line);
    } else if (message->receives && message->copied > 0 && (message->used > 0 || message->twice)) {
        site_refuse(site, C_REFUSED_READ, NULL,
                    "in %s, received bytes were used for something else than their unpacking", run);
    } else if (message->overlaps) {
        site_refuse(site, SHAPE_REFUSED_OVERLAP, NULL,
                    "in %s, two received bytes went to one place", run);
    }
}

void evidence_judge(const evidence_t *evidence, site_t *site)
{
    size_t i;

    /* messages of a call in a function that others call may be those of others */
    for (i = 0;
         i < evidence->n && !site->refusal && site->kind == SITE_PACKS && site->at == site->call;
         i++) {
        if (is_of(&evidence->messages[i], site)) {
            contradict(evidence, &evidence->messages[i], site);
        }
    }
}

static bool holds(const message_t *message, int assumption)
{
    if (message->copied == 0) {
        return false; /* the recorder saw no packing */
    }
    switch (assumption) {
    case RUN_ASSUMES_COUNT:
        return message->copied == message->bytes;
    case RUN_ASSUMES_WAIT:
        return !message->receives && !message->changed && !message->late;
    case RUN_ASSUMES_SHARED:
        return message->reads_after == 0 && message->used == 0 && !message->twice;
    default:
        return false; /* the record says nothing about it */
    }
}

bool evidence_holds(const evidence_t *evidence, const site_t *site, int assumption)
{
    size_t i, n = 0;

    for (i = 0; i < evidence->n; i++) {
        if (is_of(&evidence->messages[i], site)) {
            if (!holds(&evidence->messages[i], assumption)) {
                return false;
            }
            n++;
        }
    }
    return n > 0 && evidence->is_whole;
}

void evidence_print_others(const evidence_t *evidence, const char *path, FILE *out)
{
    size_t i;

    for (i = 0; i < evidence->n; i++) {
        const message_t *message = &evidence->messages[i];

        if (message->is_decided || message->has_reasons || message->reads_after > 0 ||
            !*message->type || message->copied != message->bytes ||
            !same_file(message->file, path)) {
            continue;
        }
        fprintf(out,
                "%s:%lld: note: in %s, %s %s %s: %lld message%s of %lld bytes; this holds for the "
                "run and its sizes [dame-recorded]\n",
                path, (long long) message->line, evidence->run, message->function,
                message->receives ? "received" : "sent", message->type,
                (long long) message->messages, message->messages == 1 ? "" : "s",
                (long long) message->bytes);
    }
}
