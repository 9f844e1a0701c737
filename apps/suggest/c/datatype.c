/* SPDX-License-Identifier: BSD-3-Clause */
#include "datatype.h"

#include <string.h>
#include <strings.h>

enum { BY_NAME = -1 }; /* no handle is known */

/* What the names mean on the machines that this runs on; the type's own size decides. */
static const struct c_datatype basics[] = {
#define OWN BASIC
#define BASIC(name, kind, type, c, mpich) {"MPI_" #name, c, sizeof(type), mpich}
#include "cli/basic.def"
#undef BASIC
#undef OWN
};

/* The handle of Open MPI is &ompi_mpi_double, that of MPICH a number. */
const struct c_datatype *c_find_datatype(struct c_unit *unit, const struct c_node *argument)
{
    const char *text = c_text(unit->memory, unit, argument);
    const struct c_node *bare = c_bare(argument);
    const char *object = "";
    size_t i;

    if (bare->kind == C_UNARY && bare->op == C_OP_ADDRESS && bare->child[0]->kind == C_NAME &&
        strncmp(bare->child[0]->symbol->name, "ompi_mpi_", 9) == 0) {
        object = bare->child[0]->symbol->name + 9;
    }
    for (i = 0; i < sizeof basics / sizeof *basics; i++) {
        if (strcmp(basics[i].mpi, text) == 0 || strcasecmp(basics[i].mpi + 4, object) == 0 ||
            (bare->kind == C_INTEGER && basics[i].mpich != BY_NAME &&
             basics[i].mpich == bare->value)) {
            return &basics[i];
        }
    }
    return NULL;
}

const struct c_type *c_element_of(const struct c_type *type)
{
    while (type && type->kind == C_TYPE_ARRAY) {
        type = type->inner;
    }
    return type;
}

bool c_datatype_fits(const struct c_datatype *datatype, const struct c_type *type)
{
    if (!datatype->c || datatype->size == 1) {
        return true; /* bytes of anything */
    }
    type = c_element_of(type);
    if (!type || type->size != datatype->size) {
        return false;
    }
    if (type->kind == C_TYPE_INTEGER) {
        return !strstr(datatype->c, "double") && !strstr(datatype->c, "float") &&
               (strstr(datatype->c, "unsigned") == NULL) == type->is_signed;
    }
    return strcmp(datatype->c, type->name) == 0;
}

const struct c_datatype *c_datatype_of(const struct c_type *type)
{
    size_t i;

    for (i = 0; i < sizeof basics / sizeof *basics; i++) {
        if (basics[i].c && strcmp(basics[i].c, c_element_of(type)->name) == 0) {
            return &basics[i];
        }
    }
    return NULL;
}
