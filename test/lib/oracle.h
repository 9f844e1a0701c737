/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The oracle: what MPI says about a type, found by walking its typemap byte by byte (MPI-4.0,
 * sections 5.1.2 to 5.1.7). It reads of a type only what its constructor was given; it uses no
 * program, no cursor and none of the sizes and bounds the library computed. Of a program that comes
 * from a text it says what the meaning of each primitive is (walk.h).
 */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/program.h"
#include "dame/type.h"

typedef struct oracle {
    int64_t size;     /* packed bytes of one element */
    int64_t lb;       /* lower bound, markers of resized types respected */
    int64_t extent;   /* upper bound - lower bound */
    int64_t true_lb;  /* first byte of data; 0 without data */
    int64_t true_ub;  /* one past the last byte of data; 0 without data */
    int64_t *offsets; /* size entries: where packed byte i of an element is in user memory */
    bool *starts;     /* size entries: packed byte i is the first of a basic element */
} oracle_t;

/* Fills *oracle; false when memory is out. Free with oracle_fini(). */
bool oracle_init(oracle_t *oracle, const dame_type_t *type);

/* The same of a verified program; its basic elements are unknown, so every byte is one. False also
 * when the program's size is not that of its primitives. */
bool oracle_init_program(oracle_t *oracle, const dame_program_t *program);
void oracle_fini(oracle_t *oracle);

/* User address of byte `position` of the packed stream of elements at `base`. */
uintptr_t oracle_address(const oracle_t *oracle, uintptr_t base, int64_t position);

/* User addresses of one packed byte after the other, from `position` on. */
typedef struct oracle_place {
    const oracle_t *oracle;
    uintptr_t element; /* address of the element's origin */
    int64_t byte;      /* of the element */
} oracle_place_t;

void oracle_place(const oracle_t *oracle, uintptr_t base, int64_t position, oracle_place_t *place);

/* The address, after which the place is that of the next byte. Not for empty data. */
static inline uintptr_t oracle_next(oracle_place_t *place)
{
    const oracle_t *oracle = place->oracle;
    uintptr_t address = place->element + (uint64_t) oracle->offsets[place->byte];
    if (++place->byte == oracle->size) {
        place->byte = 0;
        place->element += (uint64_t) oracle->extent;
    }
    return address;
}

/* Moves packed bytes [from, to), one at a time; packed[0] is byte `from`. */
void oracle_pack(const oracle_t *oracle, uintptr_t base, int64_t from, int64_t to, char *packed);
void oracle_unpack(const oracle_t *oracle, uintptr_t base, int64_t from, int64_t to,
                   const char *packed);

/* True when byte `position` of the stream starts a basic element (or ends the message). */
bool oracle_is_boundary(const oracle_t *oracle, int64_t count, int64_t position);

/* Lowest and one past the highest user offset of `count` elements; both 0 without data. */
void oracle_span(const oracle_t *oracle, int64_t count, int64_t *low, int64_t *high);

/* Lower bound and extent of a type by the markers rule, without enumerating its data. */
void oracle_bounds(const dame_type_t *type, int64_t *lb, int64_t *extent);

/* A constructor as a list of blocks, and block i of it: the number of instances of a child, and
 * where. Not for basic types. */
typedef struct oracle_block {
    int64_t length;
    int64_t displacement;
    const dame_type_t *child;
} oracle_block_t;

int64_t oracle_blocks(const dame_type_t *type);
oracle_block_t oracle_block(const dame_type_t *type, int64_t i);

/* The typemap holds the bound markers of some resized type. */
bool oracle_has_markers(const dame_type_t *type);

#endif
