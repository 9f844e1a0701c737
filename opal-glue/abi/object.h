/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects and their classes, lists, and status codes: the same in all series (opal/class/,
 * opal/constants.h). Included by abi.h. */
#ifndef DT_ABI_OBJECT_H
#define DT_ABI_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum {
    OPAL_SUCCESS = 0,
    OPAL_ERROR = -1,
    OPAL_ERR_OUT_OF_RESOURCE = -2,
    OPAL_ERR_BAD_PARAM = -5,
    OPAL_ERR_NOT_SUPPORTED = -8,
    OPAL_ERR_NOT_FOUND = -13,
    OPAL_ERR_VALUE_OUT_OF_BOUNDS = -18,
};
enum { OMPI_SUCCESS = 0 };

typedef struct opal_object_t opal_object_t;
typedef struct opal_class_t opal_class_t;
typedef void (*opal_construct_t)(opal_object_t *);
typedef void (*opal_destruct_t)(opal_object_t *);

struct opal_class_t {
    const char *cls_name;
    opal_class_t *cls_parent;
    opal_construct_t cls_construct;
    opal_destruct_t cls_destruct;
    int cls_initialized;
    int cls_depth;
    opal_construct_t *cls_construct_array; /* base class first, ends with NULL */
    opal_destruct_t *cls_destruct_array;   /* derived class first, ends with NULL */
    size_t cls_sizeof;
};

struct opal_object_t {
    opal_class_t *obj_class;
    volatile int32_t obj_reference_count;
};

typedef struct opal_list_item_t {
    opal_object_t super;
    volatile struct opal_list_item_t *volatile opal_list_next;
    volatile struct opal_list_item_t *volatile opal_list_prev;
    int32_t item_free;
} opal_list_item_t;

typedef struct opal_list_t {
    opal_object_t super;
    opal_list_item_t opal_list_sentinel;
    volatile size_t opal_list_length;
} opal_list_t;

typedef struct opal_value_array_t {
    opal_object_t super;
    unsigned char *array_items;
    size_t array_item_sizeof;
    size_t array_size;
    size_t array_alloc_size;
} opal_value_array_t;

typedef struct opal_pointer_array_t opal_pointer_array_t;

#endif
