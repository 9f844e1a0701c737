/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine code as instructions: decoded by Zydis from the entry points on, and checked for the
 * rules that need no run.
 */
#ifndef JUDGE_LISTING_H
#define JUDGE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cpu_model.h"
#include "jit/jit.h"
#include "jit/provider.h"
#include "verdict.h"

/* What an instruction does, as far as cpu.c tells them apart. */
typedef enum action {
    ACTION_NONE,
    ACTION_NOTHING, /* nop, endbr64, prefetches, fences */
    ACTION_MOVE,
    ACTION_MOVE_SIGNED,
    ACTION_LEA,
    ACTION_ADD,
    ACTION_ADC,
    ACTION_SBB,
    ACTION_SUB,
    ACTION_AND,
    ACTION_OR,
    ACTION_XOR,
    ACTION_CMP,
    ACTION_TEST,
    ACTION_INC,
    ACTION_DEC,
    ACTION_NEG,
    ACTION_NOT,
    ACTION_IMUL,
    ACTION_MUL, /* rdx:rax = rax * operand */
    ACTION_SHL,
    ACTION_SHR,
    ACTION_SAR,
    ACTION_SHLD,
    ACTION_SHRD,
    ACTION_BZHI,
    ACTION_CMOV,
    ACTION_SET,
    ACTION_JUMP_IF,
    ACTION_JUMP,
    ACTION_CALL,
    ACTION_RET,
    ACTION_PUSH,
    ACTION_POP,
    ACTION_MASK_MOVE,
    ACTION_MASK_AND,
    ACTION_MASK_ANDN, /* not the first, and the second */
    ACTION_MASK_OR,
    ACTION_MASK_XOR,
    ACTION_MASK_XNOR,
    ACTION_MASK_ADD,
    ACTION_MASK_NOT,
    ACTION_MASK_SHL,
    ACTION_MASK_SHR,
    ACTION_MASK_UNPACK, /* the lower halves of two, side by side */
    ACTION_MASK_TEST,
    ACTION_MASK_OR_TEST,
    ACTION_VECTOR,         /* what vectors hold is not known */
    ACTION_VECTOR_ALIGNED, /* a move that wants its memory aligned to the vector */
    ACTION_VECTOR_PACKED,  /* compress, expand: the bytes of the mask stand together in memory */
    ACTION_CLEAN           /* vzeroupper */
} action_t;

typedef enum operand_kind {
    OPERAND_GPR,
    OPERAND_VECTOR,
    OPERAND_MASK,
    OPERAND_MEMORY,
    OPERAND_CONSTANT
} operand_kind_t;

enum { NO_REGISTER = -1, NEXT_INSTRUCTION = 16 /* base register rip */ };

typedef struct operand {
    operand_kind_t kind;
    bool read;
    bool written;
    uint8_t number;  /* of the register */
    uint16_t bytes;  /* of the register's part, or of memory */
    uint8_t element; /* memory: bytes of one bit of a mask */
    int8_t base;     /* memory: GPR, NO_REGISTER or NEXT_INSTRUCTION */
    int8_t index;    /* GPR or NO_REGISTER */
    uint8_t scale;
    int64_t value; /* the constant or displacement */
} operand_t;

enum { MAX_OPERANDS = 5 };

typedef struct instruction {
    uint32_t offset; /* in the code */
    uint8_t length;
    uint8_t noperands;
    uint8_t mask;       /* 1 to 7: the mask register, 0: none */
    uint8_t mask_bytes; /* MASK_..: 1, 2, 4, 8 */
    uint8_t condition;  /* 0 to 15 as the CPU numbers them */
    bool sse;           /* of the encoding before VEX, with a vector operand */
    bool is_merged;     /* what the mask leaves out stays as it was */
    bool is_sparing;    /* and memory that it leaves out is not touched */
    bool is_broadcast;  /* of memory: to all lanes of the mask */
    bool is_insert; /* of vectors: the next operand fills a part, and the others must not be read */
    bool interleaves; /* two vectors; the half that the first one gives may be unused */
    bool is_idiom;    /* its result does not depend on its operands: xor a, a */
    uint16_t vector;  /* bytes of the vectors, 0: none */
    action_t action;
    cpu_model_t since; /* the first CPU that has the instruction, or CPU_MODELS */
    bool is_direct;    /* JUMP_IF, JUMP, CALL: the target is .. */
    int64_t target;    /* .. this offset in the code */
    operand_t operands[MAX_OPERANDS];
} instruction_t;

typedef struct listing {
    bool has_unused_constants; /* the caller's: before and behind all instructions may be constants
                                  that none reads */
    const dame_machine_code_t *code;
    instruction_t *instructions;
    uint32_t count;
    uint32_t room;
    uint32_t *at;   /* code->size entries: 1 + number of the instruction that has the byte */
    uint32_t *work; /* offsets to go on from */
    uint32_t nwork;
    uint8_t *is_constant; /* code->size entries: read by instructions */
    size_t code_room;
} listing_t;

/* Zero *listing before, except has_unused_constants; it may be used again. False, with a verdict,
 * when a rule is broken. */
bool listing_make(listing_t *listing, const dame_machine_code_t *code,
                  const dame_program_t *program, const dame_jit_options_t *options,
                  cpu_model_t model, verdict_t *verdict);
void listing_free(listing_t *listing);

/* The instruction that starts at the offset, or NULL. */
const instruction_t *listing_at(const listing_t *listing, uint64_t offset);

/* Prints the instructions around the offset, and marks that one. */
void listing_print(FILE *out, const dame_machine_code_t *code, uint32_t offset);

#endif
