/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages, options and numbers of the command line. */
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dame/datatype.h"
#include "text.h"

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
                      dame_error_phrase(status));
}

/* Says why getopt_long() did not like an option. */
static void option_error(int argc, char **argv, const struct option *longs)
{
    const char *given = argv[optind < 1 || optind > argc ? argc - 1 : optind - 1];
    if (optopt == 0) {
        tool_error(TOOL_USAGE, "%s: '%s' is not an option; 'dame %s --help' shows them", argv[0],
                   given, argv[0]);
        return;
    }
    for (; longs->name != NULL; longs++) {
        if (longs->val == optopt) {
            tool_error(TOOL_USAGE, "%s: option '--%s' takes no value", argv[0], longs->name);
            return;
        }
    }
    tool_error(TOOL_USAGE, "%s: '-%c' is not an option; 'dame %s --help' shows them", argv[0],
               optopt, argv[0]);
}

int tool_option(int argc, char **argv, const char *shorts, const struct option *longs)
{
    opterr = 0;
    int option = getopt_long(argc, argv, shorts, longs, NULL);
    if (option == ':') {
        tool_error(TOOL_USAGE, "%s: option '%s' needs a value", argv[0], argv[optind - 1]);
        return '?';
    }
    if (option == '?') {
        option_error(argc, argv, longs);
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

/* The factor of a suffix in either case, 0 for none that is known. */
static int64_t suffix_factor(const char *suffix)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } known[] = {{"", 1}, {"k", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcasecmp(suffix, known[i].suffix) == 0) {
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
        return tool_error(TOOL_USAGE,
                          "%s: '%s' is not a number from %" PRId64 " to %" PRId64
                          "; it may end in k, M or G, powers of 1024",
                          name, text, min, max);
    }
    *out = number;
    return TOOL_OK;
}

int tool_span(const tool_bounds_t *bounds, int64_t count, int64_t *low, int64_t *high,
              int64_t *total)
{
    int64_t steps = count > 0 ? count - 1 : 0;
    int64_t reach, first = bounds->true_lb, end = bounds->true_ub;
    int64_t bytes;
    if (__builtin_mul_overflow(count, bounds->size, &bytes) ||
        __builtin_mul_overflow(steps, bounds->extent, &reach) ||
        __builtin_add_overflow(first, reach < 0 ? reach : 0, &first) ||
        __builtin_add_overflow(end, reach > 0 ? reach : 0, &end) ||
        __builtin_sub_overflow(end, first, &reach)) {
        return tool_error(TOOL_USAGE,
                          "--count: %" PRId64 " %s of %" PRId64 " bytes, %" PRId64
                          " bytes apart, do not fit in 64 bits",
                          count, text_plural(count, "element", "elements"), bounds->size,
                          bounds->extent);
    }
    *low = bytes > 0 ? first : 0;
    *high = bytes > 0 ? end : 0;
    *total = bytes;
    return TOOL_OK;
}
