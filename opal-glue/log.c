#include "log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi/abi.h"

enum { LONGEST = 1024 };

static int stream = -1;

void dt_log_start(int output)
{
    stream = output;
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
    const long number = NULL == text ? 0 : strtol(text, &end, 10);
    return NULL == end || end == text || '\0' != *end ? fallback : number;
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
    while (first < rank && NULL != sizes) {
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

/* mpirun sets the first of these, PMIx and PMI servers the others. */
static bool speaks_for_job(void)
{
    const long rank = from_environment(
        "OMPI_COMM_WORLD_RANK", from_environment("PMIX_RANK", from_environment("PMI_RANK", 0)));
    return is_first_of_a_program(rank);
}

static bool speaks_for_node(void)
{
    return 0 == from_environment(
                    "OMPI_COMM_WORLD_LOCAL_RANK",
                    from_environment("SLURM_LOCALID", from_environment("PMI_LOCAL_RANK", 0)));
}

/* ---- Showing it ----------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 0))) static void show(bool always, const char *format,
                                                       va_list args)
{
    char text[LONGEST];
    (void) vsnprintf(text, sizeof(text), format, args);
    if (always) {
        opal_output(0, "dt:dame: %s", text);
    } else if (opal_output_get_verbosity(stream) >= DT_LOG_SETUP) {
        opal_output(stream, "dt:dame: %s", text);
    }
}

void dt_log(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show(false, format, args);
    va_end(args);
}

void dt_log_once_a_node(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show(speaks_for_node(), format, args);
    va_end(args);
}

void dt_log_once_a_job(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show(speaks_for_job(), format, args);
    va_end(args);
}
