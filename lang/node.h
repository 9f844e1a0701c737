/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of a datatype between type tree and program: what the optimiser works on. Private to
 * lang/.
 *
 * `off` is a displacement common to all of a node's data. It commutes with every loop around the
 * node, so it travels up until a list of displacements takes it in, or to the top of the program.
 * Emitting a node therefore ignores the `off` of its children: their parent has taken it.
 *
 * Nodes are made by the functions below, bottom up, and are read-only from then on. Each hands its
 * draft to the passes that are on, until none has anything to change: every node that exists is
 * already optimised, and so are its children when a pass looks at it.
 */
#ifndef DAME_NODE_H
#define DAME_NODE_H

#include "arena.h"
#include "dame/options.h"
#include "dame/program.h"
#include "dame/type.h"

typedef enum dame_shape {
    DAME_SHAPE_EMPTY,
    DAME_SHAPE_BLOCK,  /* size contiguous bytes */
    DAME_SHAPE_LOOP,   /* count children, step bytes apart */
    DAME_SHAPE_LIST,   /* count children at disps[] */
    DAME_SHAPE_RAGGED, /* count blocks at disps[], of blklens[] children each, step bytes apart */
    DAME_SHAPE_STRUCT  /* children[i] at disps[i], count of them */
} dame_shape_t;

/* Basic elements of a block: runs of equal ones, as far as there are few. */
enum { DAME_ELEMENT_RUNS = 4 };

typedef struct dame_elements {
    int runs;                         /* 0: too many, or not known */
    int64_t size[DAME_ELEMENT_RUNS];  /* of an element */
    int64_t bytes[DAME_ELEMENT_RUNS]; /* of the run */
} dame_elements_t;

typedef struct dame_node dame_node_t;
struct dame_node {
    dame_shape_t shape;
    int64_t off;
    int64_t size;      /* packed bytes */
    int64_t low, high; /* bytes touched, from the origin (without off) on: [low, high), clamped */
    int64_t blocks;    /* contiguous blocks, clamped */
    int64_t granule;   /* see dame/program.h */
    dame_elements_t elements; /* BLOCK */
    int64_t count;
    int64_t step;
    int64_t *blklens; /* RAGGED; bytes when dense */
    int64_t *disps;
    const dame_node_t *child;     /* LOOP, LIST, RAGGED */
    const dame_node_t **children; /* STRUCT */
    const int64_t *same; /* STRUCT: the first child like this one, as far as equal children are near
                            each other; else itself */
};

/* A level over at most this many contiguous blocks is a small body: one flat list of blocks, which
 * the kernels move together for many iterations of the level around it. */
enum { DAME_SMALL_BODY = 16 };

/* Blocks of an average run, for runs of one step to be worth a level. */
enum { DAME_MIN_RUN = 8 };

/* This many blocks of a list, of equal lengths or at equal steps, are worth a level of their own. A
 * member of a struct with fewer blocks is put into one list with those beside it: regular stretches
 * of the list are found again. */
enum { DAME_MIN_STRETCH = 96 };

/* Types lowered lately, by address: a type that is used many times is lowered once, and structs of
 * shared members do not double with every level. */
enum { DAME_RECENT_LOG2 = 6, DAME_RECENT = 1 << DAME_RECENT_LOG2 };

static inline uint64_t dame_recent_slot(const void *address)
{
    return ((uint64_t) (uintptr_t) address * UINT64_C(0x9E3779B97F4A7C15)) >>
           (64 - DAME_RECENT_LOG2);
}

typedef struct dame_recent {
    const dame_type_t *type;
    const dame_node_t *node;
} dame_recent_t;

/* The same for what `pattern` makes of nodes. */
typedef struct dame_pattern_of {
    const dame_node_t *node;
    const dame_node_t *result;
} dame_pattern_of_t;

/* Datatypes nest up to this many constructors; a program beyond this would be useless. */
enum { DAME_MAX_NESTING = 1000 };

/* What building a program works in. Made zero except the arena and the options. */
typedef struct dame_optimiser {
    dame_arena_t arena;
    const dame_options_t *options;
    int nested;         /* drafts that are being finished, each inside another */
    int settled;        /* the normal form is known, lists stay as they are */
    int depth;          /* of the type that is lowered */
    int64_t entries;    /* of all lists that were lowered or raised */
    dame_limit_t limit; /* what the build exceeded: its answer is then DAME_ERR_LIMIT, whatever the
                           functions on the way return */
    dame_recent_t recent[DAME_RECENT];
    dame_pattern_of_t patterns[DAME_RECENT];
} dame_optimiser_t;

/*
 * Memory is bounded by what the datatype itself has: lists that many members share are one list,
 * but may be many in a program. Bytes for `entries` entries, of tables and of work.
 */
static inline int64_t dame_table_limit(int64_t entries)
{
    return (INT64_C(64) << 20) + 32 * entries;
}

static inline int64_t dame_work_limit(int64_t entries)
{
    return (INT64_C(256) << 20) + 512 * entries;
}

/* Every pass makes something smaller or more regular, so drafts are replaced a few times only.
 * Should two passes ever disagree for good, the draft is taken as it is. */
enum { DAME_MAX_NESTED = 64 };

/* Room for n numbers or nodes; NULL when memory is out, or after exceeding the work limit, which
 * o->limit then has. */
int64_t *dame_node_numbers(dame_optimiser_t *o, int64_t n);
const dame_node_t **dame_node_nodes(dame_optimiser_t *o, int64_t n);
/* Lists are the makers' to change, but those of a node belong to it. */
int64_t *dame_node_copied(dame_optimiser_t *o, const int64_t *list, int64_t n);

/*
 * Makers. Lists are given away: they are the node's, which may change them. Counts and blocklengths
 * are > 0, children are not empty. Displacements do not include a child's `off`; the makers add it.
 * Errors: DAME_ERR_NOMEM.
 */
dame_status_t dame_node_block(dame_optimiser_t *o, int64_t bytes, int64_t granule,
                              const dame_node_t **out);
/* n blocks that touch as one. */
dame_status_t dame_node_joined(dame_optimiser_t *o, const dame_node_t *const *blocks, int64_t n,
                               const dame_node_t **out);
dame_status_t dame_node_loop(dame_optimiser_t *o, int64_t count, int64_t step,
                             const dame_node_t *child, const dame_node_t **out);
dame_status_t dame_node_list(dame_optimiser_t *o, int64_t count, int64_t *disps,
                             const dame_node_t *child, const dame_node_t **out);
dame_status_t dame_node_ragged(dame_optimiser_t *o, int64_t count, int64_t *blklens, int64_t *disps,
                               int64_t step, const dame_node_t *child, const dame_node_t **out);
/* Contiguous blocks of `lengths` bytes. */
dame_status_t dame_node_bytes(dame_optimiser_t *o, int64_t count, int64_t *lengths, int64_t *disps,
                              int64_t granule, const dame_node_t **out);
dame_status_t dame_node_struct(dame_optimiser_t *o, int64_t count, int64_t *disps,
                               const dame_node_t **children, const dame_node_t **out);
/* A struct that a pass has made of a list: no pass shall put it together again. */
dame_status_t dame_node_pieces(dame_optimiser_t *o, int64_t count, int64_t *disps,
                               const dame_node_t **children, const dame_node_t **out);
dame_status_t dame_node_shifted(dame_optimiser_t *o, int64_t disp, const dame_node_t *node,
                                const dame_node_t **out);

/* The same layout, from the origin on (`off` may differ). */
int dame_node_equal(const dame_node_t *a, const dame_node_t *b);

/* All of a RAGGED's blocks are contiguous; its blklens are bytes. */
int dame_node_dense(const dame_node_t *node);

/* Blocks put together one by one, for dame_node_bytes(). */
typedef struct dame_flat {
    int64_t *lengths;
    int64_t *disps;
    int64_t count;
} dame_flat_t;

dame_status_t dame_flat_new(dame_optimiser_t *o, int64_t n, dame_flat_t *flat);
/* Appends the blocks of a node with its origin displaced by `at`. */
void dame_flat_append(dame_flat_t *flat, const dame_node_t *node, int64_t at);

static inline int dame_passes(const dame_optimiser_t *o, dame_pass_t pass)
{
    return dame_has_pass(o->options, pass);
}

/* The node's displacements, their differences and its step fit well into 64 bits. */
int dame_node_is_near(const dame_node_t *node);

/*
 * The passes that give the normal form, one file each: they make a better node of a draft, or leave
 * *out alone. The result does not include the draft's `off`.
 */
dame_status_t dame_pass_normalise(dame_optimiser_t *o, const dame_node_t *draft,
                                  const dame_node_t **out);
dame_status_t dame_pass_merge(dame_optimiser_t *o, const dame_node_t *draft,
                              const dame_node_t **out);

/* The pass that works on the normal form when all of it is known: its result depends on nothing
 * else. *out may be the node itself. */
dame_status_t dame_pass_pattern(dame_optimiser_t *o, const dame_node_t *node,
                                const dame_node_t **out);

/* A list's regular stretches (equal steps; of a dense RAGGED equal lengths) as members of a struct,
 * with the blocks between them; without any, *out is left alone. Copies lists. */
dame_status_t dame_split_stretches(dame_optimiser_t *o, const dame_node_t *list,
                                   const dame_node_t **out);

/* Type trees and programs to nodes. *out may be the empty node. */
dame_status_t dame_node_lower(dame_optimiser_t *o, const dame_type_t *type,
                              const dame_node_t **out);
dame_status_t dame_node_raise(dame_optimiser_t *o, const dame_program_t *program,
                              const dame_node_t **out);

extern const dame_node_t dame_node_empty;

#endif
