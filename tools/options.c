/* Messages, options and numbers of the command line. */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
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

int tool_status_error(const char *thing, dame_status_t status)
{
    return tool_error(status == DAME_ERR_NOMEM ? TOOL_SYSTEM : TOOL_WRONG, "%s: %s", thing,
                      dame_status_text(status));
}

int tool_option(int argc, char **argv, const char *shorts, const struct option *longs)
{
    opterr = 0;
    int option = getopt_long(argc, argv, shorts, longs, NULL);
    const char *given = argv[optind - 1];
    if (option == ':') {
        tool_error(TOOL_USAGE, "%s: option '%s' needs a value", argv[0], given);
        return '?';
    }
    if (option == '?' && optopt != 0 && strncmp(given, "--", 2) != 0) {
        tool_error(TOOL_USAGE, "%s: '-%c' is not an option; 'dame %s --help' shows them", argv[0],
                   optopt, argv[0]);
    } else if (option == '?') {
        tool_error(TOOL_USAGE,
                   "%s: '%s' is not an option as it is used; 'dame %s --help' shows them", argv[0],
                   given, argv[0]);
    }
    return option;
}

int tool_operands(int argc, char **argv, int min, int max)
{
    int given = argc - optind;
    if (given < min) {
        return tool_error(TOOL_USAGE, "%s: a FILE is missing; 'dame %s --help' says more", argv[0],
                          argv[0]);
    }
    if (given > max) {
        return tool_error(TOOL_USAGE,
                          "%s: '%s' is one argument too many; 'dame %s --help' says more", argv[0],
                          argv[optind + max], argv[0]);
    }
    return TOOL_OK;
}

/* The factor of a suffix, 0 for none that is known. */
static int64_t suffix_factor(const char *suffix)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } known[] = {{"", 1}, {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(suffix, known[i].suffix) == 0) {
            return known[i].factor;
        }
    }
    return 0;
}

int tool_number(const char *name, const char *text, int64_t min, int64_t max, int64_t *out)
{
    char *end;
    errno = 0;
    intmax_t value = strtoimax(text, &end, 10);
    int64_t factor = end == text ? 0 : suffix_factor(end);
    int64_t number;
    if (errno != 0 || factor == 0 || __builtin_mul_overflow(value, factor, &number) ||
        number < min || number > max) {
        return tool_error(TOOL_USAGE, "%s: '%s' is not a number from %" PRId64 " to %" PRId64, name,
                          text, min, max);
    }
    *out = number;
    return TOOL_OK;
}
