/*
 * The buffer that machine code is written into, and what all CPUs have in common there: places in
 * memory, labels, constants that a kernel keeps in registers. Private to jit/x/.
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

/* Memory at the sum of two registers, or one, and a constant. */
typedef struct x_place {
    x_reg_t base;
    x_reg_t index; /* or X_NO_INDEX */
    int64_t disp;  /* x_disp_fits() */
} x_place_t;

static inline x_place_t x_at(x_reg_t base, int64_t disp)
{
    return (x_place_t){base, X_NO_INDEX, disp};
}

/* What a vector of the code may be and do, from options and CPU. */
typedef struct x_vectors {
    const char *name;
    int bytes;         /* widest register for whole blocks */
    int tail_bytes;    /* widest register for what is left of a block, some bytes of it unused */
    int mask_bytes;    /* widest register whose loads and stores can leave out bytes, 0: none can */
    int permute_bytes; /* widest register whose bytes can be permuted at will, 0: none */
} x_vectors_t;

/* Constants that a kernel holds in registers from its first instruction on. */
enum { X_MASKS = 6, X_PERMUTATIONS = 12, X_VECTOR = 64 };

typedef struct x_constants {
    int none; /* the kernel has calls, which do not keep them */
    uint64_t masks[X_MASKS];
    uint8_t permutations[X_PERMUTATIONS][X_VECTOR];
    int nmasks; /* wanted so far */
    int npermutations;
    int masks_held; /* the first so many are in registers */
    int permutations_held;
} x_constants_t;

typedef struct x_code {
    uint8_t *start; /* of the buffer */
    uint8_t *at;    /* next byte */
    uint8_t *end;
    int full; /* sticky: something did not fit */
    x_vectors_t vectors;
    x_constants_t constants;
    uint32_t holds[X_PERMUTATIONS]; /* where permutations are loaded; see x_place_constants() */
} x_code_t;

typedef uint32_t x_label_t; /* an offset in the buffer */

/* The longest form, so that room is looked for once for each. */
enum { X_LONGEST_FORM = 64 };

static inline int x_has_room(x_code_t *code)
{
    code->full |= code->end - code->at < X_LONGEST_FORM;
    return !code->full;
}

static inline x_label_t x_here(const x_code_t *code)
{
    return (x_label_t) (code->at - code->start);
}

/*
 * The number of the register that holds a mask, or -1 when there is none left for it. A mask that
 * is asked for is held from the next attempt at the same kernel on; this one is to be thrown away,
 * see x_wants_constants().
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
           0 != memcmp(from, constants->permutations[i], X_VECTOR)) {
        i++;
    }
    if (i == constants->npermutations && i < X_PERMUTATIONS && !constants->none) {
        memcpy(constants->permutations[constants->npermutations++], from, X_VECTOR);
    }
    return i < X_PERMUTATIONS && !constants->none ? i : -1;
}

/* Did the last attempt ask for constants that it did not hold? Then the next one will. */
static inline int x_wants_constants(const x_code_t *code)
{
    const x_constants_t *constants = &code->constants;
    return constants->masks_held < constants->nmasks ||
           constants->permutations_held < constants->npermutations;
}

#endif
