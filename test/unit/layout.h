/*
 * Layouts, and the many types that have one: what the normal form is about.
 */
#ifndef TEST_LAYOUT_H
#define TEST_LAYOUT_H

#include <stdint.h>

#include "test/lib/rng.h"
#include "dame/type.h"

typedef enum layout_kind {
    LAYOUT_ELEMENT, /* `stride` contiguous bytes, a basic type */
    LAYOUT_REPEAT,  /* n times the first part, `stride` bytes apart */
    LAYOUT_SEQUENCE /* n parts at displacements */
} layout_kind_t;

/* Data in the order of the typemap. Lives as long as the tree of the running test. */
typedef struct layout layout_t;
struct layout {
    layout_kind_t kind;
    int64_t n;
    int64_t stride;
    int64_t elements;
    const layout_t *const *parts;
    const int64_t *disps;
};

const layout_t *element(int64_t size);
const layout_t *repeat(int64_t n, int64_t stride, const layout_t *part);
/* Parts and displacements are copied. */
const layout_t *sequence(int64_t n, const int64_t *disps, const layout_t *const *parts);

/* The plainest type of a layout: vectors and structs as it is written. */
const dame_type_t *plain_type(const layout_t *layout);

/* Any type of the layout, of any constructors and whatever extent. */
const dame_type_t *type_of_layout(rng_t *rng, const layout_t *layout);

#endif
