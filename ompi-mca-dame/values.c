/* SPDX-License-Identifier: BSD-3-Clause */
#include "values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Texts and values ----------------------------------------------------------------------- */

/* The power of two of a letter; 0 without a letter, -1 for another letter. */
static int shift_of(const char *suffix)
{
    static const char letters[] = "KMG";
    const char *found = strchr(letters, toupper((unsigned char) *suffix));
    if (*suffix == '\0') {
        return 0;
    }
    return found == NULL || suffix[1] != '\0' ? -1 : 10 * (int) (found - letters + 1);
}

static bool parse_number(const dt_values_t *values, const char *text, int *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    int shift = values->bytes ? shift_of(end) : *end == '\0' ? 0 : -1;
    if (errno != 0 || end == text || shift < 0 ||
        __builtin_mul_overflow(number, 1L << shift, &number) || number < values->low ||
        number > values->high) {
        return false;
    }
    *value = (int) number;
    return true;
}

static bool parse_name(const dt_values_t *values, const char *text, size_t length, int *value)
{
    for (const dt_value_name_t *name = values->names; name->name != NULL; name++) {
        if (strlen(name->name) == length && strncasecmp(text, name->name, length) == 0) {
            *value = name->value;
            return true;
        }
    }
    return false;
}

static bool parse_choice(const dt_values_t *values, const char *text, int *value)
{
    return parse_name(values, text, strlen(text), value);
}

/* Names with commas between, each once; the empty set's stands alone. */
static bool parse_set(const dt_values_t *values, const char *text, int *value)
{
    int set = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        int one;
        if (!parse_name(values, at, length, &one) || (set & one) != 0 ||
            (one == 0 && (at != text || at[length] != '\0'))) {
            return false;
        }
        set |= one;
        at += length;
        if (*at == '\0') {
            *value = set;
            return true;
        }
    }
}

/* ---- The enumerator ------------------------------------------------------------------------- */

static int get_count(mca_base_var_enum_t *self, int *count)
{
    *count = ((dt_values_t *) self)->count;
    return OPAL_SUCCESS;
}

static int get_value(mca_base_var_enum_t *self, int index, int *value, const char **string)
{
    const dt_values_t *values = (const dt_values_t *) self;
    if (index < 0 || index >= values->count) {
        return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
    }
    if (value != NULL) {
        *value = values->names[index].value;
    }
    if (string != NULL) {
        *string = values->names[index].name;
    }
    return OPAL_SUCCESS;
}

static int value_from_string(mca_base_var_enum_t *self, const char *string, int *value)
{
    dt_values_t *values = (dt_values_t *) self;
    *value = 0;
    values->answer = values->parse(values, string, value) ? DT_VALUES_ALLOWED : DT_VALUES_REFUSED;
    (void) snprintf(values->refused, sizeof(values->refused), "%s", string);
    return OPAL_SUCCESS;
}

static int copy_of_text(const char *text, char **string)
{
    if (string != NULL && (*string = strdup(text)) == NULL) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    return OPAL_SUCCESS;
}

static int number_string(mca_base_var_enum_t *self, const int value, char **string)
{
    const dt_values_t *values = (const dt_values_t *) self;
    char text[16];
    (void) snprintf(text, sizeof(text), "%d", value);
    return value < values->low || value > values->high ? OPAL_ERR_VALUE_OUT_OF_BOUNDS
                                                       : copy_of_text(text, string);
}

static int choice_string(mca_base_var_enum_t *self, const int value, char **string)
{
    const dt_values_t *values = (const dt_values_t *) self;
    for (int i = 0; i < values->count; i++) {
        if (value == values->names[i].value) {
            return copy_of_text(values->names[i].name, string);
        }
    }
    return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
}

static int set_string(mca_base_var_enum_t *self, const int value, char **string)
{
    const dt_values_t *values = (const dt_values_t *) self;
    char text[256] = "";
    int rest = value;
    for (int i = 0; i < values->count && rest != 0; i++) {
        const size_t used = strlen(text);
        if ((rest & values->names[i].value) != 0) {
            (void) snprintf(text + used, sizeof(text) - used, "%s%s", used == 0 ? "" : ",",
                            values->names[i].name);
            rest &= ~values->names[i].value;
        }
    }
    if (rest != 0) {
        return OPAL_ERR_VALUE_OUT_OF_BOUNDS;
    }
    return value != 0 ? copy_of_text(text, string) : choice_string(self, value, string);
}

static int dump_numbers(DT_ABI_DUMP_ARGUMENTS)
{
    const dt_values_t *values = (const dt_values_t *) self;
    const char *unit = values->bytes ? "numbers of bytes, also with K, M or G," : "whole numbers";
    if (0 > asprintf(text, "%s from %d to %d", unit, values->low, values->high)) {
        *text = NULL;
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    return OPAL_SUCCESS;
}

static int dump_names(DT_ABI_DUMP_ARGUMENTS)
{
    const dt_values_t *values = (const dt_values_t *) self;
    const bool is_set = parse_set == values->parse;
    const char *empty = NULL; /* the name of the empty set */
    char list[256] = "";
    for (const dt_value_name_t *name = values->names; name->name != NULL; name++) {
        const size_t used = strlen(list);
        if (is_set && name->value == 0) {
            empty = name->name;
            continue;
        }
        (void) snprintf(list + used, sizeof(list) - used, "%s%s", used == 0 ? "" : ", ",
                        name->name);
    }
    if (0 > asprintf(text, "%s%s%s%s", empty == NULL ? "" : empty, empty == NULL ? "" : ", or ",
                     is_set ? "a comma-separated list of " : "", list)) {
        *text = NULL;
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    return OPAL_SUCCESS;
}

/* ---- Making one ----------------------------------------------------------------------------- */

static void init(dt_values_t *values)
{
    *values = (dt_values_t){
        .super =
            {
                .super = {.obj_class = &opal_object_t_class, .obj_reference_count = 1},
                .enum_is_static = true,
                .enum_name = "dt_values",
                .get_count = get_count,
                .get_value = get_value,
                .value_from_string = value_from_string,
            },
    };
}

void dt_values_numbers(dt_values_t *values, int low, int high)
{
    init(values);
    values->super.string_from_value = number_string;
    values->super.dump = dump_numbers;
    values->parse = parse_number;
    values->low = low;
    values->high = high;
}

void dt_values_bytes(dt_values_t *values, int low, int high)
{
    dt_values_numbers(values, low, high);
    values->bytes = true;
}

/* How many names there are before one for a value that has been named. */
static int count_values(const dt_value_name_t *names)
{
    int count = 0;
    for (; names[count].name != NULL; count++) {
        for (int i = 0; i < count; i++) {
            if (names[i].value == names[count].value) {
                return count;
            }
        }
    }
    return count;
}

void dt_values_choice(dt_values_t *values, const dt_value_name_t *names)
{
    init(values);
    values->super.string_from_value = choice_string;
    values->super.dump = dump_names;
    values->parse = parse_choice;
    values->names = names;
    values->count = count_values(names);
}

void dt_values_set(dt_values_t *values, const dt_value_name_t *names)
{
    dt_values_choice(values, names);
    values->super.string_from_value = set_string;
    values->parse = parse_set;
}

/* The names are those of MCA's own, mca_base_var_enum_bool, which also takes any other number. */
void dt_values_bool(dt_values_t *values)
{
    static const dt_value_name_t names[] = {
        {0, "false"},   {1, "true"}, {0, "0"}, {1, "1"}, {0, "no"}, {1, "yes"}, {0, "disabled"},
        {1, "enabled"}, {0, "f"},    {1, "t"}, {0, "n"}, {1, "y"},  {0, NULL},
    };
    dt_values_choice(values, names);
}
