/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

static int no_memory(void)
{
    return tool_error(TOOL_SYSTEM, "files: %s", strerror(ENOMEM));
}

/* Takes the path over, which may be NULL after a failed allocation. */
static int add(files_t *files, char *path)
{
    char **larger =
        path == NULL ? NULL : realloc(files->path, (size_t) (files->n + 1) * sizeof(*files->path));
    if (larger == NULL) {
        free(path);
        return no_memory();
    }
    files->path = larger;
    files->path[files->n++] = path;
    return TOOL_OK;
}

static int ends_with(const char *name, const char *suffix)
{
    const size_t length = strlen(name), end = strlen(suffix);
    return length > end && strcmp(name + length - end, suffix) == 0;
}

static int is_program(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && ends_with(entry->d_name, ".dame");
}

static char *join(const char *directory, const char *name)
{
    char *path;
    const char *slash = ends_with(directory, "/") ? "" : "/";
    return asprintf(&path, "%s%s%s", directory, slash, name) < 0 ? NULL : path;
}

/* Is there a file of the other form, NAME.raw.dame and NAME.dame, which is to be read instead? */
static int has_better(const char *directory, const char *name, files_form_t form)
{
    static const char raw[] = ".raw.dame", plain[] = ".dame";
    const int is_raw = ends_with(name, raw);
    char *other, *path;
    if (is_raw == (form == FILES_RAW)) {
        return 0;
    }
    const size_t stem = strlen(name) - strlen(is_raw ? raw : plain);
    if (asprintf(&other, "%.*s%s", (int) stem, name, is_raw ? plain : raw) < 0) {
        return 0;
    }
    struct stat status;
    path = join(directory, other);
    const int found = path != NULL && stat(path, &status) == 0;
    free(path);
    free(other);
    return found;
}

static int add_directory(files_t *files, const char *directory, files_form_t form)
{
    struct dirent **entries;
    const int n = scandir(directory, &entries, is_program, alphasort);
    if (n < 0) {
        return tool_error(TOOL_SYSTEM, "%s: %s", directory, strerror(errno));
    }
    int code = n > 0 ? TOOL_OK : tool_error(TOOL_SYSTEM, "%s: no file is named *.dame", directory);
    for (int i = 0; i < n; i++) {
        if (code == TOOL_OK && !has_better(directory, entries[i]->d_name, form)) {
            code = add(files, join(directory, entries[i]->d_name));
        }
        free(entries[i]);
    }
    free(entries);
    files->several = 1;
    return code;
}

int files_find(char **argv, int first, int last, files_form_t form, files_t *files)
{
    int worst = TOOL_OK;
    *files = (files_t){.several = last - first > 1};
    for (int i = first; i < last; i++) {
        struct stat status;
        const int is_directory =
            strcmp(argv[i], "-") != 0 && stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        const int code =
            is_directory ? add_directory(files, argv[i], form) : add(files, strdup(argv[i]));
        worst = code > worst ? code : worst;
    }
    return worst;
}

void files_free(files_t *files)
{
    for (int i = 0; i < files->n; i++) {
        free(files->path[i]);
    }
    free(files->path);
    *files = (files_t){0};
}

int files_each(int argc, char **argv, files_form_t form, files_heading_t heading,
               int (*fn)(void *context, const char *path), void *context)
{
    files_t files;
    if (tool_operands(argc, argv, 1, argc) != TOOL_OK) {
        return TOOL_USAGE;
    }
    int worst = files_find(argv, optind, argc, form, &files);
    const int is_array = files.several && heading == FILES_JSON;
    fputs(is_array ? "[" : "", stdout);
    for (int i = 0; i < files.n; i++) {
        if (is_array) {
            fputs(i > 0 ? ",\n" : "\n", stdout);
        } else if (files.several && heading == FILES_LINE) {
            printf("%s# %s\n", i > 0 ? "\n" : "", tool_input_name(files.path[i]));
        }
        const int code = fn(context, files.path[i]);
        worst = code > worst ? code : worst;
        fputs(is_array && code != TOOL_OK ? "null\n" : "", stdout);
    }
    fputs(is_array ? "]\n" : "", stdout);
    files_free(&files);
    return worst;
}
