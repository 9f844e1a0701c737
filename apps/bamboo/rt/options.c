/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime's options. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

bamboo_options_t bamboo_options = {.vf = 1, .share = 1, .eager = 8192, .patience = 30};

/* One row for each option: also NAME=VALUE, and BAMBOO_NAME in the environment. */
static const struct row {
    const char *name, *variable;
    double low, high;
    int whole;
    const char *what;
} rows[] = {
    {"--vf", "BAMBOO_VF", 1, 4096, 1, "tasks in a process (1 to 4096)"},
    {"--nodes", "BAMBOO_NODES", 0, 65536, 1,
     "model this many nodes in one process, each with a clock of its own (0 to 65536)"},
    {"--latency", "BAMBOO_LATENCY", 0, 1e9, 0,
     "add this time to messages between processes or nodes, in microseconds"},
    {"--bandwidth", "BAMBOO_BANDWIDTH", 0, 1e6, 0,
     "of a modelled node's link, in GB/s; 0: no limit"},
    {"--share", "BAMBOO_SHARE", 1, 65536, 1,
     "processes that act as one node, without latency between them (1 to 65536)"},
    {"--eager", "BAMBOO_EAGER", 0, 1e12, 1,
     "bytes up to which a send completes before it is received"},
    {"--patience", "BAMBOO_PATIENCE", 0, 1e9, 0,
     "seconds without progress until waiting tasks are reported; 0: never"},
    {"--stats", "BAMBOO_STATS", 0, 1, 1, "1: print messages, copies and switches at the end"},
};

static const char *set_option(const struct row *row, const char *name, const char *text)
{
    static char message[400]; /* memory may be out */
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(value >= row->low && value <= row->high) ||
        (row->whole && value != floor(value))) {
        snprintf(message, sizeof(message), "%s '%.200s': %s", name, text, row->what);
        return message;
    }
    switch (row - rows) {
    case 0:
        bamboo_options.vf = (int) value;
        break;
    case 1:
        bamboo_options.nodes = (int) value;
        break;
    case 2:
        bamboo_options.link.latency = value * 1e3;
        break;
    case 3:
        bamboo_options.link.ns_byte = value > 0 ? 1 / value : 0;
        break;
    case 4:
        bamboo_options.share = (int) value;
        break;
    case 5:
        bamboo_options.eager = (size_t) value;
        break;
    case 6:
        bamboo_options.patience = value;
        break;
    default:
        bamboo_options.stats = (int) value;
        break;
    }
    return NULL;
}

const char *bamboo_options_read(int *argc, char **argv)
{
    const size_t count = sizeof(rows) / sizeof(rows[0]);
    const char *message;
    int kept = *argc > 0 ? 1 : 0, from = kept;
    for (size_t i = 0; i < count; i++) {
        const char *text = getenv(rows[i].variable);
        if (text != NULL && (message = set_option(&rows[i], rows[i].variable, text)) != NULL) {
            return message;
        }
    }
    for (; from < *argc; from++) {
        size_t i, length = 0;
        if (strcmp(argv[from], "--") == 0) {
            from++;
            break;
        }
        for (i = 0; i < count; i++) {
            length = strlen(rows[i].name);
            if (strncmp(argv[from], rows[i].name, length) == 0 &&
                (argv[from][length] == '\0' || argv[from][length] == '=')) {
                break;
            }
        }
        if (i == count) {
            argv[kept++] = argv[from];
            continue;
        }
        const char *value = argv[from] + length + 1;
        if (argv[from][length] == '\0') {
            value = from + 1 < *argc ? argv[++from] : "";
        }
        if ((message = set_option(&rows[i], rows[i].name, value)) != NULL) {
            return message;
        }
    }
    while (from < *argc) {
        argv[kept++] = argv[from++];
    }
    *argc = kept;
    argv[kept] = NULL;
    return NULL;
}
