/* SPDX-License-Identifier: BSD-3-Clause */
#include "diff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTEXT = 3,         /* unchanged lines shown around a change */
    MAX_CELLS = 1 << 22, /* of the table of common subsequences: 16 MiB */
};

typedef struct line {
    const char *start;
    size_t length;
} line_t;

typedef struct text {
    line_t *lines;
    size_t count;
} text_t;

/* A line of the result: ' ', '-' or '+'. */
typedef struct edit {
    char kind;
    line_t line;
} edit_t;

static int split(const char *text, text_t *out)
{
    size_t count = 0;
    for (const char *c = text; (c = strchr(c, '\n')) != NULL; c++) {
        count++;
    }
    out->lines = malloc((count + 1) * sizeof(*out->lines));
    if (out->lines == NULL) {
        return -1;
    }
    out->count = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        out->lines[out->count++] = (line_t){text, length};
        text += length + (text[length] == '\n');
    }
    return 0;
}

static int same(const line_t *a, const line_t *b)
{
    return a->length == b->length && memcmp(a->start, b->start, a->length) == 0;
}

static edit_t *add(edit_t *next, char kind, const line_t *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *next++ = (edit_t){kind, lines[i]};
    }
    return next;
}

/* The edits from a to b, by the table of their longest common subsequences; NULL without memory. */
static edit_t *add_shortest(edit_t *next, const line_t *a, size_t na, const line_t *b, size_t nb)
{
    size_t width = nb + 1;
    uint32_t *common = calloc((na + 1) * width, sizeof(*common)); /* of a[i..] and b[j..] */
    if (common == NULL) {
        return NULL;
    }
    for (size_t i = na; i-- > 0;) {
        for (size_t j = nb; j-- > 0;) {
            uint32_t down = common[(i + 1) * width + j];
            uint32_t right = common[i * width + j + 1];
            common[i * width + j] = same(&a[i], &b[j]) ? common[(i + 1) * width + j + 1] + 1
                                    : down > right     ? down
                                                       : right;
        }
    }
    size_t i = 0, j = 0;
    while (i < na && j < nb) {
        if (same(&a[i], &b[j])) {
            next = add(next, ' ', &a[i++], 1);
            j++;
        } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            next = add(next, '-', &a[i++], 1);
        } else {
            next = add(next, '+', &b[j++], 1);
        }
    }
    free(common);
    return add(add(next, '-', a + i, na - i), '+', b + j, nb - j);
}

/* Writes the edits; returns the end of them, or NULL when memory is out. */
static edit_t *make_edits(edit_t *next, const text_t *a, const text_t *b)
{
    size_t shorter = a->count < b->count ? a->count : b->count;
    size_t head = 0, tail = 0;
    while (head < shorter && same(&a->lines[head], &b->lines[head])) {
        head++;
    }
    while (tail < shorter - head &&
           same(&a->lines[a->count - 1 - tail], &b->lines[b->count - 1 - tail])) {
        tail++;
    }
    size_t na = a->count - head - tail, nb = b->count - head - tail;
    next = add(next, ' ', a->lines, head);
    if (na + 1 <= MAX_CELLS / (nb + 1)) {
        next = add_shortest(next, a->lines + head, na, b->lines + head, nb);
    } else {
        next = add(add(next, '-', a->lines + head, na), '+', b->lines + head, nb);
    }
    return next == NULL ? NULL : add(next, ' ', a->lines + head + na, tail);
}

/* Is there a change within CONTEXT lines of edit i? */
static int shown(const edit_t *edits, size_t count, size_t i)
{
    size_t from = i > CONTEXT ? i - CONTEXT : 0;
    size_t to = i + CONTEXT < count ? i + CONTEXT : count - 1;
    for (size_t k = from; k <= to; k++) {
        if (edits[k].kind != ' ') {
            return 1;
        }
    }
    return 0;
}

static void print_edits(const edit_t *edits, size_t count, diff_line_fn print, FILE *out)
{
    size_t old_line = 1, new_line = 1; /* of edit i */
    size_t end = 0;                    /* of the hunk that is being printed */
    for (size_t i = 0; i < count; i++) {
        if (i >= end && shown(edits, count, i)) {
            size_t olds = 0, news = 0;
            for (end = i; end < count && shown(edits, count, end); end++) {
                olds += edits[end].kind != '+';
                news += edits[end].kind != '-';
            }
            fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", old_line, olds, new_line, news);
        }
        if (i < end) {
            fputc(edits[i].kind, out);
            print(out, edits[i].line.start, edits[i].line.length);
        }
        old_line += edits[i].kind != '+';
        new_line += edits[i].kind != '-';
    }
}

int diff_print(const char *before, const char *after, diff_line_fn print, FILE *out)
{
    text_t a = {0}, b = {0};
    edit_t *edits = NULL, *end = NULL;
    if (split(before, &a) == 0 && split(after, &b) == 0) {
        edits = malloc((a.count + b.count + 1) * sizeof(*edits));
    }
    if (edits != NULL) {
        end = make_edits(edits, &a, &b);
    }
    if (end != NULL) {
        print_edits(edits, (size_t) (end - edits), print, out);
    }
    free(edits);
    free(a.lines);
    free(b.lines);
    return end == NULL ? -1 : 0;
}
