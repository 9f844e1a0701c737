/* SPDX-License-Identifier: BSD-3-Clause */
/* dame doctor: is DAME installed, found, chosen and working in Open MPI, and if not, why? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "dame_config.h"
#include "doctor.h"
#include "openmpi.h"
#include "path.h"

enum { JOB_SECONDS = 120 };

static const char hook[] = "mca_hook_dt.so";
static const char component[] = "mca_dt_dame.so";

/* ---- Open MPI ------------------------------------------------------------------------------- */

int doctor_look_at_openmpi(doctor_t *doctor)
{
    const char *const argv[] = {openmpi_info(), "--version", NULL};
    int code;
    char *text = command_output(argv, OPENMPI_INFO_SECONDS, &code);
    char *version = command_line(text, "Open MPI v");
    if (version == NULL) {
        doctor_say("Open MPI", "%s does not run", openmpi_info());
        doctor_advise(doctor, "put Open MPI's ompi_info and mpirun into PATH");
    } else {
        doctor_say("Open MPI", "%s, %s", version, openmpi_info());
    }
    if (*TOOL_OMPI_VERSION != '\0') {
        doctor_say("compiled for", "Open MPI %s", TOOL_OMPI_VERSION);
    } else {
        doctor_say("compiled for", "no Open MPI: configured --without-openmpi");
        doctor_advise(doctor, "configure DAME where Open MPI is installed");
    }
    if (version != NULL && *TOOL_OMPI_VERSION != '\0' && strcmp(version, TOOL_OMPI_VERSION) != 0) {
        doctor_advise(doctor, "this Open MPI is %s: rebuild DAME with ./setup --with-openmpi=DIR",
                      version);
    }
    free(text);
    const int found = version != NULL;
    free(version);
    return found;
}

/* ---- The two components --------------------------------------------------------------------- */

static int have_same_bytes(const char *a, const char *b)
{
    const char *const argv[] = {"cmp", "-s", a, b, NULL};
    int code;
    free(command_output(argv, OPENMPI_INFO_SECONDS, &code));
    return code == 0;
}

/* Open MPI loads the first of all files of one name. Returns 0 if there is no such file. */
static int look_at_file(doctor_t *doctor, const char *subject, const char *path, const char *name,
                        char found[PATH_MAX])
{
    char other[PATH_MAX];
    if (!openmpi_next_in(&path, name, found, PATH_MAX)) {
        doctor_say(subject, "%s: not there", name);
        return 0;
    }
    doctor_say(subject, "%s: %s", name, found);
    while (openmpi_next_in(&path, name, other, PATH_MAX)) {
        if (have_same_bytes(found, other)) {
            doctor_say("", "the same again, not used: %s", other);
            continue;
        }
        doctor_say("", "another build, not used: %s", other);
        if (getenv("OMPI_MCA_mca_base_component_path") == NULL) { /* this shell's was not chosen */
            doctor_advise(doctor,
                          "two builds of DAME are installed. Open MPI loads\n    %s, not\n    %s:\n"
                          "    remove the one that you do not want",
                          found, other);
        }
    }
    return 1;
}

void doctor_look_at_files(doctor_t *doctor)
{
    char first[PATH_MAX], second[PATH_MAX];
    char *path = openmpi_value(openmpi_base(), "mca:mca:base:param:mca_base_component_path:value:");
    char *parameters = openmpi_parameters("dt", "dame");
    char *asked_by = openmpi_value(parameters, "mca:dt:dame:param:dt_dame_asked_by:value:");
    doctor->has_seam = asked_by != NULL && strcmp(asked_by, "rewritten slots") != 0;
    if (asked_by != NULL) {
        doctor_say("asked by", "%s", asked_by);
    }
    free(asked_by);
    free(parameters);
    doctor_say("looks in", "%s", path == NULL ? "(unknown)" : path);
    const int has_hook = look_at_file(doctor, "installed", path, hook, first);
    const int has_dame = look_at_file(doctor, "", path, component, second);
    if (has_dame) {
        snprintf(doctor->directory, PATH_MAX, "%.*s", (int) (strrchr(second, '/') - second),
                 second);
    }
    if (doctor->has_seam && has_dame) {
        /* all that it takes */
    } else if (!has_hook && !has_dame) {
        doctor_advise(doctor,
                      "DAME is not installed where Open MPI looks: in DAME's source tree type\n"
                      "    make -C build install       (into Open MPI's own directory), or\n"
                      "    . build/use.sh              (for this shell only)");
    } else if (!has_hook || !has_dame) {
        doctor_advise(doctor, "one of the two files is missing: install both, side by side");
    } else if (strrchr(first, '/') - first != strrchr(second, '/') - second ||
               strncmp(first, second, (size_t) (strrchr(first, '/') - first)) != 0) {
        doctor_advise(doctor,
                      "the two files are in different directories, maybe of different builds:\n"
                      "    install both, side by side");
    }
    free(path);
}

/* Does ompi_info list both, whatever dt says? If not, Open MPI says why it could not load one. */
static void look_at_loading(doctor_t *doctor)
{
    const char *const list[] = {openmpi_info(), "--parsable", NULL};
    const char *own = getenv("OMPI_MCA_dt");
    char *choice = own == NULL ? NULL : strdup(own);
    int code;
    setenv("OMPI_MCA_dt", "dame,opal", 1);
    setenv("OMPI_MCA_mca_base_component_show_load_errors", "1", 1);
    char *text = command_output(list, OPENMPI_INFO_SECONDS, &code);
    unsetenv("OMPI_MCA_mca_base_component_show_load_errors");
    doctor->parameters = openmpi_parameters("dt", "all");
    if (choice == NULL) {
        unsetenv("OMPI_MCA_dt");
    } else {
        setenv("OMPI_MCA_dt", choice, 1);
    }
    char *has_hook = command_line(text, "mca:hook:dt:version:");
    char *has_dame = command_line(text, "mca:dt:dame:version:");
    doctor_say("loaded", "%s: %s; %s: %s", hook, has_hook != NULL ? "yes" : "no", component,
               has_dame != NULL ? "yes" : "no");
    for (const char *line = text; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        if (copy != NULL && (strstr(copy, "dt:dame: ") != NULL || strstr(copy, hook) != NULL ||
                             strstr(copy, component) != NULL)) {
            doctor_say("", "%s", copy);
        }
        free(copy);
        line += length + (line[length] == '\n');
    }
    if (((has_hook == NULL && !doctor->has_seam) || has_dame == NULL) && !doctor->stands) {
        doctor_advise(
            doctor, "Open MPI does not load the installed components; the lines above may say why");
    }
    free(choice);
    free(has_dame);
    free(has_hook);
    free(text);
}

/* The parameter dt, which `source` has set, is not such that DAME moves the data. */
static void advise_choice(doctor_t *doctor, const char *value, const char *source)
{
    /* A parameter file of the user's does not change what the environment says. */
    const char *const type = strncmp(source, "environment", strlen("environment")) == 0
                                 ? "mpirun --mca dt dame ..., or in this shell\n"
                                   "    export OMPI_MCA_dt=dame"
                                 : "mpirun --mca dt dame ..., or for all your jobs\n"
                                   "    dame on";
    size_t length;
    const char *unknown = tool_unknown_engine(value, strlen(value), &length);
    if (*value == '\0') {
        doctor_note(doctor, "DAME is not asked for: %s", type);
    } else if (unknown != NULL) {
        doctor_advise(
            doctor,
            "dt = %s: there is no engine \"%.*s\", and jobs end with an error. There are dame\n"
            "    and opal: %s",
            value, (int) length, unknown, type);
    } else if (*value == '^') {
        doctor_note(doctor, "dt = %s excludes DAME: %s", value, type);
    } else if (strchr(value, ',') != NULL) {
        doctor_note(doctor,
                    "dt = %s lists candidates, of which the highest priority is used, whatever\n"
                    "    their order; name dame alone: %s",
                    value, type);
    } else {
        doctor_note(doctor, "dt = %s is Open MPI's own engine: %s", value, type);
    }
}

static void look_at_choice(doctor_t *doctor)
{
    char *text = openmpi_parameters("dt", "all");
    char *value = openmpi_value(text, "mca:dt:base:param:dt:value:");
    char *source = openmpi_value(text, "mca:dt:base:param:dt:source:");
    char *dame = openmpi_value(doctor->parameters, "mca:dt:dame:param:dt_dame_priority:value:");
    char *opal = openmpi_value(doctor->parameters, "mca:dt:opal:param:dt_opal_priority:value:");
    const int has_both = dame != NULL && opal != NULL;
    const int chosen =
        value != NULL && (strcmp(value, "dame") == 0 || strcmp(value, "^opal") == 0 ||
                          (*value == '\0' && has_both && atoi(dame) > atoi(opal)));
    if (value == NULL) {
        doctor_say("chosen", "no: there is no framework dt");
    } else if (*value == '\0') {
        doctor_say("chosen", "%s: dt is not set, and the priorities are opal %s, dame %s",
                   chosen ? "yes" : "no", opal == NULL ? "none" : opal,
                   dame == NULL ? "none" : dame);
    } else {
        doctor_say("chosen", "%s: dt = %s (%s)", chosen ? "yes" : "no", value, source);
    }
    doctor->is_chosen = chosen;
    if (value != NULL && !chosen) {
        advise_choice(doctor, value, source == NULL ? "" : source);
    }
    free(opal);
    free(dame);
    free(source);
    free(value);
    free(text);
}

/* ---- A job ---------------------------------------------------------------------------------- */

/* But not the one that starts with `but`. */
static void print_lines(const char *text, int most, const char *but)
{
    while (most > 0 && text != NULL && *text != '\0') {
        const size_t length = strcspn(text, "\n");
        if (but == NULL || strncmp(text, but, strlen(but)) != 0) {
            doctor_say("", "%.*s", (int) length, text);
            most--;
        }
        text += length + (text[length] == '\n');
    }
}

/* Parameters in the environment that do not exist, which a job names. */
static void advise_parameters(doctor_t *doctor, const char *text)
{
    static const char unknown[] = "there is no parameter ";
    for (const char *at = text; at != NULL && (at = strstr(at, unknown)) != NULL;) {
        const size_t length = strcspn(at, "\n");
        doctor_advise(doctor, "%.*s", (int) length, at);
        at += length;
    }
}

/* A job that leaves no trace: the user's last run, report and caches stay as they are. With DAME;
 * `own`: as the user's own jobs run. The caller frees. */
static char *run_job(const char *program, int own, int *code)
{
    static const char *const parameters[][2] = {
        {"dt", "dame"},
        {"dt_dame_verbose", "0"},
        {"dt_dame_promotion_threshold", "2"},
        {"dt_dame_last_run", "0"},
        {"dt_dame_import_threshold", "1"}, /* so that DAME moves all of its few messages */
        {"dt_dame_report", "none"},
        {"dt_dame_dump", "none"},
        {"dt_dame_profile", ""},
        {"dt_dame_code_dir", ""},
        {"dt_dame_perf_map", ""},
    };
    enum { PARAMETERS = sizeof(parameters) / sizeof(parameters[0]) };
    const char *argv[4 + 3 * PARAMETERS + 2] = {openmpi_mpirun(), "--oversubscribe", "-np", "2"};
    const char **next = argv + 4;
    for (int i = own ? 1 : 0; i < PARAMETERS; i++) {
        *next++ = "--mca";
        *next++ = parameters[i][0];
        *next++ = own && i == 1 ? "1" : parameters[i][1];
    }
    *next = program;
    openmpi_allow_root();
    return command_output(argv, JOB_SECONDS, code);
}

/* mpirun may name other directories than Open MPI would look in: Debian 13's names PMIx's alone. */
static void look_at_path(doctor_t *doctor)
{
    char *asked = path_of_ranks(doctor->directory);
    if (asked != NULL) {
        doctor_say("", "processes of mpirun look for components in %s only", asked);
        doctor_advise(doctor,
                      "mpirun keeps its processes from finding %s: type\n"
                      "    dame on              (for all your jobs; it writes %s), or\n"
                      "    dame on --path --system   (as root, for all users), or\n"
                      "    . share/dame/use.sh of where DAME is installed (for this shell)",
                      doctor->directory, PATH_OWN_FILE);
    }
    free(asked);
}

/* What a job of the user's says of DAME, with no parameter for it. */
static void look_at_own_job(doctor_t *doctor, const char *program)
{
    int code;
    char *text = run_job(program, 1, &code);
    const char *said = text == NULL ? NULL : strstr(text, "dt:dame: ");
    if (said != NULL) {
        said += strlen("dt:dame: ");
        doctor_say("your jobs", "%.*s", (int) strcspn(said, "\n"), said);
    } else {
        doctor_say("your jobs", "DAME is not loaded");
    }
    if (doctor->is_chosen && !doctor->stands && (said == NULL || strncmp(said, "on: ", 4) != 0)) {
        doctor_advise(doctor,
                      "DAME is chosen here, but mpirun's processes do not use it: see \"your\n"
                      "    jobs\" above; mpirun --mca dt dame ... asks for it");
    }
    free(text);
}

static void look_at_job(doctor_t *doctor)
{
    char two_ranks[4096];
    char rightness[8] = "";
    long long packed = 0;
    long long compiled = 0;
    long long refused = 0;
    int code;
    command_of_ours("two_ranks", two_ranks, sizeof(two_ranks));
    if (access(two_ranks, X_OK) != 0) {
        doctor_say("working", "not tried: %s is missing", two_ranks);
        doctor_advise(doctor, "whether DAME works is not known: install all of it, also %s",
                      two_ranks);
        return;
    }
    char *text = run_job(two_ranks, 0, &code);
    char *line = command_line(text, "two ranks: ");
    advise_parameters(doctor, text);
    const int read = line == NULL
                         ? 0
                         : sscanf(line,
                                  "%7[a-z], %lld messages packed by DAME, %lld programs compiled, "
                                  "%lld refused",
                                  rightness, &packed, &compiled, &refused);
    if (read != 4 || code != 0) {
        doctor_say("working", "no: a job of two ranks failed (exit code %d)", code);
        print_lines(text, 12, NULL);
        doctor_advise(doctor, "%s cannot run a job here; see its output above", openmpi_mpirun());
    } else if (strcmp(rightness, "right") != 0) {
        doctor_say("working", "NO: bytes arrived that were not sent");
        doctor_advise(doctor,
                      "do not use DAME here: dame off; and send this output to its authors");
    } else if (packed <= 0) {
        doctor_say("working", "no: a job of two ranks works, but DAME moved nothing in it");
        print_lines(text, 3, "two ranks: ");
        if (!doctor->stands) {
            look_at_path(doctor);
        }
        if (!doctor->stands) {
            doctor_advise(doctor, "--mca dt dame has no effect; see the lines above");
        }
    } else {
        doctor_say("working", "yes: two ranks, %lld messages packed by DAME on rank 0, bytes right",
                   packed);
        doctor_say("", "machine code: %s",
                   compiled > 0  ? "compiled and used"
                   : refused > 0 ? "the system refuses to execute it"
                                 : "none was compiled");
        look_at_own_job(doctor, two_ranks);
    }
    free(line);
    free(text);
}

/* ---- All of it ------------------------------------------------------------------------------ */

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
        look_at_loading(&doctor);
        look_at_choice(&doctor);
        look_at_job(&doctor);
    }
    doctor_look_at_machine(&doctor);
    free(doctor.parameters);
    if (*doctor.advice == '\0') {
        printf("\nAll is well: DAME moves the non-contiguous data of your jobs.\n");
        return TOOL_OK;
    }
    printf("\n%s:\n%s",
           doctor.stands ? "What prevents its use, and what to type"
                         : "All is well: DAME works here. What you may want to know",
           doctor.advice);
    return doctor.stands ? TOOL_WRONG : TOOL_OK;
}

const tool_command_t tool_doctor = {
    .name = "doctor",
    .arguments = "",
    .what = "says whether DAME works in this Open MPI; if not, why not",
    .help = "Runs ompi_info, and two jobs of two ranks by mpirun. Changes nothing. Exit code\n"
            "1: something prevents its use; not choosing DAME does not count. Its output\n"
            "belongs in a bug report.\n",
    .run = run,
};
