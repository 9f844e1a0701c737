#include "ops.h"

static const struct {
    const char *name;
    dame_class_t class;
    const char *params;
} ops[] = {
#define DAME_OP(name, class, params) {#name, DAME_CLASS_##class, params},
#include "dame_ops.def"
#undef DAME_OP
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
