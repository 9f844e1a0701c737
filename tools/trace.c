/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/tool.h"
#include "cli/program.h"

enum {
    LONG_LIST = 8, /* entries; longer lists are abbreviated */
    SHOWN = 3,     /* entries of an abbreviated list */
    DIFF_SECONDS = 60
};

/* A program optimised with some passes. */
typedef struct stage {
    char *text;
    size_t memory; /* bytes */
} stage_t;

static int64_t list_entries(const char *list, const char *end)
{
    int64_t entries = 1;
    for (; list < end; list++) {
        entries += *list == ',';
    }
    return entries;
}

/* Prints a list, without its brackets. */
static void print_list(FILE *out, const char *list, const char *end)
{
    int64_t entries = list_entries(list, end);
    const char *shown = end;
    if (entries > LONG_LIST) {
        shown = list;
        for (int i = 0; i < SHOWN; i++) {
            shown = (const char *) memchr(shown, ',', (size_t) (end - shown)) + 1;
        }
    }
    fwrite(list, 1, (size_t) (shown - list), out);
    if (shown < end) {
        fprintf(out, " ... %lld more", (long long) (entries - SHOWN));
    }
}

static void print_line(FILE *out, const char *line, size_t length)
{
    const char *end = line + length;
    while (line < end) {
        const char *open = memchr(line, '[', (size_t) (end - line));
        const char *close = open == NULL ? NULL : memchr(open, ']', (size_t) (end - open));
        if (close == NULL) {
            break;
        }
        fwrite(line, 1, (size_t) (open + 1 - line), out);
        print_list(out, open + 1, close);
        line = close;
    }
    fwrite(line, 1, (size_t) (end - line), out);
    fputc('\n', out);
}

static void print_text(FILE *out, const char *before, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        fputs(before, out);
        print_line(out, text, length);
        text += length + (text[length] == '\n');
    }
}

/* Opens a file without a name that holds the text; `path` is for programs that this one starts. -1:
 * failed. */
static int lend(const char *text, char path[64])
{
    const int file = memfd_create("stage", 0);
    const size_t length = strlen(text);
    if (file >= 0 && write(file, text, length) != (ssize_t) length) {
        close(file);
        return -1;
    }
    snprintf(path, 64, "/dev/fd/%d", file);
    return file;
}

/* By diff(1), without its two lines of names. */
static int print_difference(FILE *out, const char *before, const char *after)
{
    char paths[2][64];
    const char *const argv[] = {"diff", "-u", paths[0], paths[1], NULL};
    const int files[2] = {lend(before, paths[0]), lend(after, paths[1])};
    int code = -1;
    char *text = files[0] < 0 || files[1] < 0 ? NULL : command_output(argv, DIFF_SECONDS, &code);
    const char *lines = text == NULL ? NULL : strstr(text, "\n@@");
    if (code == 1 && lines != NULL) {
        print_text(out, "", lines + 1);
    }
    for (int i = 0; i < 2; i++) {
        if (files[i] >= 0) {
            close(files[i]);
        }
    }
    free(text);
    return code == 1 && lines != NULL
               ? TOOL_OK
               : tool_error(TOOL_SYSTEM, "diff -u shows no difference; is diff(1) installed?");
}

static int make_stage(const dame_program_t *program, const dame_options_t *options, stage_t *stage)
{
    dame_program_t *optimised;
    int code = tool_optimised("optimise", program, options, &optimised);
    if (code != TOOL_OK) {
        return code;
    }
    size_t length;
    FILE *out = open_memstream(&stage->text, &length);
    int failed = out == NULL || dame_program_print(optimised, out) != 0;
    if (out != NULL && fclose(out) != 0) {
        failed = 1;
    }
    stage->memory = optimised->memory;
    dame_program_free(optimised);
    return failed ? tool_status_error("optimise", DAME_ERR_NOMEM) : TOOL_OK;
}

static int print_change(FILE *out, const stage_t *before, const stage_t *after)
{
    int changed = strcmp(before->text, after->text) != 0;
    if (before->memory != after->memory) {
        fprintf(out, "%smemory: %zu bytes, before %zu\n", changed ? "" : "no change of the text; ",
                after->memory, before->memory);
    } else {
        fprintf(out, "%s%zu bytes\n", changed ? "memory: " : "no change; memory: ", after->memory);
    }
    return changed ? print_difference(out, before->text, after->text) : TOOL_OK;
}

int trace_passes(const dame_program_t *program, const dame_options_t *options, FILE *out)
{
    dame_options_t now = *options;
    now.passes = DAME_PASSES_NONE;
    stage_t before = {0};
    int code = make_stage(program, &now, &before);
    if (code != TOOL_OK) {
        free(before.text);
        return code;
    }
    fprintf(out, "== no pass\nmemory: %zu bytes\n", before.memory);
    print_text(out, " ", before.text);
    for (int pass = 0; pass < DAME_PASS_COUNT && code == TOOL_OK; pass++) {
        dame_passes_t bit = (dame_passes_t) 1 << pass;
        if ((options->passes & bit) == 0) {
            continue;
        }
        now.passes |= bit;
        stage_t after = {0};
        code = make_stage(program, &now, &after);
        if (code == TOOL_OK) {
            fprintf(out, "\n== %s: %s\n", dame_pass_name(pass), dame_pass_what(pass));
            code = print_change(out, &before, &after);
        }
        free(before.text);
        before = after;
    }
    free(before.text);
    return code;
}
