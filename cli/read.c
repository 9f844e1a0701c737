/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as input. */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the text of a program: a hundred million displacements. A longer text most likely never
 * ends. */
static const size_t TEXT_MAX = (size_t) 1 << 30;

const char *tool_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* Reads up to `limit` bytes into a buffer that grows. Returns 0 or an error number. */
static int read_all(FILE *in, size_t limit, char **bytes, size_t *length)
{
    size_t room = limit < 1 << 16 ? limit + 1 : 1 << 16, used = 0;
    char *buffer = malloc(room);
    while (buffer != NULL) {
        size_t end = room - 1 < limit ? room - 1 : limit;
        used += fread(buffer + used, 1, end - used, in);
        if (used < end || end == limit) {
            break;
        }
        room = limit < 2 * room ? limit + 1 : 2 * room;
        char *larger = realloc(buffer, room);
        if (larger == NULL) {
            free(buffer);
        }
        buffer = larger;
    }
    if (buffer == NULL) {
        return ENOMEM;
    }
    if (ferror(in)) {
        int error = errno;
        free(buffer);
        return error;
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *length = used;
    return 0;
}

/* Returns 0 or an error number. */
static int read_path(const char *path, size_t limit, char **bytes, size_t *length)
{
    if (strcmp(path, "-") == 0) {
        return read_all(stdin, limit, bytes, length);
    }
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        return errno;
    }
    int error = read_all(in, limit, bytes, length);
    fclose(in);
    return error;
}

int tool_read(const char *path, size_t limit, char **bytes, size_t *length)
{
    int error = read_path(path, limit, bytes, length);
    return error == 0 ? TOOL_OK
                      : tool_error(TOOL_SYSTEM, "%s: %s", tool_input_name(path), strerror(error));
}

int tool_try_read_text(const char *path, char **text, size_t *length, char *message, size_t room)
{
    int error = read_path(path, TEXT_MAX + 1, text, length);
    if (error != 0) {
        snprintf(message, room, "%s", strerror(error));
        return TOOL_SYSTEM;
    }
    if (*length > TEXT_MAX) {
        free(*text);
        snprintf(message, room,
                 "more than %zu bytes (1 GiB), which is the most that a program may have",
                 TEXT_MAX);
        return TOOL_WRONG;
    }
    return TOOL_OK;
}

int tool_read_text(const char *path, char **text, size_t *length)
{
    char message[200];
    int code = tool_try_read_text(path, text, length, message, sizeof(message));
    return code == TOOL_OK ? code : tool_error(code, "%s: %s", tool_input_name(path), message);
}

int tool_text_error(int code, const char *path, int64_t line, int64_t column, const char *reason)
{
    return line == 0 ? tool_error(code, "%s: %s", tool_input_name(path), reason)
                     : tool_error(code, "%s:%" PRId64 ":%" PRId64 ": %s", tool_input_name(path),
                                  line, column, reason);
}
