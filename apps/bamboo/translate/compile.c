/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the translations and hands them to the MPI compiler. */
#include "translate.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1 };

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static const char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return !slash ? "." : slash == path ? "/" : tr_copy_text(path, (size_t) (slash - path));
}

static bool write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    bool good = out && fputs(text, out) >= 0;

    if (out && fclose(out) != 0) {
        good = false;
    }
    if (!good) {
        fprintf(stderr, "bamboocc: %s: %s\n", path, strerror(errno));
        if (out) {
            unlink(path); /* a part of it is worse than nothing */
        }
    }
    return good;
}

struct list {
    char **word;
    size_t n;
};

static void append(struct list *list, const char *word)
{
    list->word = tr_grow(list->word, list->n + 1, sizeof *list->word);
    if (list->n == 0) {
        list->word = tr_alloc(8 * sizeof *list->word);
    }
    list->word[list->n++] = (char *) word;
    list->word[list->n] = NULL;
}

static void append_words(struct list *list, const char *text)
{
    while (*(text += strspn(text, " \t\n"))) {
        size_t length = strcspn(text, " \t\n");

        append(list, tr_copy_text(text, length));
        text += length;
    }
}

static int run(const struct list *list)
{
    int status = 0;
    pid_t child;

    signal(SIGCHLD, SIG_DFL); /* ignored, as some parents leave it, the status would be lost */
    child = fork();

    if (child == 0) {
        execvp(list->word[0], list->word);
        fprintf(stderr, "bamboocc: %s cannot be started: %s\n", list->word[0], strerror(errno));
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        fprintf(stderr, "bamboocc: %s cannot be started: %s\n", list->word[0], strerror(errno));
        return FAILED;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? DONE : FAILED;
}

/* The options of every compilation come first, so that the user's overrule them. */
static void begin_command(struct list *list, const struct command *command)
{
    int i;

    append_words(list, setting("BAMBOO_CC", BAMBOO_CC));
    append(list, tr_format("-I%s", setting("BAMBOO_INCLUDE", BAMBOO_INCLUDE)));
    for (i = 0; i < command->n_compiler; i++) {
        append(list, command->compiler[i]);
    }
}

static int compile(const struct file *file, const char *folder, const struct command *command,
                   const char *object)
{
    struct list list = {0};

    begin_command(&list, command);
    append(&list, "-iquote");
    append(&list, folder_of(file->path));
    append(&list, "-c");
    append(&list, "-o");
    append(&list, object);
    append(&list, tr_format("%s/%s", folder, base_name(file->path)));
    return run(&list);
}

static int link_program(const struct program *program, const char *folder,
                        const struct command *command)
{
    struct list list = {0};
    size_t i;
    int j;

    append_words(&list, setting("BAMBOO_CC", BAMBOO_CC));
    append(&list, "-o");
    append(&list, command->output ? command->output : "a.out");
    for (i = 0; i < program->n_files; i++) {
        append(&list, tr_format("%s/%zu.o", folder, i));
    }
    for (j = 0; j < command->n_compiler; j++) {
        append(&list, command->compiler[j]);
    }
    append_words(&list, setting("BAMBOO_LIBS", BAMBOO_LIBS));
    return run(&list);
}

static const char *object_of(const struct file *file, const struct command *command)
{
    const char *name = base_name(file->path);
    size_t length = strlen(name);

    if (command->output) {
        return command->output;
    }
    return tr_format("%s.o", tr_copy_text(name, length > 2 && strcmp(name + length - 2, ".c") == 0
                                                    ? length - 2
                                                    : length));
}

static int compile_all(const struct program *program, const char *folder,
                       const struct command *command)
{
    size_t i;

    for (i = 0; i < program->n_files; i++) {
        const struct file *file = program->files[i];
        const char *object =
            command->compile_only ? object_of(file, command) : tr_format("%s/%zu.o", folder, i);

        if (compile(file, folder, command, object) != DONE) {
            return FAILED;
        }
    }
    return command->compile_only ? DONE : link_program(program, folder, command);
}

static bool write_all(const struct program *program, const char *folder)
{
    size_t i;

    for (i = 0; i < program->n_files; i++) {
        if (!write_text(tr_format("%s/%s", folder, base_name(program->files[i]->path)),
                        program->files[i]->translation)) {
            return false;
        }
    }
    return true;
}

/* ---- the folder of translations and objects ---- */

static char *scratch;
static struct file **translated;
static size_t n_translated;

/* At exit, which lack of memory may be the reason of: it takes none. */
static void remove_scratch(void)
{
    char path[PATH_MAX];
    size_t i;

    for (i = 0; i < n_translated; i++) {
        snprintf(path, sizeof path, "%s/%s", scratch, base_name(translated[i]->path));
        unlink(path);
        snprintf(path, sizeof path, "%s/%zu.o", scratch, i);
        unlink(path);
    }
    rmdir(scratch);
}

static bool make_scratch(const struct program *program)
{
    scratch = tr_format("%s/bamboocc.XXXXXX", setting("TMPDIR", "/tmp"));
    translated = program->files;
    n_translated = program->n_files;
    if (!mkdtemp(scratch)) {
        fprintf(stderr, "bamboocc: %s: %s\n", scratch, strerror(errno));
        return false;
    }
    atexit(remove_scratch); /* 32 functions have room without memory */
    return true;
}

/* The translations would overwrite each other, or the sources. */
static bool names_clash(const struct program *program, const struct command *command)
{
    size_t i, j;

    for (i = 0; i < program->n_files; i++) {
        const char *path = program->files[i]->path;
        struct stat source, target;

        for (j = 0; j < i; j++) {
            if (strcmp(base_name(program->files[j]->path), base_name(path)) == 0) {
                fprintf(stderr, "bamboocc: %s and %s: two files of the same name\n",
                        program->files[j]->path, path);
                return true;
            }
        }
        if (command->emit && stat(path, &source) == 0 &&
            stat(tr_format("%s/%s", command->emit, base_name(path)), &target) == 0 &&
            source.st_dev == target.st_dev && source.st_ino == target.st_ino) {
            fprintf(stderr, "bamboocc: --emit %s: would overwrite %s\n", command->emit, path);
            return true;
        }
    }
    return false;
}

int tr_finish(struct program *program, const struct command *command)
{
    if (names_clash(program, command)) {
        return FAILED;
    }
    if (command->emit) {
        if (mkdir(command->emit, 0777) != 0 && errno != EEXIST) {
            fprintf(stderr, "bamboocc: --emit %s: %s\n", command->emit, strerror(errno));
            return FAILED;
        }
        return write_all(program, command->emit) ? DONE : FAILED;
    }
    return make_scratch(program) && write_all(program, scratch)
               ? compile_all(program, scratch, command)
               : FAILED;
}
