/* SPDX-License-Identifier: BSD-3-Clause */
/* What a linked program calls by name: MPI's functions that tasks cannot call, the C library's
 * hidden state, and libraries that call MPI themselves. */
#include "compile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "shared/mpi/functions.h"

static const struct {
    const char *name, *instead;
} states[] = {
#define STATE(name, instead) {#name, instead},
#include "libc.def"
};

static void refuse(const char *what, refusal_t refusal)
{
    fprintf(stderr, "bamboocc: %s: %s [B%d]\n", what, tr_meaning(refusal), (int) refusal);
}

static const char *advice(const char *name)
{
    static const struct {
        const char *begins, *instead;
    } calls[] = {{"MPI_Win_", "messages"},
                 {"MPI_Put", "messages"},
                 {"MPI_Get", "messages"},
                 {"MPI_Accumulate", "messages"},
                 {"MPI_File_i", "the call without i"},
                 {"MPI_File_", "MPI_File_write_at() with an offset for each rank, and its like"},
                 {"MPI_I", "the call without I: other tasks run while it waits"},
                 {"MPI_M", "MPI_Probe() and MPI_Recv()"},
                 {"PMPI_", "the name that begins with MPI_"}};
    size_t i;

    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strncmp(name, calls[i].begins, strlen(calls[i].begins)) == 0) {
            return tr_format("'%s'; instead: %s", name, calls[i].instead);
        }
    }
    return tr_format("'%s'", name);
}

/* The names that an object uses and others define, each with a newline; NULL after a message. */
static const char *undefined_names(const char *object)
{
    /* NOLINTNEXTLINE(cert-env33-c): the path is quoted */
    FILE *names = popen(tr_format("nm -D -P --undefined-only '%s'", object), "r");
    text_t text = {0};
    char line[4096];

    tr_add(&text, "\n");
    while (names && fgets(line, sizeof line, names)) {
        size_t length = strcspn(line, " @\n"); /* without its version */

        tr_add(&text, "%.*s\n", (int) length, line);
    }
    if (!names || pclose(names) != 0) {
        fprintf(stderr, "bamboocc: nm cannot read %s: %s\n", object, strerror(errno));
        return NULL;
    }
    return text.at;
}

static bool check_mpi(const char *names)
{
    const char *name;
    bool good = true;

    for (name = names; (name = strchr(name, '\n')) != NULL && *++name;) {
        size_t length = strcspn(name, "\n");
        const char *word = tr_copy_text(name, length);

        if ((strncmp(word, "MPI_", 4) == 0 || strncmp(word, "PMPI_", 5) == 0 ||
             strncmp(word, "MPIX_", 5) == 0) &&
            mpi_function(word)->task != TASK_PASSES) {
            refuse(advice(word), REFUSE_MPI);
            good = false;
        }
    }
    return good;
}

static bool check_states(const char *names)
{
    bool good = true;
    size_t i;

    for (i = 0; i < sizeof states / sizeof *states; i++) {
        if (strstr(names, tr_format("\n%s\n", states[i].name))) {
            refuse(tr_format("'%s'; instead: %s", states[i].name, states[i].instead), REFUSE_STATE);
            good = false;
        }
    }
    return good;
}

/* MPI's own libraries call MPI, and so does the runtime. */
static bool may_call_mpi(const char *path)
{
    const char *name = strrchr(path, '/');

    name = name ? name + 1 : path;
    return strncmp(name, "libmpi", 6) == 0 || strncmp(name, "libpmpi", 7) == 0 ||
           strncmp(name, "libopen", 7) == 0 || strncmp(name, "libbamboo", 9) == 0;
}

static bool check_libraries(const char *object)
{
    /* NOLINTNEXTLINE(cert-env33-c): the path is quoted */
    FILE *libraries = popen(tr_format("ldd '%s' 2>/dev/null", object), "r");
    char line[4096];
    bool good = true;

    while (libraries && fgets(line, sizeof line, libraries)) {
        char *path = strstr(line, "=> /"), *end = path ? strstr(path, " (") : NULL;
        const char *names;

        if (!path || !end || may_call_mpi(tr_copy_text(path + 3, (size_t) (end - path - 3)))) {
            continue;
        }
        path = tr_copy_text(path + 3, (size_t) (end - path - 3));
        names = undefined_names(path);
        if (names && strstr(names, "\nMPI_")) {
            refuse(tr_format("'%s'", path), REFUSE_LIBRARY);
            good = false;
        }
    }
    if (libraries) {
        pclose(libraries);
    }
    return good;
}

bool tr_check_symbols(const char *object)
{
    const char *names = undefined_names(object);
    bool good = names != NULL;

    good = good && check_mpi(names);
    good = names && check_states(names) && good;
    return check_libraries(object) && good;
}
