/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "parameters.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/tool.h"

enum { LARGEST_FILE = 16 << 20 };

char *parameters_own(const char *directory)
{
    const char *home = getenv("HOME");
    char *name;
    if (home == NULL || *home == '\0') {
        tool_error(TOOL_SYSTEM, "the variable HOME is not set");
        return NULL;
    }
    if (asprintf(&name, "%s/%s/mca-params.conf", home, directory) < 0) {
        tool_error(TOOL_SYSTEM, "out of memory");
        return NULL;
    }
    return name;
}

int parameters_read(const char *name, char **text, size_t *length)
{
    if (access(name, F_OK) != 0 && errno == ENOENT) {
        *length = 0;
        *text = calloc(1, 1);
        return *text == NULL ? tool_error(TOOL_SYSTEM, "out of memory") : TOOL_OK;
    }
    const int code = tool_read(name, LARGEST_FILE, text, length);
    if (code == TOOL_OK && *length == LARGEST_FILE) {
        free(*text);
        return tool_error(TOOL_WRONG, "%s: longer than %d bytes", name, LARGEST_FILE);
    }
    return code;
}

const char *parameters_value(const char *parameter, const char *line, const char *end,
                             size_t *length)
{
    const size_t name = strlen(parameter);
    while (line < end && (*line == ' ' || *line == '\t')) {
        line++;
    }
    if ((size_t) (end - line) < name || memcmp(line, parameter, name) != 0) {
        return NULL;
    }
    line += name;
    while (line < end && (*line == ' ' || *line == '\t')) {
        line++;
    }
    if (line == end || *line != '=') {
        return NULL;
    }
    line++;
    while (line < end && isspace((unsigned char) *line)) {
        line++;
    }
    while (end > line && isspace((unsigned char) end[-1])) {
        end--;
    }
    *length = (size_t) (end - line);
    return line;
}

static int make_directory(const char *name)
{
    char *directory = strdup(name);
    int code = TOOL_OK;
    if (directory == NULL) {
        return tool_error(TOOL_SYSTEM, "out of memory");
    }
    *strrchr(directory, '/') = '\0';
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
        code = tool_error(TOOL_SYSTEM, "%s: %s", directory, strerror(errno));
    }
    free(directory);
    return code;
}

int parameters_edit(const char *name, parameters_write_t *write, const void *context)
{
    char *text;
    char *edited = NULL;
    size_t before;
    size_t length;
    int code = parameters_read(name, &text, &before);
    if (code != TOOL_OK) {
        return code;
    }
    FILE *out = open_memstream(&edited, &length);
    if (out != NULL) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): tool_error() returns no TOOL_OK */
        write(out, text, before, context);
    }
    if (out == NULL || fclose(out) != 0) {
        code = tool_error(TOOL_SYSTEM, "out of memory");
    } else if (length != before || memcmp(edited, text, length) != 0) {
        code = make_directory(name);
        code = code == TOOL_OK ? tool_write(name, edited, length) : code;
    }
    free(edited);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): tool_error() returns no TOOL_OK */
    free(text);
    return code;
}
