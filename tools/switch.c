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

/* ---- What Open MPI will find ---------------------------------------------------------------- */

/* Where a parameter can be set, besides the environment. */
typedef struct files {
    char *list;     /* separated by commas or colons, the first that has a parameter counts */
    char *override; /* comes before all else, even the environment; NULL if absent */
    int no_environment;
} files_t;

/* A parameter's value and its source. */
typedef struct setting {
    char *value; /* NULL: it is not set */
    char *file;  /* NULL: the environment does */
} setting_t;

static void free_setting(setting_t *setting)
{
    free(setting->value);
    free(setting->file);
}

/* Of a file, the last line with the parameter counts. Returns 0 if it is absent or cannot be read:
 * then Open MPI does not see it either. */
static int set_by_file(const char *file, const char *parameter, setting_t *out)
{
    char *text;
    size_t length, size;
    const char *value = NULL;
    if (access(file, R_OK) != 0 || parameters_read(file, &text, &length) != TOOL_OK) {
        return 0;
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): tool_error() returns no TOOL_OK */
    for (const char *line = text; *line != '\0';) {
        const size_t line_length = strcspn(line, "\n");
        size_t n;
        const char *found = parameters_value(parameter, line, line + line_length, &n);
        if (found != NULL) {
            value = found;
            size = n;
        }
        line += line_length + (line[line_length] == '\n');
    }
    if (value != NULL) {
        out->value = strndup(value, size);
        out->file = strdup(file);
    }
    free(text);
    return value != NULL;
}

static setting_t look_up(const files_t *files, const char *parameter)
{
    char variable[64];
    setting_t setting = {NULL, NULL};
    snprintf(variable, sizeof(variable), "OMPI_MCA_%s", parameter);
    const char *own = getenv(variable);
    if (files->override != NULL && set_by_file(files->override, parameter, &setting)) {
        return setting;
    }
    if (own != NULL && !files->no_environment) {
        setting.value = strdup(own);
        return setting;
    }
    for (const char *at = files->list; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ",:");
        char *file = strndup(at, length);
        const int found = file != NULL && set_by_file(file, parameter, &setting);
        free(file);
        if (found) {
            break;
        }
        at += length + (at[length] != '\0');
    }
    return setting;
}

static void print_setting(const char *parameter, const setting_t *setting, const files_t *files)
{
    if (setting->file == NULL) {
        printf("OMPI_MCA_%s=%s in the environment, before any file", parameter, setting->value);
    } else {
        printf("%s = %s in %s%s", parameter, setting->value, setting->file,
               files->override != NULL && strcmp(setting->file, files->override) == 0
                   ? ", before environment and command line"
                   : "");
    }
}

/* The defaults are those that dt_opal_component.c and dt_dame_params.c register. */
static long priority(const setting_t *setting, long standard)
{
    char *end;
    const long number = setting->value == NULL ? -1 : strtol(setting->value, &end, 10);
    return number < 0 || number > 100 || end == setting->value || *end != '\0' ? standard : number;
}

/* Without a choice by name, the highest priority wins. */
static int is_on_by_priority(const setting_t *dame, const setting_t *opal)
{
    return priority(dame, 20) > priority(opal, 50);
}

static void print_priorities(const files_t *files)
{
    setting_t dame = look_up(files, "dt_dame_priority");
    setting_t opal = look_up(files, "dt_opal_priority");
    const setting_t *set = dame.value != NULL ? &dame : &opal;
    printf("%s: dt is not set", is_on_by_priority(&dame, &opal) ? "on" : "off");
    if (set->value == NULL) {
        printf(" in %s", files->list);
    } else {
        printf("; ");
        print_setting(set == &dame ? "dt_dame_priority" : "dt_opal_priority", set, files);
    }
    putchar('\n');
    free_setting(&opal);
    free_setting(&dame);
}

static files_t find_files(const char *own_file)
{
    const char *text = openmpi_base();
    files_t files = {
        .list = openmpi_value(text, "mca:mca:base:param:mca_base_param_files:value:"),
        .override = openmpi_value(text, "mca:mca:base:param:mca_base_override_param_file:value:"),
    };
    if (files.list == NULL) { /* Open MPI is not here */
        files.list = strdup(own_file);
    }
    return files;
}

static void free_files(files_t *files)
{
    free(files->override);
    free(files->list);
}

static void print_state(const files_t *files)
{
    setting_t dt = look_up(files, "dt");
    if (dt.value == NULL || *dt.value == '\0') {
        print_priorities(files);
    } else {
        printf("%s: ", state_of(dt.value, strlen(dt.value)));
        print_setting("dt", &dt, files);
        putchar('\n');
    }
    free_setting(&dt);
}

static int print_status(const char *own_file)
{
    files_t files = find_files(own_file);
    print_state(&files);
    printf("--mca dt on mpirun's command line comes before environment and files; \"dame doctor\"\n"
           "tries it out.\n");
    free_files(&files);
    return TOOL_OK;
}

/* ---- All parameters ------------------------------------------------------------------------- */

/* Several files may name one parameter: a set. */
typedef struct names {
    char *of[512];
    int n;
} names_t;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Adds the name at the start of a line "NAME = VALUE" if it is one of the framework dt's. */
static void add_name(names_t *names, const char *line)
{
    const size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (strncmp(line, "dt", 2) != 0 || (length != 2 && line[2] != '_') ||
        names->n == sizeof(names->of) / sizeof(names->of[0])) {
        return;
    }
    char *name = strndup(line, length);
    if (name != NULL &&
        bsearch(&name, names->of, (size_t) names->n, sizeof(name), compare_names) == NULL) {
        names->of[names->n++] = name;
        qsort(names->of, (size_t) names->n, sizeof(name), compare_names);
    } else {
        free(name);
    }
}

static void add_names_of_file(names_t *names, const char *file)
{
    char *text;
    size_t length;
    if (access(file, R_OK) != 0 || parameters_read(file, &text, &length) != TOOL_OK) {
        return;
    }
    for (const char *line = text; *line != '\0';) {
        line += strspn(line, " \t");
        add_name(names, line);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    free(text);
}

static names_t find_names(const files_t *files)
{
    static const char prefix[] = "OMPI_MCA_";
    names_t names = {.n = 0};
    for (char **variable = environ; *variable != NULL; variable++) {
        if (strncmp(*variable, prefix, strlen(prefix)) == 0) {
            add_name(&names, *variable + strlen(prefix));
        }
    }
    if (files->override != NULL) {
        add_names_of_file(&names, files->override);
    }
    for (const char *at = files->list; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ",:");
        char *file = strndup(at, length);
        if (file != NULL) {
            add_names_of_file(&names, file);
        }
        free(file);
        at += length + (at[length] != '\0');
    }
    return names;
}

int switch_print(const char *subject)
{
    char *own_file = parameters_own(".openmpi");
    if (own_file == NULL) {
        return TOOL_SYSTEM;
    }
    files_t files = find_files(own_file);
    names_t names = find_names(&files);
    printf("%-14s  ", subject);
    print_state(&files);
    for (int i = 0; i < names.n; i++) {
        setting_t setting = look_up(&files, names.of[i]);
        if (setting.value != NULL && strcmp(names.of[i], "dt") != 0) {
            printf("%-14s  ", "");
            print_setting(names.of[i], &setting, &files);
            putchar('\n');
        }
        free_setting(&setting);
        free(names.of[i]);
    }
    free_files(&files);
    free(own_file);
    return TOOL_OK;
}

/* Do files, such as the system's, switch DAME on? */
static int is_on_by_files(const char *own_file)
{
    files_t files = find_files(own_file);
    files.no_environment = 1;
    setting_t dt = look_up(&files, "dt");
    setting_t dame = look_up(&files, "dt_dame_priority");
    setting_t opal = look_up(&files, "dt_opal_priority");
    const int on = dt.value == NULL || *dt.value == '\0'
                       ? is_on_by_priority(&dame, &opal)
                       : strcmp(state_of(dt.value, strlen(dt.value)), "on") == 0;
    free_setting(&opal);
    free_setting(&dame);
    free_setting(&dt);
    free_files(&files);
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
    char *own_file = parameters_own(".openmpi");
    if (own_file == NULL || !wish->system) {
        return own_file;
    }
    files_t files = find_files(own_file);
    const char *last = files.list + strlen(files.list);
    while (last > files.list && last[-1] != ',' && last[-1] != ':') {
        last--;
    }
    char *file = strdup(last);
    if (file == NULL) {
        tool_error(TOOL_SYSTEM, "out of memory");
    }
    free_files(&files);
    free(own_file);
    return file;
}

/* Takes the choice back; where another file has DAME on, the user's is one. */
static int off(const char *name, const wish_t *wish)
{
    int code = wish->only_path ? TOOL_OK : parameters_edit(name, write_edited, NULL);
    if (code == TOOL_OK && !wish->only_path && !wish->system && is_on_by_files(name)) {
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
        code = print_status(name);
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
