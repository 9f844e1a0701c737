/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of dame summary --html. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "summary.h"
#include "cli/text.h"

/* Dark pages keep the pictures' own light background. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1a1a2e;--soft:#5a5a6e;--page:#fff;--card:#f5f5f8;"
    "--line:#d8d8e0;--bar:#4a0284}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#ececf4;--soft:#a8a8b8;--page:#16161e;"
    "--card:#20202b;--line:#3a3a48;--bar:#b794f6}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:1100px;padding:1.5rem;font:15px/1.5 system-ui,sans-serif;"
    "color:var(--ink);background:var(--page)}\n"
    "h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:0;overflow-wrap:anywhere}\n"
    ".soft{color:var(--soft);margin:.2rem 0}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;margin:1rem 0}\n"
    "th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);"
    "vertical-align:top}\n"
    "td:nth-child(2){min-width:14rem}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".share{display:block;height:4px;margin-top:3px;background:var(--bar)}\n"
    "section{background:var(--card);border:1px solid var(--line);border-radius:6px;"
    "padding:1rem;margin:1rem 0}\n"
    "@media(max-width:600px){body{padding:.8rem}td:nth-child(2),th:nth-child(2),td:nth-child(6),"
    "th:nth-child(6){display:none}th,td{padding:.35rem .3rem}td:first-child{overflow-wrap:anywhere}}\n"
    "summary{cursor:pointer}\n"
    "code{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}\n"
    "section svg{display:block;width:100%;height:auto;margin-top:.8rem;border-radius:4px}\n"
    "a{color:inherit}\n";

static int64_t bytes_of(const summary_row_t *row)
{
    return row->bytes[0] + row->bytes[1];
}

static void write_cells(const summary_t *summary, int i, FILE *out)
{
    const summary_row_t *row = &summary->row[i];
    char a[TEXT_NUMBER];
    const double share =
        summary->bytes > 0 ? 100 * (double) bytes_of(row) / (double) summary->bytes : 0;
    fprintf(out, "<tr><td><a href=\"#d%d\">", i + 1);
    text_xml(row->name, out);
    fputs("</a></td><td>", out);
    summary_words(row, out);
    fprintf(out, "</td><td class=\"n\">%s<span class=\"share\" style=\"width:%.1f%%\"></span></td>",
            text_bytes(a, bytes_of(row)), share);
    fprintf(out, "<td class=\"n\">%.3g %%</td>", share);
    fprintf(out, "<td class=\"n\">%s</td>", text_number(a, row->messages[0] + row->messages[1]));
    fprintf(out, "<td class=\"n\">%" PRId64 "</td></tr>\n", row->ranks);
}

static void write_table(const summary_t *summary, FILE *out)
{
    fputs("<div class=\"wide\"><table><thead><tr><th>datatype</th><th>layout</th>"
          "<th class=\"n\">moved</th><th class=\"n\">share</th><th class=\"n\">messages</th>"
          "<th class=\"n\">ranks</th></tr></thead><tbody>\n",
          out);
    for (int i = 0; i < summary->n; i++) {
        write_cells(summary, i, out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_facts(const summary_row_t *row, FILE *out)
{
    const tool_bounds_t *bounds = &row->layout.datatype.bounds;
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], d[TEXT_NUMBER];
    fprintf(out, "<p class=\"soft\">size %s bytes, extent %s, bytes %s to %s; ",
            text_number(a, bounds->size), text_number(b, bounds->extent),
            text_number(c, bounds->true_lb), text_number(d, bounds->true_ub));
    fprintf(out, "%s %s on %" PRId64 " %s", text_number(a, row->datatypes),
            text_plural(row->datatypes, "datatype", "datatypes"), row->ranks,
            text_plural(row->ranks, "rank", "ranks"));
    if (row->ranks > 1) {
        fprintf(out, " (%" PRId64 " to %" PRId64 ")", row->lowest, row->highest);
    }
    fprintf(out, "; packed %s times, %s; ", text_number(a, row->messages[0]),
            text_bytes(b, row->bytes[0]));
    fprintf(out, "unpacked %s times, %s", text_number(a, row->messages[1]),
            text_bytes(b, row->bytes[1]));
    for (int way = 0; way < 2; way++) {
        if (row->code[way] > 0) {
            fprintf(out, "; %s: %" PRId64 " bytes of machine code", way == 0 ? "pack" : "unpack",
                    row->code[way]);
        }
    }
    fputs("</p>\n", out);
}

static int write_picture(const summary_row_t *row, FILE *out)
{
    const drawing_t drawing = {.title = row->name, .count = 1};
    char *svg;
    size_t length;
    const int code = drawing_make(&drawing, &row->layout, &svg, &length);
    if (code == TOOL_OK) {
        const char *start = strstr(svg, "<svg");
        fputs(start != NULL ? start : svg, out);
        free(svg);
    }
    return code;
}

static int write_section(const summary_row_t *row, int number, FILE *out)
{
    fprintf(out, "<section id=\"d%d\"><h2>", number);
    text_xml(row->name, out);
    fputs("</h2>\n<p>", out);
    summary_words(row, out);
    fputs("</p>\n", out);
    write_facts(row, out);
    fputs("<p>", out);
    summary_advice(row, "<br>", out);
    fputs("</p>\n", out);
    const int code = write_picture(row, out);
    if (row->calls != NULL) {
        fputs("<details><summary>the calls that make it</summary><code>", out);
        text_xml(row->calls, out);
        fputs("</code></details>\n", out);
    }
    fputs("</section>\n", out);
    return code;
}

int summary_write_html(const summary_t *summary, FILE *out)
{
    char bytes[TEXT_NUMBER];
    int worst = TOOL_OK;
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
            "<title>Datatypes of a job</title><style>\n%s</style></head><body>\n"
            "<h1>Datatypes of a job</h1>\n<p class=\"soft\">%d %s, %s moved, in %d %s of "
            "dt_dame_dump</p>\n",
            style, summary->n, text_plural(summary->n, "datatype", "datatypes"),
            text_bytes(bytes, summary->bytes), summary->files,
            text_plural(summary->files, "file", "files"));
    write_table(summary, out);
    for (int i = 0; i < summary->n; i++) {
        const int code = write_section(&summary->row[i], i + 1, out);
        worst = code > worst ? code : worst;
    }
    fputs("</body></html>\n", out);
    return worst;
}
