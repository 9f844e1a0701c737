/* SPDX-License-Identifier: BSD-3-Clause */
#include "datatype.h"

#include <string.h>
#include <strings.h>

enum { BY_NAME = -1 }; /* no handle is known */

/* What the names mean on the machines that this runs on; the type's own size decides. */
static const struct c_datatype basics[] = {
    {"MPI_DOUBLE", "double", 8, 0x4c00080b},
    {"MPI_FLOAT", "float", 4, 0x4c00040a},
    {"MPI_INT", "int", 4, 0x4c000405},
    {"MPI_UNSIGNED", "unsigned int", 4, 0x4c000406},
    {"MPI_LONG", "long", 8, 0x4c000807},
    {"MPI_UNSIGNED_LONG", "unsigned long", 8, 0x4c000808},
    {"MPI_LONG_LONG", "long long", 8, 0x4c000809},
    {"MPI_LONG_LONG_INT", "long long", 8, 0x4c000809},
    {"MPI_UNSIGNED_LONG_LONG", "unsigned long long", 8, 0x4c000819},
    {"MPI_SHORT", "short", 2, 0x4c000203},
    {"MPI_UNSIGNED_SHORT", "unsigned short", 2, 0x4c000204},
    {"MPI_CHAR", "char", 1, 0x4c000101},
    {"MPI_SIGNED_CHAR", "signed char", 1, 0x4c000118},
    {"MPI_UNSIGNED_CHAR", "unsigned char", 1, 0x4c000102},
    {"MPI_BYTE", NULL, 1, 0x4c00010d},
    {"MPI_PACKED", NULL, 1, 0x4c00010f},
    {"MPI_LONG_DOUBLE", "long double", 16, 0x4c00100c},
    {"MPI_INT8_T", "signed char", 1, 0x4c000137},
    {"MPI_INT16_T", "short", 2, 0x4c000238},
    {"MPI_INT32_T", "int", 4, 0x4c000439},
    {"MPI_INT64_T", "long", 8, 0x4c00083a},
    {"MPI_UINT8_T", "unsigned char", 1, 0x4c00013b},
    {"MPI_UINT16_T", "unsigned short", 2, 0x4c00023c},
    {"MPI_UINT32_T", "unsigned int", 4, 0x4c00043d},
    {"MPI_UINT64_T", "unsigned long", 8, 0x4c00083e},
    {"MPI_C_FLOAT_COMPLEX", "_Complex float", 8, 0x4c000840},
    {"MPI_C_DOUBLE_COMPLEX", "_Complex double", 16, 0x4c001041},
    /* of Fortran, by gfortran's defaults */
    {"MPI_DOUBLE_PRECISION", "double", 8, BY_NAME},
    {"MPI_REAL", "float", 4, BY_NAME},
    {"MPI_REAL4", "float", 4, BY_NAME},
    {"MPI_REAL8", "double", 8, BY_NAME},
    {"MPI_INTEGER", "int", 4, BY_NAME},
    {"MPI_INTEGER1", "signed char", 1, BY_NAME},
    {"MPI_INTEGER2", "short", 2, BY_NAME},
    {"MPI_INTEGER4", "int", 4, BY_NAME},
    {"MPI_INTEGER8", "long", 8, BY_NAME},
    {"MPI_LOGICAL", "int", 4, BY_NAME},
    {"MPI_CHARACTER", "char", 1, BY_NAME},
    {"MPI_COMPLEX", "_Complex float", 8, BY_NAME},
    {"MPI_COMPLEX8", "_Complex float", 8, BY_NAME},
    {"MPI_COMPLEX16", "_Complex double", 16, BY_NAME},
    {"MPI_DOUBLE_COMPLEX", "_Complex double", 16, BY_NAME},
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
