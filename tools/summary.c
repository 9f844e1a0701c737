/* SPDX-License-Identifier: BSD-3-Clause */
/* dame summary: what became of a job's datatypes. */
#include "summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "header.h"
#include "cli/text.h"

/* ---- reading -------------------------------------------------------------------------------- */

static void free_row(summary_row_t *row)
{
    free(row->name);
    free(row->calls);
    free(row->path);
    free(row->text);
    tool_layout_free(&row->layout);
}

/* What a line such as "# packed: 3 messages, 36 bytes" adds. */
static void read_moved(const char *text, size_t length, const char *field, int64_t *messages,
                       int64_t *bytes)
{
    char *value = header_string(text, length, field);
    long long m, b;
    if (value != NULL && sscanf(value, "%lld messages, %lld bytes", &m, &b) == 2) {
        *messages += m;
        *bytes += b;
    }
    free(value);
}

/* "# machine code for packing, 431 bytes: objdump ..." */
static int64_t read_code(const char *text, const char *way)
{
    char line[80];
    snprintf(line, sizeof(line), "\n# machine code for %s, ", way);
    const char *found = strstr(text, line);
    return found != NULL ? strtoll(found + strlen(line), NULL, 10) : 0;
}

/* Where the comment lines end and the program begins. */
static const char *program_in(const char *text)
{
    while (*text == '#') {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

static void read_uses(const char *text, size_t length, int64_t rank, summary_row_t *row)
{
    size_t n;
    row->ranks++;
    row->lowest = row->ranks == 1 || rank < row->lowest ? rank : row->lowest;
    row->highest = row->ranks == 1 || rank > row->highest ? rank : row->highest;
    row->datatypes += header_number(text, length, "datatypes", 1);
    row->alive += header_field(text, length, "uses", &n) != NULL ||
                  header_field(text, length, "alive", &n) != NULL;
    row->is_native |=
        header_field(text, length, "left to Open MPI's own engine in the end", &n) != NULL;
    read_moved(text, length, "packed", &row->messages[0], &row->bytes[0]);
    read_moved(text, length, "unpacked", &row->messages[1], &row->bytes[1]);
    const int64_t code[2] = {read_code(text, "packing"), read_code(text, "unpacking")};
    for (int way = 0; way < 2; way++) {
        row->code[way] = code[way] > row->code[way] ? code[way] : row->code[way];
    }
}

/* The row of that name and program, a new one if absent; NULL after a message. */
static summary_row_t *row_for(summary_t *summary, const char *path, const char *text, size_t length,
                              int *code)
{
    char *name = header_string(text, length, "name");
    const char *program = program_in(text);
    for (int i = 0; name != NULL && i < summary->n; i++) {
        if (strcmp(summary->row[i].name, name) == 0 && strcmp(summary->row[i].text, program) == 0) {
            free(name);
            return &summary->row[i];
        }
    }
    summary_row_t row = {.name = name != NULL ? name : strdup("none"),
                         .calls = header_string(text, length, "mpi"),
                         .path = strdup(path),
                         .text = strdup(program)};
    *code = tool_layout_parse(path, text, length, &row.layout);
    summary_row_t *larger =
        *code == TOOL_OK && row.name != NULL && row.path != NULL && row.text != NULL
            ? realloc(summary->row, (size_t) (summary->n + 1) * sizeof(row))
            : NULL;
    if (larger == NULL) {
        *code = *code == TOOL_OK ? tool_status_error(path, DAME_ERR_NOMEM) : *code;
        free_row(&row);
        return NULL;
    }
    summary->row = larger;
    summary->row[summary->n] = row;
    return &summary->row[summary->n++];
}

static int add_file(summary_t *summary, const char *path)
{
    char *text;
    size_t length;
    int code = tool_read_text(path, &text, &length);
    if (code != TOOL_OK) {
        return code;
    }
    summary_row_t *row = row_for(summary, path, text, length, &code);
    if (row != NULL) {
        read_uses(text, length, header_number(text, length, "rank", summary->files), row);
        summary->files++;
    }
    free(text);
    return code;
}

static int64_t bytes_of(const summary_row_t *row)
{
    return row->bytes[0] + row->bytes[1];
}

static int compare_rows(const void *a, const void *b)
{
    const int64_t x = bytes_of(a), y = bytes_of(b);
    return x != y ? (x < y) - (x > y)
                  : strcmp(((const summary_row_t *) a)->name, ((const summary_row_t *) b)->name);
}

/* ---- text ----------------------------------------------------------------------------------- */

static void write_wrapped(const char *text)
{
    enum { INDENT = 4, COLUMNS = 80 };
    while (*text != '\0') {
        const size_t fit = text_fit(text, COLUMNS - INDENT - 1);
        printf("%*s%.*s\n", INDENT, "", (int) fit, text);
        text += fit + strspn(text + fit, " ");
    }
}

static void write_row(const summary_row_t *row, int number)
{
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    char *text = NULL;
    size_t length;
    printf("\n%d. %s: %s on %" PRId64 " %s\n", number, row->name, text_bytes(a, bytes_of(row)),
           row->ranks, text_plural(row->ranks, "rank", "ranks"));
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return;
    }
    summary_words(row, out);
    fprintf(out, "; size %s, extent %s; ", text_bytes(a, row->layout.datatype.bounds.size),
            text_number(b, row->layout.datatype.bounds.extent));
    fprintf(out, "%s %s; packed %s times, unpacked %s times", text_number(c, row->datatypes),
            text_plural(row->datatypes, "datatype", "datatypes"), text_number(a, row->messages[0]),
            text_number(b, row->messages[1]));
    for (int way = 0; way < 2; way++) {
        if (row->code[way] > 0) {
            fprintf(out, "; %s %" PRId64 " bytes of machine code", way == 0 ? "pack" : "unpack",
                    row->code[way]);
        }
    }
    fputc('.', out);
    if (fclose(out) == 0) {
        write_wrapped(text);
    }
    free(text);
    out = open_memstream(&text, &length);
    if (out != NULL) {
        summary_advice(row, " ", out);
        if (fclose(out) == 0) {
            write_wrapped(text);
        }
        free(text);
    }
    printf("    %s\n", row->path);
}

static void write_text(const summary_t *summary)
{
    char bytes[TEXT_NUMBER];
    printf("%d %s, %s moved, in %d %s\n", summary->n,
           text_plural(summary->n, "datatype", "datatypes"), text_bytes(bytes, summary->bytes),
           summary->files, text_plural(summary->files, "file", "files"));
    for (int i = 0; i < summary->n; i++) {
        write_row(&summary->row[i], i + 1);
    }
}

/* ---- the command ---------------------------------------------------------------------------- */

static int write_html(const summary_t *summary)
{
    char *page;
    size_t length;
    FILE *out = open_memstream(&page, &length);
    if (out == NULL) {
        return tool_status_error("the page", DAME_ERR_NOMEM);
    }
    int code = summary_write_html(summary, out);
    if (fclose(out) != 0 && code == TOOL_OK) {
        code = tool_status_error("the page", DAME_ERR_NOMEM);
    }
    if (code == TOOL_OK) {
        fwrite(page, 1, length, stdout);
    }
    free(page);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"html", no_argument, NULL, 'h'}, {0}};
    int html = 0;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (option != 'h') {
            return TOOL_USAGE;
        }
        html = 1;
    }
    if (tool_operands(argc, argv, 1, argc) != TOOL_OK) {
        return TOOL_USAGE;
    }
    files_t files;
    summary_t summary = {0};
    int worst = files_find(argv, optind, argc, FILES_OPTIMISED, &files);
    for (int i = 0; i < files.n; i++) {
        const int code = add_file(&summary, files.path[i]);
        worst = code > worst ? code : worst;
    }
    for (int i = 0; i < summary.n; i++) {
        summary.bytes += bytes_of(&summary.row[i]);
    }
    if (summary.n > 0) {
        qsort(summary.row, (size_t) summary.n, sizeof(*summary.row), compare_rows);
        int code = TOOL_OK;
        if (html) {
            code = write_html(&summary);
        } else {
            write_text(&summary);
        }
        worst = code > worst ? code : worst;
    }
    for (int i = 0; i < summary.n; i++) {
        free_row(&summary.row[i]);
    }
    free(summary.row);
    files_free(&files);
    return worst;
}

const tool_command_t tool_summary = {
    .name = "summary",
    .arguments = "[--html] FILE|DIRECTORY...",
    .what = "tells what became of a job's datatypes, by files of its dump",
    .help = "  --html  a page with pictures instead of text; it needs nothing else\n"
            "\n"
            "Datatypes of one name and one program are one entry, on all ranks; those that\n"
            "moved most bytes come first. An entry tells the layout, how often it was packed\n"
            "and unpacked, machine code where dt_dame_dump has asm, and what could be better.\n",
    .run = run,
};
