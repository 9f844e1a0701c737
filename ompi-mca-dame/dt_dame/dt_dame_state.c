/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What DAME works with in this process, in one line.
 */
#include "dt_dame.h"

#include <stdio.h>
#include <string.h>

#include "dame/cpu.h"

enum { LONGEST = 60 }; /* of a parameter's value in the line */

/* The model as /proc/cpuinfo calls it; "" where it does not. */
static void read_cpu_model(char *text, size_t room)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    text[0] = '\0';
    while (file != NULL && text[0] == '\0' && fgets(line, sizeof(line), file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            value += 1 + strspn(value + 1, " \t");
            (void) snprintf(text, room, "%.*s", (int) strcspn(value, "\n"), value);
        }
    }
    if (file != NULL) {
        (void) fclose(file);
    }
}

static const char *vectors(void)
{
    const dame_cpu_t cpu = dame_cpu_detect();
    return cpu.avx512 ? ", AVX-512" : cpu.avx2 ? ", AVX2" : "";
}

const char *mca_dt_dame_state(char *text, size_t room)
{
    char model[128];
    char code[80];
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    const bool has_code = (params->tiers & (MCA_DT_DAME_TIER_X | MCA_DT_DAME_TIER_L)) != 0;
    const int threshold = mca_dt_dame_threshold();
    read_cpu_model(model, sizeof(model));
    if (!has_code) {
        (void) snprintf(code, sizeof(code), " and Open MPI's own engine where it is faster");
    } else if (threshold < 0) {
        (void) snprintf(code, sizeof(code), " and machine code where it is repaid, as measured");
    } else {
        (void) snprintf(code, sizeof(code), " and machine code from use %d on", threshold);
    }
    const bool measures = threshold < 0;
    const char *profile = params->profile == NULL ? "" : params->profile;
    const char *events = params->papi_events == NULL ? "" : params->papi_events;
    (void) snprintf(text, room, "on: interpreter%s%s; %s%s%s%.*s%s%.*s", threshold != 0 ? code : "",
                    params->verify ? ", everything compared with Open MPI's own engine" : "",
                    *model == '\0' ? "CPU unknown" : model, vectors(),
                    !measures          ? ""
                    : *profile == '\0' ? "; no profile"
                                       : "; profile ",
                    LONGEST, measures ? profile : "", *events == '\0' ? "" : "; PAPI events ",
                    LONGEST, events);
    return text;
}
