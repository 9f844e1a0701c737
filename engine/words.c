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

/* The level's iterations. False: it is the last one to be written. */
static bool add_level(writer_t *writer, const dame_prim_t *prim)
{
    const char *listed = dame_prim_has_list(prim) ? " listed" : "";
    switch (prim->params->op) {
    case DAME_OP_CONTIGFINAL:
        add(writer, "%" PRId64 " B", prim->params->size);
        return false;
    case DAME_OP_STRUCT:
        add(writer, "struct of %" PRId64, prim->count);
        return false;
    case DAME_OP_INDEXFINAL:
        add(writer, "%" PRId64 " uneven", prim->count);
        return false;
    case DAME_OP_VECTORFINAL:
    case DAME_OP_BLOCKINDEXFINAL:
        add(writer, "%" PRId64 "%s x %" PRId64 " B", prim->count, listed,
            prim->params->blklen * prim->params->size);
        return false;
    case DAME_OP_CONTIGCHILD:
        if (prim->count > 1) {
            add(writer, "%" PRId64 " x ", prim->count);
        }
        return true;
    default:
        add(writer, "%" PRId64 "%s x ", prim->count, listed);
        return true;
    }
}

void dame_words_of_layout(const dame_program_t *program, char *text, size_t room)
{
    writer_t writer = {text, 0, room};
    text[0] = '\0';
    if (0 == program->size) {
        add(&writer, "nothing");
        return;
    }
    const dame_prim_t *prim = &program->prims[1]; /* behind EXIT */
    while (add_level(&writer, prim)) {
        prim++;
    }
}

const char *dame_words_of_bytes(double bytes, char text[DAME_WORDS_BYTES])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 6) {
        bytes /= 1000;
        unit++;
    }
    const int digits = 0 == unit || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    (void) snprintf(text, DAME_WORDS_BYTES, "%.*f %s", digits, bytes, units[unit]);
    return text;
}
