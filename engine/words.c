/* SPDX-License-Identifier: BSD-3-Clause */
#include "words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct writer {
    char *text;
    size_t used;
    size_t room;
} writer_t;

__attribute__((format(printf, 2, 3))) static void add(writer_t *writer, const char *format, ...)
{
    const size_t left = writer->room - writer->used;
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(writer->text + writer->used, left, format, args);
    va_end(args);
    if (length > 0) {
        writer->used += (size_t) length < left ? (size_t) length : left - 1;
    }
}

/* What the levels so far say. */
typedef struct spoken {
    int64_t count[3]; /* of levels with several iterations, outermost first */
    int64_t step[3];  /* bytes, 0 where the level has a list */
    int levels;
    bool is_listed;
} spoken_t;

static void hear_block(spoken_t *spoken, const dame_prim_t *prim)
{
    enum { MOST = sizeof(spoken->count) / sizeof(spoken->count[0]) };
    if (prim->count < 2) { /* where the data begins: bounds say that */
        return;
    }
    if (spoken->levels < MOST) {
        spoken->count[spoken->levels] = prim->count;
        spoken->step[spoken->levels] = dame_prim_has_list(prim) ? 0 : prim->step;
    }
    spoken->is_listed |= dame_prim_has_list(prim);
    spoken->levels++;
}

/* "20 x 512 " */
static void add_counts(writer_t *writer, const spoken_t *spoken)
{
    for (int i = 0; i < spoken->levels && i < 3; i++) {
        add(writer, "%s%" PRId64 " ", i == 0 ? "" : "x ", spoken->count[i]);
    }
    add(writer, spoken->levels > 3 ? "x ... " : "");
}

/* ", every 2064 B" or " at listed places" */
static void add_places(writer_t *writer, const spoken_t *spoken)
{
    if (spoken->is_listed) {
        add(writer, " at listed places");
    } else if (spoken->levels == 1) {
        add(writer, ", every %" PRId64 " B", spoken->step[0]);
    } else if (spoken->levels == 2) {
        add(writer, ", every %" PRId64 " and %" PRId64 " B", spoken->step[0], spoken->step[1]);
    }
}

static void add_blocks(writer_t *writer, const spoken_t *spoken, int64_t bytes)
{
    if (spoken->levels == 0) {
        add(writer, "one block of %" PRId64 " B", bytes);
        return;
    }
    add_counts(writer, spoken);
    add(writer, "blocks of %" PRId64 " B", bytes);
    add_places(writer, spoken);
}

static void add_uneven(writer_t *writer, const spoken_t *spoken, const dame_prim_t *prim)
{
    int64_t least = INT64_MAX, most = 0;
    for (int64_t i = 0; i < prim->count; i++) {
        const int64_t bytes = dame_iter_size(prim, i);
        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
    }
    add_counts(writer, spoken);
    add(writer, "blocks of %" PRId64 " to %" PRId64 " B at listed places", least, most);
}

void dame_words_of_layout(const dame_program_t *program, char *text, size_t room)
{
    writer_t writer = {text, 0, room};
    spoken_t spoken = {.levels = 0};
    text[0] = '\0';
    if (program->size == 0) {
        add(&writer, "nothing");
        return;
    }
    const dame_prim_t *prim = &program->prims[1]; /* behind EXIT */
    for (; prim->params->op != DAME_OP_CONTIGFINAL && prim->params->op != DAME_OP_STRUCT; prim++) {
        hear_block(&spoken, prim);
        if (prim->params->op == DAME_OP_INDEXFINAL) {
            add_uneven(&writer, &spoken, prim);
            return;
        }
        if (prim->params->op == DAME_OP_VECTORFINAL ||
            prim->params->op == DAME_OP_BLOCKINDEXFINAL) {
            add_blocks(&writer, &spoken, prim->params->blklen * prim->params->size);
            return;
        }
    }
    if (prim->params->op == DAME_OP_STRUCT) {
        add_counts(&writer, &spoken);
        add(&writer, "%s of %" PRId64 " members", spoken.levels > 0 ? "structs" : "struct",
            prim->count);
        return;
    }
    add_blocks(&writer, &spoken, prim->params->size);
}

const char *dame_words_of_bytes(double bytes, char text[DAME_WORDS_BYTES])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 6) {
        bytes /= 1000;
        unit++;
    }
    const int digits = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    (void) snprintf(text, DAME_WORDS_BYTES, "%.*f %s", digits, bytes, units[unit]);
    return text;
}
