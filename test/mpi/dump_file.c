/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading what dt_dame_dump wrote. */
#include "dump_file.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_check.h"

static dump_file_t read_path(const char *directory, const char *file_name)
{
    dump_file_t file = {.text = NULL};

    snprintf(file.path, sizeof(file.path), "%s/%s", directory, file_name);
    FILE *in = fopen(file.path, "r");
    if (in != NULL) {
        size_t room = 1 << 16;
        file.text = must_malloc(room);
        for (size_t n = 1; n > 0; file.length += n) {
            if (file.length + 1 == room) {
                room *= 2;
                file.text = must_realloc(file.text, room);
            }
            n = fread(file.text + file.length, 1, room - 1 - file.length, in);
        }
        file.text[file.length] = '\0';
        fclose(in);
    }
    return file;
}

dump_file_t dump_read(const char *directory, const char *name)
{
    char file_name[256];

    snprintf(file_name, sizeof(file_name), "dame-r%d-%s.dame", my_rank, name);
    return read_path(directory, file_name);
}

void dump_free(dump_file_t *file)
{
    free(file->text);
    file->text = NULL;
}

bool dump_has(const dump_file_t *file, const char *format, ...)
{
    char line[4096] = "\n";
    va_list args;

    va_start(args, format);
    vsnprintf(line + 1, sizeof(line) - 2, format, args);
    va_end(args);
    strcat(line, "\n");
    if (file->text == NULL) {
        return false;
    }
    return strstr(file->text, line) != NULL || strncmp(file->text, line + 1, strlen(line + 1)) == 0;
}

dame_program_t *dump_program(const dump_file_t *file)
{
    dame_program_t *program = NULL;
    dame_text_error_t error;

    if (file->text == NULL) {
        fprintf(stderr, "%s: no such file\n", file->path);
    } else if (dame_program_parse(file->text, file->length, &program, &error) != DAME_OK) {
        fprintf(stderr, "%s:%lld:%lld: %s\n", file->path, (long long) error.line,
                (long long) error.column, error.message);
        return NULL;
    }
    return program;
}

/* Bounds of the header and of the program against those written down by hand. */
static bool bounds_agree(const dump_file_t *file, const dame_program_t *program,
                         const layout_t *layout)
{
    int64_t low, high;
    int64_t from = layout->arena == NULL ? 0 : (int64_t) (intptr_t) layout->arena;

    lay_span(layout, 1, &low, &high);
    low += from;
    high += from;
    return dump_has(file, "# size: %lld", (long long) layout->size) &&
           dump_has(file, "# lb: %lld", (long long) (layout->lb + from)) &&
           dump_has(file, "# extent: %lld", (long long) lay_extent(layout)) &&
           dump_has(file, "# true_lb: %lld", (long long) low) &&
           dump_has(file, "# true_ub: %lld", (long long) high) && program->size == layout->size &&
           program->extent == lay_extent(layout) && program->true_lb == low &&
           program->true_ub == high;
}

bool dump_is_of(const dump_file_t *file, const layout_t *layout, const void *base, int64_t count,
                const unsigned char *stream)
{
    dame_program_t *program = dump_program(file);

    if (program == NULL) {
        return false;
    }
    bool ok = bounds_agree(file, program, layout);
    if (ok) {
        char *packed = must_calloc((size_t) (count * layout->size), 1);
        int64_t bad;
        dame_program_run(program, DAME_PACK, (uintptr_t) base, count, packed);
        ok = same_bytes(packed, stream, count * layout->size, &bad);
        free(packed);
    } else {
        fprintf(stderr, "%s: the bounds are wrong\n", file->path);
    }
    dame_program_free(program);
    return ok;
}

static void add_file(dump_totals_t *totals, const char *directory, const char *file_name)
{
    dump_file_t file = read_path(directory, file_name);
    dame_program_t *program = dump_program(&file);

    totals->files++;
    totals->bad += NULL == program;
    dame_program_free(program);
    dump_free(&file);
}

dump_totals_t dump_total(const char *directory)
{
    dump_totals_t totals = {.files = 0};
    char mine[32];
    DIR *dir = opendir(directory);
    struct dirent *entry;

    snprintf(mine, sizeof(mine), "dame-r%d-", my_rank);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        const char *end = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, mine, strlen(mine)) != 0 ||
            strstr(entry->d_name, ".raw.dame") != NULL) {
            continue;
        }
        if (end == NULL || strcmp(end, ".dame") != 0) {
            totals.others++;
        } else {
            add_file(&totals, directory, entry->d_name);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return totals;
}
