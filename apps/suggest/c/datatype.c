/* SPDX-License-Identifier: BSD-3-Clause */
#include "datatype.h"

#include <string.h>
#include <strings.h>

enum { BY_NAME = -1 }; /* no handle is known */

/* What the names mean on the machines that this runs on; the type's own size decides. */
static const c_datatype_t basics[] = {
#define OWN BASIC
#define BASIC(name, kind, type, c, mpich)                                                          \
    {                                                                                              \
        "MPI_" #name, c, sizeof(type), mpich                                                       \
    }
#include "dame/basic.def"
#undef BASIC
#undef OWN
    {"MPI_C_COMPLEX", "_Complex float", 8, 0x4c000840},
    {"MPI_C_LONG_DOUBLE_COMPLEX", "_Complex long double", 32, 0x4c002042},
    {"MPI_C_BOOL", "_Bool", 1, 0x4c00013f},
    {"MPI_WCHAR", "int", 4, 0x4c00040e},
    {"MPI_AINT", "long", 8, 0x4c000843},
    {"MPI_OFFSET", "long", 8, 0x4c000844},
    {"MPI_COUNT", "long", 8, 0x4c000845},
    {"MPI_CXX_BOOL", "bool", 1, 0x4c000133},
    {"MPI_CXX_FLOAT_COMPLEX", "_Complex float", 8, 0x4c000834},
    {"MPI_CXX_DOUBLE_COMPLEX", "_Complex double", 16, 0x4c001035},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", "_Complex long double", 32, 0x4c002036},
};

/* The handle of Open MPI is &ompi_mpi_double, that of MPICH a number. */
const c_datatype_t *c_find_datatype(c_unit_t *unit, const c_node_t *argument)
{
    const char *text = c_text(unit->memory, argument);
    const c_node_t *bare = c_bare(argument);
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

const c_type_t *c_element_of(const c_type_t *type)
{
    while (type && type->kind == C_TYPE_ARRAY) {
        type = type->inner;
    }
    return type;
}

bool c_datatype_fits(const c_datatype_t *datatype, const c_type_t *type)
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

const c_datatype_t *c_datatype_of(const c_type_t *type)
{
    size_t i;

    for (i = 0; i < sizeof basics / sizeof *basics; i++) {
        if (basics[i].c && strcmp(basics[i].c, c_element_of(type)->name) == 0) {
            return &basics[i];
        }
    }
    return NULL;
}

const c_datatype_t *c_named_datatype(const char *mpi)
{
    size_t i;

    for (i = 0; i < sizeof basics / sizeof *basics; i++) {
        if (strcmp(basics[i].mpi, mpi) == 0) {
            return &basics[i];
        }
    }
    return NULL;
}

static bool is_real(const char *c)
{
    return strstr(c, "float") || strstr(c, "double");
}

bool c_same_datatype(const c_datatype_t *a, const c_datatype_t *b)
{
    if (a->size != b->size || !a->c || !b->c) {
        return false;
    }
    if (is_real(a->c) || is_real(b->c)) {
        return strcmp(a->c, b->c) == 0;
    }
    return a->size == 1 || (strstr(a->c, "unsigned") == NULL) == (strstr(b->c, "unsigned") == NULL);
}
