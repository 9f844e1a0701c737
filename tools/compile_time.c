#include "compile_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double) time.tv_sec + (double) time.tv_nsec;
}

/* Optimises and compiles, then throws all away. *ns is 0 when it was not compiled. */
static dame_status_t time_one(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                              double *ns)
{
    dame_program_t *optimised;
    dame_status_t status = dame_program_optimise(program, NULL, &optimised);
    if (status != DAME_OK) {
        return status;
    }
    const double start = now_ns();
    status = dame_jit_compile(jit, optimised, dir, NULL);
    *ns = status == DAME_OK ? now_ns() - start : 0;
    dame_jit_release(jit, optimised);
    dame_program_free(optimised);
    return status == DAME_ERR_NOMEM ? status : DAME_OK;
}

static void first_child(const dame_jit_options_t *options, const dame_program_t *program,
                        dame_dir_t dir, int to_parent)
{
    dame_jit_t *jit;
    double ns = 0;
    now_ns(); /* the first call is a slow one */
    if (dame_jit_create(options, &jit) != DAME_OK || time_one(jit, program, dir, &ns) != DAME_OK) {
        _exit(1);
    }
    _exit(write(to_parent, &ns, sizeof(ns)) != sizeof(ns));
}

int compile_time_first(const dame_jit_options_t *options, const dame_program_t *program,
                       dame_dir_t dir, double *ns)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return tool_error(TOOL_SYSTEM, "compile: pipe: %s", strerror(errno));
    }
    const pid_t child = fork();
    if (child == 0) {
        first_child(options, program, dir, ends[1]);
    }
    close(ends[1]);
    int status = 0;
    const int complete = child > 0 && read(ends[0], ns, sizeof(*ns)) == sizeof(*ns);
    close(ends[0]);
    if (child > 0) {
        waitpid(child, &status, 0);
    }
    return complete ? TOOL_OK
                    : tool_error(TOOL_SYSTEM, "compile: a process to compile in has failed");
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;
    return (x > y) - (x < y);
}

int compile_time_others(dame_jit_t *jit, const dame_program_t *program, dame_dir_t dir,
                        int64_t repeats, compile_time_t *out)
{
    double *ns = calloc((size_t) repeats, sizeof(*ns));
    dame_status_t status = ns != NULL ? DAME_OK : DAME_ERR_NOMEM;
    for (int64_t i = 0; status == DAME_OK && i < repeats; i++) {
        status = time_one(jit, program, dir, &ns[i]);
    }
    if (status == DAME_OK) {
        qsort(ns, (size_t) repeats, sizeof(*ns), compare);
        out->median_ns = ns[repeats / 2];
        out->worst_ns = ns[repeats - 1];
    }
    free(ns);
    return status == DAME_OK ? TOOL_OK : tool_status_error("compile", status);
}
