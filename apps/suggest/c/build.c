/* SPDX-License-Identifier: BSD-3-Clause */
/* A build is watched by programs that stand before the compilers in PATH: each writes an entry of a
 * compilation database and becomes the compiler. */
#include "build.h"
#include "shared/spawn.h"
#include "tree.h"

#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What an MPI compiler starts comes before it, since it has all options. */
static const char wrapper[] =
    "#!/bin/sh\n"
    "name=${0##*/} here=${0%/*}\n"
    "rest= IFS=:\n"
    "for one in $PATH; do [ \"$one\" = \"$here\" ] || rest=${rest:+$rest:}$one; done\n"
    "unset IFS\n"
    "case $name in mpi*) order=2 ;; *) order=1 ;; esac\n"
    "quoted() { printf '%s' \"$1\" | sed 's/[\\\\\"]/\\\\&/g; 1s/^/\"/; $s/$/\"/'; }\n"
    "for source; do\n"
    "    case $source in -*) continue ;; *.c | *.cc | *.cpp | *.cxx | *.c++ | *.C) ;; *) continue "
    ";; esac\n"
    "    case $source in /*) ;; *) source=$PWD/$source ;; esac\n"
    "    [ -f \"$source\" ] || continue\n"
    "    {\n"
    "        printf '{\"directory\": %s, \"file\": %s, \"arguments\": [%s' \"$(quoted \"$PWD\")\" "
    "\"$(quoted \"$source\")\" "
    "\"$(quoted \"$name\")\"\n"
    "        for argument; do printf ', %s' \"$(quoted \"$argument\")\"; done\n"
    "        echo ']}'\n"
    "    } >>\"$here/$order.$$\"\n"
    "    printf '%s\\n' \"$source\" >>\"$here/file.$$\"\n"
    "done\n"
    "case $name in mpi*) ;; *) PATH=$rest ;; esac\n"
    "real=$(PATH=$rest command -v \"$name\") || { echo \"$name: not found\" >&2; exit 127; }\n"
    "exec \"$real\" \"$@\"\n";

static const char *const compilers[] = {
    "cc",   "c99",   "gcc",    "clang",  "c++",   "g++",    "clang++", "icx",
    "icpx", "mpicc", "mpicxx", "mpic++", "mpiCC", "gcc-12", "gcc-13",  "gcc-14",
};

/* The directory with a wrapper for each compiler; NULL after a message. */
static char *make_directory(void)
{
    const char *temporary = getenv("TMPDIR");
    char *directory =
        c_printed("%s/dame-suggest.XXXXXX", temporary && *temporary ? temporary : "/tmp");
    char *script;
    FILE *file;
    size_t i;
    bool fine;

    if (!mkdtemp(directory)) {
        fprintf(stderr, "dame suggest: %s: %s\n", directory, strerror(errno));
        free(directory);
        return NULL;
    }
    script = c_printed("%s/.wrapper", directory);
    file = fopen(script, "w");
    fine = file && fputs(wrapper, file) >= 0;
    fine = file && fclose(file) == 0 && fine && chmod(script, 0700) == 0;
    for (i = 0; fine && i < sizeof compilers / sizeof *compilers; i++) {
        char *link = c_printed("%s/%s", directory, compilers[i]);

        fine = symlink(".wrapper", link) == 0;
        free(link);
    }
    free(script);
    if (!fine) {
        fprintf(stderr, "dame suggest: %s: %s\n", directory, strerror(errno));
        build_free(directory, NULL, 0);
        return NULL;
    }
    return directory;
}

/* Runs the command with the directory first in PATH, its output on stderr. false after a message.
 */
static bool run_build(const char *directory, char *const *command)
{
    const char *before = getenv("PATH");
    char *path = c_printed("%s:%s", directory, before ? before : "/usr/bin:/bin");
    int status, error;

    setenv("PATH", path, 1);
    free(path);
    error = spawn_run((const char *const *) command, -1, STDERR_FILENO, -1, &status);
    if (before) {
        setenv("PATH", before, 1);
    }
    if (error) {
        fprintf(stderr, "dame suggest: %s: %s\n", command[0], strerror(error));
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "dame suggest: %s failed; what it compiled before is analysed\n",
                command[0]);
    }
    return true;
}

/* Calls EACH for all lines of the files of that pattern, without line ends. */
static void each_line(const char *directory, const char *pattern,
                      void (*each)(void *data, const char *line), void *data)
{
    char *path = c_printed("%s/%s", directory, pattern), *line = NULL;
    size_t room = 0, i;
    glob_t found;

    if (glob(path, 0, NULL, &found) == 0) {
        for (i = 0; i < found.gl_pathc; i++) {
            FILE *file = fopen(found.gl_pathv[i], "r");

            while (file && getline(&line, &room, file) > 0) {
                line[strcspn(line, "\n")] = '\0';
                each(data, line);
            }
            if (file) {
                fclose(file);
            }
        }
        globfree(&found);
    }
    free(line);
    free(path);
}

static void write_entry(void *file, const char *line)
{
    fprintf(file, "%s%s", ftell(file) > 1 ? ",\n" : "", line);
}

typedef struct list {
    char **file;
    int n;
} list_t;

/* Relative to here where it is below. */
static void add_file(void *data, const char *line)
{
    list_t *list = data;
    char *here = getcwd(NULL, 0), *whole = realpath(line, NULL);
    size_t length = here ? strlen(here) : 0;
    const char *path;
    int i;

    if (whole) {
        path = here && strncmp(whole, here, length) == 0 && whole[length] == '/'
                   ? whole + length + 1
                   : whole;
        for (i = 0; i < list->n && strcmp(list->file[i], path) != 0; i++) {
        }
        if (i == list->n) {
            list->file = c_resize(list->file, i + 1, sizeof *list->file);
            list->file[list->n++] = c_checked(strdup(path));
        }
    }
    free(whole);
    free(here);
}

char *build_watch(char *const *command, char ***files, int *n)
{
    char *directory = make_directory(), *path;
    list_t list = {0};
    FILE *database;

    if (!directory) {
        return NULL;
    }
    if (!run_build(directory, command)) {
        build_free(directory, NULL, 0);
        return NULL;
    }
    path = c_printed("%s/compile_commands.json", directory);
    database = fopen(path, "w");
    if (database) {
        fputc('[', database);
        each_line(directory, "[12].*", write_entry, database);
        fputs("]\n", database);
        fclose(database);
    }
    free(path);
    each_line(directory, "file.*", add_file, &list);
    *files = list.file;
    *n = list.n;
    if (!database || list.n == 0) {
        fprintf(stderr,
                "dame suggest: %s compiled nothing that was seen: clean the build first; compilers "
                "with a path of their own are "
                "not seen (then: -p BUILD, with its compile_commands.json)\n",
                command[0]);
        build_free(directory, list.file, list.n);
        return NULL;
    }
    return directory;
}

void build_free(char *directory, char **files, int n)
{
    static const char *const patterns[] = {"*", ".wrapper"};
    size_t i, j;
    glob_t found;

    for (i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char *path = c_printed("%s/%s", directory, patterns[i]);

        if (glob(path, 0, NULL, &found) == 0) {
            for (j = 0; j < found.gl_pathc; j++) {
                unlink(found.gl_pathv[j]);
            }
            globfree(&found);
        }
        free(path);
    }
    rmdir(directory);
    free(directory);
    for (; n > 0; n--) {
        free(files[n - 1]);
    }
    free(files);
}
