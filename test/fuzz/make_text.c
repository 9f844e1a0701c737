#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include "make_text.h"

#include <stdlib.h>

enum { DEPTH = 6, BLOCKS = 12, LEAF = 70, REACH = 120 };

typedef struct maker {
    choices_t *choices;
    FILE *out;
    int next; /* text index of the next primitive */
} maker_t;

/* Now and then another number than the right one. */
static int64_t right(maker_t *maker, int64_t number)
{
    uint8_t byte = choose_byte(maker->choices);
    uint64_t off = byte == 255 ? (uint64_t) choose(maker->choices, -2, 2) : 0;
    return (int64_t) ((uint64_t) number + off); /* may wrap */
}

/* Mostly near, now and then at the end of the world. */
static int64_t displacement(maker_t *maker)
{
    int64_t near = choose(maker->choices, -REACH, REACH);
    uint8_t byte = choose_byte(maker->choices);
    return byte >= 250 ? near * ((int64_t) 1 << 56) : byte % 4 == 3 ? near * 64 : near;
}

static void list(maker_t *maker, const int64_t *numbers, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        fprintf(maker->out, "%s%lld", i == 0 ? "[" : ",", (long long) numbers[i]);
    }
    fputs("],", maker->out);
}

/* `count,` or what else the letter asks for. Returns the instances of the inner type. */
static int64_t level(maker_t *maker, const char *name, int blklen, char places)
{
    int64_t count = choose(maker->choices, 1, BLOCKS);
    if (count == BLOCKS && blklen >= 0 && places != 'D') { /* more than is ever moved */
        count = (int64_t) 1 << choose(maker->choices, 2, 61);
    }
    int64_t numbers[BLOCKS];
    int64_t instances = 0;
    maker->next++;
    fprintf(maker->out, "%s(%lld,", name, (long long) right(maker, count));
    if (blklen < 0) { /* a list */
        for (int64_t i = 0; i < count; i++) {
            numbers[i] = choose(maker->choices, 1, 4);
            instances += numbers[i];
        }
        list(maker, numbers, count);
    } else {
        instances = (int64_t) ((uint64_t) count * (uint64_t) (blklen > 0 ? blklen : 1));
    }
    if (blklen > 0) {
        fprintf(maker->out, "%d,", blklen);
    }
    if (places == 's') {
        fprintf(maker->out, "%lld,", (long long) displacement(maker));
    } else if (places == 'D') {
        for (int64_t i = 0; i < count; i++) {
            numbers[i] = displacement(maker);
        }
        list(maker, numbers, count);
    }
    return instances;
}

/* The inner type is written to memory first: the level above it wants to know its size. */
typedef struct inner {
    char *text;
    int64_t size;
} inner_t;

static int64_t type(maker_t *maker, int depth);

/* The inner type by `write`; `before` primitives will stand before it. */
static inner_t make_inner(maker_t *maker, int64_t (*write)(maker_t *maker, int depth), int depth,
                          int before)
{
    inner_t inner = {NULL, 0};
    size_t length;
    FILE *out = maker->out;
    maker->out = open_memstream(&inner.text, &length);
    if (!maker->out) {
        abort();
    }
    maker->next += before;
    inner.size = write(maker, depth);
    maker->next -= before;
    if (fclose(maker->out) != 0) {
        abort();
    }
    maker->out = out;
    return inner;
}

static int64_t leaf(maker_t *maker, int depth)
{
    (void) depth;
    int64_t size = choose(maker->choices, 0, 9) == 9 ? choose(maker->choices, 1, LEAF) * 4
                                                     : choose(maker->choices, 1, LEAF);
    maker->next++;
    fprintf(maker->out, "CONTIGFINAL(%lld)\n", (long long) right(maker, size));
    return size;
}

static int64_t structure(maker_t *maker, int depth)
{
    int64_t count = choose(maker->choices, 1, 4);
    int64_t blklens[4], disps[4], extents[4], sizes[4];
    inner_t fields[4];
    int64_t total = 0;
    int self = maker->next++;
    for (int64_t i = 0; i < count; i++) {
        blklens[i] = choose(maker->choices, 1, 3);
        disps[i] = displacement(maker);
        extents[i] = displacement(maker);
        fields[i] = make_inner(maker, type, depth, 1);
        maker->next += 2; /* RETURNTO, BOTTOM */
        sizes[i] = fields[i].size;
        total = (int64_t) ((uint64_t) total + (uint64_t) blklens[i] * (uint64_t) sizes[i]);
    }
    fprintf(maker->out, "STRUCT(%lld,", (long long) count);
    list(maker, blklens, count);
    list(maker, disps, count);
    list(maker, sizes, count);
    fputc('[', maker->out);
    for (int64_t i = 0; i < count; i++) {
        fprintf(maker->out, i == 0 ? "%lld" : ",%lld", (long long) extents[i]);
    }
    fputs("])\n", maker->out);
    for (int64_t i = 0; i < count; i++) {
        fprintf(maker->out, "RETURNTO(%lld)\n%sBOTTOM\n", (long long) right(maker, self),
                fields[i].text);
        free(fields[i].text);
    }
    return total;
}

/* Writes a type; returns its size. */
static int64_t type(maker_t *maker, int depth)
{
    static const struct {
        const char *name;
        int blklen;  /* 0: none, 1: only 1, 2: any, -1: list */
        char places; /* s stride, D displacements, 0 neither */
        int final;
    } levels[] = {
        {"CONTIG", 0, 0, 0},        {"VECTOR", 2, 's', 0},          {"VECTOR1", 1, 's', 0},
        {"BLOCKINDEX", 2, 'D', 0},  {"BLOCKINDEX1", 1, 'D', 0},     {"INDEX", -1, 'D', 0},
        {"VECTORFINAL", 2, 's', 1}, {"BLOCKINDEXFINAL", 2, 'D', 1}, {"INDEXFINAL", -1, 'D', 1},
    };
    int64_t kind = choose(maker->choices, 0, 10);
    if (kind == 9 || depth == DEPTH) {
        return leaf(maker, depth);
    }
    if (kind == 10) {
        return structure(maker, depth + 1);
    }
    const int is_final = levels[kind].final;
    inner_t inner = make_inner(maker, is_final ? leaf : type, depth + 1, !is_final);
    int blklen =
        levels[kind].blklen == 2 ? (int) choose(maker->choices, 1, 5) : levels[kind].blklen;
    int64_t instances = level(maker, levels[kind].name, blklen, levels[kind].places);
    int64_t extent = levels[kind].final ? inner.size : displacement(maker);
    fprintf(maker->out, "%lld,%lld)\n%s", (long long) right(maker, inner.size),
            (long long) right(maker, extent), inner.text);
    free(inner.text);
    return (int64_t) ((uint64_t) instances * (uint64_t) inner.size); /* may not fit */
}

void make_text(choices_t *choices, FILE *out)
{
    maker_t maker = {.choices = choices, .out = out, .next = 1};
    switch (choose(choices, 0, 3)) {
    case 0:
        fprintf(out, "EXIT(%lld)\n", (long long) displacement(&maker));
        break;
    case 1:
        fprintf(out, "EXIT(%lld,%lld)\n", (long long) displacement(&maker),
                (long long) choose(choices, 0, 9));
        break;
    default:
        fputs("EXIT\n", out);
    }
    type(&maker, 0);
    fputs("BOTTOM\n", out);
}
