/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (!memory) {
        c_out_of_memory();
    }
    return memory;
}

bool edits_add(struct edits *edits, size_t begin, size_t end, const char *text)
{
    size_t i;

    for (i = 0; i < edits->n; i++) {
        const struct edit *other = &edits->edit[i];

        if (begin < other->end && other->begin < end) {
            return false;
        }
        /* an insertion inside of a replaced part */
        if ((begin == end && other->begin < begin && begin < other->end) ||
            (other->begin == other->end && begin < other->begin && other->begin < end)) {
            return false;
        }
    }
    edits->edit = checked(realloc(edits->edit, (edits->n + 1) * sizeof *edits->edit));
    edits->edit[edits->n] = (struct edit){begin, end, checked(strdup(text)), (long) edits->n};
    edits->n++;
    return true;
}

bool edits_add_first(struct edits *edits, size_t begin, size_t end, const char *text)
{
    if (!edits_add(edits, begin, end, text)) {
        return false;
    }
    edits->edit[edits->n - 1].order = -(long) edits->n;
    return true;
}

void edits_cut(struct edits *edits, size_t n)
{
    while (edits->n > n) {
        free(edits->edit[--edits->n].text);
    }
}

static int by_place(const void *one, const void *two)
{
    const struct edit *a = one, *b = two;

    if (a->begin != b->begin) {
        return a->begin < b->begin ? -1 : 1;
    }
    if (a->end != b->end) {
        return a->end < b->end ? -1 : 1;
    }
    return a->order < b->order ? -1 : 1;
}

char *edits_apply(struct edits *edits, const char *text, size_t size)
{
    size_t i, at = 0, length;
    char *result = NULL;
    FILE *out = checked(open_memstream(&result, &length));

    qsort(edits->edit, edits->n, sizeof *edits->edit, by_place);
    for (i = 0; i < edits->n; i++) {
        fwrite(text + at, 1, edits->edit[i].begin - at, out);
        fputs(edits->edit[i].text, out);
        at = edits->edit[i].end;
    }
    fwrite(text + at, 1, size - at, out);
    return checked(fclose(out) == 0 ? result : NULL);
}

/* ---- lines ---- */

struct lines {
    const char **line; /* n + 1: with the end */
    size_t n;
};

static struct lines split(const char *text)
{
    struct lines lines = {0};
    size_t room = 0;

    for (;;) {
        if (lines.n + 1 >= room) {
            room = room ? 2 * room : 256;
            lines.line = checked(realloc(lines.line, room * sizeof *lines.line));
        }
        lines.line[lines.n] = text;
        if (!*text) {
            return lines;
        }
        lines.n++;
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : text + strlen(text);
    }
}

static bool same(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
    size_t length = (size_t) (a->line[i + 1] - a->line[i]);

    return length == (size_t) (b->line[j + 1] - b->line[j]) &&
           memcmp(a->line[i], b->line[j], length) == 0;
}

struct change {
    size_t old, n_old, new, n_new;
};

/* The next place where the texts agree again for a few lines: the smallest sum of skipped lines. */
static struct change next_change(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
    enum { ENOUGH = 3 };
    size_t sum, x, k;

    for (sum = 1; sum <= (a->n - i) + (b->n - j); sum++) {
        for (x = 0; x <= sum; x++) {
            size_t y = sum - x;

            if (i + x > a->n || j + y > b->n) {
                continue;
            }
            for (k = 0; k < ENOUGH && i + x + k < a->n && j + y + k < b->n &&
                        same(a, i + x + k, b, j + y + k);
                 k++) {
            }
            if (k == ENOUGH || (i + x + k == a->n && j + y + k == b->n)) {
                return (struct change){i, x, j, y};
            }
        }
    }
    return (struct change){i, a->n - i, j, b->n - j};
}

static void print_lines(FILE *out, char mark, const struct lines *lines, size_t from, size_t n)
{
    size_t i;

    for (i = from; i < from + n; i++) {
        size_t length = (size_t) (lines->line[i + 1] - lines->line[i]);

        fputc(mark, out);
        fwrite(lines->line[i], 1, length, out);
        if (length == 0 || lines->line[i][length - 1] != '\n') {
            fputs("\n\\ No newline at end of file\n", out);
        }
    }
}

enum { CONTEXT = 3 };

static void print_hunk(FILE *out, const struct lines *a, const struct lines *b,
                       const struct change *changes, size_t n)
{
    const struct change *last = &changes[n - 1];
    size_t before = changes[0].old < CONTEXT ? changes[0].old : CONTEXT;
    size_t rest = a->n - (last->old + last->n_old), after = rest < CONTEXT ? rest : CONTEXT, i;
    size_t old = changes[0].old - before, new = changes[0].new - before;
    size_t n_old = last->old + last->n_old + after - old;
    size_t n_new = last->new + last->n_new + after - new;

    fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", n_old ? old + 1 : old, n_old, n_new ? new + 1 : new,
            n_new);
    for (i = 0; i < n; i++) {
        print_lines(out, ' ', a, old, changes[i].old - old);
        print_lines(out, '-', a, changes[i].old, changes[i].n_old);
        print_lines(out, '+', b, changes[i].new, changes[i].n_new);
        old = changes[i].old + changes[i].n_old;
    }
    print_lines(out, ' ', a, old, after);
}

void diff_print(FILE *out, const char *path, const char *old, const char *new)
{
    struct lines a = split(old), b = split(new);
    struct change *changes = NULL;
    size_t n = 0, i = 0, j = 0, first;

    while (i < a.n || j < b.n) {
        if (i < a.n && j < b.n && same(&a, i, &b, j)) {
            i++;
            j++;
            continue;
        }
        changes = checked(realloc(changes, (n + 1) * sizeof *changes));
        changes[n] = next_change(&a, i, &b, j);
        i += changes[n].n_old;
        j += changes[n++].n_new;
    }
    if (n > 0) {
        const char *relative = path[0] == '/' ? path + 1 : path;

        fprintf(out, "--- a/%s\n+++ b/%s\n", relative, relative);
    }
    for (first = 0, i = 1; i <= n; i++) {
        if (i == n || changes[i].old > changes[i - 1].old + changes[i - 1].n_old + 2 * CONTEXT) {
            print_hunk(out, &a, &b, &changes[first], i - first);
            first = i;
        }
    }
    free(changes);
    free(a.line);
    free(b.line);
}
