/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels written by hand in assembly, right ones and wrong ones, to judge the judge by.
 */
#ifndef JUDGE_SAMPLE_H
#define JUDGE_SAMPLE_H

#include <stdint.h>

#include "cpu_model.h"
#include "dame/program.h"
#include "verdict.h"

/* What a sample's kernels are of. */
typedef enum sample_type {
    SAMPLE_VECTOR, /* 60 blocks of 8 bytes, 24 bytes apart: VECTORFINAL */
    SAMPLE_LIST,   /* 50 blocks of 8 bytes at displacements of 32 bits: BLOCKINDEXFINAL */
    SAMPLE_FAR,    /* 60 blocks of 8 bytes, 64 KiB apart: VECTORFINAL */
    SAMPLE_TYPES
} sample_type_t;

typedef struct sample {
    const char *name;
    sample_type_t type;
    dame_dir_t dir;
    judge_rule_t rule; /* that it breaks, RULE_NONE: it is right */
    int32_t vectors;   /* bits that are allowed */
    cpu_model_t model; /* that it is for */
    const char *begin; /* the code; its first entry is the level of the blocks .. */
    const char *end;
    const char *second; /* .. and its second one, EXIT's, is here, or NULL */
} sample_t;

/* In the code this number replaces the address of memcpy. */
#define SAMPLE_MEMCPY UINT64_C(0x1122334455667788)

/* All; the last has no name. */
extern const sample_t samples[];

#endif
