/* SPDX-License-Identifier: BSD-3-Clause */
#include "edits.h"
#include "shared/spawn.h"
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool edits_add(edits_t *edits, size_t begin, size_t end, const char *text)
{
    size_t i;

    for (i = 0; i < edits->n; i++) {
        const edit_t *other = &edits->edit[i];

        if (begin < other->end && other->begin < end) {
            return false;
        }
        /* an insertion inside of a replaced part */
        if ((begin == end && other->begin < begin && begin < other->end) ||
            (other->begin == other->end && begin < other->begin && other->begin < end)) {
            return false;
        }
    }
    edits->edit = c_resize(edits->edit, edits->n + 1, sizeof *edits->edit);
    edits->edit[edits->n] = (edit_t){begin, end, c_checked(strdup(text)), (long) edits->n};
    edits->n++;
    return true;
}

bool edits_add_first(edits_t *edits, size_t begin, size_t end, const char *text)
{
    if (!edits_add(edits, begin, end, text)) {
        return false;
    }
    edits->edit[edits->n - 1].order = -(long) edits->n;
    return true;
}

void edits_cut(edits_t *edits, size_t n)
{
    while (edits->n > n) {
        free(edits->edit[--edits->n].text);
    }
}

static int by_place(const void *one, const void *two)
{
    const edit_t *a = one, *b = two;

    if (a->begin != b->begin) {
        return a->begin < b->begin ? -1 : 1;
    }
    if (a->end != b->end) {
        return a->end < b->end ? -1 : 1;
    }
    return a->order < b->order ? -1 : 1;
}

char *edits_apply(edits_t *edits, const char *text, size_t size)
{
    size_t i, at = 0, length;
    char *result = NULL;
    FILE *out = c_checked(open_memstream(&result, &length));

    qsort(edits->edit, edits->n, sizeof *edits->edit, by_place);
    for (i = 0; i < edits->n; i++) {
        fwrite(text + at, 1, edits->edit[i].begin - at, out);
        fputs(edits->edit[i].text, out);
        at = edits->edit[i].end;
    }
    fwrite(text + at, 1, size - at, out);
    return c_checked(fclose(out) == 0 ? result : NULL);
}

/* ---- the diff ---- */

/* A file with that text, from its beginning; NULL with errno. */
static FILE *file_of(const char *text)
{
    FILE *file = tmpfile();

    if (file && (fputs(text, file) < 0 || fflush(file) != 0 || fseek(file, 0, SEEK_SET) != 0)) {
        fclose(file);
        file = NULL;
    }
    return file;
}

/* diff(1) reads the edited text from its standard input. */
static bool run_diff(FILE *out, const char *path, const char *relative, int edited)
{
    char *labels[2] = {c_printed("--label=a/%s", relative), c_printed("--label=b/%s", relative)};
    const char *arguments[] = {"diff", "-u", "--text", labels[0], labels[1], "--", path, "-", NULL};
    int status = 0,
        error = fflush(out) == 0 ? spawn_run(arguments, edited, fileno(out), -1, &status) : errno;

    free(labels[0]);
    free(labels[1]);
    if (error) {
        fprintf(stderr, "dame suggest: %s: no patch: diff cannot be started: %s\n", path,
                strerror(error));
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
        fprintf(stderr, "dame suggest: %s: no patch: diff failed\n", path);
        return false;
    }
    return true;
}

bool edits_diff(FILE *out, const char *path, const char *edited)
{
    FILE *file = file_of(edited);
    bool fine = false;

    if (file) {
        fine = run_diff(out, path, path[0] == '/' ? path + 1 : path, fileno(file));
        fclose(file);
    } else {
        fprintf(stderr, "dame suggest: %s: no patch: a temporary file: %s\n", path,
                strerror(errno));
    }
    return fine;
}
