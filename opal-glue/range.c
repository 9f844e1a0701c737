#include "range.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int get_count(mca_base_var_enum_t *self, int *count)
{
    (void) self;
    *count = 0; /* its values have no names */
    return OPAL_SUCCESS;
}

static int get_value(mca_base_var_enum_t *self, int index, int *value, const char **string)
{
    (void) self;
    (void) index;
    (void) value;
    (void) string;
    return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
}

static int value_from_string(mca_base_var_enum_t *self, const char *string, int *value)
{
    const dt_range_t *range = (const dt_range_t *) self;
    char *end;
    errno = 0;
    long number = strtol(string, &end, 10);
    if (0 != errno || end == string || '\0' != *end || number < range->low ||
        number > range->high) {
        return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
    }
    *value = (int) number;
    return OPAL_SUCCESS;
}

static int string_from_value(mca_base_var_enum_t *self, const int value, char **string)
{
    const dt_range_t *range = (const dt_range_t *) self;
    if (value < range->low || value > range->high) {
        return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
    }
    if (NULL != string && 0 > asprintf(string, "%d", value)) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    return OPAL_SUCCESS;
}

static int dump(mca_base_var_enum_t *self, char **text)
{
    const dt_range_t *range = (const dt_range_t *) self;
    if (0 > asprintf(text, "whole numbers from %d to %d", range->low, range->high)) {
        *text = NULL;
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    return OPAL_SUCCESS;
}

void dt_range_init(dt_range_t *range, int low, int high)
{
    *range = (dt_range_t){
        .super =
            {
                .super = OPAL_OBJ_STATIC_INIT(opal_object_t),
                .enum_is_static = true,
                .enum_name = "dt_range",
                .get_count = get_count,
                .get_value = get_value,
                .value_from_string = value_from_string,
                .string_from_value = string_from_value,
                .dump = dump,
            },
        .low = low,
        .high = high,
    };
}
