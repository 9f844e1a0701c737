/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* vasprintf */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "type.h"
#include "shared/tool.h"

/* Messages of one call and layout, of any number of ranks. */
typedef struct entry {
    record_message_t message; /* of the first rank; its places and counts are copies */
    record_type_t type;
    int *ranks;
    int nranks;
    bool mixed; /* bytes of other messages of the call are not copies */
} entry_t;

struct record_report {
    entry_t *entries;
    size_t n;
    int ranks, size;
    char library[128], program[256];
    int64_t lost[RECORD_LOST];
};

record_report_t *record_report_new(void)
{
    record_report_t *report = calloc(1, sizeof(*report));
    if (report == NULL) {
        tool_no_memory("record");
    }
    return report;
}

static void free_entry(entry_t *entry)
{
    free(entry->message.call.file);
    free(entry->message.late_at.file);
    free(entry->message.read_at.file);
    for (int s = 0; s < entry->message.nsites; s++) {
        free(entry->message.sites[s].place.file);
    }
    record_type_free(&entry->type);
    free(entry->ranks);
}

void record_report_free(record_report_t *report)
{
    for (size_t i = 0; report != NULL && i < report->n; i++) {
        free_entry(&report->entries[i]);
    }
    free(report == NULL ? NULL : report->entries);
    free(report);
}

/* ---- one entry for equal messages ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_place(const record_place_t *a, const record_place_t *b)
{
    return a->line == b->line && same_text(a->file, b->file);
}

static bool same_call(const record_message_t *a, const record_message_t *b)
{
    return same_place(&a->call, &b->call) && strcmp(a->function, b->function) == 0 &&
           a->receives == b->receives;
}

static bool same_entry(const entry_t *a, const entry_t *b)
{
    const record_message_t *x = &a->message, *y = &b->message;
    return same_call(x, y) && x->bytes == y->bytes &&
           memcmp(a->type.bytes, b->type.bytes, sizeof(a->type.bytes)) == 0 &&
           same_text(a->type.program, b->type.program);
}

static record_place_t copy_place(const record_place_t *place)
{
    return (record_place_t){.file = place->file == NULL ? NULL : strdup(place->file),
                            .line = place->line};
}

static int add_rank(entry_t *entry, int rank)
{
    if (entry->nranks > 0 && entry->ranks[entry->nranks - 1] == rank) {
        return TOOL_OK;
    }
    int *grown = realloc(entry->ranks, ((size_t) entry->nranks + 1) * sizeof(*grown));
    if (grown == NULL) {
        return tool_no_memory("record");
    }
    entry->ranks = grown;
    entry->ranks[entry->nranks++] = rank;
    return TOOL_OK;
}

static void join(entry_t *into, const record_message_t *message)
{
    record_message_t *sum = &into->message;
    sum->messages += message->messages;
    sum->late += message->late;
    sum->reads += message->reads;
    sum->changed += message->changed;
    sum->twice += message->twice;
    if (sum->late_at.file == NULL) {
        sum->late_at = copy_place(&message->late_at);
    }
    if (sum->read_at.file == NULL) {
        sum->read_at = copy_place(&message->read_at);
    }
}

static int add_message(record_report_t *report, const record_message_t *message, int rank)
{
    entry_t entry = {.message = *message};
    int code = record_type_of(message, &entry.type);
    for (size_t i = 0; code == TOOL_OK && i < report->n; i++) {
        if (same_entry(&report->entries[i], &entry)) {
            join(&report->entries[i], message);
            record_type_free(&entry.type);
            return add_rank(&report->entries[i], rank);
        }
    }
    entry_t *grown = realloc(report->entries, (report->n + 1) * sizeof(entry));
    if (grown == NULL || code != TOOL_OK) {
        report->entries = grown == NULL ? report->entries : grown;
        record_type_free(&entry.type);
        return code != TOOL_OK ? code : tool_no_memory("record");
    }
    report->entries = grown;
    entry.message.runs = NULL;
    entry.message.call = copy_place(&message->call);
    entry.message.late_at = copy_place(&message->late_at);
    entry.message.read_at = copy_place(&message->read_at);
    for (int s = 0; s < message->nsites; s++) {
        entry.message.sites[s].place = copy_place(&message->sites[s].place);
    }
    grown[report->n++] = entry;
    return add_rank(&grown[report->n - 1], rank);
}

/* Does a store that copied in A compute in B? What received bytes are used for has no store: then
 * any message of that size counts. */
static bool computes(const record_message_t *a, const record_message_t *b)
{
    for (int i = 0; i < a->nsites && !a->receives; i++) {
        for (int j = 0; j < b->nsites; j++) {
            if (a->sites[i].copied > 0 && b->sites[j].computed > 0 &&
                same_place(&a->sites[i].place, &b->sites[j].place)) {
                return true;
            }
        }
    }
    return a->receives && a->bytes == b->bytes;
}

/* A loop may copy by chance, with a factor of 1 say: what it does to other messages tells. */
static void find_mixed(record_report_t *report)
{
    for (size_t i = 0; i < report->n; i++) {
        entry_t *entry = &report->entries[i];
        record_kind_t kind = entry->message.receives ? RECORD_READ : RECORD_COMPUTED;
        for (size_t j = 0; j < report->n && entry->type.bytes[kind] == 0; j++) {
            const entry_t *other = &report->entries[j];
            entry->mixed |= same_call(&entry->message, &other->message) &&
                            other->type.bytes[kind] > 0 &&
                            computes(&entry->message, &other->message);
        }
    }
}

int record_report_add(record_report_t *report, const record_rank_t *rank)
{
    int code = TOOL_OK;
    report->ranks++;
    report->size = rank->size;
    snprintf(report->library, sizeof(report->library), "%s", rank->library);
    snprintf(report->program, sizeof(report->program), "%s", rank->program);
    for (int i = 0; i < RECORD_LOST; i++) {
        report->lost[i] += rank->lost[i];
    }
    for (int64_t m = 0; code == TOOL_OK && m < rank->nmessages; m++) {
        code = add_message(report, &rank->messages[m], rank->rank);
    }
    find_mixed(report);
    return code;
}

/* ---- why there is no datatype ---- */

static void write_place(const record_place_t *place, FILE *out)
{
    fputs(place->file == NULL ? "unknown place" : place->file, out);
    if (place->file != NULL && place->line > 0) {
        fprintf(out, ":%" PRId64, place->line);
    }
}

/* The lines of stores of a kind, "a.c:3, 5, b.c:7". */
static void write_sites(const record_message_t *message, bool computed, FILE *out)
{
    const char *file = NULL; /* of the line before */
    for (int s = 0; s < message->nsites; s++) {
        const record_place_t *place = &message->sites[s].place;
        bool told = place->file == NULL ||
                    (computed ? message->sites[s].computed : message->sites[s].copied) == 0;
        for (int before = 0; before < s && !told; before++) {
            told = same_place(&message->sites[before].place, place) &&
                   (computed ? message->sites[before].computed : message->sites[before].copied) > 0;
        }
        if (!told) {
            fputs(file != NULL ? ", " : "", out);
            if (place->line > 0 && same_text(file, place->file)) {
                fprintf(out, "%" PRId64, place->line);
            } else {
                write_place(place, out);
            }
            file = place->file;
        }
    }
    if (file == NULL) {
        fputs("unknown lines", out);
    }
}

/* Does one store give copies and computed values? Then its copies are accidents. */
static bool by_accident(const record_message_t *message)
{
    for (int s = 0; s < message->nsites; s++) {
        if (message->sites[s].copied > 0 && message->sites[s].computed > 0) {
            return true;
        }
    }
    return false;
}

typedef void (*reason_fn)(void *data, const char *id, const char *text);

/* What the reasons of an entry are told to. */
typedef struct listener {
    reason_fn fn;
    void *data;
} listener_t;

__attribute__((format(printf, 3, 4))) static void give(const listener_t *to, const char *id,
                                                       const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    to->fn(to->data, id, text != NULL ? text : format);
    free(text);
}

/* Where computed values are stored, as a text that the caller frees. */
static char *computed_sites(const record_message_t *message)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out != NULL) {
        write_sites(message, true, out);
        fclose(out);
    }
    return text;
}

static void give_kinds(const listener_t *to, const record_message_t *message, const int64_t *bytes)
{
    if (bytes[RECORD_COMPUTED] > 0) {
        char *sites = computed_sites(message);
        give(to, "computed", "%" PRId64 " of %" PRId64 " bytes are computed values, stored at %s",
             bytes[RECORD_COMPUTED], message->bytes, sites == NULL ? "unknown lines" : sites);
        free(sites);
    }
    if (bytes[RECORD_COMPUTED] > 0 && by_accident(message)) {
        give(to, "accident",
             "a line that computes also stored values that a load had just given: they may be "
             "equal by chance");
    }
    if (!message->receives && bytes[RECORD_UNSEEN] > 0) {
        give(to, "unseen",
             "%" PRId64 " of %" PRId64 " bytes were stored by code that was not compiled for the "
             "recorder, or long ago",
             bytes[RECORD_UNSEEN], message->bytes);
    }
    if (bytes[RECORD_RECEIVED] > 0) {
        give(to, "received",
             "%" PRId64 " of %" PRId64 " bytes were received by MPI and are passed on",
             bytes[RECORD_RECEIVED], message->bytes);
    }
    if (bytes[RECORD_READ] > 0) {
        give(to, "used",
             "%" PRId64 " of %" PRId64 " bytes are loaded from the buffer for something else "
             "than a copy",
             bytes[RECORD_READ], message->bytes);
    }
}

/* No store to a message that was sent, and no use of one that was received, was seen: that nothing
 * is packed does not follow. */
static bool is_unseen(const entry_t *entry)
{
    return entry->type.bytes[RECORD_UNSEEN] == entry->message.bytes;
}

static void give_unseen(const listener_t *to, const record_message_t *message)
{
    give(to, "unseen",
         message->receives
             ? "no use of the %" PRId64 " bytes was seen: the code that uses them was not compiled "
               "with the flags of 'dame record --flags=compile', or there is none"
             : "no store of the %" PRId64 " bytes was seen: the code that packs them was not "
               "compiled with the flags of 'dame record --flags=compile', or stored them long ago",
         message->bytes);
}

/* Tells each reason why the message cannot be sent from, or received to, its place. */
static void reasons(const entry_t *entry, const listener_t *to)
{
    const record_message_t *message = &entry->message;
    const record_place_t *late = &message->late_at;
    if (is_unseen(entry)) {
        give_unseen(to, message);
    }
    if (entry->type.bytes[RECORD_COPIED] == 0) {
        return;
    }
    give_kinds(to, message, entry->type.bytes);
    if (entry->mixed) {
        give(to, "mixed", "bytes of another message of this call are %s",
             message->receives ? "loaded for something else than a copy" : "computed values");
    }
    if (message->changed > 0) {
        give(to, "changed",
             "%" PRId64 " bytes of the source or the buffer changed between packing and sending",
             message->changed);
    }
    if (message->late > 0) {
        give(to, "late-store", "the source is written before MPI_Wait, at %s:%" PRId64,
             late->file == NULL ? "unknown place" : late->file, late->line);
    }
    if (message->twice > 0) {
        give(to, "twice", "%" PRId64 " received bytes are copied to a second place",
             message->twice);
    }
    if (message->receives && entry->type.overlaps) {
        give(to, "overlap", "two received bytes go to one place");
    }
    if (entry->type.allocations == RECORD_ALLOCATIONS) {
        give(to, "allocations", "the bytes lie in %d or more allocations", RECORD_ALLOCATIONS);
    } else if (entry->type.text == NULL) {
        give(to, "blocks", "more blocks than a program can list");
    }
    if (!message->whole) {
        give(to, "bound", "the layout is longer than the recorder's memory");
    }
}

/* ---- text ---- */

static void write_ranks(const entry_t *entry, FILE *out)
{
    fputs(entry->nranks == 1 ? "rank " : "ranks ", out);
    for (int i = 0, end; i < entry->nranks; i = end) {
        for (end = i + 1; end < entry->nranks && entry->ranks[end] == entry->ranks[end - 1] + 1;
             end++) {
        }
        fprintf(out, "%s%d", i > 0 ? "," : "", entry->ranks[i]);
        if (end - i > 1) {
            fprintf(out, "-%d", entry->ranks[end - 1]);
        }
    }
}

typedef struct writer {
    const entry_t *entry;
    FILE *out;
    int given;
} writer_t;

static void begin(const entry_t *entry, const char *kind, FILE *out)
{
    write_place(&entry->message.call, out);
    fprintf(out, ": %s: %s", kind, entry->message.function);
}

static void print_reason(void *data, const char *id, const char *text)
{
    writer_t *writer = data;
    begin(writer->entry, "warning", writer->out);
    fprintf(writer->out, ": no datatype: %s [dame-recorded-%s]\n", text, id);
    writer->given++;
}

/* ---- layouts that are alike ---- */

static void add_id(void *data, const char *id, const char *text)
{
    (void) text;
    fprintf(data, "%s ", id);
}

/* The names of the reasons, as a text that the caller frees. */
static char *reason_ids(const entry_t *entry)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out != NULL) {
        reasons(entry, &(listener_t){add_id, out});
        fclose(out);
    }
    return text;
}

/* One call, packed or unpacked by the same lines, with the same answer but for sizes? */
static bool is_like(const entry_t *a, const entry_t *b)
{
    const record_message_t *x = &a->message, *y = &b->message;
    if (!same_call(x, y) || x->nsites != y->nsites || (x->reads > 0) != (y->reads > 0) ||
        a->type.allocations != b->type.allocations ||
        (a->type.bytes[RECORD_COPIED] > 0) != (b->type.bytes[RECORD_COPIED] > 0)) {
        return false;
    }
    for (int s = 0; s < x->nsites; s++) {
        if (!same_place(&x->sites[s].place, &y->sites[s].place)) {
            return false;
        }
    }
    char *of_a = reason_ids(a), *of_b = reason_ids(b);
    bool same = of_a != NULL && of_b != NULL && strcmp(of_a, of_b) == 0;
    free(of_a);
    free(of_b);
    return same;
}

/* Of layouts like entry i, which is printed, their range. */
static void print_alike(const record_report_t *report, size_t i, bool *printed, FILE *out)
{
    int64_t least = INT64_MAX, most = 0, messages = 0;
    size_t n = 0;
    for (size_t j = i + 1; j < report->n; j++) {
        const record_message_t *message = &report->entries[j].message;
        if (!printed[j] && is_like(&report->entries[i], &report->entries[j])) {
            printed[j] = true;
            least = message->bytes < least ? message->bytes : least;
            most = message->bytes > most ? message->bytes : most;
            messages += message->messages;
            n++;
        }
    }
    if (n > 0) {
        fprintf(out,
                "  %zu more layout%s there, of %" PRId64 " to %" PRId64 " bytes, in %" PRId64
                " message%s; --json has all\n",
                n, n == 1 ? "" : "s", least, most, messages, messages == 1 ? "" : "s");
    }
}

static void print_entry(const entry_t *entry, FILE *out)
{
    const record_message_t *message = &entry->message;
    const int64_t *bytes = entry->type.bytes;
    writer_t writer = {.entry = entry, .out = out};
    if (bytes[RECORD_COPIED] == 0 && !is_unseen(entry)) {
        begin(entry, "note", out);
        fprintf(out,
                message->receives
                    ? ": the %" PRId64 " bytes are used in the buffer: nothing is unpacked"
                    : ": the %" PRId64 " bytes are not copied from elsewhere: nothing is "
                      "packed",
                message->bytes);
        fputs(" [dame-recorded]\n", out);
    } else {
        reasons(entry, &(listener_t){print_reason, &writer});
    }
    if (entry->type.text != NULL && writer.given == 0) {
        begin(entry, "note", out);
        fprintf(out, " can %s %s, without %s [dame-datatype]\n",
                message->receives ? "receive to" : "send", entry->type.text,
                message->receives ? "unpacking" : "packing");
    } else if (entry->type.text != NULL) {
        fprintf(out, "  the %" PRId64 " bytes that are copies: %s\n", bytes[RECORD_COPIED],
                entry->type.text);
    }
    if (entry->type.text != NULL && entry->type.allocations > 1) {
        fprintf(out,
                "  %d allocations: a[] are the addresses of the first byte copied of each "
                "(MPI_Get_address), or %s %d messages%s\n",
                entry->type.allocations, message->receives ? "receive" : "send",
                entry->type.allocations,
                entry->type.alternates ? "; the message alternates between them, so either changes "
                                         "the order of its bytes"
                                       : "");
    }
    if (message->receives && bytes[RECORD_UNSEEN] > 0 && bytes[RECORD_COPIED] > 0) {
        begin(entry, "note", out);
        fprintf(out, ": %" PRId64 " of %" PRId64 " bytes are never unpacked [dame-recorded]\n",
                bytes[RECORD_UNSEEN], message->bytes);
    }
    if (message->reads > 0) {
        begin(entry, "note", out);
        fputs(": the packing stays: the buffer is read after the call, at ", out);
        write_place(&message->read_at, out);
        fputs(" [dame-recorded]\n", out);
    }
    fprintf(out, "  %" PRId64 " message%s of %" PRId64 " bytes (%" PRId64 " %s), ",
            message->messages, message->messages == 1 ? "" : "s", message->bytes,
            message->bytes / message->element, message->type);
    write_ranks(entry, out);
    if (bytes[RECORD_COPIED] > 0) {
        fputs(message->receives ? "; unpacked at " : "; packed at ", out);
        write_sites(message, false, out);
    }
    fputc('\n', out);
}

static void print_lost(const record_report_t *report, FILE *out)
{
    static const char *const texts[RECORD_LOST] = {
        "pages of memory were forgotten: give more by --memory where packed bytes are missing",
        "threads were not watched: at most 256 at a time are, where there is memory",
        "messages had layouts for which there was no memory",
        "messages were watched no longer when others came: reads after them may be missing",
        "messages were longer than 67 MB and not looked at",
        "calls had a derived datatype already and were not looked at",
        "allocations were not kept: distances between them may be taken for a stride"};
    for (int i = 0; i < RECORD_LOST; i++) {
        if (report->lost[i] > 0) {
            fprintf(out, "note: %" PRId64 " %s\n", report->lost[i], texts[i]);
        }
    }
}

void record_report_print(const record_report_t *report, FILE *out)
{
    bool *printed = calloc(report->n + 1, sizeof(*printed));
    for (size_t i = 0; i < report->n; i++) {
        if (printed == NULL || !printed[i]) {
            print_entry(&report->entries[i], out);
        }
        if (printed != NULL && !printed[i]) {
            print_alike(report, i, printed, out);
        }
    }
    free(printed);
    print_lost(report, out);
    fprintf(out,
            "%zu layout%s in %d of %d rank%s (%s). Numbers hold for this run and its sizes; "
            "displacements count\nfrom the first byte copied of an allocation, in bytes where the "
            "constructor has an h. Nothing was rewritten.\n",
            report->n, report->n == 1 ? "" : "s", report->ranks, report->size,
            report->size == 1 ? "" : "s", report->library);
}

/* ---- JSON ---- */

/* Length of the UTF-8 sequence that starts here; 0: it is none. */
static int utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *) text;
    int n = *c < 0x80                 ? 1
            : *c >= 0xc2 && *c < 0xe0 ? 2
            : *c >= 0xe0 && *c < 0xf0 ? 3
            : *c >= 0xf0 && *c < 0xf5 ? 4
                                      : 0;
    for (int i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* overlong forms, surrogates and what lies beyond Unicode */
    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] >= 0xa0) ||
        (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] >= 0x90) ||
        (*c == 0xef && c[1] == 0xbf && c[2] >= 0xbe)) {
        return 0;
    }
    return n;
}

/* Bytes that are not UTF-8 become U+FFFD. */
static void write_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (int n; *text != '\0'; text += n > 0 ? n : 1) {
        n = utf8_length(text);
        if (n == 0) {
            fputs("\\ufffd", out);
        } else if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if (n == 1 && *text < ' ') {
            fprintf(out, "\\u%04x", (unsigned) *text);
        } else {
            fwrite(text, 1, (size_t) n, out);
        }
    }
    fputc('"', out);
}

static void json_place(const char *name, const record_place_t *place, FILE *out)
{
    fprintf(out, "\"%s\": ", name);
    if (place->file == NULL) {
        fputs("null", out);
        return;
    }
    fputs("{\"file\": ", out);
    write_json_string(out, place->file);
    fprintf(out, ", \"line\": %" PRId64 "}", place->line);
}

static void json_text(const char *name, const char *text, FILE *out)
{
    fprintf(out, "\"%s\": ", name);
    if (text == NULL) {
        fputs("null", out);
    } else {
        write_json_string(out, text);
    }
}

static void json_reason(void *data, const char *id, const char *text)
{
    writer_t *writer = data;
    fprintf(writer->out, "%s{\"id\": \"%s\", ", writer->given++ > 0 ? ", " : "", id);
    json_text("text", text, writer->out);
    fputc('}', writer->out);
}

static void json_entry(const entry_t *entry, FILE *out)
{
    static const char *const kinds[RECORD_KINDS] = {"copied", "computed", "unseen", "received",
                                                    "used"};
    const record_message_t *message = &entry->message;
    writer_t writer = {.entry = entry, .out = out};
    fputs("  {", out);
    json_place("call", &message->call, out);
    fprintf(out,
            ", \"function\": \"%s\", \"receives\": %s, \"bytes\": %" PRId64 ", \"basic\": \"%s\", "
            "\"messages\": %" PRId64 ", \"ranks\": [",
            message->function, message->receives ? "true" : "false", message->bytes, message->type,
            message->messages);
    for (int i = 0; i < entry->nranks; i++) {
        fprintf(out, "%s%d", i > 0 ? ", " : "", entry->ranks[i]);
    }
    fputs("],\n   ", out);
    for (int k = 0; k < RECORD_KINDS; k++) {
        fprintf(out, "\"%s\": %" PRId64 ", ", kinds[k], entry->type.bytes[k]);
    }
    json_text("type", entry->type.text, out);
    fputs(",\n   ", out);
    json_text("program", entry->type.allocations > 1 ? NULL : entry->type.program, out);
    fprintf(out, ", \"allocations\": %d", entry->type.allocations);
    fputs(",\n   \"reasons\": [", out);
    reasons(entry, &(listener_t){json_reason, &writer});
    fputs("],\n   \"stores\": [", out);
    for (int s = 0; s < message->nsites; s++) {
        fputs(s > 0 ? ", {" : "{", out);
        json_place("at", &message->sites[s].place, out);
        fprintf(out, ", \"copied\": %" PRId64 ", \"computed\": %" PRId64 "}",
                message->sites[s].copied, message->sites[s].computed);
    }
    fprintf(out, "], \"reads_after\": %" PRId64 ", ", message->reads);
    json_place("read_at", &message->read_at, out);
    fputc('}', out);
}

void record_report_json(const record_report_t *report, FILE *out)
{
    static const char *const names[RECORD_LOST] = {
        "pages", "threads", "layouts", "watched", "long_messages", "derived", "allocations"};
    fprintf(out, "{\"ranks\": %d, \"size\": %d, ", report->ranks, report->size);
    json_text("library", report->library, out);
    fputs(", ", out);
    json_text("program", report->program, out);
    fputs(", \"lost\": {", out);
    for (int i = 0; i < RECORD_LOST; i++) {
        fprintf(out, "%s\"%s\": %" PRId64, i > 0 ? ", " : "", names[i], report->lost[i]);
    }
    fputs("},\n \"messages\": [\n", out);
    for (size_t i = 0; i < report->n; i++) {
        fputs(i > 0 ? ",\n" : "", out);
        json_entry(&report->entries[i], out);
    }
    fputs("\n]}\n", out);
}
