/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The buffer that machine code is written into, and what all CPUs have in common there: memory
 * operands, labels, constants that a kernel keeps in registers. Private to jit/x/.
 *
 * Errors are sticky: after the first one nothing more is written, and the caller looks once.
 */
#ifndef DAME_X_CODE_H
#define DAME_X_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A general register, by the number that the CPU gives it. */
typedef int x_reg_t;

enum { X_NO_INDEX = -1 };

/* A memory operand: the sum of one or two registers and a displacement. */
typedef struct x_mem {
    x_reg_t base;
    x_reg_t index; /* or X_NO_INDEX */
    int64_t disp;  /* x_disp_fits() */
} x_mem_t;

static inline x_mem_t x_mem(x_reg_t base, int64_t disp)
{
    return (x_mem_t){base, X_NO_INDEX, disp};
}

/* The vectors that the code uses, by options and CPU. */
typedef struct x_vectors {
    const char *name;
    int bytes;         /* widest register for whole blocks */
    int tail_bytes;    /* widest register for the rest of a block, some bytes of it unused */
    int mask_bytes;    /* widest register with masked loads and stores, 0: no masks */
    int permute_bytes; /* widest register with arbitrary byte permutations, 0: no permutations */
    int pairs;         /* one may be gathered from two */
    int splits_tails;  /* the rest of a block is not masked */
} x_vectors_t;

/* Constants that a kernel loads into registers at its start. */
enum { X_MASKS = 6, X_PERMUTATIONS = 12, X_VECTOR = 64 };

typedef struct x_constants {
    int none; /* the kernel has calls, which change those registers */
    uint64_t masks[X_MASKS];
    uint8_t permutations[X_PERMUTATIONS][X_VECTOR];
    int nmasks; /* requested so far */
    int npermutations;
    int masks_loaded; /* in registers */
    int permutations_loaded;
} x_constants_t;

/* Code during which the stack pointer is not where it was at the kernel's entry: behind which
 * instruction each step is done. */
typedef struct x_frame {
    uint32_t moved;   /* the stack pointer, for the first time */
    uint32_t pointed; /* the frame pointer */
    uint32_t saved;   /* the other registers */
    uint32_t left;    /* all are as before */
} x_frame_t;

typedef struct x_code {
    uint8_t *start; /* of the buffer */
    uint8_t *at;    /* next byte */
    uint8_t *end;
    int full; /* sticky: something did not fit */
    x_vectors_t vectors;
    x_constants_t constants;
    uint32_t constant_fixups[X_PERMUTATIONS]; /* loads of permutations, for x_emit_constants() */
    x_frame_t *frames;                        /* in the order of the code */
    int nframes;
    int most_frames;
} x_code_t;

typedef uint32_t x_label_t; /* an offset in the buffer */

/* The most bytes that one encoder writes after it has looked for room once. */
enum { X_LONGEST_ENCODING = 64 };

static inline int x_has_room(x_code_t *code)
{
    code->full |= code->end - code->at < X_LONGEST_ENCODING;
    return !code->full;
}

static inline x_label_t x_here(const x_code_t *code)
{
    return (x_label_t) (code->at - code->start);
}

/* Notes a frame that x_prologue() starts; x_epilogue() sets `left`. */
static inline void x_note_frame(x_code_t *code, uint32_t moved, uint32_t pointed)
{
    if (code->nframes < code->most_frames) {
        code->frames[code->nframes++] =
            (x_frame_t){.moved = moved, .pointed = pointed, .saved = x_here(code)};
    } else {
        code->full = 1;
    }
}

static inline void x_note_frame_left(x_code_t *code)
{
    if (code->nframes > 0 && !code->full) { /* else the last one is that of another kernel */
        code->frames[code->nframes - 1].left = x_here(code);
    }
}

/*
 * The number of the register for a mask, or -1 when none is left. A newly requested mask is loaded
 * only when the kernel is emitted again; the code emitted so far is then discarded, see
 * x_needs_constants().
 */
static inline int x_mask(x_code_t *code, uint64_t mask)
{
    x_constants_t *constants = &code->constants;
    int i = 0;
    while (i < constants->nmasks && mask != constants->masks[i]) {
        i++;
    }
    if (i == constants->nmasks && i < X_MASKS && !constants->none) {
        constants->masks[constants->nmasks++] = mask;
    }
    return i < X_MASKS && !constants->none ? i : -1;
}

/* The same for a permutation of X_VECTOR bytes. */
static inline int x_permutation(x_code_t *code, const uint8_t *from)
{
    x_constants_t *constants = &code->constants;
    int i = 0;
    while (i < constants->npermutations &&
           memcmp(from, constants->permutations[i], X_VECTOR) != 0) {
        i++;
    }
    if (i == constants->npermutations && i < X_PERMUTATIONS && !constants->none) {
        memcpy(constants->permutations[constants->npermutations++], from, X_VECTOR);
    }
    return i < X_PERMUTATIONS && !constants->none ? i : -1;
}

/* Returns whether the kernel requested constants that it has not loaded. It must be emitted again.
 * */
static inline int x_needs_constants(const x_code_t *code)
{
    const x_constants_t *constants = &code->constants;
    return constants->masks_loaded < constants->nmasks ||
           constants->permutations_loaded < constants->npermutations;
}

#endif
