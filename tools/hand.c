/* SPDX-License-Identifier: BSD-3-Clause */
#include "hand.h"

#include <string.h>

/* `memory` and `packed` are read or written, as the direction says. */
typedef struct hand {
    char *packed;
    int unpacks;
} hand_t;

/*
 * Rows of elements, with all that a compiler knows of such a loop in source code: the size of an
 * element, the direction, and a small number of elements.
 */
__attribute__((always_inline)) static inline char *copy_known(char *packed, char *memory,
                                                              int64_t rows, int64_t stride,
                                                              int64_t elements, size_t bytes,
                                                              int unpacks)
{
    for (int64_t i = 0; i < rows; i++) {
        char *row = memory + i * stride;
        for (int64_t j = 0; j < elements; j++) {
            char *element = row + j * (int64_t) bytes;
            memcpy(unpacks ? element : packed, unpacks ? packed : element, bytes);
            packed += bytes;
        }
    }
    return packed;
}

#define CASE_ELEMENTS(number, bytes, unpacks)                                                      \
    case number:                                                                                   \
        return copy_known(packed, memory, rows, stride, number, bytes, unpacks);

#define COPY_ROWS(name, bytes, unpacks)                                                            \
    static char *name(char *packed, char *memory, int64_t rows, int64_t stride, int64_t elements)  \
    {                                                                                              \
        switch (elements) {                                                                        \
            CASE_ELEMENTS(1, bytes, unpacks)                                                       \
            CASE_ELEMENTS(2, bytes, unpacks)                                                       \
            CASE_ELEMENTS(3, bytes, unpacks)                                                       \
            CASE_ELEMENTS(4, bytes, unpacks)                                                       \
            CASE_ELEMENTS(5, bytes, unpacks)                                                       \
            CASE_ELEMENTS(6, bytes, unpacks)                                                       \
            CASE_ELEMENTS(8, bytes, unpacks)                                                       \
        default:                                                                                   \
            return copy_known(packed, memory, rows, stride, elements, bytes, unpacks);             \
        }                                                                                          \
    }

COPY_ROWS(pack_1, 1, 0)
COPY_ROWS(pack_2, 2, 0)
COPY_ROWS(pack_4, 4, 0)
COPY_ROWS(pack_8, 8, 0)
COPY_ROWS(pack_16, 16, 0)
COPY_ROWS(unpack_1, 1, 1)
COPY_ROWS(unpack_2, 2, 1)
COPY_ROWS(unpack_4, 4, 1)
COPY_ROWS(unpack_8, 8, 1)
COPY_ROWS(unpack_16, 16, 1)

typedef char *copy_rows_fn(char *packed, char *memory, int64_t rows, int64_t stride,
                           int64_t elements);

static void copy_rows(hand_t *hand, char *memory, int64_t rows, int64_t stride, int64_t elements,
                      int64_t bytes)
{
    static copy_rows_fn *const functions[2][5] = {
        {pack_1, pack_2, pack_4, pack_8, pack_16},
        {unpack_1, unpack_2, unpack_4, unpack_8, unpack_16}};
    int known = bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : bytes == 16 ? 4 : 0;
    elements *= known == 0 ? bytes : 1;
    hand->packed = functions[hand->unpacks][known](hand->packed, memory, rows, stride, elements);
}

/* Blocks of a list, as in a loop over an array of indices. */
__attribute__((always_inline)) static inline char *
list_known(const dame_type_t *type, char *packed, char *memory, size_t bytes, int unpacks)
{
    for (int64_t i = 0; i < type->count; i++) {
        packed = copy_known(packed, memory + type->disps[i], 1, 0, type->children[i]->count, bytes,
                            unpacks);
    }
    return packed;
}

/* Is it a list of blocks of elements of 4 or 8 bytes? Then it is copied. */
static int copy_list(hand_t *hand, const dame_type_t *type, char *memory)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < type->count; i++) {
        const dame_type_t *child = type->children[i];
        if (child->kind != DAME_CONTIG || child->child->kind != DAME_BASIC ||
            (i > 0 && child->child->size != bytes)) {
            return 0;
        }
        bytes = child->child->size;
    }
    if (bytes == 8) {
        hand->packed = hand->unpacks ? list_known(type, hand->packed, memory, 8, 1)
                                     : list_known(type, hand->packed, memory, 8, 0);
    } else if (bytes == 4) {
        hand->packed = hand->unpacks ? list_known(type, hand->packed, memory, 4, 1)
                                     : list_known(type, hand->packed, memory, 4, 0);
    }
    return bytes == 8 || bytes == 4;
}

static void copy(hand_t *hand, const dame_type_t *type, char *memory)
{
    switch (type->kind) {
    case DAME_BASIC:
        copy_rows(hand, memory, 1, 0, 1, type->size);
        break;
    case DAME_CONTIG:
        if (type->child->kind == DAME_BASIC) {
            copy_rows(hand, memory, 1, 0, type->count, type->child->size);
            break;
        }
        for (int64_t i = 0; i < type->count; i++) {
            copy(hand, type->child, memory + i * type->child->extent);
        }
        break;
    case DAME_VECTOR: /* blocklength 1, as apps/suggest/ makes it */
        if (type->child->kind == DAME_CONTIG && type->child->child->kind == DAME_BASIC) {
            copy_rows(hand, memory, type->count, type->stride, type->child->count,
                      type->child->child->size);
            break;
        }
        for (int64_t i = 0; i < type->count; i++) {
            copy(hand, type->child, memory + i * type->stride);
        }
        break;
    default: /* a STRUCT, the only other kind that apps/suggest/ makes */
        if (copy_list(hand, type, memory)) {
            break;
        }
        for (int64_t i = 0; i < type->count; i++) {
            copy(hand, type->children[i], memory + type->disps[i]);
        }
    }
}

void hand_pack(const dame_type_t *type, const char *memory, char *packed)
{
    hand_t hand = {packed, 0};
    copy(&hand, type, (char *) (uintptr_t) memory);
}

void hand_unpack(const dame_type_t *type, char *memory, const char *packed)
{
    hand_t hand = {(char *) (uintptr_t) packed, 1};
    copy(&hand, type, memory);
}
