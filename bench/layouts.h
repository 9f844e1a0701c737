/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The corpus of memory layouts that everything is measured and tested on.
 *
 * A layout has two sides. The SEND side owns arrays and a datatype that picks the packed bytes out
 * of them; the RECV side owns other arrays and a datatype of the same signature that puts them in
 * place. Each side also has an independent pack and unpack written by hand as plain C loops
 * (hand.h).
 *
 * The micro-applications are those of DDTBench (Schneider, Gerstenberger, Hoefler:
 * "Micro-applications for communication data access patterns and MPI datatypes", EuroMPI 2012).
 *
 * Pure MPI-3.1: also compiles with MPICH. MPI errors end the program (MPI_ERRORS_ARE_FATAL), and so
 * does a failed allocation. Threads: a layout belongs to one thread at a time.
 */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_SEND = 0, LAYOUT_RECV = 1 };
enum { LAYOUT_MAX_ARRAYS = 9, LAYOUT_MAX_PARAMETERS = 8 };

/* Flags of a layout. */
#define LAYOUT_QUICK  1u /* one or two per family, none of them large */
#define LAYOUT_ANCHOR 2u /* a row of --anchors */
#define LAYOUT_SHORT  4u /* of up to 1 KiB, for the figure `short`; selected by nothing else but names */
#define LAYOUT_SERIES 8u /* one of many sizes of a shape, for a figure; selected by names only */

struct layout;

/* What the registry knows: how to make a layout. */
struct layout_spec {
    const char *name;   /* unique, for example NAS_MG_x_130x66x66 */
    const char *family; /* for example NAS_MG_x; the name starts with it */
    unsigned flags;
    /* Allocates the arrays of both sides, sets bytes, count, base and the hand loops. */
    void (*setup)(struct layout *layout);
    /* Builds and commits the datatype of one side. */
    void (*make_type)(const struct layout *layout, int side, MPI_Datatype *type);
    long parameter[LAYOUT_MAX_PARAMETERS]; /* meaning: see the family's file */
};

/* One user array. */
struct layout_array {
    unsigned char *bytes;
    size_t size; /* bytes */
};

/* One side: use it as MPI_Pack(base, count, type, …) or pack(plan, …). */
struct layout_side {
    void *base; /* MPI_BOTTOM where the type holds absolute addresses */
    int count;
    MPI_Datatype type; /* committed */
    int arrays;
    struct layout_array array[LAYOUT_MAX_ARRAYS];
    const void *plan; /* what the hand loops need, made once */
    void (*pack)(const void *plan, void *packed);
    void (*unpack)(const void *plan, const void *packed);
};

/* Where buffers begin. A real program's seldom lie on a cache line: malloc() puts user arrays 16
 * bytes behind one and structs put theirs anywhere; a fragment's header comes before its packed
 * bytes. */
enum layout_place {
    LAYOUT_ON_LINE, /* on a cache line */
    LAYOUT_OFF_LINE /* user arrays 8 bytes behind one, packed bytes 40 */
};

struct layout {
    const struct layout_spec *spec;
    enum layout_place place;
    size_t bytes; /* packed bytes of one side */
    struct layout_side side[2];
    void *recipe; /* private to the family's file: displacement lists of the datatypes */
    struct layout_memory *memory;
};

/* Number of layouts, and layout number `index` (0 … layouts_count() - 1) in table order. */
int layouts_count(void);
const struct layout_spec *layouts_get(int index);

/* True when `selector` names this layout: its exact name, or a leading part of it that ends before
 * an underscore (family NAS_MG_x, group NAS, …). A selector that is the exact name of some layout
 * names that layout only. */
bool layouts_match(const struct layout_spec *spec, const char *selector);

/* Makes a layout with both datatypes; frees it with all arrays and datatypes. */
struct layout *layout_create(const struct layout_spec *spec, enum layout_place place);
void layout_free(struct layout *layout);

/* Fills all arrays of a side with pseudo-random bytes that depend on the seed; sets all bytes of a
 * side to one value that tells "never written". */
void layout_fill(struct layout_side *side, uint32_t seed);
void layout_clear(struct layout_side *side);

/* The same pattern for a plain buffer. */
void layout_fill_bytes(void *buffer, size_t size, uint32_t seed);

/* A copy of all arrays of a side (free() it), and the comparison of a side with such a copy:
 * returns -1 when every byte is equal, else the number of the first array that differs and in
 * *offset the first differing byte of it. */
unsigned char *layout_snapshot(const struct layout_side *side);
int layout_differs(const struct layout_side *side, const unsigned char *snapshot, size_t *offset);

/* A buffer aligned to a page; never NULL; free() it. */
void *layout_buffer(size_t size);

/* A buffer for packed bytes, which begins where the layout's place says; never NULL; ends with the
 * layout. */
unsigned char *layout_packed(struct layout *layout, size_t size);

#endif
