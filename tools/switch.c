/* SPDX-License-Identifier: BSD-3-Clause */
/* dame on, dame off: the parameter dt in parameter files. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "openmpi.h"
#include "parameters.h"
#include "path.h"
#include "switch.h"

/* Copies `text` with its lines for dt replaced by one: the first keeps its place. `engine` NULL: by
 * none. */
static void write_edited(FILE *out, const char *text, size_t length, const void *context)
{
    const char *const engine = context;
    const char *end = text + length;
    int written = 0;
    int ended = 1; /* the last line that was written has its newline */
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t) (end - line));
        const char *next = newline == NULL ? end : newline + 1;
        size_t ignored;
        if (parameters_value("dt", line, newline == NULL ? end : newline, &ignored) == NULL) {
            fwrite(line, 1, (size_t) (next - line), out);
            ended = newline != NULL;
        } else if (!written && engine != NULL) {
            written = 1;
            fprintf(out, "dt = %s\n", engine);
            ended = 1;
        }
        line = next;
    }
    if (!written && engine != NULL) {
        fprintf(out, "%sdt = %s\n", ended ? "" : "\n", engine);
    }
}

const char *tool_unknown_engine(const char *list, size_t length, size_t *unknown)
{
    const char *end = list + length;
    const char *at = list < end && *list == '^' ? list + 1 : list;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t) (end - at));
        *unknown = (size_t) ((comma == NULL ? end : comma) - at);
        if (*unknown != 4 || (memcmp(at, "dame", 4) != 0 && memcmp(at, "opal", 4) != 0)) {
            return at;
        }
        at = comma == NULL ? end : comma + 1;
    }
    return NULL;
}

/* What jobs do when the parameter dt has this value. */
static const char *state_of(const char *value, size_t length)
{
    size_t ignored;
    if (tool_unknown_engine(value, length, &ignored) != NULL) {
        return "jobs end with an error";
    }
    return (length == 4 && memcmp(value, "dame", 4) == 0) ||
                   (length == 5 && memcmp(value, "^opal", 5) == 0)
               ? "on"
               : "off";
}

/* ---- What Open MPI finds --------------------------------------------------------------------- */

/* A parameter that is set, and by what, as ompi_info says; NULL: it has its default. */
typedef struct setting {
    char *value, *source;
} setting_t;

static void free_setting(setting_t *setting)
{
    free(setting->value);
    free(setting->source);
}

/* `text`: what ompi_info prints of the framework dt. */
static setting_t look_up(const char *text, const char *component, const char *parameter)
{
    char prefix[192];
    snprintf(prefix, sizeof(prefix), "mca:dt:%s:param:%s:source:", component, parameter);
    setting_t setting = {NULL, openmpi_value(text, prefix)};
    if (setting.source != NULL && strcmp(setting.source, "default") != 0) {
        snprintf(prefix, sizeof(prefix), "mca:dt:%s:param:%s:value:", component, parameter);
        setting.value = openmpi_value(text, prefix);
    }
    return setting;
}

/* A file is "file (NAME:LINE)" in the source. */
static void print_setting(const char *parameter, const setting_t *setting)
{
    static const char file[] = "file (";
    const char *name = setting->source + strlen(file), *colon = strrchr(setting->source, ':');
    if (strncmp(setting->source, "environment", strlen("environment")) == 0) {
        printf("OMPI_MCA_%s=%s in the environment, before any file", parameter, setting->value);
    } else if (strncmp(setting->source, file, strlen(file)) != 0 || colon == NULL) {
        printf("%s = %s (%s)", parameter, setting->value, setting->source);
    } else {
        char *first =
            openmpi_value(openmpi_base(), "mca:mca:base:param:mca_base_override_param_file:value:");
        const size_t length = (size_t) (colon - name);
        printf("%s = %s in %.*s%s", parameter, setting->value, (int) length, name,
               first != NULL && strlen(first) == length && strncmp(first, name, length) == 0
                   ? ", before environment and command line"
                   : "");
        free(first);
    }
}

/* Without a choice by name, the highest priority wins. */
static int is_on_by_priority(const char *text)
{
    char *dame = openmpi_value(text, "mca:dt:dame:param:dt_dame_priority:value:");
    char *opal = openmpi_value(text, "mca:dt:opal:param:dt_opal_priority:value:");
    const int on = dame != NULL && opal != NULL && atol(dame) > atol(opal);
    free(opal);
    free(dame);
    return on;
}

static void print_priorities(const char *text)
{
    setting_t dame = look_up(text, "dame", "dt_dame_priority");
    setting_t opal = look_up(text, "opal", "dt_opal_priority");
    printf("%s: dt is not set", is_on_by_priority(text) ? "on" : "off");
    if (dame.value == NULL && opal.value == NULL) {
        char *files =
            openmpi_value(openmpi_base(), "mca:mca:base:param:mca_base_param_files:value:");
        printf(" in %s", files != NULL ? files : "any file");
        free(files);
    } else {
        printf("; ");
        print_setting(dame.value != NULL ? "dt_dame_priority" : "dt_opal_priority",
                      dame.value != NULL ? &dame : &opal);
    }
    putchar('\n');
    free_setting(&opal);
    free_setting(&dame);
}

static void print_state(const char *text)
{
    setting_t dt = look_up(text, "base", "dt");
    if (dt.source == NULL) {
        printf("off: Open MPI does not find DAME; \"dame doctor\" says why\n");
    } else if (dt.value == NULL || *dt.value == '\0') {
        print_priorities(text);
    } else {
        printf("%s: ", state_of(dt.value, strlen(dt.value)));
        print_setting("dt", &dt);
        putchar('\n');
    }
    free_setting(&dt);
}

static void print_status(void)
{
    char *text = openmpi_parameters("dt", "all");
    print_state(text);
    printf("--mca dt on mpirun's command line comes before environment and files; \"dame doctor\"\n"
           "tries it out.\n");
    free(text);
}

/* `line`: of ompi_info's about one parameter's source. */
static void print_other(const char *text, const char *line)
{
    char component[16], parameter[64];
    if (sscanf(line, "mca:dt:%15[a-z]:param:%63[a-z0-9_]:source:", component, parameter) != 2 ||
        strcmp(parameter, "dt") == 0) {
        return;
    }
    setting_t setting = look_up(text, component, parameter);
    if (setting.value != NULL) {
        printf("%-14s  ", "");
        print_setting(parameter, &setting);
        putchar('\n');
    }
    free_setting(&setting);
}

void switch_print(const char *subject)
{
    char *text = openmpi_parameters("dt", "all");
    printf("%-14s  ", subject);
    print_state(text);
    free(text);
    setenv("OMPI_MCA_dt", "dame,opal", 1); /* else it registers the chosen engine's only */
    text = openmpi_parameters("dt", "all");
    for (const char *line = text; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const char *source = strstr(line, ":source:");
        if (source != NULL && source < line + length) {
            print_other(text, line);
        }
        line += length + (line[length] == '\n');
    }
    free(text);
}

/* Do files, such as the system's, switch DAME on? */
static int is_on_by_files(void)
{
    static const char *const names[] = {"OMPI_MCA_dt", "OMPI_MCA_dt_dame_priority",
                                        "OMPI_MCA_dt_opal_priority"};
    char *own[3];
    for (int i = 0; i < 3; i++) {
        own[i] = getenv(names[i]) != NULL ? strdup(getenv(names[i])) : NULL;
        unsetenv(names[i]);
    }
    char *text = openmpi_parameters("dt", "all");
    setting_t dt = look_up(text, "base", "dt");
    const int on = dt.value == NULL || *dt.value == '\0'
                       ? is_on_by_priority(text)
                       : strcmp(state_of(dt.value, strlen(dt.value)), "on") == 0;
    for (int i = 0; i < 3; i++) {
        if (own[i] != NULL) {
            setenv(names[i], own[i], 1);
            free(own[i]);
        }
    }
    free_setting(&dt);
    free(text);
    return on;
}

/* ---- on, off -------------------------------------------------------------------------------- */

typedef struct wish {
    int only_path;
    int system;
} wish_t;

/* The file that is changed: the user's, or the system's, the last that Open MPI reads. The caller
 * frees; NULL after a message. */
static char *find_file(const wish_t *wish)
{
    char *files = wish->system ? openmpi_value(openmpi_base(),
                                               "mca:mca:base:param:mca_base_param_files:value:")
                               : NULL;
    if (files == NULL) {
        return parameters_own(".openmpi");
    }
    char *last = files + strlen(files);
    while (last > files && last[-1] != ',' && last[-1] != ':') {
        last--;
    }
    memmove(files, last, strlen(last) + 1);
    return files;
}

/* Takes the choice back; where another file has DAME on, the user's is one. */
static int off(const char *name, const wish_t *wish)
{
    int code = wish->only_path ? TOOL_OK : parameters_edit(name, write_edited, NULL);
    if (code == TOOL_OK && !wish->only_path && !wish->system && is_on_by_files()) {
        code = parameters_edit(name, write_edited, "opal");
    }
    return code == TOOL_OK ? path_close(wish->system) : code;
}

static int on(const char *name, const wish_t *wish)
{
    const int code = wish->only_path ? TOOL_OK : parameters_edit(name, write_edited, "dame");
    return code == TOOL_OK ? path_open(wish->system) : code;
}

static int run(int argc, char **argv, int (*change)(const char *name, const wish_t *wish))
{
    enum { PATH = 256, SYSTEM };
    static const struct option longs[] = {{"path", no_argument, NULL, PATH},
                                          {"system", no_argument, NULL, SYSTEM},
                                          {NULL, 0, NULL, 0}};
    wish_t wish = {0, 0};
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (option != PATH && option != SYSTEM) {
            return TOOL_USAGE;
        }
        wish.only_path |= option == PATH;
        wish.system |= option == SYSTEM;
    }
    int code = tool_operands(argc, argv, 0, 0);
    char *name = code == TOOL_OK ? find_file(&wish) : NULL;
    if (name == NULL) {
        return code == TOOL_OK ? TOOL_SYSTEM : code;
    }
    code = change(name, &wish);
    if (code == TOOL_OK && !wish.only_path) {
        print_status();
    }
    free(name);
    return code;
}

static int run_on(int argc, char **argv)
{
    return run(argc, argv, on);
}

static int run_off(int argc, char **argv)
{
    return run(argc, argv, off);
}

#define FILE_HELP                                                                                  \
    "The file is $HOME/.openmpi/mca-params.conf. Only its line for the parameter dt\n"             \
    "is changed. off takes it out, or sets it to opal where another file switches\n"               \
    "DAME on. Where mpirun keeps its processes from looking where DAME is, as on\n"                \
    "Debian 13, on lets them, by " PATH_OWN_FILE ", and off takes that back.\n"                    \
    "  --system   for all users: Open MPI's file in its sysconfdir, and PMIx's own\n"              \
    "  --path     only lets mpirun's processes find DAME\n"

const tool_command_t tool_on = {"on", "[--system] [--path]", "lets DAME move data in all your jobs",
                                FILE_HELP, run_on};
const tool_command_t tool_off = {"off", "[--system] [--path]", "lets Open MPI's own engine do it",
                                 FILE_HELP, run_off};
