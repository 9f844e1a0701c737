/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* getdelim */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int tool_error(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs("dame: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

int tool_no_memory(const char *thing)
{
    return tool_error(TOOL_SYSTEM, "%s: out of memory", thing);
}

/* ---- the command line ---- */

int tool_main(const tool_command_t *command, int argc, char **argv)
{
    int code = TOOL_OK, help = 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        help |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    }
    if (help) {
        printf("Usage: dame %s %s\n\n%s.\n\n%s", command->name, command->arguments, command->what,
               command->help);
    } else {
        argv[0] = (char *) (uintptr_t) command->name;
        code = command->run(argc, argv);
    }
    errno = 0;
    const int failed = ferror(stdout);
    if ((fclose(stdout) != 0 || failed) && code != TOOL_SYSTEM) { /* which has been explained */
        return tool_error(TOOL_SYSTEM, "standard output: %s",
                          errno != 0 ? strerror(errno) : "write error");
    }
    return code;
}

int tool_option(int argc, char **argv, const char *shorts, const struct option *longs)
{
    opterr = 0;
    const int option = getopt_long(argc, argv, shorts, longs, NULL);
    const char *given = argv[optind > 1 && optind <= argc ? optind - 1 : argc - 1];
    if (option == ':') {
        tool_error(TOOL_USAGE, "%s: option '%s' needs a value", argv[0], given);
    } else if (option == '?') {
        while (longs->name != NULL && longs->val != optopt) {
            longs++;
        }
        if (longs->name != NULL) {
            tool_error(TOOL_USAGE, "%s: option '--%s' takes no value", argv[0], longs->name);
        } else {
            tool_error(TOOL_USAGE, "%s: '%s' is not an option; 'dame %s --help' shows them",
                       argv[0], given, argv[0]);
        }
    }
    return option == ':' ? '?' : option;
}

int tool_number(const char *name, const char *text, int64_t min, int64_t max, int64_t *out)
{
    static const char suffixes[] = "kKmMgG";
    char *end;
    errno = 0;
    const intmax_t value = strtoimax(text, &end, 10);
    const char *suffix = *end == '\0' ? NULL : strchr(suffixes, *end);
    const int64_t factor = suffix == NULL ? 1 : (int64_t) 1 << 10 * (1 + (suffix - suffixes) / 2);
    if (errno != 0 || end == text || (*end != '\0' && (suffix == NULL || end[1] != '\0')) ||
        __builtin_mul_overflow(value, factor, out) || *out < min || *out > max) {
        return tool_error(TOOL_USAGE,
                          "%s: '%s' is not a number from %" PRId64 " to %" PRId64
                          "; it may end in k, M or G, powers of 1024",
                          name, text, min, max);
    }
    return TOOL_OK;
}

/* ---- files ---- */

int tool_read(const char *path, char **text, size_t *length)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "r");
    size_t room = 0;
    *text = NULL;
    const ssize_t n = in == NULL ? -1 : getdelim(text, &room, '\0', in);
    const int error = in == NULL || (n < 0 && !feof(in)) || *text == NULL ? errno : 0;
    if (in != NULL && !standard) {
        fclose(in);
    }
    if (error != 0) {
        free(*text);
        *text = NULL;
        return tool_error(TOOL_SYSTEM, "%s: %s", standard ? "standard input" : path,
                          strerror(error));
    }
    *length = n < 0 ? 0 : (size_t) n; /* -1: the file is empty */
    (*text)[*length] = '\0';
    return TOOL_OK;
}

int tool_write(const char *path, const char *text, size_t length)
{
    if (strcmp(path, "-") == 0) {
        fwrite(text, 1, length, stdout); /* tool_main() looks for errors */
        return TOOL_OK;
    }
    FILE *out = fopen(path, "w");
    const size_t written = out == NULL ? 0 : fwrite(text, 1, length, out);
    if (out == NULL || (fclose(out) != 0) | (written < length)) {
        return tool_error(TOOL_SYSTEM, "%s: %s", path, strerror(errno));
    }
    return TOOL_OK;
}
