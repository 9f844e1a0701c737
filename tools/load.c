/* Files and programs as input. */
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tool_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Reads to the end of the file into a buffer that grows. */
static int read_all(FILE *in, const char *name, char **bytes, size_t *length)
{
    size_t room = 1 << 16, used = 0;
    char *buffer = malloc(room);
    while (buffer != NULL) {
        used += fread(buffer + used, 1, room - used, in);
        if (used < room) {
            break;
        }
        room *= 2;
        char *larger = realloc(buffer, room);
        if (larger == NULL) {
            free(buffer);
        }
        buffer = larger;
    }
    if (buffer == NULL) {
        return tool_error(TOOL_SYSTEM, "%s: no memory for %zu bytes", name, room);
    }
    if (ferror(in)) {
        free(buffer);
        return tool_error(TOOL_SYSTEM, "%s: %s", name, strerror(errno));
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *length = used;
    return TOOL_OK;
}

int tool_read(const char *path, char **bytes, size_t *length)
{
    const char *name = tool_input_name(path);
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (in == NULL) {
        return tool_error(TOOL_SYSTEM, "%s: %s", name, strerror(errno));
    }
    int code = read_all(in, name, bytes, length);
    if (in != stdin) {
        fclose(in);
    }
    return code;
}

int tool_load(const char *path, dame_program_t **out)
{
    char *text;
    size_t length;
    int code = tool_read(path, &text, &length);
    if (code != TOOL_OK) {
        return code;
    }
    dame_text_error_t error;
    dame_status_t status = dame_program_parse(text, length, out, &error);
    free(text);
    if (status == DAME_OK) {
        return TOOL_OK;
    }
    if (status == DAME_ERR_NOMEM) {
        return tool_status_error(tool_input_name(path), status);
    }
    return tool_error(TOOL_WRONG, "%s:%lld:%lld: %s", tool_input_name(path), (long long) error.line,
                      (long long) error.column, error.message);
}
