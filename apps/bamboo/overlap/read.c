/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "read.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/places.h"
#include "shared/tool.h"

enum { SITES = 1 << 16, CODES = 1024 };

/* Where a module's code lies. */
typedef struct code {
    uint64_t low, high, base;
    int module;
} code_t;

typedef struct reader {
    const char *path;
    overlap_rank_t *rank;
    overlap_part_t *part; /* that lines belong to; NULL: none yet */
    places_t places;
    int nmodules;
    code_t codes[CODES];
    int ncodes;
} reader_t;

/* ---- growing arrays ---- */

/* One element more at the end, zeroed; NULL after a message. Room doubles. */
static void *add_entry(void **array, int *n, size_t size, const char *path)
{
    if ((*n & (*n - 1)) == 0) {
        void *grown = realloc(*array, (*n == 0 ? 1 : 2 * (size_t) *n) * size);
        if (grown == NULL) {
            tool_no_memory(path);
            return NULL;
        }
        *array = grown;
    }
    return memset((char *) *array + (size_t) (*n)++ * size, 0, size);
}

#define ADD(array, n) add_entry((void **) &(array), &(n), sizeof(*(array)), reader->path)

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
            code = tool_no_memory(reader->path);
        }
    }
    return code;
}

/* ---- lines of the file: a word, numbers, and for some a text ---- */

enum { NUMBERS = 9 };

typedef struct line {
    int64_t v[NUMBERS];
    const char *text;
} line_t;

static int parse_code(reader_t *reader, const line_t *line)
{
    code_t code = {
        .low = (uint64_t) line->v[0], .high = (uint64_t) line->v[1], .base = (uint64_t) line->v[2]};
    if (reader->nmodules == PLACES_MODULES || reader->ncodes == CODES) {
        return TOOL_OK; /* its places stay unknown */
    }
    for (code.module = 0; code.module < reader->nmodules; code.module++) {
        if (strcmp(reader->places.modules[code.module], line->text) == 0) {
            break;
        }
    }
    if (code.module == reader->nmodules) {
        reader->places.modules[code.module] = strdup(line->text);
        if (reader->places.modules[reader->nmodules++] == NULL) {
            return tool_no_memory(reader->path);
        }
    }
    reader->codes[reader->ncodes++] = code;
    return TOOL_OK;
}

static int parse_site(reader_t *reader, const line_t *line)
{
    overlap_rank_t *rank = reader->rank;
    if (line->v[0] != rank->nsites || rank->nsites >= SITES || line->v[1] >= OVERLAP_CLASSES) {
        return TOOL_WRONG;
    }
    overlap_site_t *site = ADD(rank->sites, rank->nsites);
    if (site == NULL) {
        return TOOL_SYSTEM;
    }
    site->class = (overlap_class_t) line->v[1];
    site->address = (uint64_t) line->v[2];
    snprintf(site->function, sizeof(site->function), "%s", line->text);
    return TOOL_OK;
}

static int parse_calls(reader_t *reader, const line_t *line)
{
    const int64_t *v = line->v;
    if (reader->part == NULL || v[0] >= reader->rank->nsites || v[1] < 1) {
        return TOOL_WRONG;
    }
    overlap_calls_t *calls = ADD(reader->part->calls, reader->part->ncalls);
    if (calls == NULL) {
        return TOOL_SYSTEM;
    }
    *calls = (overlap_calls_t){(int) v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]};
    return TOOL_OK;
}

static int parse_stretch(reader_t *reader, const line_t *line)
{
    if (reader->part == NULL) {
        return TOOL_WRONG;
    }
    overlap_stretch_t *stretch = ADD(reader->part->stretches, reader->part->nstretches);
    if (stretch == NULL) {
        return TOOL_SYSTEM;
    }
    *stretch = (overlap_stretch_t){line->v[0], line->v[1], line->v[2]};
    return TOOL_OK;
}

static int parse_whole(reader_t *reader, const line_t *line)
{
    (void) line;
    reader->part = &reader->rank->whole;
    return TOOL_OK;
}

static int parse_steps(reader_t *reader, const line_t *line)
{
    const int64_t *v = line->v;
    overlap_part_t *steps = &reader->rank->steps;
    if (steps->steps > 0 || v[0] >= reader->rank->nsites || v[1] < 1 || v[3] < v[2]) {
        return TOOL_WRONG;
    }
    *steps = (overlap_part_t){.anchor = (int) v[0],
                              .steps = v[1],
                              .begin = v[2],
                              .end = v[3],
                              .median = v[4],
                              .extra = v[5],
                              .extra_ns = v[6]};
    reader->part = steps;
    return TOOL_OK;
}

static int parse_channel(reader_t *reader, const line_t *line)
{
    const int64_t *v = line->v;
    overlap_rank_t *rank = reader->rank;
    if (v[1] >= rank->size || v[2] > INT_MAX || v[3] > INT_MAX || v[4] < 1 || v[6] < 1) {
        return TOOL_WRONG;
    }
    overlap_channel_t *channel = ADD(rank->channels, rank->nchannels);
    if (channel == NULL) {
        return TOOL_SYSTEM;
    }
    *channel = (overlap_channel_t){.sends = v[0] != 0,
                                   .peer = (int) v[1],
                                   .tag = (int) v[2],
                                   .size = (int) v[3],
                                   .count = v[4],
                                   .bytes = v[5],
                                   .stride = v[6]};
    return TOOL_OK;
}

static int parse_sample(reader_t *reader, const line_t *line)
{
    const int64_t *v = line->v;
    overlap_rank_t *rank = reader->rank;
    if (rank->nchannels == 0 || v[3] >= rank->nsites) {
        return TOOL_WRONG;
    }
    overlap_channel_t *channel = &rank->channels[rank->nchannels - 1];
    overlap_sample_t *sample = ADD(channel->samples, channel->nsamples);
    if (sample == NULL) {
        return TOOL_SYSTEM;
    }
    *sample = (overlap_sample_t){v[0], v[1], v[2], (int) v[3]};
    return TOOL_OK;
}

static int parse_run(reader_t *reader, const line_t *line)
{
    const int64_t *v = line->v;
    overlap_rank_t *rank = reader->rank;
    rank->begin = v[0];
    rank->end = v[1];
    rank->cpu = v[2];
    rank->gaps = v[3];
    rank->finalized = v[4] != 0;
    rank->tests = v[5];
    rank->tests_ns = v[6];
    return rank->end < rank->begin ? TOOL_WRONG : TOOL_OK;
}

static int parse_limits(reader_t *reader, const line_t *line)
{
    reader->rank->other_threads = line->v[0];
    reader->rank->lost = line->v[1];
    reader->rank->wild = line->v[2] != 0;
    return TOOL_OK;
}

/* Picoseconds. */
static int parse_costs(reader_t *reader, const line_t *line)
{
    reader->rank->cost_ns = (double) line->v[0] / 1000;
    reader->rank->clock_ns = (double) line->v[1] / 1000;
    reader->rank->message_ns = (double) line->v[2] / 1000;
    reader->rank->byte_ns = (double) line->v[3] / 1000;
    return TOOL_OK;
}

static int parse_rank(reader_t *reader, const line_t *line)
{
    overlap_rank_t *rank = reader->rank;
    if (rank->size != 0 || line->v[1] < 1 || line->v[1] > INT_MAX || line->v[0] >= line->v[1]) {
        return TOOL_WRONG; /* or a second one: the lines since then fit the first */
    }
    rank->rank = (int) line->v[0];
    rank->size = (int) line->v[1];
    snprintf(rank->host, sizeof(rank->host), "%s", line->text);
    return TOOL_OK;
}

static int parse_complete(reader_t *reader, const line_t *line)
{
    (void) line;
    reader->rank->complete = true;
    return TOOL_OK;
}

static const struct {
    const char *word;
    int numbers;
    bool text;
    int (*parse)(reader_t *, const line_t *);
} kinds[] = {{"rank", 2, true, parse_rank},    {"code", 3, true, parse_code},
             {"run", 7, false, parse_run},     {"limits", 3, false, parse_limits},
             {"site", 3, true, parse_site},    {"whole", 0, false, parse_whole},
             {"calls", 9, false, parse_calls}, {"stretch", 3, false, parse_stretch},
             {"steps", 7, false, parse_steps}, {"channel", 7, false, parse_channel},
             {"at", 4, false, parse_sample},   {"complete", 0, false, parse_complete},
             {"costs", 4, false, parse_costs}};

/* A number of up to 18 digits: some are added, in 64 bits. */
static bool parse_number(const char **at, int64_t *out)
{
    char *end;
    size_t digits = strspn(*at + (**at == ' '), "0123456789");
    *out = strtoll(*at, &end, 10);
    bool good = **at == ' ' && digits > 0 && digits <= 18;
    *at = end;
    return good;
}

static int parse_line(reader_t *reader, const char *text)
{
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        size_t length = strlen(kinds[k].word);
        const char *at = text + length;
        if (strncmp(text, kinds[k].word, length) != 0 || (*at != ' ' && *at != '\0')) {
            continue;
        }
        line_t line = {0};
        bool good = true;
        for (int n = 0; n < kinds[k].numbers; n++) {
            good = good && parse_number(&at, &line.v[n]);
        }
        line.text = at + 1;
        good = good && (kinds[k].text ? at[0] == ' ' && at[1] != '\0' : at[0] == '\0');
        return good ? kinds[k].parse(reader, &line) : TOOL_WRONG;
    }
    return TOOL_WRONG;
}

static int parse(reader_t *reader, char *text)
{
    int code = TOOL_OK;
    int64_t number = 1;
    char *save = NULL, *line = strtok_r(text, "\n", &save);
    if (line == NULL || strcmp(line, "dame-overlap 2") != 0) {
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
    *out = (overlap_rank_t){.whole.steps = 1};
    if (asprintf(&path, "%s.%d", prefix, rank) < 0) {
        return tool_no_memory(prefix);
    }
    reader_t *reader = calloc(1, sizeof(*reader));
    int code = reader == NULL ? tool_no_memory(path) : tool_read(path, &text, &length);
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

static void free_part(overlap_part_t *part)
{
    free(part->calls);
    free(part->stretches);
}

void overlap_free(overlap_rank_t *rank)
{
    for (int s = 0; s < rank->nsites; s++) {
        free(rank->sites[s].place);
    }
    for (int c = 0; c < rank->nchannels; c++) {
        free(rank->channels[c].samples);
    }
    free_part(&rank->whole);
    free_part(&rank->steps);
    free(rank->sites);
    free(rank->channels);
    *rank = (overlap_rank_t){0};
}
