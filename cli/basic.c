/* SPDX-License-Identifier: BSD-3-Clause */
#include "basic.h"

#include <complex.h>
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <wchar.h>

#define BASIC(name, kind, type, ...)                                                               \
    {                                                                                              \
        "MPI_" #name, kind, 0, _Alignof(type), NULL, 0, sizeof(type)                               \
    }

/* A kind of its own: a Fortran LOGICAL is not an int. */
#define OWN(name, kind, type, ...)                                                                 \
    {                                                                                              \
        "MPI_" #name, kind, sizeof(type), _Alignof(type), NULL, 0, sizeof(type)                    \
    }

#define PAIR(name, type)                                                                           \
    {                                                                                              \
        "MPI_" #name, NULL, 0, _Alignof(struct {                                                   \
            type value;                                                                            \
            int index;                                                                             \
        }),                                                                                        \
            #type,                                                                                 \
            offsetof(                                                                              \
                struct {                                                                           \
                    type value;                                                                    \
                    int index;                                                                     \
                },                                                                                 \
                index),                                                                            \
            sizeof(struct {                                                                        \
                type value;                                                                        \
                int index;                                                                         \
            })                                                                                     \
    }

static const basic_t basics[] = {
#include "dame/basic.def"
    BASIC(C_BOOL, "bool", bool),
    OWN(WCHAR, "wchar", wchar_t),
    BASIC(C_COMPLEX, "complex64", float),
    OWN(C_LONG_DOUBLE_COMPLEX, "long double complex", long double),
    BASIC(AINT, "ptrdiff_t", ptrdiff_t),
    BASIC(OFFSET, "int64", int64_t),
    BASIC(COUNT, "int64", int64_t),
    PAIR(FLOAT_INT, float),
    PAIR(DOUBLE_INT, double),
    PAIR(LONG_INT, long),
    PAIR(SHORT_INT, short),
    PAIR(2INT, int),
    PAIR(LONG_DOUBLE_INT, long double),
};

enum { BASICS = sizeof(basics) / sizeof(basics[0]), LONGEST = 40 };

/* Names of C, of libdame and of NumPy with an upper case that is not a name of MPI. */
static const struct {
    const char *name, *mpi;
} aliases[] = {
    {"UNSIGNED_INT", "MPI_UNSIGNED"},
    {"SIGNED", "MPI_INT"},
    {"LONG_INT", "MPI_LONG"},
    {"SHORT_INT", "MPI_SHORT"},
    {"BOOL", "MPI_C_BOOL"},
    {"_BOOL", "MPI_C_BOOL"},
    {"SIZE_T", "MPI_UNSIGNED_LONG"},
    {"PTRDIFF_T", "MPI_AINT"},
    {"FLOAT32", "MPI_FLOAT"},
    {"FLOAT64", "MPI_DOUBLE"},
    {"COMPLEX64", "MPI_C_FLOAT_COMPLEX"},
    {"COMPLEX128", "MPI_C_DOUBLE_COMPLEX"},
    {"FLOAT_COMPLEX", "MPI_C_FLOAT_COMPLEX"},
    {"INT8", "MPI_INT8_T"},
    {"INT16", "MPI_INT16_T"},
    {"INT32", "MPI_INT32_T"},
    {"INT64", "MPI_INT64_T"},
    {"UINT8", "MPI_UINT8_T"},
    {"UINT16", "MPI_UINT16_T"},
    {"UINT32", "MPI_UINT32_T"},
    {"UINT64", "MPI_UINT64_T"},
};

static const basic_t *exactly(const char *mpi)
{
    for (int i = 0; i < BASICS; i++) {
        if (strcmp(basics[i].mpi, mpi) == 0) {
            return &basics[i];
        }
    }
    return NULL;
}

const basic_t *basic_named(const char *name, size_t length)
{
    char mpi[LONGEST + 8] = "MPI_";
    if (length == 0 || length > LONGEST) {
        return NULL;
    }
    const int full = length > 4 && strncasecmp(name, "MPI_", 4) == 0;
    char *upper = mpi + (full ? 0 : 4);
    for (size_t i = 0; i < length; i++) {
        upper[i] = (char) (name[i] == ' ' ? '_' : toupper((unsigned char) name[i]));
    }
    upper[length] = '\0';
    for (size_t i = 0; !full && i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (strcmp(upper, aliases[i].name) == 0) {
            return exactly(aliases[i].mpi);
        }
    }
    return exactly(mpi);
}

const basic_t *basic_of_bytes(int64_t size)
{
    static const char *const integers[] = {
        [2] = "MPI_INT16_T", [4] = "MPI_INT32_T", [8] = "MPI_INT64_T"};
    const char *name = size == 2 || size == 4 || size == 8 ? integers[size] : "MPI_BYTE";
    return exactly(name);
}
