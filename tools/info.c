/* SPDX-License-Identifier: BSD-3-Clause */
/* dame info: the installation, the settings, and the last run. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "dame_config.h"
#include "doctor.h"
#include "switch.h"

/* Objects beside mca_dt_dame.so that jobs load when they need them. */
static void look_at_objects(const doctor_t *doctor)
{
    static const char *const names[] = {"dame_llvm.so", "dame_papi.so"};
    char path[PATH_MAX + NAME_MAX];
    for (size_t i = 0; *doctor->directory != '\0' && i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", doctor->directory, names[i]);
        doctor_say("", "%s: %s", names[i], access(path, F_OK) == 0 ? path : "not there");
    }
}

/* A line "name=value" of the last run, in words. */
static void print_field(const char *subject, const char *line, size_t length)
{
    static const char *const labels[][2] = {
        {"uses", "messages and local copies by DAME"},
        {"bytes", "bytes of those"},
        {"percent", "% of the bytes that DAME moved"},
        {"promotions", "programs compiled"},
        {"seconds_saved", "seconds saved"},
    };
    const size_t name = strcspn(line, "=");
    const char *label = NULL;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        if (strlen(labels[i][0]) == name && strncmp(line, labels[i][0], name) == 0) {
            label = labels[i][1];
        }
    }
    if (label != NULL) {
        doctor_say(subject, "%s: %.*s", label, (int) (length - name - 1), line + name + 1);
    } else {
        doctor_say(subject, "%.*s: %.*s", (int) name, line, (int) (length - name - 1),
                   line + name + 1);
    }
}

/* ompi-mca-dame/last_run.def has the fields. */
static void look_at_last_run(void)
{
    char name[PATH_MAX], message[PATH_MAX + 128];
    const char *home = getenv("HOME"), *subject = "last run";
    char *text = NULL;
    size_t size;
    snprintf(name, sizeof(name), "%s/.openmpi/dame-last-run", home == NULL ? "" : home);
    if (access(name, F_OK) != 0) {
        doctor_say(subject, "none: %s is not there", name);
    } else if (tool_try_read_text(name, &text, &size, message, sizeof(message)) != TOOL_OK) {
        doctor_say(subject, "%s", message);
    } else if (strncmp(text, "DAME last run ", strlen("DAME last run ")) != 0) {
        doctor_say(subject, "%s is not a last run of DAME's", name);
    } else {
        for (const char *line = text; *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            if (memchr(line, '=', length) != NULL &&
                (length < 5 || strncmp(line + length - 5, "=none", 5) != 0)) {
                print_field(subject, line, length);
                subject = "";
            }
            line += length + (line[length] == '\n');
        }
    }
    free(text);
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{NULL, 0, NULL, 0}};
    doctor_t doctor = {.parameters = NULL};
    if (tool_option(argc, argv, ":", longs) != -1 || tool_operands(argc, argv, 0, 0) != TOOL_OK) {
        return TOOL_USAGE;
    }
    doctor_say("DAME", "%s", DAME_VERSION);
    if (doctor_look_at_openmpi(&doctor)) {
        doctor_look_at_files(&doctor);
        look_at_objects(&doctor);
    }
    switch_print("switched");
    look_at_last_run();
    if (doctor.stands) {
        printf("\nSomething prevents its use; what to type: dame doctor\n");
    }
    return TOOL_OK;
}

const tool_command_t tool_info = {
    .name = "info",
    .arguments = "",
    .what = "prints the installation, the settings and the last run",
    .help = "The version, the Open MPI that DAME was built for, where its files are, the\n"
            "parameters that the environment and parameter files set, and the last run with\n"
            "DAME. Takes a second, starts no job and changes nothing; whether DAME works,\n"
            "\"dame doctor\" tries out.\n",
    .run = run,
};
