/*
 * What tells layouts apart: the description that Open MPI's engine packs a datatype by, as the
 * constructors left it (`desc`, before it is optimised), with size, bounds and flags.
 *
 * It lists the basic elements in typemap order, so datatypes with equal keys have one typemap, and
 * one program serves them all. It names no other datatype, so it outlives those that a datatype
 * was made of. The converse does not hold: one typemap may have several descriptions, by the way it
 * was made, and then has several layouts.
 */
#ifndef DT_LAYOUT_KEY_H
#define DT_LAYOUT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opal_datatype_t;

/* A copy of the description, in a few bytes for each item. */
typedef struct dt_layout_key dt_layout_key_t;

uint64_t dt_layout_key_hash(const struct opal_datatype_t *datatype);

/* Is all of the datatype's description that of the key? */
bool dt_layout_key_fits(const dt_layout_key_t *key, const struct opal_datatype_t *datatype);

/* NULL when memory is out. Freed with dame_heap_free(). */
dt_layout_key_t *dt_layout_key_new(const struct opal_datatype_t *datatype);

size_t dt_layout_key_bytes(const dt_layout_key_t *key);

#endif
