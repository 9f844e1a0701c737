/*
 * The shape of a datatype between type tree and program: what is left when empty blocks, levels of
 * one iteration and contiguous levels are gone. Private to dame/.
 *
 * `off` is a displacement common to all of a node's data. It commutes with every loop around the
 * node, so it travels up until a list of displacements takes it in, or to the top of the program.
 * Emitting a node therefore ignores the `off` of its children: their parent has taken it.
 */
#ifndef DAME_NODE_H
#define DAME_NODE_H

#include "arena.h"
#include "dame_program.h"
#include "dame_type.h"

typedef enum dame_shape {
    DAME_SHAPE_EMPTY,
    DAME_SHAPE_BLOCK,  /* size contiguous bytes */
    DAME_SHAPE_LOOP,   /* count blocks, step bytes apart */
    DAME_SHAPE_LIST,   /* count blocks of one blocklength at disps[] */
    DAME_SHAPE_RAGGED, /* count blocks of blklens[] at disps[] */
    DAME_SHAPE_STRUCT  /* count blocks of blklens[] instances of children[] at disps[] */
} dame_shape_t;

typedef struct dame_node dame_node_t;
struct dame_node {
    dame_shape_t shape;
    int64_t off;
    int64_t size;    /* packed bytes */
    int64_t granule; /* see dame_program.h */
    int64_t count;
    int64_t blklen; /* LOOP, LIST: instances of child in a block */
    int64_t step;   /* LOOP */
    int64_t extent; /* of child, from one instance to the next within a block */
    const int64_t *blklens;
    const int64_t *disps;
    const int64_t *extents; /* STRUCT */
    const dame_node_t *child;
    const dame_node_t *const *children; /* STRUCT */
    const int64_t *same; /* STRUCT: the first block like this one (child, blklen and extent), as far
                            as blocks alike stand near each other; itself if there is none */
};

/* The instances of a block of such a child touch each other: the block is contiguous. */
static inline int dame_node_dense(const dame_node_t *child, int64_t extent)
{
    return DAME_SHAPE_BLOCK == child->shape && extent == child->size;
}

/* Types lowered lately, by address: a type that is used many times is lowered once, and structs of
 * shared members do not double with every level. */
enum { DAME_RECENT_LOG2 = 6, DAME_RECENT = 1 << DAME_RECENT_LOG2 };

typedef struct dame_recent {
    const dame_type_t *type;
    const dame_node_t *node;
} dame_recent_t;

/* What lowering works in. Made zero but for the arena. */
typedef struct dame_lowering {
    dame_arena_t arena;
    dame_recent_t recent[DAME_RECENT];
} dame_lowering_t;

/* Lowers a type tree. Nodes and new lists live in the arena; lists of the tree may be borrowed. */
dame_status_t dame_node_lower(dame_lowering_t *lowering, const dame_type_t *type,
                              const dame_node_t **out);

#endif
