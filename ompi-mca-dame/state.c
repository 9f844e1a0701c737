/* SPDX-License-Identifier: BSD-3-Clause */
#include "state.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi-mca-dame/dt.h"
#include "opal-glue/glue.h"
#include "opal-glue/abi/abi.h"

static struct {
    char chosen_by[128]; /* the parameter dt; "" when it names no engine */
    bool names_dame;
    bool excludes; /* chosen_by, without its "^", names engines that are not wanted */
    bool has_dame; /* mca_dt_dame.so is loaded */
    bool asks;     /* the user wants to know: verbose or report is set, or opal is excluded */
    int dame_priority;
    int opal_priority;
} state;

/* ---- Parameters ----------------------------------------------------------------------------- */

/* Where the value of a registered parameter is, or NULL. */
static const void *value_of(const char *component, const char *name)
{
    const int index = mca_base_var_find("opal", "dt", component, name);
    const void *value = NULL;
    if (0 > index || mca_base_var_get_value(index, &value, NULL, NULL) != OPAL_SUCCESS) {
        return NULL;
    }
    return value;
}

static int number(const char *component, const char *name, int fallback)
{
    const int *value = value_of(component, name);
    return value == NULL ? fallback : *value;
}

/* A parameter of DAME's that DAME has not registered: is it set to something other than `off`? */
static bool is_set(const char *name, const char *off)
{
    static const mca_base_component_t absent = {
        DT_BASE_VERSION_1_0_0, .mca_component_name = "dame",
        DT_ABI_VERSION(component, DAME_MAJOR_VERSION, DAME_MINOR_VERSION, DAME_RELEASE_VERSION)};
    static char *values[2];
    static int used;
    char **value = &values[used++ % 2];
    *value = (char *) (uintptr_t) off;
    return 0 <= mca_base_component_var_register(&absent, name,
                                                "As in mca_dt_dame.so, which is "
                                                "missing or excluded.",
                                                MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0,
                                                OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY,
                                                value) &&
           *value != NULL && strcmp(off, *value) != 0;
}

static bool names(const char *list, const char *engine)
{
    const size_t length = strlen(engine);
    const char *at = list;
    while (*at != '\0') {
        const size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, engine, length) == 0) {
            return true;
        }
        at += word + (at[word] == ',');
    }
    return false;
}

/* ---- Parameters that do not exist ----------------------------------------------------------- */

enum { LONGEST_NAME = 64 };

/* Insertions, deletions and replacements of a letter that make one name the other (Levenshtein). */
static int distance(const char *a, const char *b)
{
    int row[LONGEST_NAME + 1];
    const int length = (int) strlen(b);
    for (int j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (int i = 0; a[i] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < length; j++) {
            const int replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            int least = replaced < row[j] + 1 ? replaced : row[j] + 1;
            row[j + 1] = least < diagonal + 1 ? least : diagonal + 1;
        }
    }
    return row[length];
}

/* The parameter of this framework with the name most like `name`, or NULL. */
static const char *nearest(const char *name)
{
    const char *best = NULL;
    int least = (int) strlen(name) / 3 + 1;
    for (int i = mca_base_var_get_count() - 1; i >= 0; i--) {
        const mca_base_var_t *variable;
        if (mca_base_var_get(i, &variable) != OPAL_SUCCESS ||
            strncmp(variable->mbv_full_name, "dt_", 3) != 0 ||
            strlen(variable->mbv_full_name) > LONGEST_NAME) {
            continue;
        }
        const int d = distance(name, variable->mbv_full_name);
        if (d < least) {
            least = d;
            best = variable->mbv_full_name;
        }
    }
    return best;
}

/* mpirun hands its --mca on as variables of the environment. */
static void name_unknown_parameters(void)
{
    static const char prefix[] = "OMPI_MCA_";
    extern char **environ;
    for (char **at = environ; *at != NULL; at++) {
        char name[LONGEST_NAME + 1], full[LONGEST_NAME + 1];
        int index;
        if (strncmp(*at, prefix, sizeof(prefix) - 1) != 0) {
            continue;
        }
        (void) snprintf(name, sizeof(name), "%s", *at + sizeof(prefix) - 1);
        name[strcspn(name, "=")] = '\0';
        /* the framework's name forgotten */
        (void) snprintf(full, sizeof(full), "%s%.*s", strncmp(name, "dame_", 5) == 0 ? "dt_" : "",
                        LONGEST_NAME - 3, name);
        if (strncmp(full, "dt_", 3) != 0 ||
            (!state.has_dame && strncmp(full, "dt_dame_", 8) == 0) ||
            mca_base_var_find_by_name(name, &index) == OPAL_SUCCESS) {
            continue;
        }
        const char *meant = nearest(full);
        dt_log_once_a_job("there is no parameter %s. %s%s%s\"ompi_info --param dt all --level 9\" "
                          "lists all.",
                          name, meant == NULL ? "" : "Did you mean ", meant == NULL ? "" : meant,
                          meant == NULL ? "" : "? ");
    }
}

/* ---- Before and after the choice ------------------------------------------------------------ */

bool dt_state_names_dame(const char *choice)
{
    return *choice != '^' && names(choice, "dame");
}

void dt_state_not_found(void)
{
    const char *const *list = value_of(NULL, NULL);
    dt_log_once_a_job("dt = %s names an engine that is not there: the job ends. There are dame and "
                      "opal.",
                      list == NULL || *list == NULL ? "" : *list);
}

void dt_state_before_choice(void)
{
    const char *const *list = value_of(NULL, NULL);
    state.has_dame = value_of("dame", "priority") != NULL;
    state.dame_priority = number("dame", "priority", 0);
    state.opal_priority = number("opal", "priority", 0);
    if (list != NULL && *list != NULL) {
        (void) snprintf(state.chosen_by, sizeof(state.chosen_by), "%s", *list);
    }
    state.excludes = state.chosen_by[0] == '^';
    state.names_dame = names(state.chosen_by + state.excludes, "dame");
    if (state.has_dame) {
        state.asks =
            number("dame", "verbose", 0) >= DT_LOG_STATE || number("dame", "report", 0) > 0;
    } else {
        const bool verbose = is_set("verbose", "0");
        state.asks = is_set("report", "none") || verbose;
    }
    state.asks |= state.excludes && names(state.chosen_by + 1, "opal");
    name_unknown_parameters();
}

void dt_state_after_choice(const char *engine)
{
    const bool excluded =
        state.chosen_by[0] != '\0' && state.names_dame == state.excludes && !state.has_dame;
    if (engine != NULL && strcmp(engine, "dame") == 0) {
        return; /* it says so itself */
    }
    if (excluded) {
        dt_log_state(state.asks, "not used: the parameter dt, \"%s\", excludes it.",
                     state.chosen_by);
    } else if (!state.has_dame) {
        dt_log_state(state.asks, "not used: mca_dt_dame.so was not found beside mca_hook_dt.so, or "
                                 "could not be loaded; \"dame doctor\" looks for the reason.");
    } else if (state.names_dame) {
        dt_log_state(true,
                     "not used: of \"%s\" the engine with the highest priority is used, in "
                     "whatever order they are listed: opal has %d, dame %d. To use DAME: "
                     "--mca dt dame.",
                     state.chosen_by, state.opal_priority, state.dame_priority);
    } else {
        dt_log_state(state.asks,
                     "not used: it was not asked for, and opal has the higher priority (%d, dame "
                     "%d). To use DAME: --mca dt dame.",
                     state.opal_priority, state.dame_priority);
    }
}
