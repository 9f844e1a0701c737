/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "opal-glue/abi/abi.h"
#include "base/lock.h"
#include "name.h"

enum { LONGEST = 1024 };

static int stream = -1;

static const int quiet;
const int *dt_log_verbosity = &quiet;

void dt_log_start(int output, const int *verbosity)
{
    stream = output;
    dt_log_verbosity = verbosity;
}

int dt_log_stream(void)
{
    return stream;
}

/* ---- Who shows it --------------------------------------------------------------------------- */

/* The number in a variable of the environment, or `fallback`. */
static long from_environment(const char *variable, long fallback)
{
    const char *text = getenv(variable);
    char *end = NULL;
    const long number = text == NULL ? 0 : strtol(text, &end, 10);
    return end == NULL || end == text || *end != '\0' ? fallback : number;
}

/*
 * Is it the first rank of one of the programs that mpirun was given, as in "mpirun A : B"? Each may
 * have an environment, and so parameters, of its own. OMPI_APP_CTX_NUM_PROCS has their sizes, as
 * "2 4".
 */
static bool is_first_of_a_program(long rank)
{
    const char *sizes = getenv("OMPI_APP_CTX_NUM_PROCS");
    long first = 0;
    while (first < rank && sizes != NULL) {
        char *end;
        const long size = strtol(sizes, &end, 10);
        if (end == sizes || size < 0) {
            return false;
        }
        first += size;
        sizes = end;
    }
    return first == rank;
}

/* In MPI_COMM_WORLD. mpirun sets the first of these, PMIx and PMI servers the others. */
static long rank_of_process(void)
{
    return from_environment("OMPI_COMM_WORLD_RANK",
                            from_environment("PMIX_RANK", from_environment("PMI_RANK", 0)));
}

bool dt_log_speaks_for_node(void)
{
    return from_environment(
               "OMPI_COMM_WORLD_LOCAL_RANK",
               from_environment("SLURM_LOCALID", from_environment("PMI_LOCAL_RANK", 0))) == 0;
}

/* ---- Showing it ----------------------------------------------------------------------------- */

enum { ALWAYS = 0 };

/*
 * A line as opal_output() writes it. Any thread may be the first to use a datatype, one with the
 * smallest stack too; opal_output() takes 8 KiB of it.
 */
__attribute__((format(printf, 2, 0))) static void put(const char *who, const char *format,
                                                      va_list args)
{
    char text[LONGEST];
    char host[HOST_NAME_MAX + 1] = "";
    (void) gethostname(host, sizeof(host) - 1);
    int used =
        snprintf(text, sizeof(text) - 1, "[%s:%05ld] dt:dame: %s", host, (long) getpid(), who);
    used += vsnprintf(text + used, sizeof(text) - 1 - (size_t) used, format, args);
    used = used < LONGEST - 2 ? used : LONGEST - 2; /* without the null that ends it */
    text[used++] = '\n';
    const int cancel_state = dame_cancel_defer();
    (void) !write(STDERR_FILENO, text, (size_t) used);
    dame_cancel_restore(cancel_state);
}

/* From the verbosity `level` on. Lines that every rank prints name the rank. */
__attribute__((format(printf, 2, 0))) static void show(int level, const char *format, va_list args)
{
    if (level == ALWAYS) {
        put("", format, args);
    } else if (dt_log_wants((dt_log_level_t) level)) {
        char rank[32];
        (void) snprintf(rank, sizeof(rank), "rank %ld: ", rank_of_process());
        put(rank, format, args);
    }
}

void dt_log(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show(DT_LOG_SETUP, format, args);
    va_end(args);
}

void dt_log_of(dt_log_level_t level, const char *name, const char *format, ...)
{
    enum { ROOM = 384, NAME_ROOM = 128 };
    char text[ROOM];
    char plain[NAME_ROOM];
    va_list args;
    if (!dt_log_wants(level)) {
        return;
    }
    int used = snprintf(text, ROOM / 2, "dt:dame: rank %ld: %s: ", rank_of_process(),
                        *name == '\0' ? "a datatype without a name"
                                      : dt_name_text(name, plain, sizeof(plain)));
    used = used < ROOM / 2 ? used : ROOM / 2 - 1;
    va_start(args, format);
    used += vsnprintf(text + used, (size_t) (ROOM - used), format, args);
    va_end(args);
    used = used < ROOM ? used : ROOM - 1;
    text[used++] = '\n';
    const int cancel_state = dame_cancel_defer();
    (void) !write(STDERR_FILENO, text, (size_t) used);
    dame_cancel_restore(cancel_state);
}

void dt_log_once_a_node(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show(dt_log_speaks_for_node() ? ALWAYS : DT_LOG_SETUP, format, args);
    va_end(args);
}

void dt_log_once_a_job(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show(is_first_of_a_program(rank_of_process()) ? ALWAYS : DT_LOG_SETUP, format, args);
    va_end(args);
}

void dt_log_state(bool always, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (is_first_of_a_program(rank_of_process()) && (always || dt_log_wants(DT_LOG_STATE))) {
        show(ALWAYS, format, args);
    }
    va_end(args);
}
