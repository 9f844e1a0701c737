/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/places.h"
#include "cli/tool.h"

enum { SITES = 1 << 16, CODES = 1024 };

/* Where a module's code lies. */
typedef struct code {
    uint64_t low, high, base;
    int module;
} code_t;

typedef struct reader {
    const char *path;
    overlap_rank_t *rank;
    overlap_phase_t *phase; /* that lines belong to; NULL: none yet */
    places_t places;
    int nmodules;
    code_t codes[CODES];
    int ncodes;
} reader_t;

/* ---- growing arrays ---- */

/* One element more at the end, zeroed; NULL after a message. Room doubles. */
static void *add(void **array, int *n, size_t size, const char *path)
{
    if ((*n & (*n - 1)) == 0) {
        void *grown = realloc(*array, (*n == 0 ? 1 : 2 * (size_t) *n) * size);
        if (grown == NULL) {
            tool_status_error(path, DAME_ERR_NOMEM);
            return NULL;
        }
        *array = grown;
    }
    return memset((char *) *array + (size_t) (*n)++ * size, 0, size);
}

#define ADD(array, n) add((void **) &(array), &(n), sizeof(*(array)), reader->path)

/* ---- places ---- */

static const code_t *code_at(const reader_t *reader, uint64_t address)
{
    for (int c = 0; c < reader->ncodes; c++) {
        if (address >= reader->codes[c].low && address < reader->codes[c].high) {
            return &reader->codes[c];
        }
    }
    return NULL;
}

static char *place_text(reader_t *reader, uint64_t address)
{
    const code_t *code = code_at(reader, address);
    char *text = NULL;
    if (code == NULL) {
        return strdup("unknown place");
    }
    const place_t *found = places_find(&reader->places, code->module, address - code->base);
    if (found != NULL && found->file != NULL) {
        return asprintf(&text, "%s:%" PRId64, found->file, found->line) < 0 ? NULL : text;
    }
    char *offset = places_offset_text(&reader->places, code->module, address - code->base);
    if (found == NULL || found->function == NULL || offset == NULL) {
        return offset;
    }
    if (asprintf(&text, "%s (%s)", found->function, offset) < 0) {
        text = NULL;
    }
    free(offset);
    return text;
}

static int find_places(reader_t *reader)
{
    overlap_rank_t *rank = reader->rank;
    int code = TOOL_OK;
    for (int s = 0; s < rank->nsites && code == TOOL_OK; s++) {
        const code_t *at = code_at(reader, rank->sites[s].address);
        if (at != NULL) {
            code = places_ask(&reader->places, reader->path, at->module,
                              rank->sites[s].address - at->base);
        }
    }
    places_answer(&reader->places);
    for (int s = 0; s < rank->nsites && code == TOOL_OK; s++) {
        rank->sites[s].place = place_text(reader, rank->sites[s].address);
        if (rank->sites[s].place == NULL) {
            code = tool_status_error(reader->path, DAME_ERR_NOMEM);
        }
    }
    return code;
}

/* ---- lines of the file ---- */

static int right(int read, int wanted)
{
    return read == wanted ? TOOL_OK : TOOL_WRONG;
}

static int parse_code(reader_t *reader, const char *line)
{
    code_t code = {0};
    int length = 0;
    if (sscanf(line, "code %" SCNx64 " %" SCNx64 " %" SCNx64 " %n", &code.low, &code.high,
               &code.base, &length) != 3 ||
        length == 0) {
        return TOOL_WRONG;
    }
    if (reader->nmodules == PLACES_MODULES || reader->ncodes == CODES) {
        return TOOL_OK; /* its places stay unknown */
    }
    for (code.module = 0; code.module < reader->nmodules; code.module++) {
        if (strcmp(reader->places.modules[code.module], line + length) == 0) {
            break;
        }
    }
    if (code.module == reader->nmodules) {
        reader->places.modules[code.module] = strdup(line + length);
        if (reader->places.modules[reader->nmodules++] == NULL) {
            return tool_status_error(reader->path, DAME_ERR_NOMEM);
        }
    }
    reader->codes[reader->ncodes++] = code;
    return TOOL_OK;
}

static int parse_site(reader_t *reader, const char *line)
{
    overlap_rank_t *rank = reader->rank;
    int number, class;
    overlap_site_t site = {0};
    if (sscanf(line, "site %d %d %" SCNx64 " %39[^\n]", &number, &class, &site.address,
               site.function) != 4 ||
        number != rank->nsites || number >= SITES || class < 0 || class >= OVERLAP_CLASSES) {
        return TOOL_WRONG;
    }
    overlap_site_t *added = ADD(rank->sites, rank->nsites);
    if (added == NULL) {
        return TOOL_SYSTEM;
    }
    site.class = (overlap_class_t) class;
    *added = site;
    return TOOL_OK;
}

static int parse_calls(reader_t *reader, const char *line)
{
    overlap_calls_t c = {0};
    if (reader->phase == NULL ||
        sscanf(line,
               "calls %d %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64,
               &c.site, &c.order, &c.count, &c.ns, &c.min, &c.max, &c.gap, &c.tests, &c.sent,
               &c.sent_bytes, &c.received, &c.received_bytes) != 12 ||
        c.site < 0 || c.site >= reader->rank->nsites || c.count < 1) {
        return TOOL_WRONG;
    }
    overlap_calls_t *added = ADD(reader->phase->calls, reader->phase->ncalls);
    if (added == NULL) {
        return TOOL_SYSTEM;
    }
    *added = c;
    return TOOL_OK;
}

static int parse_stretch(reader_t *reader, const char *line)
{
    overlap_stretch_t s = {0};
    if (reader->phase == NULL ||
        sscanf(line, "stretch %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &s.site, &s.count,
               &s.gap, &s.starts, &s.waits) != 5 ||
        s.site < 0 || s.site >= reader->rank->nsites || s.count < 1) {
        return TOOL_WRONG;
    }
    overlap_stretch_t *added = ADD(reader->phase->stretches, reader->phase->nstretches);
    if (added == NULL) {
        return TOOL_SYSTEM;
    }
    *added = s;
    return TOOL_OK;
}

static int parse_steps(reader_t *reader, const char *line)
{
    overlap_rank_t *rank = reader->rank;
    overlap_phase_t p = {0};
    if (sscanf(line,
               "steps %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64,
               &p.anchor, &p.steps, &p.same, &p.begin, &p.end, &p.min, &p.max, &p.p10, &p.p50,
               &p.p90, &p.extra, &p.extra_ns) != 12 ||
        p.anchor < 0 || p.anchor >= rank->nsites || p.steps < 1 || p.end < p.begin) {
        return TOOL_WRONG;
    }
    reader->phase = ADD(rank->phases, rank->nphases);
    if (reader->phase == NULL) {
        return TOOL_SYSTEM;
    }
    *reader->phase = p;
    return TOOL_OK;
}

static int parse_channel(reader_t *reader, const char *line)
{
    overlap_rank_t *rank = reader->rank;
    overlap_channel_t c = {0};
    char direction[8];
    if (sscanf(line, "channel %7s %d %d %d %" SCNd64 " %" SCNd64 " %" SCNd64, direction, &c.peer,
               &c.tag, &c.size, &c.count, &c.bytes, &c.stride) != 7 ||
        c.peer < 0 || c.peer >= rank->size || c.count < 1 || c.stride < 1) {
        return TOOL_WRONG;
    }
    c.sends = strcmp(direction, "to") == 0;
    overlap_channel_t *added = ADD(rank->channels, rank->nchannels);
    if (added == NULL) {
        return TOOL_SYSTEM;
    }
    *added = c;
    return TOOL_OK;
}

static int parse_sample(reader_t *reader, const char *line)
{
    overlap_rank_t *rank = reader->rank;
    overlap_sample_t s;
    if (rank->nchannels == 0 ||
        sscanf(line, "at %" SCNd64 " %" SCNd64 " %" SCNd64 " %d", &s.ready, &s.begin, &s.end,
               &s.site) != 4 ||
        s.site < 0 || s.site >= rank->nsites) {
        return TOOL_WRONG;
    }
    overlap_channel_t *channel = &rank->channels[rank->nchannels - 1];
    overlap_sample_t *added = ADD(channel->samples, channel->nsamples);
    if (added == NULL) {
        return TOOL_SYSTEM;
    }
    *added = s;
    return TOOL_OK;
}

static int parse_run(overlap_rank_t *rank, const char *line)
{
    int finalized;
    int code = right(sscanf(line, "run %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %d",
                            &rank->begin, &rank->end, &rank->cpu, &rank->gaps, &finalized),
                     5);
    rank->finalized = code == TOOL_OK && finalized;
    return code == TOOL_OK && rank->end < rank->begin ? TOOL_WRONG : code;
}

static int parse_limits(overlap_rank_t *rank, const char *line)
{
    int wild;
    int code = right(
        sscanf(line, "limits %" SCNd64 " %" SCNd64 " %d", &rank->other_threads, &rank->lost, &wild),
        3);
    rank->wild = code == TOOL_OK && wild;
    return code;
}

/* No time of a message is negative or takes a day. */
static bool is_cost(double ns)
{
    return ns >= 0 && ns < 86400e9;
}

static int parse_costs(overlap_rank_t *rank, const char *line)
{
    double call, clock, message, byte;
    if (sscanf(line, "costs %lf %lf %lf %lf", &call, &clock, &message, &byte) != 4 ||
        !is_cost(call) || !is_cost(clock) || !is_cost(message) || !is_cost(byte)) {
        return TOOL_WRONG;
    }
    rank->cost_ns = call;
    rank->clock_ns = clock;
    rank->message_ns = message;
    rank->byte_ns = byte;
    return TOOL_OK;
}

static int parse_rank(overlap_rank_t *rank, const char *line)
{
    if (rank->size != 0) { /* the lines since then fit the first */
        return TOOL_WRONG;
    }
    int code = right(sscanf(line, "rank %d size %d", &rank->rank, &rank->size), 2);
    return code == TOOL_OK && (rank->size < 1 || rank->rank < 0 || rank->rank >= rank->size)
               ? TOOL_WRONG
               : code;
}

static bool starts(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0');
}

/* Some of them are added, in 64 bits. Paths and hosts may have any digits. */
static bool numbers_fit(const char *line)
{
    enum { DIGITS = 18 };
    if (starts(line, "code") || starts(line, "library") || starts(line, "host")) {
        return true;
    }
    for (const char *at = line; *at != '\0';) {
        size_t digits = strspn(at, "0123456789");
        if (digits > DIGITS) {
            return false;
        }
        at += digits > 0 ? digits : 1;
    }
    return true;
}

static int parse_line(reader_t *reader, const char *line)
{
    static const struct {
        const char *word;
        int (*parse)(reader_t *, const char *);
    } lines[] = {{"code", parse_code},       {"site", parse_site},   {"calls", parse_calls},
                 {"stretch", parse_stretch}, {"steps", parse_steps}, {"channel", parse_channel},
                 {"at", parse_sample}};
    overlap_rank_t *rank = reader->rank;
    if (!numbers_fit(line)) {
        return TOOL_WRONG;
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (starts(line, lines[i].word)) {
            return lines[i].parse(reader, line);
        }
    }
    if (starts(line, "rank")) {
        return parse_rank(rank, line);
    }
    if (starts(line, "run")) {
        return parse_run(rank, line);
    }
    if (starts(line, "limits")) {
        return parse_limits(rank, line);
    }
    if (starts(line, "library")) {
        return right(sscanf(line, "library %127[^\n]", rank->library), 1);
    }
    if (starts(line, "host")) {
        return right(sscanf(line, "host %63s %63s", rank->host, rank->host_name), 2);
    }
    if (starts(line, "tests")) {
        return right(sscanf(line, "tests %" SCNd64 " %" SCNd64, &rank->tests, &rank->tests_ns), 2);
    }
    if (starts(line, "costs")) {
        return parse_costs(rank, line);
    }
    if (starts(line, "whole")) {
        reader->phase = &rank->whole;
        return TOOL_OK;
    }
    rank->complete |= starts(line, "complete");
    return right(starts(line, "complete"), true);
}

static int parse(reader_t *reader, char *text)
{
    int code = TOOL_OK;
    int64_t number = 1;
    char *save = NULL, *line = strtok_r(text, "\n", &save);
    if (line == NULL || strcmp(line, "dame-overlap 1") != 0) {
        return tool_error(TOOL_WRONG, "%s: not a file of libdame-overlap of this version",
                          reader->path);
    }
    while (code == TOOL_OK && (line = strtok_r(NULL, "\n", &save)) != NULL) {
        number++;
        code = parse_line(reader, line);
        if (code == TOOL_WRONG && *save == '\0') {
            code = TOOL_OK; /* the process ended while it wrote this */
        } else if (code == TOOL_WRONG) {
            tool_error(TOOL_WRONG, "%s:%" PRId64 ": '%.60s' is not what libdame-overlap writes",
                       reader->path, number, line);
        }
    }
    return code == TOOL_OK ? find_places(reader) : code;
}

int overlap_read(const char *prefix, int rank, overlap_rank_t *out)
{
    char *path = NULL, *text = NULL;
    size_t length;
    *out = (overlap_rank_t){.whole.anchor = -1};
    if (asprintf(&path, "%s.%d", prefix, rank) < 0) {
        return tool_status_error(prefix, DAME_ERR_NOMEM);
    }
    reader_t *reader = calloc(1, sizeof(*reader));
    int code = reader == NULL ? tool_status_error(path, DAME_ERR_NOMEM)
                              : tool_read(path, SIZE_MAX, &text, &length);
    if (code == TOOL_OK) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an error is not TOOL_OK */
        reader->path = path;
        reader->rank = out;
        code = parse(reader, text);
    }
    if (reader != NULL) {
        places_free(&reader->places);
    }
    free(reader);
    free(text);
    free(path);
    return code;
}

static void free_phase(overlap_phase_t *phase)
{
    free(phase->calls);
    free(phase->stretches);
}

void overlap_free(overlap_rank_t *rank)
{
    for (int s = 0; s < rank->nsites; s++) {
        free(rank->sites[s].place);
    }
    for (int p = 0; p < rank->nphases; p++) {
        free_phase(&rank->phases[p]);
    }
    for (int c = 0; c < rank->nchannels; c++) {
        free(rank->channels[c].samples);
    }
    free_phase(&rank->whole);
    free(rank->sites);
    free(rank->phases);
    free(rank->channels);
    *rank = (overlap_rank_t){0};
}
