/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of libdame/ share: errors, contexts and datatypes. Private to this room.
 */
#ifndef LIBDAME_LIB_H
#define LIBDAME_LIB_H

#include <stdatomic.h>
#include <stdint.h>

#include "dame/datatype.h"
#include "dame/type.h"
#include "period.h"
#include "mover.h"

/* Datatypes nest up to this many constructors; dame_program_build() would take 1000, of which texts
 * and subarrays need some of their own. */
enum { DAME_MOST_NESTED = 900, DAME_LONGEST_NAME = 31 };

/* Notes the message of an error, "who: format...", for the calling thread; returns `status`. */
__attribute__((format(printf, 3, 4))) dame_status_t dame_fail(dame_status_t status, const char *who,
                                                              const char *format, ...);

/* The same for an error in a text: "who: line L, column C: reason". */
dame_status_t dame_fail_at(dame_status_t status, const char *who, int64_t line, int64_t column,
                           const char *reason);

struct dame_context {
    atomic_int references; /* of the caller and of each datatype */
    dame_movers_t *movers;
    _Atomic int64_t datatypes, commits; /* counters */
};

void dame_context_retain(dame_context_t *context);

/* A basic datatype's kind: two are the same if name and size are. */
struct dame_basic {
    char name[DAME_LONGEST_NAME + 1];
    int64_t size;
};

struct dame_datatype {
    dame_type_t node; /* first, so that the nodes that are its children are also datatypes */
    atomic_int references;
    int nested; /* constructors inside each other, this one included */
    int dense;  /* the bytes lie without gaps in typemap order, starting at true_lb */
    dame_context_t *context;
    _Atomic(dame_mover_t *) mover; /* NULL: not committed */
    dame_signature_t signature;
    dame_basic_t basic;          /* kind DAME_BASIC */
    dame_datatype_t *next_freed; /* while it is freed */
};

static inline const dame_datatype_t *dame_datatype_of(const dame_type_t *node)
{
    return (const dame_datatype_t *) node;
}

/* What a constructor consists of, without displacements: `length` instances of `child`. A struct
 * has as many members as blocks, other constructors one, a basic datatype none. */
typedef struct dame_member {
    int64_t length;
    const dame_datatype_t *child;
} dame_member_t;

static inline int64_t dame_members(const dame_datatype_t *type)
{
    const dame_type_t *node = &type->node;
    return node->kind == DAME_BASIC ? 0 : (node->kind == DAME_STRUCT ? node->count : 1);
}

static inline dame_member_t dame_member(const dame_datatype_t *type, int64_t i)
{
    const dame_type_t *node = &type->node;
    if (node->kind == DAME_STRUCT) {
        return (dame_member_t){node->blklens[i], dame_datatype_of(node->children[i])};
    }
    const int64_t size = node->child->size;
    return (dame_member_t){size == 0 ? 0 : node->size / size, dame_datatype_of(node->child)};
}

/* The bytes of `count` elements, for the parameter `count_name` of `who`. */
dame_status_t dame_message_bytes(const char *who, const char *count_name,
                                 const dame_datatype_t *type, int64_t count, int64_t *bytes);

/* Fails for `who` unless `type` is not NULL and committed, `count` is not negative and its bytes
 * fit in 64 bits. */
dame_status_t dame_check_message(const char *who, const char *type_name,
                                 const dame_datatype_t *type, const char *count_name, int64_t count,
                                 int64_t *bytes);

#endif
