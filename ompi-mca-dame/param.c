/* SPDX-License-Identifier: BSD-3-Clause */
#include "param.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal-glue/glue.h"

static int register_variable(const dt_param_t *param, const char *standard,
                             mca_base_var_type_t type, mca_base_var_enum_t *values, void *storage)
{
    char *help = NULL;
    if (0 >
        asprintf(&help, "%s (default: %s).", param->text, *standard == '\0' ? "empty" : standard)) {
        help = NULL; /* memory is out: the parameter counts all the same */
    }
    int index = mca_base_component_var_register(
        param->owner, param->name, help == NULL ? param->text : help, type, values, 0,
        param->changes ? MCA_BASE_VAR_FLAG_SETTABLE : 0, param->level,
        param->changes ? MCA_BASE_VAR_SCOPE_LOCAL : MCA_BASE_VAR_SCOPE_READONLY, storage);
    free(help);
    return index;
}

/* Makes `value` the variable's, as if it were the default. */
static void set_default(const dt_param_t *param, int index, const void *value, size_t size)
{
    (void) mca_base_var_set_flag(index, MCA_BASE_VAR_FLAG_SETTABLE, true);
    (void) mca_base_var_set_value(index, value, size, MCA_BASE_VAR_SOURCE_DEFAULT, NULL);
    (void) mca_base_var_set_flag(index, MCA_BASE_VAR_FLAG_SETTABLE, param->changes);
}

static void complain_of_value(int index, const char *value, const dt_refusal_t *refusal,
                              const char *standard)
{
    static const char format[] =
        "parameter %s%s%s: the value \"%.100s\" %s. The default, %s, is used.";
    const mca_base_var_t *variable = NULL;
    const char *file = NULL;
    (void) mca_base_var_get(index, &variable);
    (void) mca_base_var_get_value(index, NULL, NULL, &file);
    (refusal->of_node ? dt_log_once_a_node : dt_log_once_a_job)(
        format, variable == NULL ? "" : variable->mbv_full_name, file == NULL ? "" : " in ",
        file == NULL ? "" : file, value, refusal->why, *standard == '\0' ? "empty" : standard);
}

/* The text that `values` did not allow, or NULL. */
static const char *refused(int index, const dt_values_t *values)
{
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
    if (values->answer != DT_VALUES_NOT_ASKED) {
        return values->answer == DT_VALUES_REFUSED ? values->refused : NULL;
    }
    (void) mca_base_var_get_value(index, NULL, &source, NULL);
    return source != MCA_BASE_VAR_SOURCE_DEFAULT ? "" : NULL;
}

void dt_param_register(const dt_param_t *param, dt_values_t *values, int *storage)
{
    const int standard = *storage;
    char *text = NULL;
    char *allowed = NULL;
    (void) values->super.string_from_value(&values->super, standard, &text);
    values->answer = DT_VALUES_NOT_ASKED;
    int index = register_variable(param, text == NULL ? "" : text, MCA_BASE_VAR_TYPE_INT,
                                  &values->super, storage);
    const char *bad = 0 > index ? NULL : refused(index, values);
    if (bad != NULL) {
        dt_refusal_t refusal = {.of_node = false};
        (void) values->super.dump(&values->super, &allowed DT_ABI_DUMP_STYLE);
        (void) snprintf(refusal.why, sizeof(refusal.why), "is not allowed; allowed: %s",
                        allowed == NULL ? "others" : allowed);
        complain_of_value(index, bad, &refusal, text == NULL ? "" : text);
        set_default(param, index, &standard, sizeof(standard));
    }
    free(allowed);
    free(text);
}

void dt_param_register_string(const dt_param_t *param, dt_param_check_t *check,
                              const char *standard, char **storage)
{
    *storage = *standard == '\0' ? NULL : (char *) standard; /* MCA makes a copy of it */
    int index = register_variable(param, standard, MCA_BASE_VAR_TYPE_STRING, NULL, storage);
    dt_refusal_t refusal = {.of_node = false};
    if (0 > index) {
        *storage = NULL;
        return;
    }
    const char *value = *storage == NULL ? "" : *storage;
    if (!check(value, &refusal)) {
        complain_of_value(index, value, &refusal, standard);
        set_default(param, index, standard, strlen(standard) + 1);
    }
}
