/* SPDX-License-Identifier: BSD-3-Clause */
/* A program as C: what follows play.h and play*.c in one file. */
#include <inttypes.h>

#include "make.h"

static void print_words(FILE *out, const char *name, int i, const int64_t *words, int64_t n)
{
    fprintf(out, "static const int64_t %s_%d[] = {", name, i);
    for (int64_t k = 0; k < n; k++) {
        fprintf(out, "%s%" PRId64 ",", k % 16 ? " " : "\n    ", words[k]);
    }
    fprintf(out, "%s};\n", n == 0 ? "0" : "\n");
}

static void print_shape(FILE *out, const shape_t *s, int i)
{
    fprintf(out,
            "        {.recipe = recipe_%d, .nrecipe = %" PRId64
            ", .runs = runs_%d, .nruns = %" PRId64 ",\n         .size = %" PRId64 ", .lb = %" PRId64
            ", .extent = %" PRId64 ", .true_lb = %" PRId64 ", .true_ub = %" PRId64
            ", .send_only = %d},\n",
            i, s->nrecipe, i, s->nruns, s->size, s->lb, s->extent, s->true_lb, s->true_ub,
            s->send_only);
}

void print_program(FILE *out, const program_t *program, uint64_t mask, const char *name)
{
    fprintf(out, "\n/* ---- the program %s ---- */\n\n", name);
    for (int i = 0; i < program->nshapes; i++) {
        const shape_t *s = &program->shapes[i];
        print_words(out, "recipe", i, s->recipe, s->nrecipe);
        print_words(out, "runs", i, s->runs, 2 * s->nruns);
    }
    fprintf(out, "\nstatic const program_t program = {\n    .nbasics = %d, .basics = {",
            program->nbasics);
    for (int i = 0; i < program->nbasics; i++) {
        fprintf(out, "%d,", program->basics[i]);
    }
    fprintf(out, "},\n    .nshapes = %d, .shapes = {\n", program->nshapes);
    for (int i = 0; i < program->nshapes; i++) {
        print_shape(out, &program->shapes[i], i);
    }
    fprintf(out, "    },\n    .nsteps = %d, .steps = {\n", program->nsteps);
    for (int i = 0; i < program->nsteps; i++) {
        const step_t *s = &program->steps[i];
        fprintf(out, "        {\"%s\", %" PRIu64 "u, %d, %d, %d, %d},%s\n", s->op, s->seed, s->a,
                s->b, s->count, s->rounds, mask >> i & 1 ? "" : " /* not run */");
    }
    fprintf(out,
            "    },\n};\n\nint main(int argc, char **argv)\n{\n    int provided;\n"
            "    MPI_Init_thread(&argc, &argv, %s, &provided);\n"
            "    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);\n"
            "    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);\n"
            "    rules = (rules_t){.directory = \".\", .windows = \"%s\", .truncate = %d, .matched "
            "= %d, .persistent = %d, .threads = %d, .displaced = %d, "
            ".forks = %d};\n"
            "    const long differences = play(&program, 0x%" PRIx64 "u, \"%s\");\n"
            "    MPI_Finalize();\n    return differences > 0;\n}\n",
            rules.threads ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SINGLE", rules.windows,
            rules.truncate, rules.matched, rules.persistent, rules.threads, rules.displaced,
            rules.forks, mask, name);
}
