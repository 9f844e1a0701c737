#include "range.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The power of two that a letter stands for; 0 for none, -1 for no such letter. */
static int shift_of(const char *suffix)
{
    static const char letters[] = "KMG";
    const char *found = strchr(letters, toupper((unsigned char) *suffix));
    if ('\0' == *suffix) {
        return 0;
    }
    return NULL == found || '\0' != suffix[1] ? -1 : 10 * (int) (found - letters + 1);
}

static int value_from_string(mca_base_var_enum_t *self, const char *string, int *value)
{
    const dt_range_t *range = (const dt_range_t *) self;
    char *end;
    errno = 0;
    long number = strtol(string, &end, 10);
    int shift = range->bytes ? shift_of(end) : '\0' == *end ? 0 : -1;
    if (0 != errno || end == string || shift < 0 ||
        __builtin_mul_overflow(number, 1L << shift, &number) || number < range->low ||
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
    const char *unit = range->bytes ? "numbers of bytes, also with K, M or G," : "whole numbers";
    if (0 > asprintf(text, "%s from %d to %d", unit, range->low, range->high)) {
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

void dt_range_init_bytes(dt_range_t *range, int low, int high)
{
    dt_range_init(range, low, high);
    range->bytes = true;
}
