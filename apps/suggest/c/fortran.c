/* SPDX-License-Identifier: BSD-3-Clause */
/* From a Fortran file to a unit of C. */
#include "fortran.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

bool f_is_fortran(const char *path)
{
    static const char *const endings[] = {".f",   ".for", ".f77", ".ftn",
                                          ".f90", ".f95", ".f03", ".f08"};
    const char *dot = strrchr(path, '.');
    size_t i;

    for (i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        if (strcasecmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *compiler(void)
{
    const char *given = getenv("DAME_MPIFORT");

    return given && *given ? given : SUGGEST_MPIFORT;
}

/* ---- the compiler ---- */

/* A directory for the modules that the compiler writes, and for the C text. It is open, since
 * lack of memory may be the reason of the end: to read it takes none. */
static char scratch[4096];
static DIR *in_scratch;

static void remove_scratch(void)
{
    struct dirent *entry;

    if (!in_scratch) {
        return;
    }
    rewinddir(in_scratch);
    while ((entry = readdir(in_scratch)) != NULL) {
        unlinkat(dirfd(in_scratch), entry->d_name, 0);
    }
    closedir(in_scratch);
    in_scratch = NULL;
    rmdir(scratch);
}

static bool make_scratch(void)
{
    static bool at_exit;
    const char *parent = getenv("TMPDIR");

    snprintf(scratch, sizeof scratch, "%s/dame-suggest-XXXXXX",
             parent && *parent ? parent : "/tmp");
    if (!mkdtemp(scratch)) {
        fprintf(stderr, "dame suggest: %s: %s\n", scratch, strerror(errno));
        return false;
    }
    in_scratch = opendir(scratch);
    if (!in_scratch) {
        fprintf(stderr, "dame suggest: %s: %s\n", scratch, strerror(errno));
        rmdir(scratch);
        return false;
    }
    if (!at_exit) {
        at_exit = atexit(remove_scratch) == 0;
    }
    return true;
}

/* The compiler takes one -J only, which is ours; modules are looked for in the user's. */
static int copy_arguments(const char **words, const char *const *arguments, int n_arguments)
{
    int n = 0, i;

    for (i = 0; i < n_arguments; i++) {
        if (strcmp(arguments[i], "-J") == 0) {
            words[n++] = "-I";
        } else if (strncmp(arguments[i], "-J", 2) == 0) {
            words[n++] = "-I";
            words[n++] = arguments[i] + 2;
        } else {
            words[n++] = arguments[i];
        }
    }
    return n;
}

/* Runs the compiler with its output to a pipe. Its messages go to stderr. */
static pid_t start(const char *path, const char *const *arguments, int n_arguments, int *output)
{
    const char **words = calloc(2 * (size_t) n_arguments + 7, sizeof *words);
    int ends[2], n = 0;
    pid_t child;

    if (!words || pipe(ends) != 0) {
        free(words);
        return -1;
    }
    words[n++] = compiler();
    words[n++] = "-fsyntax-only";
    words[n++] = "-fdump-fortran-original";
    words[n++] = "-J";
    words[n++] = scratch;
    n += copy_arguments(words + n, arguments, n_arguments);
    words[n++] = path;
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], (char *const *) words);
        fprintf(stderr, "dame suggest: %s cannot be started: %s; DAME_MPIFORT names another\n",
                words[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    free(words);
    *output = ends[0];
    return child;
}

static char *dump_of(const char *path, const char *const *arguments, int n_arguments)
{
    int output, status = -1;
    pid_t child = start(path, arguments, n_arguments, &output);
    char *text = NULL;
    size_t used = 0, room = 0;
    ssize_t got = 1;

    if (child < 0) {
        perror("dame suggest");
        return NULL;
    }
    while (got > 0) {
        if (used + 65536 > room) {
            room = 2 * room + 131072;
            text = realloc(text, room);
            if (!text) {
                fprintf(stderr, "dame suggest: out of memory\n");
                kill(child, SIGTERM); /* it writes where exit() removes */
                waitpid(child, NULL, 0);
                exit(3);
            }
        }
        got = read(output, text + used, room - used - 1);
        used += got > 0 ? (size_t) got : 0;
    }
    text[used] = '\0';
    close(output);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 127) {
            fprintf(stderr,
                    "dame suggest: %s: not analysed; give its compiler arguments after --\n", path);
        }
        free(text);
        return NULL;
    }
    return text;
}

/* ---- the unit ---- */

static void set_lines(struct c_node *node, const struct f_text *text)
{
    size_t i;

    if (!node) {
        return;
    }
    if (node->span.line <= text->n_lines) {
        node->span.line = text->line[node->span.line];
    }
    node->span.column = 1;
    for (i = 0; i < node->n; i++) {
        set_lines(node->child[i], text);
    }
}

static struct c_unit *parse_text(const struct f_text *text)
{
    char path[4200];
    const char *arguments[64];
    char words[] = SUGGEST_MPI_CPPFLAGS, *word, *save = NULL;
    struct c_unit *unit = NULL;
    FILE *out;
    int n = 0;

    snprintf(path, sizeof path, "%s/text.c", scratch);
    arguments[n++] = "-w";
    for (word = strtok_r(words, " ", &save); word && n < 63; word = strtok_r(NULL, " ", &save)) {
        arguments[n++] = word;
    }
    out = fopen(path, "w");
    if (out && fputs(text->text, out) >= 0 && fclose(out) == 0) {
        unit = c_parse(path, arguments, n);
        if (!unit) {
            fprintf(stderr, "dame suggest: %s: cannot be read as C\n", path);
        }
    } else {
        fprintf(stderr, "dame suggest: %s: %s\n", path, strerror(errno));
    }
    return unit;
}

/* In the unit's memory. */
static const struct f_refused *copy_refusals(struct c_unit *unit, const struct f_refused *from)
{
    struct f_refused *copy;

    if (!from) {
        return NULL;
    }
    copy = c_allocate(unit->memory, sizeof *copy);
    *copy =
        (struct f_refused){c_copy(unit->memory, from->procedure), c_copy(unit->memory, from->why),
                           from->line, copy_refusals(unit, from->next)};
    return copy;
}

static struct c_unit *parse_dump(const char *path, char *printed,
                                 const struct f_refused **refusals)
{
    struct f_dump dump = {.memory = c_memory_new()};
    struct f_lines *lines = f_lines_read(path);
    struct f_text text;
    struct c_unit *unit;
    size_t i;

    f_read_dump(&dump, printed);
    text = f_write_c(&dump, lines);
    unit = parse_text(&text);
    if (unit) {
        unit->path = path;
        if (unit->main_file) {
            unit->main_file->path = path;
        }
        *refusals = copy_refusals(unit, text.refusals);
        for (i = 0; i < unit->n_functions; i++) {
            set_lines(unit->functions[i].body, &text);
        }
    }
    f_lines_free(lines);
    c_memory_free(dump.memory);
    free(text.text);
    free(text.line);
    return unit;
}

struct c_unit *f_parse(const char *path, const char *const *arguments, int n_arguments,
                       const struct f_refused **refusals)
{
    struct c_unit *unit = NULL;
    char *printed;

    if (!make_scratch()) {
        return NULL;
    }
    printed = dump_of(path, arguments, n_arguments);
    if (printed) {
        unit = parse_dump(path, printed, refusals);
    }
    free(printed);
    remove_scratch();
    return unit;
}
