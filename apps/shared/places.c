/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "places.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spawn.h"
#include "tool.h"

enum { BATCH = 400 };

static int compare_places(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    return x->module != y->module ? x->module - y->module
                                  : (x->offset > y->offset) - (x->offset < y->offset);
}

/* A path without the current directory. */
static const char *relative(const char *path)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof(here)) == NULL ? 0 : strlen(here);
    return length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1
                                                                                 : path;
}

/* addr2line's answer: the function, and "FILE:LINE" perhaps with " (discriminator 2)"; "??" and
 * "??:0" are none. */
static void take_answer(place_t *place, const char *function, char *line)
{
    char *colon = strrchr(line, ':');
    if (function[0] != '?') {
        place->function = strdup(function);
    }
    if (colon != NULL && line[0] != '?' && strtol(colon + 1, NULL, 10) > 0) {
        place->line = strtol(colon + 1, NULL, 10);
        *colon = '\0';
        place->file = strdup(relative(line));
    }
}

static void ask_program(const char *module, place_t *places, size_t n)
{
    const char *arguments[BATCH + 5] = {"addr2line", "-f", "-e", module};
    char offsets[BATCH][24], *function = NULL, *line = NULL;
    size_t room[2] = {0};
    int status;
    FILE *answers = tmpfile();
    for (size_t i = 0; i < n; i++) {
        snprintf(offsets[i], sizeof(offsets[i]), "0x%" PRIx64, places[i].offset);
        arguments[4 + i] = offsets[i];
    }
    if (answers != NULL &&
        spawn_run(arguments, -1, fileno(answers), fileno(answers), &status) == 0 && status == 0) {
        rewind(answers);
        for (size_t i = 0; i < n && getline(&function, &room[0], answers) > 0 &&
                           getline(&line, &room[1], answers) > 0;
             i++) {
            function[strcspn(function, "\n")] = '\0';
            line[strcspn(line, "\n")] = '\0';
            take_answer(&places[i], function, line);
        }
    }
    if (answers != NULL) {
        fclose(answers);
    }
    free(function);
    free(line);
}

int places_ask(places_t *places, const char *path, int module, uint64_t offset)
{
    if (module < 0 || module >= PLACES_MODULES) {
        return TOOL_USAGE;
    }
    place_t *grown = realloc(places->asked, (places->nasked + 1) * sizeof(*places->asked));
    if (grown == NULL) {
        return tool_no_memory(path);
    }
    places->asked = grown;
    places->asked[places->nasked++] = (place_t){.module = module, .offset = offset};
    return TOOL_OK;
}

void places_answer(places_t *places)
{
    if (places->nasked > 0) {
        qsort(places->asked, places->nasked, sizeof(place_t), compare_places);
    }
    for (size_t i = 0, n; i < places->nasked; i += n) {
        int module = places->asked[i].module;
        for (n = 1; n < BATCH && i + n < places->nasked && places->asked[i + n].module == module;
             n++) {
        }
        if (places->modules[module] != NULL) {
            ask_program(places->modules[module], &places->asked[i], n);
        }
    }
}

const place_t *places_find(const places_t *places, int module, uint64_t offset)
{
    const place_t wanted = {.module = module, .offset = offset};
    return places->nasked == 0
               ? NULL
               : bsearch(&wanted, places->asked, places->nasked, sizeof(place_t), compare_places);
}

char *places_offset_text(const places_t *places, int module, uint64_t offset)
{
    char *text;
    const char *name = places->modules[module];
    return asprintf(&text, "%s+0x%" PRIx64, name == NULL ? "?" : name, offset) < 0 ? NULL : text;
}

void places_free(places_t *places)
{
    for (int i = 0; i < PLACES_MODULES; i++) {
        free(places->modules[i]);
    }
    for (size_t i = 0; i < places->nasked; i++) {
        free(places->asked[i].file);
        free(places->asked[i].function);
    }
    free(places->asked);
    *places = (places_t){0};
}
