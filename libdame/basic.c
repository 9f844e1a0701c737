/* SPDX-License-Identifier: BSD-3-Clause */
/* Basic datatypes by name. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "make.h"

typedef struct known {
    const char *name;
    const char *kind; /* the name in signatures */
    int64_t size;
} known_t;

/* An integer type of C under the name that its size has. */
#define INTEGER(text, type)  UNDER_SIZE(text, "", type)
#define UNSIGNED(text, type) UNDER_SIZE(text, "u", type)
#define UNDER_SIZE(text, sign, type)                                                               \
    {                                                                                              \
        text,                                                                                      \
            sizeof(type) == 1                                                                      \
                ? sign "int8"                                                                      \
                : (sizeof(type) == 2 ? sign "int16"                                                \
                                     : (sizeof(type) == 4 ? sign "int32" : sign "int64")),         \
            sizeof(type)                                                                           \
    }

/* x87's has 64 bits of fraction; elsewhere it is a double, or IEEE's of 128 bits. */
#define LONG_DOUBLE                                                                                \
    (__LDBL_MANT_DIG__ == 64 ? "float80" : (__LDBL_MANT_DIG__ == 53 ? "float64" : "float128"))

static const known_t known[] = {
    {"byte", "byte", 1},
    {"char", "char", 1},
    {"bool", "bool", 1},
    {"int8", "int8", 1},
    {"uint8", "uint8", 1},
    {"int16", "int16", 2},
    {"uint16", "uint16", 2},
    {"int32", "int32", 4},
    {"uint32", "uint32", 4},
    {"int64", "int64", 8},
    {"uint64", "uint64", 8},
    {"int128", "int128", 16},
    {"uint128", "uint128", 16},
    {"float16", "float16", 2},
    {"float32", "float32", 4},
    {"float64", "float64", 8},
    {"float80", "float80", 16},
    {"float128", "float128", 16},
    {"complex64", "complex64", 8},
    {"complex128", "complex128", 16},
    {"complex160", "complex160", 32},
    INTEGER("signed char", signed char),
    INTEGER("short", short),
    INTEGER("int", int),
    INTEGER("long", long),
    INTEGER("long long", long long),
    INTEGER("ptrdiff_t", ptrdiff_t),
    UNSIGNED("unsigned char", unsigned char),
    UNSIGNED("unsigned short", unsigned short),
    UNSIGNED("unsigned", unsigned),
    UNSIGNED("unsigned int", unsigned),
    UNSIGNED("unsigned long", unsigned long),
    UNSIGNED("unsigned long long", unsigned long long),
    UNSIGNED("size_t", size_t),
    {"float", "float32", 4},
    {"double", "float64", 8},
    {"long double", LONG_DOUBLE, sizeof(long double)},
};

static const known_t *find_basic(const char *name)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0) {
            return &known[i];
        }
    }
    return NULL;
}

static bool is_name(const char *name)
{
    const size_t length = strnlen(name, DAME_LONGEST_NAME + 1);
    for (size_t i = 0; i < length; i++) {
        if (name[i] < ' ' || name[i] > '~') {
            return false;
        }
    }
    return length > 0 && length <= DAME_LONGEST_NAME;
}

dame_status_t dame_datatype_basic(dame_context_t *context, const char *name, int64_t size,
                                  dame_datatype_t **out)
{
    if (context == NULL || name == NULL || out == NULL) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__, "%s is NULL",
                         context == NULL ? "context" : (name == NULL ? "name" : "out"));
    }
    if (!is_name(name)) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__,
                         "name must be 1 to %d printable ASCII characters", DAME_LONGEST_NAME);
    }
    const known_t *kind = find_basic(name);
    if (kind != NULL && size != 0 && size != kind->size) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__,
                         "size is %" PRId64 "; \"%s\" has %" PRId64 " bytes (0 means that size)",
                         size, name, kind->size);
    }
    if (kind == NULL && size < 1) {
        return dame_fail(DAME_ERR_ARGUMENT, __func__,
                         "size is %" PRId64
                         ", and \"%s\" is not a known name, so it needs 1 or more",
                         size, name);
    }
    dame_datatype_t *type;
    dame_status_t status = dame_make_basic(__func__, context, kind != NULL ? kind->kind : name,
                                           kind != NULL ? kind->size : size, &type);
    if (status != DAME_OK) {
        return status;
    }
    status = dame_datatype_commit(type);
    if (status != DAME_OK) {
        dame_datatype_free(type);
        return status;
    }
    *out = type;
    return DAME_OK;
}
