/*
 * What the suites about run kernels share: lists of blocks and a loop over their bytes.
 */
#ifndef TEST_KERNEL_TOOLS_H
#define TEST_KERNEL_TOOLS_H

#include "tools.h"

enum {
    MOST_BLOCKS = 13,
    GUARD_BYTE = 0x5a,
    ISAS = 4,            /* loops over instruction sets: at least as many as there are */
    PROVIDERS = ISAS + 3 /* loops over all that provides kernels */
};

/* Displacements that need tables of 64 bits. */
#define FAR (INT64_C(1) << 31)

/* n blocks: block i has lengths[i] bytes and stands disps[i] >= 0 bytes from the base, which is
 * `away` bytes before the user's memory. */
typedef struct blocks {
    int64_t n;
    int64_t lengths[MOST_BLOCKS];
    int64_t disps[MOST_BLOCKS];
    int64_t size;
    int64_t reach;
    int64_t away;
} blocks_t;

/* Sets size and reach from the blocks. */
void measure(blocks_t *b);

/* The byte loop: one direction or the other. */
void move_bytes(const blocks_t *b, char *user, char *packed, dame_dir_t dir);

/* All n bytes are GUARD_BYTE. */
void expect_guard(const char *bytes, int64_t n, const char *what);

/* The type of the list of blocks, lengths counted in children, `away` bytes further on. */
const dame_type_t *type_of(const blocks_t *b, const dame_type_t *child);

/* Programs built from now on use the i-th instruction set; returns false beyond the last. */
bool force_isa(int i);

/*
 * Programs from now on have kernels of the i-th provider: the interpreter's for an instruction set,
 * then compiled ones with vectors of up to 128, 256 and 512 bits. False where there is none.
 */
bool force_kernels(int i);

/* A test case that ends with a failure when a provider compiled nothing at all. */
TCase *kernels_case(const char *name);

/* program_of() with the kernels of the provider; and those for a program. kernels_free() frees a
 * program, with or without them. */
dame_program_t *kernels_of(const dame_type_t *type);
void kernels_compile(dame_program_t *program);
void kernels_free(dame_program_t *program);

bool same_kernels(const dame_prim_t *a, const dame_prim_t *b);

#endif
