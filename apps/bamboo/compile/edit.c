/* SPDX-License-Identifier: BSD-3-Clause */
/* Edits of a file's text. An edit replaces bytes; one that replaces more takes up those inside. */
#include "compile.h"

#include <string.h>

static size_t first_at(const file_t *file, size_t begin)
{
    size_t low = 0, high = file->n_edits;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (file->edits[middle].begin < begin) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const char *tr_render(const file_t *file, size_t begin, size_t end)
{
    text_t text = {0};
    size_t i, at = begin;

    tr_add_bytes(&text, "", 0);
    for (i = first_at(file, begin); i < file->n_edits && file->edits[i].end <= end; i++) {
        const edit_t *edit = &file->edits[i];

        tr_add_bytes(&text, file->text + at, edit->begin - at);
        tr_add_bytes(&text, edit->text, strlen(edit->text));
        at = edit->end;
    }
    tr_add_bytes(&text, file->text + at, end - at);
    return text.at;
}

static void put_text(file_t *file, size_t begin, size_t end, const char *text)
{
    size_t first = first_at(file, begin), last = first;

    while (last < file->n_edits && file->edits[last].begin < end) {
        last++;
    }
    if (last == first) {
        file->edits = tr_grow(file->edits, file->n_edits, sizeof *file->edits);
        memmove(file->edits + first + 1, file->edits + first,
                (file->n_edits - first) * sizeof *file->edits);
        file->n_edits++;
    } else {
        memmove(file->edits + first + 1, file->edits + last,
                (file->n_edits - last) * sizeof *file->edits);
        file->n_edits -= last - first - 1;
    }
    file->edits[first] = (edit_t){begin, end, text};
}

/* Lines keep their numbers: missing newlines are added, and behind additional ones the line is
 * named. */
void tr_replace(file_t *file, size_t begin, size_t end, const char *text)
{
    size_t before = tr_count_lines(file->text + begin, end - begin),
           after = tr_count_lines(text, strlen(text));
    text_t result = {0};
    const char *name;
    unsigned line, column;

    tr_add_bytes(&result, text, strlen(text));
    for (; after < before; after++) {
        tr_add_bytes(&result, "\n", 1);
    }
    if (after > before) {
        tr_presumed(file, end, &name, &line, &column);
        tr_add(&result, "%s#line %u \"%s\"\n", result.at[result.n - 1] == '\n' ? "" : "\n", line,
               name);
        if (column > 1 && file->text[end] != '\n') {
            tr_add(&result, "%*s", (int) column - 1, "");
        }
    }
    put_text(file, begin, end, result.at);
}
