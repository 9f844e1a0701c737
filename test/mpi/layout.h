/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts: an MPI datatype together with the list of bytes that it must mean.
 *
 * Every lay_*() function calls one MPI constructor and, beside it, writes down the typemap that the
 * MPI standard (3.1, chapter 4) gives for the same arguments. The two never meet: nothing here asks
 * MPI what a datatype contains. So a test can compare what MPI moved with what had to move.
 */
#ifndef TEST_MPI_LAYOUT_H
#define TEST_MPI_LAYOUT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adjacent basic elements of one kind. */
typedef struct run {
    int64_t offset; /* bytes from the datatype's displacement 0 */
    int64_t length; /* bytes, a multiple of elem */
    int elem;       /* size of one basic element */
    int unit;       /* size of one number in it: what external32 turns round */
    MPI_Datatype basic;
} run_t;

typedef struct layout {
    MPI_Datatype type;
    bool predefined;
    run_t *runs; /* in typemap order */
    int64_t nruns;
    int64_t room;
    int64_t size;  /* bytes of one element */
    int64_t elems; /* basic elements in one element of the type */
    int64_t lb, ub;
    bool has_data;
    bool lb_set, ub_set; /* by MPI_Type_create_resized or a type built of such */
    int align;
    unsigned char *arena; /* absolute layouts: where displacement 0 of the runs is in memory */
    unsigned char *arena_block;
    int64_t arena_size;
} layout_t;

/* The predefined datatypes. elem and unit as in run_t. */
layout_t *lay_basic(MPI_Datatype type, int elem, int unit);
/* MPI_DOUBLE_INT and similar types: a value, then an int. */
layout_t *lay_pair(MPI_Datatype type, MPI_Datatype value, int value_size);

/* One for each constructor. The old layouts stay the caller's. */
layout_t *lay_dup(const layout_t *old);
layout_t *lay_contiguous(int count, const layout_t *old);
layout_t *lay_vector(int count, int blocklength, int stride, const layout_t *old);
layout_t *lay_hvector(int count, int blocklength, MPI_Aint stride, const layout_t *old);
layout_t *lay_indexed(int count, const int *blocklengths, const int *displacements,
                      const layout_t *old);
layout_t *lay_hindexed(int count, const int *blocklengths, const MPI_Aint *displacements,
                       const layout_t *old);
layout_t *lay_indexed_block(int count, int blocklength, const int *displacements,
                            const layout_t *old);
layout_t *lay_hindexed_block(int count, int blocklength, const MPI_Aint *displacements,
                             const layout_t *old);
layout_t *lay_struct(int count, const int *blocklengths, const MPI_Aint *displacements,
                     layout_t *const *olds);
layout_t *lay_subarray(int ndims, const int *sizes, const int *subsizes, const int *starts,
                       int order, const layout_t *old);
layout_t *lay_darray(int size, int rank, int ndims, const int *gsizes, const int *distribs,
                     const int *dargs, const int *psizes, int order, const layout_t *old);
layout_t *lay_resized(const layout_t *old, MPI_Aint lb, MPI_Aint extent);

/* Other places, the same signature: the runs of old one after the other, `gap` bytes apart. */
layout_t *lay_spread(const layout_t *old, int gap);
/* The predefined datatype of every element, MPI_DATATYPE_NULL if there are several or none. */
MPI_Datatype lay_uniform(const layout_t *l);

/* The same struct at absolute addresses, for MPI_BOTTOM: its memory, room for max_count elements,
   belongs to the layout. */
layout_t *lay_struct_absolute(int count, const int *blocklengths, const MPI_Aint *displacements,
                              layout_t *const *olds, int max_count);

void lay_commit(layout_t *l);
void lay_free(layout_t *l); /* MPI_Type_free too, unless predefined; NULL is allowed */
/* Forgets the MPI handle, which the caller has freed. */
void lay_release(layout_t *l);

int64_t lay_extent(const layout_t *l);
/* The bytes that count elements touch, [*low, *high) from displacement 0; 0, 0 if none. */
void lay_span(const layout_t *l, int64_t count, int64_t *low, int64_t *high);
/* Do MPI's size, bounds and true bounds equal the builder's? */
bool lay_agrees(const layout_t *l);

/* The packed stream by hand. zero is the address of displacement 0. */
void lay_pack(const layout_t *l, int64_t count, const unsigned char *zero, unsigned char *stream);
void lay_unpack(const layout_t *l, int64_t count, const unsigned char *stream, int64_t bytes,
                unsigned char *zero);
/* Turns every number of a packed stream round (little to big endian and back). */
void lay_swap(const layout_t *l, int64_t count, unsigned char *stream);
/* How many whole basic elements the first bytes of the stream hold. */
int64_t lay_elements(const layout_t *l, int64_t count, int64_t bytes);

#endif
