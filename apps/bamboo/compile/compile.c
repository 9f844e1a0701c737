/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls the MPI compiler. A program is linked as a shared object, of which each task gets a copy,
 * and that object becomes part of an executable that starts the tasks. */
#include "compile.h"

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

/* ---- commands ---- */

typedef struct list {
    char **word;
    size_t n;
} list_t;

static void append(list_t *list, const char *word)
{
    list->word = tr_grow(list->word, list->n + 1, sizeof *list->word);
    if (list->n == 0) {
        list->word = tr_alloc(8 * sizeof *list->word);
    }
    list->word[list->n++] = (char *) word;
    list->word[list->n] = NULL;
}

static void append_words(list_t *list, const char *text)
{
    while (*(text += strspn(text, " \t\n"))) {
        size_t length = strcspn(text, " \t\n");

        append(list, tr_copy_text(text, length));
        text += length;
    }
}

static int run_command(const list_t *list)
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

/* ---- files that are made on the way ---- */

static const char *scratch;
static const char *made[64];
static size_t n_made;

/* At exit, which lack of memory may be the reason of: it takes none. */
static void remove_scratch(void)
{
    while (n_made > 0) {
        unlink(made[--n_made]);
    }
    rmdir(scratch);
}

static bool make_scratch(void)
{
    char *folder = tr_format("%s/bamboocc.XXXXXX", setting("TMPDIR", "/tmp"));

    scratch = folder;
    if (!mkdtemp(folder)) {
        fprintf(stderr, "bamboocc: %s: %s\n", folder, strerror(errno));
        return false;
    }
    atexit(remove_scratch); /* 32 functions have room without memory */
    return true;
}

/* A name for a file that goes when the process ends. */
static const char *scratch_file(const char *name)
{
    const char *path = tr_format("%s/%s", scratch, name);

    if (n_made == sizeof made / sizeof *made) {
        fprintf(stderr, "bamboocc: --reorder: more than %zu files\n", n_made - 4);
        exit(FAILED);
    }
    return made[n_made++] = path;
}

/* ---- compiling ---- */

/* What directives say of places, as a function that runs when the program is loaded. NULL: they
 * say nothing. */
static const char *places(const program_t *program)
{
    text_t text = {0};
    size_t i, j;

    tr_add(&text, "#pragma GCC diagnostic ignored \"-Wunknown-pragmas\"\n"
                  "__attribute__((constructor)) static void bamboo_places_(void)\n{\n");
    if (program->dimensions > 0) {
        tr_add(&text, "    bamboo_geometry(%d);\n", program->dimensions);
    }
    for (i = 0; i < program->n_directives; i++) {
        const directive_t *directive = program->directives[i];

        for (j = 0; j < directive->n_layouts; j++) {
            tr_add(&text, "    bamboo_layout(%s, %d);\n", directive->layouts[j].name,
                   directive->layouts[j].dimension);
        }
    }
    tr_add(&text, "}\n");
    return program->n_directives > 0 ? text.at : NULL;
}

static const file_t *reordered(const program_t *program, const char *path)
{
    size_t i;

    for (i = 0; i < program->n_files; i++) {
        if (program->files[i]->reordered && strcmp(program->files[i]->path, path) == 0) {
            return program->files[i];
        }
    }
    return NULL;
}

/* The MPI compiler with the user's words, which see the header of tasks first. */
static bool begin_command(list_t *list, const program_t *program, const command_t *command)
{
    const char *include = setting("BAMBOO_INCLUDE", BAMBOO_INCLUDE), *constructor = places(program);
    int i;

    append_words(list, setting("BAMBOO_CC", BAMBOO_CC));
    append(list, tr_format("-I%s", include));
    append(list, "-include");
    append(list, tr_format("%s/bamboo_mpi.h", include));
    if (constructor) {
        const char *path = scratch_file("places.h");

        append(list, "-include");
        append(list, path);
        if (!write_text(path, constructor)) {
            return false;
        }
    }
    for (i = 0; i < command->n_words; i++) {
        const file_t *file = reordered(program, command->word[i]);

        if (file) {
            const char *path = scratch_file(tr_format("%d_%s", i, base_name(file->path)));

            append(list, "-iquote");
            append(list, folder_of(file->path));
            append(list, path);
            if (!write_text(path, file->reordered)) {
                return false;
            }
        } else if (strcmp(command->word[i], "-pie") != 0 &&
                   strcmp(command->word[i], "-no-pie") != 0) {
            append(list, command->word[i]);
        }
    }
    append(list, "-fPIC");
    return true;
}

static int compile_only(const program_t *program, const command_t *command)
{
    list_t list = {0};

    if (!begin_command(&list, program, command)) {
        return FAILED;
    }
    if (command->output) {
        append(&list, "-o");
        append(&list, command->output);
    }
    return run_command(&list);
}

/* ---- linking ---- */

static bool is_for_both(const char *word)
{
    return strncmp(word, "-fsanitize", 10) == 0 || strcmp(word, "-g") == 0 ||
           strcmp(word, "-pthread") == 0 || strcmp(word, "-fopenmp") == 0;
}

/* Sanitizers' functions come from the executable. */
static bool is_sanitized(const command_t *command)
{
    int i;

    for (i = 0; i < command->n_words; i++) {
        if (strncmp(command->word[i], "-fsanitize", 10) == 0) {
            return true;
        }
    }
    return false;
}

static int link_object(const program_t *program, const command_t *command, const char *object)
{
    list_t list = {0};

    if (!begin_command(&list, program, command)) {
        return FAILED;
    }
    append(&list, "-shared");
    append(&list, "-Wl,-Bsymbolic");
    append(&list, "-Wl,-u,bamboo_program");
    if (!is_sanitized(command)) {
        append(&list, "-Wl,-z,defs");
    }
    append(&list, "-o");
    append(&list, object);
    append_words(&list, setting("BAMBOO_LIBS", BAMBOO_LIBS));
    return run_command(&list);
}

static int link_executable(const command_t *command, const char *object)
{
    const char *source = scratch_file("start.c");
    list_t list = {0};
    int i;

    if (!write_text(source, tr_format("#include \"bamboo.h\"\n"
                                      "__asm__(\".section .rodata\\n"
                                      ".balign 64\\n"
                                      "bamboo_image: .incbin \\\"%s\\\"\\n"
                                      "bamboo_image_end:\\n"
                                      ".previous\");\n"
                                      "extern const char image[] __asm__(\"bamboo_image\");\n"
                                      "extern const char end[] __asm__(\"bamboo_image_end\");\n"
                                      "int main(int argc, char **argv)\n"
                                      "{\n"
                                      "    return bamboo_run_image(argc, argv, image,\n"
                                      "                            (size_t) (end - image));\n"
                                      "}\n",
                                      object))) {
        return FAILED;
    }
    append_words(&list, setting("BAMBOO_CC", BAMBOO_CC));
    append(&list, tr_format("-I%s", setting("BAMBOO_INCLUDE", BAMBOO_INCLUDE)));
    append(&list, source);
    append(&list, "-o");
    append(&list, command->output ? command->output : "a.out");
    for (i = 0; i < command->n_words; i++) {
        if (is_for_both(command->word[i])) {
            append(&list, command->word[i]);
        }
    }
    append_words(&list, setting("BAMBOO_LIBS", BAMBOO_LIBS));
    return run_command(&list);
}

static int link_program(const program_t *program, const command_t *command)
{
    const char *object = scratch_file("program.so");

    if (link_object(program, command, object) != DONE || !tr_check_symbols(object)) {
        return FAILED;
    }
    return link_executable(command, object);
}

/* ---- --emit ---- */

/* Files would overwrite each other, or the sources. */
static bool names_clash(const program_t *program, const command_t *command)
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
        if (stat(path, &source) == 0 &&
            stat(tr_format("%s/%s", command->emit, base_name(path)), &target) == 0 &&
            source.st_dev == target.st_dev && source.st_ino == target.st_ino) {
            fprintf(stderr, "bamboocc: --emit %s: would overwrite %s\n", command->emit, path);
            return true;
        }
    }
    return false;
}

static int emit(const program_t *program, const command_t *command)
{
    size_t i;

    if (names_clash(program, command)) {
        return FAILED;
    }
    if (mkdir(command->emit, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "bamboocc: --emit %s: %s\n", command->emit, strerror(errno));
        return FAILED;
    }
    for (i = 0; i < program->n_files; i++) {
        const file_t *file = program->files[i];

        if (!write_text(tr_format("%s/%s", command->emit, base_name(file->path)),
                        file->reordered ? file->reordered : file->text)) {
            return FAILED;
        }
    }
    return DONE;
}

int tr_compile(const program_t *program, const command_t *command)
{
    if (command->emit) {
        return emit(program, command);
    }
    if (!make_scratch()) {
        return FAILED;
    }
    return command->links ? link_program(program, command) : compile_only(program, command);
}
