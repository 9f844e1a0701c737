/* SPDX-License-Identifier: BSD-3-Clause */
/* dame report: the reports of one job or two (dt_dame_report json), as text. */
#define _GNU_SOURCE /* open_memstream */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands.h"
#include "cli/text.h"

#ifdef HAVE_JANSSON
#include <jansson.h>

#include "cli/files.h"
#include "drawing.h"

enum { MOST = 2, WORKS = 3, TEXT = 48 };

static const char *const works[WORKS] = {"pack", "unpack", "copy"};
static const char *const tiers[] = {"interp", "code", "opal"};

/* ---- reading -------------------------------------------------------------------------------- */

/* The number `name`, or below the object `outer`; 0 if absent. */
static double number(const json_t *of, const char *outer, const char *name)
{
    const json_t *object = outer != NULL ? json_object_get(of, outer) : of;
    return json_number_value(json_object_get(object, name));
}

static const char *string(const json_t *of, const char *name)
{
    const char *text = json_string_value(json_object_get(of, name));
    return text != NULL ? text : "";
}

static int read_report(const char *path, json_t **report)
{
    char *text;
    size_t length;
    int code = tool_read_text(path, &text, &length);
    if (code != TOOL_OK) {
        return code;
    }
    json_error_t error;
    *report = json_loadb(text, length, JSON_ALLOW_NUL, &error);
    free(text);
    if (*report == NULL) {
        return tool_text_error(TOOL_WRONG, path, error.line, error.column, error.text);
    }
    if (number(*report, NULL, "format") != 1 ||
        !json_is_array(json_object_get(*report, "datatypes"))) {
        return tool_error(TOOL_WRONG, "%s: no report of dt_dame_report json, or of another format",
                          tool_input_name(path));
    }
    return TOOL_OK;
}

static json_t *rows(const json_t *report)
{
    return json_object_get(report, "datatypes");
}

/* The datatype of the same name, layout and size, which reports have once; NULL if absent. */
static json_t *same_row(const json_t *report, const json_t *row)
{
    size_t i;
    json_t *other;
    json_array_foreach(rows(report), i, other)
    {
        if (strcmp(string(row, "name"), string(other, "name")) == 0 &&
            strcmp(string(row, "layout"), string(other, "layout")) == 0 &&
            number(row, NULL, "size") == number(other, NULL, "size")) {
            return other;
        }
    }
    return NULL;
}

/* ---- numbers -------------------------------------------------------------------------------- */

typedef struct cell {
    double value; /* that are compared */
    char text[TEXT];
} cell_t;

static cell_t time_cell(double ns)
{
    cell_t cell = {.value = ns};
    text_time(cell.text, ns);
    return cell;
}

static cell_t count_cell(double n)
{
    char buffer[TEXT_NUMBER];
    cell_t cell = {.value = n};
    snprintf(cell.text, sizeof(cell.text), "%s", text_number(buffer, (int64_t) n));
    return cell;
}

static cell_t bytes_cell(double n)
{
    char buffer[TEXT_NUMBER];
    cell_t cell = {.value = n};
    snprintf(cell.text, sizeof(cell.text), "%s", text_bytes(buffer, (int64_t) n));
    return cell;
}

static cell_t part_cell(double part)
{
    cell_t cell = {.value = part};
    text_digits(cell.text, 100 * part, "%");
    return cell;
}

static cell_t rate_cell(double ns_per_byte)
{
    cell_t cell = {.value = ns_per_byte};
    text_digits(cell.text, ns_per_byte, "ns/B");
    return cell;
}

/* Nanoseconds that a byte takes, whatever moved it; 0: nothing was timed. */
static double rate_of(const json_t *work)
{
    double bytes = 0, ns = 0;
    for (size_t t = 0; t < sizeof(tiers) / sizeof(tiers[0]); t++) {
        const json_t *tier = json_object_get(work, tiers[t]);
        const json_t *rate = json_object_get(tier, "ns_per_byte");
        if (json_is_number(rate)) {
            bytes += number(tier, NULL, "bytes");
            ns += number(tier, NULL, "bytes") * json_number_value(rate);
        }
    }
    return bytes > 0 ? ns / bytes : 0;
}

static double uses_of(const json_t *work)
{
    double uses = 0;
    for (size_t t = 0; t < sizeof(tiers) / sizeof(tiers[0]); t++) {
        uses += number(json_object_get(work, tiers[t]), NULL, "uses");
    }
    return uses;
}

/* ---- printing ------------------------------------------------------------------------------- */

/* One line; with two reports, the second by the first. No line if `value` is 0. */
static void print_line(const char *name, const cell_t cells[MOST], int n, FILE *out)
{
    fprintf(out, "%-34s", name);
    for (int i = 0; i < n; i++) {
        fprintf(out, " %13s", cells[i].text[0] != '\0' ? cells[i].text : "-");
    }
    if (n == 2 && cells[0].value > 0 && cells[1].value > 0) {
        fprintf(out, " %8.2f", cells[1].value / cells[0].value);
    }
    fputc('\n', out);
}

static void print_head(const char *path, const char *letter, const json_t *report, FILE *out)
{
    char time_text[TEXT] = "?", ran[TEXT];
    const bool running = json_object_get(report, "running") != NULL;
    const time_t when = (time_t) number(report, NULL, running ? "running" : "ended");
    struct tm tm;
    if (localtime_r(&when, &tm) != NULL) {
        strftime(time_text, sizeof(time_text), "%Y-%m-%d %H:%M:%S", &tm);
    }
    text_time(ran, 1e9 * number(report, NULL, "seconds"));
    fprintf(out, "%s%s: %s, %.0f of %.0f ranks, %s, %s%s, DAME %s\n", letter, path,
            string(report, "program"), number(report, NULL, "reporting"),
            number(report, NULL, "ranks"), ran, running ? "still running at " : "", time_text,
            string(report, "dame"));
}

/* What DAME moved of all bytes, if the report has it. */
static void print_share(const char *letter, const json_t *report, FILE *out)
{
    const json_t *share = json_object_get(report, "share_of_bytes");
    if (json_is_number(share)) {
        const double percent = 100 * json_number_value(share);
        fprintf(out, "%sDAME moved %.1f %% of the bytes; %.1f %% stayed with Open MPI's engine\n",
                letter, percent, 100 - percent);
    }
}

static void print_whole(json_t *const reports[MOST], int n, FILE *out)
{
    cell_t line[8][MOST];
    for (int i = 0; i < n; i++) {
        const json_t *r = reports[i];
        const double run = number(r, "all_ranks", "run_ns");
        const double moving = number(r, "all_ranks", "moving_ns");
        const json_t *counters = json_object_get(r, "counters");
        line[0][i] = time_cell(run);
        line[1][i] = time_cell(moving);
        line[2][i] = part_cell(run > 0 ? moving / run : 0);
        line[3][i] = time_cell(number(r, "compared", "set_up_ns"));
        line[4][i] =
            time_cell(number(r, "compared", "native_ns") - number(r, "compared", "dame_ns"));
        line[4][i].value = 0; /* may be less than nothing */
        line[5][i] = time_cell(number(r, "compared", "error_ns"));
        line[5][i].value = 0;
        line[6][i] = count_cell(number(counters, "messages_packed", "sum") +
                                number(counters, "messages_unpacked", "sum") +
                                number(counters, "messages_copied", "sum"));
        line[7][i] = bytes_cell(number(counters, "bytes_packed", "sum") +
                                number(counters, "bytes_unpacked", "sum") +
                                number(counters, "bytes_copied", "sum"));
    }
    static const char *const names[] = {"run time, of all ranks together",
                                        "moving data",
                                        "  .. of the run time",
                                        "importing and compiling",
                                        "saved, against Open MPI's engine",
                                        "  .. which is uncertain by",
                                        "messages packed, unpacked, copied",
                                        "their bytes"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        print_line(names[i], line[i], n, out);
    }
}

/* The part of a datatype that Open MPI's engine moved, and why; nothing without such a part, or
 * with an older report. */
static void print_left(json_t *const row[MOST], int n, FILE *out)
{
    cell_t uses[MOST] = {0}, bytes[MOST] = {0};
    const char *why[MOST] = {"", ""};
    for (int i = 0; i < n; i++) {
        const json_t *left = json_object_get(row[i], "left");
        double sums[2] = {0, 0};
        for (int w = 0; w < WORKS; w++) {
            char name[TEXT];
            snprintf(name, sizeof(name), "%s_uses", works[w]);
            sums[0] += number(left, NULL, name);
            snprintf(name, sizeof(name), "%s_bytes", works[w]);
            sums[1] += number(left, NULL, name);
        }
        if (sums[0] > 0) {
            uses[i] = count_cell(sums[0]);
            bytes[i] = bytes_cell(sums[1]);
            why[i] = string(left, "why");
        }
    }
    if (uses[0].value > 0 || uses[1].value > 0) {
        print_line("  left to Open MPI, messages", uses, n, out);
        print_line("    bytes", bytes, n, out);
    }
    for (int i = 0; i < n; i++) {
        if (*why[i] != '\0' && (i == 0 || strcmp(why[0], why[1]) != 0)) {
            fprintf(out, "    why: %s\n", why[i]);
        }
    }
}

/* Of one datatype; `row` of a report without it is NULL. */
static void print_row(json_t *const row[MOST], int n, FILE *out)
{
    const json_t *any = row[0] != NULL ? row[0] : row[1];
    char size[TEXT_NUMBER];
    fprintf(out, "\n%s: %s; %s\n",
            string(any, "name")[0] != '\0' ? string(any, "name") : "(no name)",
            string(any, "layout"), text_bytes(size, (int64_t) number(any, NULL, "size")));
    for (int w = 0; w < WORKS; w++) {
        cell_t uses[MOST] = {0}, rates[MOST] = {0}, native[MOST] = {0};
        bool used = false;
        for (int i = 0; i < n; i++) {
            const json_t *work = json_object_get(row[i], works[w]);
            const double rate = rate_of(work);
            const double other = number(work, NULL, "native_ns_per_byte");
            if (uses_of(work) > 0) {
                used = true;
                uses[i] = count_cell(uses_of(work));
                rates[i] = rate > 0 ? rate_cell(rate) : rates[i];
                native[i] = other > 0 ? rate_cell(other) : native[i];
            }
        }
        if (used) {
            char name[TEXT];
            snprintf(name, sizeof(name), "  %s, messages", works[w]);
            print_line(name, uses, n, out);
            print_line("    DAME", rates, n, out);
            print_line("    Open MPI's engine", native, n, out);
        }
    }
    print_left(row, n, out);
}

static void print_rows(json_t *const reports[MOST], int n, FILE *out)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows(reports[0]), i, row)
    {
        json_t *pair[MOST] = {row, n == 2 ? same_row(reports[1], row) : NULL};
        print_row(pair, n, out);
    }
    if (n == 2) {
        json_array_foreach(rows(reports[1]), i, row)
        {
            json_t *pair[MOST] = {NULL, row};
            if (same_row(reports[0], row) == NULL) {
                print_row(pair, n, out);
            }
        }
    }
}

static void print_reports(char **paths, json_t *const reports[MOST], int n)
{
    static const char *const letters[MOST] = {"A: ", "B: "};
    for (int i = 0; i < n; i++) {
        print_head(tool_input_name(paths[i]), n == 2 ? letters[i] : "", reports[i], stdout);
    }
    for (int i = 0; i < n; i++) {
        print_share(n == 2 ? letters[i] : "", reports[i], stdout);
    }
    if (n == 2) {
        printf("\n%-34s %13s %13s %8s\n", "", "A", "B", "B/A");
    } else {
        putchar('\n');
    }
    print_whole(reports, n, stdout);
    print_rows(reports, n, stdout);
}

/* ---- a page with pictures ------------------------------------------------------------------- */

/* Dark pages keep the pictures' own light background. */
static const char page[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width,initial-scale=1\"><title>Datatypes of a job</title><style>\n"
    ":root{color-scheme:light dark}\n"
    "body{margin:0 auto;max-width:1000px;padding:1rem;font:15px/1.5 system-ui,sans-serif}\n"
    "pre{overflow-x:auto}\nsvg{display:block;width:100%;height:auto}\n"
    "</style></head><body>\n<h1>Datatypes of a job</h1>\n";

/* What `write` prints, as text of the page. */
static void write_text(void (*write)(const char *path, json_t *of, FILE *out), const char *path,
                       json_t *of)
{
    char *text = NULL, *save = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        return;
    }
    write(path, of, out);
    fclose(out);
    fputs("<pre>\n", stdout);
    for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
        text_xml(line, stdout);
        putchar('\n');
    }
    fputs("</pre>\n", stdout);
    free(text);
}

static void write_job(const char *path, json_t *report, FILE *out)
{
    print_head(tool_input_name(path), "", report, out);
    print_share("", report, out);
    fputc('\n', out);
    json_t *const reports[MOST] = {report, NULL};
    print_whole(reports, 1, out);
}

static void write_row(const char *path, json_t *row, FILE *out)
{
    (void) path;
    json_t *const rows[MOST] = {row, NULL};
    print_row(rows, 1, out);
}

/* The picture of a row: that of the first dump of its layout and size. */
static int write_picture(const json_t *row, const files_t *dumps)
{
    for (int i = 0; i < dumps->n; i++) {
        tool_layout_t layout;
        char *svg;
        size_t length;
        int code = tool_layout_load(dumps->path[i], &layout);
        if (code != TOOL_OK) {
            return code;
        }
        const bool same = strcmp(layout.facts.words, string(row, "layout")) == 0 &&
                          (double) layout.datatype.bounds.size == number(row, NULL, "size");
        const drawing_t drawing = {.title = string(row, "name"), .count = 1};
        code = same ? drawing_make(&drawing, &layout, &svg, &length) : TOOL_OK;
        tool_layout_free(&layout);
        if (same && code == TOOL_OK) {
            fputs(svg, stdout);
            free(svg);
        }
        if (same || code != TOOL_OK) {
            return code;
        }
    }
    return TOOL_OK;
}

static int write_page(const char *path, json_t *report, char *directory)
{
    files_t dumps = {0};
    size_t i;
    json_t *row;
    int worst = directory != NULL ? files_find(&directory, 0, 1, FILES_OPTIMISED, &dumps) : TOOL_OK;
    fputs(page, stdout);
    write_text(write_job, path, report);
    json_array_foreach(rows(report), i, row)
    {
        write_text(write_row, path, row);
        const int code = write_picture(row, &dumps);
        worst = code > worst ? code : worst;
    }
    fputs("</body></html>\n", stdout);
    files_free(&dumps);
    return worst;
}

static int report_on(char **paths, int n, bool html, char *dumps)
{
    json_t *reports[MOST] = {NULL};
    int code = TOOL_OK;
    for (int i = 0; i < n && code == TOOL_OK; i++) {
        code = read_report(paths[i], &reports[i]);
    }
    if (code == TOOL_OK && html) {
        code = write_page(paths[0], reports[0], dumps);
    } else if (code == TOOL_OK) {
        print_reports(paths, reports, n);
    }
    for (int i = 0; i < n; i++) {
        json_decref(reports[i]);
    }
    return code;
}
#else
static int report_on(char **paths, int n, bool html, char *dumps)
{
    (void) paths;
    (void) n;
    (void) html;
    (void) dumps;
    return tool_error(TOOL_SYSTEM, "report: this dame was built without jansson, which reads JSON; "
                                   "install libjansson-dev and build it again");
}
#endif

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"html", no_argument, NULL, 'h'}, {"dumps", required_argument, NULL, 'd'}, {0}};
    bool html = false;
    char *dumps = NULL;
    for (int option; (option = tool_option(argc, argv, ":", longs)) != -1;) {
        if (option == 'h') {
            html = true;
        } else if (option == 'd') {
            dumps = optarg;
        } else {
            return TOOL_USAGE;
        }
    }
    if (dumps != NULL && !html) {
        return tool_error(TOOL_USAGE, "report: --dumps needs --html, whose page has pictures");
    }
    return tool_operands(argc, argv, 1, html ? 1 : 2) == TOOL_OK
               ? report_on(argv + optind, argc - optind, html, dumps)
               : TOOL_USAGE;
}

const tool_command_t tool_report = {
    .name = "report",
    .arguments = "[--html [--dumps DIRECTORY]] FILE [FILE]",
    .what = "prints the report of a job, or compares those of two",
    .help = "  --html             a page instead of text; it needs no other file\n"
            "  --dumps DIRECTORY  with a picture of each datatype that is among the files of\n"
            "                     dt_dame_dump program there, by its layout and size\n"
            "\n"
            "FILE is a report of dt_dame_report json. Of the whole job and of each datatype:\n"
            "DAME's time, the time of Open MPI's own engine for the same, and the part left\n"
            "to that engine and why. Of two reports, datatypes of one name, layout and size\n"
            "are compared; B/A below 1 says that the second job took less. Times are\n"
            "estimates by samples: those of a busy machine are not certain.\n",
    .run = run,
};
