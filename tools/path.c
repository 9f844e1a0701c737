/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf, strndup */
#include "path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool.h"
#include "openmpi.h"
#include "parameters.h"

static const char parameter[] = "mca_base_component_path";
static const char variable[] = "OMPI_MCA_mca_base_component_path";

/* Of the two lines in the user's file, and of a line of PMIx's that counts no more. */
static const char mark[] =
    "# By dame on: without these lines mpirun's processes do not find DAME.\n";
static const char hidden[] = "# by dame on: ";

/* ---- What ranks are told -------------------------------------------------------------------- */

static int is_in(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    for (const char *at = path; *at != '\0';) {
        const size_t n = strcspn(at, ":");
        if (n == length && strncmp(at, directory, n) == 0) {
            return 1;
        }
        at += n + (at[n] == ':');
    }
    return 0;
}

/* 4.1's mpirun hands nothing on; it need not be asked. */
char *path_of_ranks(const char *directory)
{
    char *asked = TOOL_OMPI_VERSION[0] == '4' ? NULL : openmpi_rank_variable(variable);
    if (asked != NULL && is_in(asked, directory)) {
        free(asked);
        asked = NULL;
    }
    return asked;
}

/* ---- The user's file ------------------------------------------------------------------------ */

/* PMIx complains about a directory that is not there. */
static void write_directories(FILE *out, const char *path)
{
    char found[PATH_MAX];
    while (openmpi_next_in(&path, ".", found, sizeof(found))) {
        fprintf(out, ":%.*s", (int) strlen(found) - 2, found);
    }
}

/* Without our lines: the mark and the two below it. */
static void write_without(FILE *out, const char *text, size_t length)
{
    const char *at = strstr(text, mark);
    const size_t before = at == NULL ? length : (size_t) (at - text);
    fwrite(text, 1, before, out);
    for (int lines = 0; at != NULL && *at != '\0' && lines < 3; lines++) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    fputs(at == NULL ? "" : at, out);
}

typedef struct block {
    const char *asked; /* NULL: no block */
    const char *ours;  /* Open MPI's directories */
} block_t;

/* PMIx looks there, too, and would print lines about each file that is not its own. */
static void write_block(FILE *out, const char *text, size_t length, const void *context)
{
    const block_t *block = context;
    write_without(out, text, length);
    if (block->asked != NULL) {
        fprintf(out, "%s%s%s = %s", length == 0 || text[length - 1] == '\n' ? "" : "\n", mark,
                parameter, block->asked);
        write_directories(out, block->ours);
        fprintf(out, "\nmca_base_component_show_load_errors = none\n");
    }
}

/* An empty file is not left behind. */
static int edit_own(const char *asked, const char *ours)
{
    char *name = parameters_own(".pmix");
    char *before = NULL, *after = NULL;
    size_t length = 0;
    const block_t block = {asked, ours};
    int code = name == NULL ? TOOL_SYSTEM : parameters_read(name, &before, &length);
    if (code == TOOL_OK) {
        code = parameters_edit(name, write_block, &block);
    }
    if (code == TOOL_OK && asked == NULL && strstr(before, mark) != NULL) {
        printf("Processes of mpirun no longer find DAME; \"dame on --path\" lets them.\n");
        if (parameters_read(name, &after, &length) == TOOL_OK && length == 0) {
            unlink(name);
        }
    }
    free(after);
    free(before);
    free(name);
    return code;
}

/* ---- PMIx's file ---------------------------------------------------------------------------- */

/* The line has no effect on PMIx: it names the directory that PMIx looks in without it. */
static void write_hidden(FILE *out, const char *text, size_t length, const void *context)
{
    const char *end = text + length;
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t) (end - line));
        const char *next = newline == NULL ? end : newline + 1;
        size_t ignored;
        if (context != NULL && parameters_value(parameter, line, next, &ignored) != NULL) {
            fputs(hidden, out);
        } else if (context == NULL && strncmp(line, hidden, strlen(hidden)) == 0) {
            line += strlen(hidden);
        }
        fwrite(line, 1, (size_t) (next - line), out);
        line = next;
    }
}

/* The caller frees; NULL: none is where PMIx's installations have it. */
static char *pmix_file(const char *components)
{
    static const char *const below[] = {"../../etc", "../../share", "../../../etc"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
        snprintf(path, sizeof(path), "%.*s/%s/pmix-mca-params.conf", (int) strcspn(components, ":"),
                 components, below[i]);
        char *name = access(path, F_OK) == 0 ? realpath(path, NULL) : NULL;
        if (name != NULL) {
            return name;
        }
    }
    return NULL;
}

/* ---- Opening and closing -------------------------------------------------------------------- */

/* Where ompi_info finds DAME; 0: nowhere. */
static int find_dame(const char *path, char directory[PATH_MAX])
{
    if (path == NULL || !openmpi_next_in(&path, "mca_dt_dame.so", directory, PATH_MAX)) {
        return 0;
    }
    *strrchr(directory, '/') = '\0';
    return 1;
}

static int open_path(int system, const char *asked, const char *ours, const char *directory)
{
    char *file = system ? pmix_file(asked) : NULL;
    int code;
    if (!system) {
        code = edit_own(asked, ours);
    } else if (file == NULL) {
        code = tool_error(TOOL_WRONG,
                          "mpirun has its processes look for components in %s only, and "
                          "pmix-mca-params.conf, which may say so, was not found",
                          asked);
    } else {
        code = parameters_edit(file, write_hidden, parameter);
    }
    char *still = code == TOOL_OK ? path_of_ranks(directory) : NULL;
    if (still != NULL) {
        code = tool_error(TOOL_WRONG,
                          "mpirun still has its processes look for components in %s only", still);
    } else if (code == TOOL_OK) {
        printf("Processes of mpirun looked for components in %s only; now they find\n%s: %s\n",
               asked, directory, system ? file : PATH_OWN_FILE);
    }
    free(still);
    free(file);
    return code;
}

/* A shell's own choice is left to it. */
int path_open(int system)
{
    char directory[PATH_MAX];
    char *ours = getenv(variable) != NULL
                     ? NULL
                     : openmpi_value(openmpi_base(), "mca:mca:base:param:mca_base_component_path:"
                                                     "value:");
    char *asked = find_dame(ours, directory) ? path_of_ranks(directory) : NULL;
    const int code = asked == NULL ? TOOL_OK : open_path(system, asked, ours, directory);
    free(asked);
    free(ours);
    return code;
}

int path_close(int system)
{
    if (!system) {
        return edit_own(NULL, NULL);
    }
    char *file = pmix_file(TOOL_PMIX_COMPONENTS);
    const int code = file == NULL ? TOOL_OK : parameters_edit(file, write_hidden, NULL);
    free(file);
    return code;
}
