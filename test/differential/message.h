/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One message under test: a program, `count` elements in an arena of user memory, and what the
 * oracle expects of them.
 */
#ifndef TEST_MESSAGE_H
#define TEST_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiled.h"
#include "dame/dame.h"
#include "test/lib/guarded.h"
#include "test/lib/guarded_program.h"
#include "test/lib/oracle.h"
#include "test/lib/rng.h"

enum { GUARD = 64 }; /* bytes before and behind a buffer that no kernel may write (dame_run_fn) */

/* A way to obtain something that runs. */
typedef struct tier {
    const char *name;
    dame_status_t (*obtain)(const dame_type_t *type, const dame_options_t *options,
                            dame_program_t **out);
    dame_options_t options;
    bool compiles;            /* .. and then has machine code .. */
    bool changes;             /* .. another one from time to time .. */
    dame_jit_options_t jit;   /* .. of this kind .. */
    dame_make_t make;         /* .. for a CPU of this make */
    bool by_llvm;             /* by DAME-L, .. */
    const char *llvm_options; /* .. with its options .. */
    uint64_t llvm_choice;     /* .. and one of its variants */
} tier_t;

/* The error, if any; the first one stays. */
typedef struct check {
    rng_t rng;
    const tier_t *tier;
    char message[512];
} check_t;

/* Notes the failure and returns false. */
__attribute__((format(printf, 2, 3))) bool check_fail(check_t *check, const char *format, ...);

/* The same, unless the two are equal. */
bool check_same(check_t *check, const char *what, int64_t is, int64_t wanted);

typedef struct message {
    dame_tree_t *tree;       /* of the shifted type, when displacements are absolute */
    const dame_type_t *type; /* NULL: the program comes from a text */
    dame_program_t *program;
    dame_program_t *built;    /* the same, or the original of a copy */
    guarded_program_t copied; /* the copy, if it is one */
    oracle_t oracle;
    int64_t count;
    int64_t total;       /* packed bytes */
    uintptr_t base;      /* 0 when displacements are absolute */
    bool overlapping;    /* some byte belongs to the message twice: only packed */
    int64_t arena_size;  /* bytes of arena, image, after and partial */
    edge_t edge;         /* of the three that follow */
    guarded_t memory;    /* the arena */
    guarded_t sent;      /* the stream */
    guarded_t room;      /* the scratch */
    char *arena;         /* user memory, at work */
    char *image;         /* its bytes before */
    char *after;         /* its bytes after unpacking all of `stream` */
    char *partial;       /* scratch */
    char *expected;      /* packed from `image` */
    char *stream;        /* random bytes to unpack */
    char *scratch;       /* total + 3 * GUARD bytes */
    compiled_t compiled; /* all zero unless the tier compiles */
    int64_t unit;        /* the size of all basic elements, or 0 */
} message_t;

/*
 * Builds program and buffers, and checks what can be checked of a program at rest. With `absolute`
 * the displacements become addresses. message_fini() is needed even after a failure.
 */
bool message_init(check_t *check, message_t *m, const dame_type_t *type, int64_t count,
                  bool absolute);
void message_fini(message_t *m);

/* The same for a verified program, which has to mean the same as `meaning`, or be it. Its tier
 * compiles nothing. message_fini() leaves it alone. */
bool message_init_program(check_t *check, message_t *m, dame_program_t *program,
                          const dame_program_t *meaning, int64_t count);

/* `at`, an address in the arena, as the same place of another buffer of the arena's size. */
uintptr_t message_base_in(const message_t *m, const char *buffer);

void message_reset(message_t *m);

/* The arena holds exactly what `wanted` does; otherwise fails, saying where and after what. */
bool message_arena_is(check_t *check, const message_t *m, const char *wanted, const char *doing);

/* `packed` holds expected[from, from + length). */
bool message_packed_is(check_t *check, const message_t *m, const char *packed, int64_t from,
                       int64_t length, const char *doing);

#endif
