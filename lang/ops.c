/* SPDX-License-Identifier: BSD-3-Clause */
#include "ops.h"

#include <string.h>

static const struct {
    const char *name;
    dame_class_t class;
    const char *params;
} ops[] = {
#define DAME_OP(name, class, params) {#name, DAME_CLASS_##class, params},
#include "dame/ops.def"
};

const char *dame_op_name(dame_op_t op)
{
    return (unsigned) op < DAME_OP_COUNT ? ops[op].name : "?";
}

dame_class_t dame_op_class(dame_op_t op)
{
    return ops[op].class;
}

const char *dame_op_params(dame_op_t op)
{
    return ops[op].params;
}

static const struct {
    const char *written;
    dame_op_t op;
} spellings[] = {
#define DAME_OP(name, class, params) {#name, DAME_OP_##name},
#define DAME_ALIAS(written, name)    {#written, DAME_OP_##name},
#include "dame/ops.def"
};

int dame_op_find(const char *name, size_t length, dame_op_t *out)
{
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        if (length == strlen(spellings[i].written) &&
            memcmp(name, spellings[i].written, length) == 0) {
            *out = spellings[i].op;
            return 1;
        }
    }
    return 0;
}

int64_t *dame_op_scalar(dame_prim_t *prim, dame_params_t *params, char letter)
{
    switch (letter) {
    case 'c':
        return &prim->count;
    case 'b':
        return &params->blklen;
    case 's':
        return &prim->step;
    case 'x':
        return &params->extent;
    case 'r':
        return &params->struct_index;
    default: /* z, n */
        return &params->size;
    }
}
