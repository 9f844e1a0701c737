/* SPDX-License-Identifier: BSD-3-Clause */
#include "native.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

enum { SECONDS = 30 };

static void run(const char *program, const char *expression, int64_t size, int64_t count,
                native_t *native)
{
    char numbers[2][TEXT_NUMBER];
    double pack, unpack;
    int code;
    snprintf(numbers[0], TEXT_NUMBER, "%lld", (long long) count);
    snprintf(numbers[1], TEXT_NUMBER, "%lld", (long long) size);
    const char *argv[] = {program, numbers[0], numbers[1], expression, NULL};
    char *text = command_output(argv, SECONDS, &code);
    char *line = text == NULL ? NULL : command_line(text, "ns: ");
    if (line != NULL && code == 0 && sscanf(line, "%lf %lf", &pack, &unpack) == 2 &&
        pack > 0 && unpack > 0) {
        native->pack = pack;
        native->unpack = unpack;
    } else {
        snprintf(native->missing, sizeof(native->missing), "%.*s",
                 text == NULL ? 0 : (int) strcspn(text, "\n"), text == NULL ? "" : text);
        if (native->missing[0] == '\0') {
            snprintf(native->missing, sizeof(native->missing), "native_time failed");
        }
    }
    free(line);
    free(text);
}

void native_measure(const char *expression, int64_t size, int64_t count, native_t *native)
{
    char program[4096];
    *native = (native_t){.missing = ""};
    const char *missing = NULL;
    command_of_ours("native_time", program, sizeof(program));
    if (expression == NULL) {
        missing = "the calls that make the datatype are not known";
    } else if (strlen(expression) > NATIVE_LONGEST) {
        missing = "the calls that make the datatype are too long";
    } else if (size > INT_MAX / count) {
        missing = "MPI_Pack counts bytes in an int";
    } else if (access(program, X_OK) != 0) {
        missing = "built without Open MPI";
    }
    if (missing != NULL) {
        snprintf(native->missing, sizeof(native->missing), "%s", missing);
    } else {
        run(program, expression, size, count, native);
    }
}
