/*
 * The face of opal-glue/: all that other rooms include of it.
 *
 * DAME inside Open MPI: from start to stop, DAME's programs move the data of convertors whose data
 * is not contiguous. One start and one stop a process, by the thread that is in MPI_Init or
 * MPI_Finalize. Unless noted, the other functions may be called by any thread, also before the
 * start and after the stop, and the texts that they return have static storage.
 */
#ifndef DT_GLUE_H
#define DT_GLUE_H

#include <stdbool.h>
#include <stdint.h>

#include "dame/options.h"
#include "jit/jit.h"

/* ---- Start and stop ------------------------------------------------------------------------- */

typedef struct dt_promote_options {
    int32_t threshold;      /* the use that compiles, 1 being the first; 0: nothing is compiled */
    dame_jit_options_t jit; /* its strings are the caller's, and stay until dt_glue_stop() */
    bool code_files;        /* write machine code to files beside those of `dump` */
} dt_promote_options_t;

typedef struct dt_glue_options {
    dame_options_t program;         /* how programs are built */
    dt_promote_options_t promotion; /* when programs are compiled, and how */
    bool verify;                    /* compare every fragment with Open MPI's own engine */
    bool times;                     /* take the time of every fragment */
    const char *dump;     /* directory for the programs of datatypes, or NULL: not written. The
                             caller's, until dt_glue_start() returns */
    int dump_limit;       /* most datatypes that are written */
    int output;           /* opal_output stream for messages; open until dt_glue_stop() */
    const int *verbosity; /* may change; until dt_glue_stop() */
} dt_glue_options_t;

/* False, with one message on the output stream, when DAME cannot work here; then nothing was
 * changed and Open MPI's own engine does everything. */
bool dt_glue_start(const dt_glue_options_t *options);

/* Leaves every function pointer as it was found and frees everything. */
void dt_glue_stop(void);

/* Is the running Open MPI the one we were compiled for? False, with a message once a job, when it
 * is not: then nothing of its internals may be touched. */
bool dt_version_agrees(void);

struct mca_base_framework_t;

/* Makes ompi_info show a framework, if that is the program we are in. Both live as long as the
 * process. Once a process. */
void dt_info_show(const char *name, struct mca_base_framework_t *framework);

/* ---- Counters ------------------------------------------------------------------------------- */

typedef enum dt_counter {
#define DT_COUNTER(name, unit, description) DT_COUNT_##name,
#include "stats.def"
#undef DT_COUNTER
    DT_COUNTERS
} dt_counter_t;

/* Why a datatype or a message is left to Open MPI's own engine. */
typedef enum dt_decline {
    DT_DECLINE_NONE,
#define DT_DECLINE(name, description) DT_DECLINE_##name,
#include "decline.def"
#undef DT_DECLINE
    DT_DECLINES
} dt_decline_t;

/* Sums over all threads, living and gone. */
int64_t dt_stats_total(dt_counter_t counter);
int64_t dt_stats_declined(dt_decline_t reason);

/* The first limit that a datatype exceeded; all zero: none has. */
dame_limit_t dt_stats_limit(void);

const char *dt_counter_name(dt_counter_t counter);
const char *dt_counter_description(dt_counter_t counter);
const char *dt_decline_name(dt_decline_t reason); /* as in decline.def: UPPER_CASE */
const char *dt_decline_text(dt_decline_t reason);

/* Is the reason decided for each message? Otherwise it is decided once for a datatype. */
static inline bool dt_decline_is_of_message(dt_decline_t reason)
{
    return reason >= DT_DECLINE_HETEROGENEOUS;
}

/* Facts about compiled programs. */
typedef enum dt_code_stat {
#define DT_CODE_STAT(name, class, description, value) DT_CODE_##name,
#include "promote.def"
#undef DT_CODE_STAT
    DT_CODE_STATS
} dt_code_stat_t;

int64_t dt_code_stat(dt_code_stat_t stat); /* by now */
const char *dt_code_stat_name(dt_code_stat_t stat);
const char *dt_code_stat_description(dt_code_stat_t stat);
bool dt_code_stat_is_level(dt_code_stat_t stat); /* what is there now; otherwise it counts up */

/* The vectors that machine code uses, see dame_jit_stats_t. */
const char *dt_code_vectors(void);

/* ---- Messages ------------------------------------------------------------------------------- */

/* Verbosity (parameter verbose) from which on messages are shown that not everybody needs. */
typedef enum dt_log_level {
    DT_LOG_STATE = 1,    /* is DAME on? One line a job */
    DT_LOG_TYPES = 5,    /* datatypes imported, and declined with the reason */
    DT_LOG_SETUP = 10,   /* what is set up; programs compiled */
    DT_LOG_MESSAGES = 20 /* every message, and who moves it */
} dt_log_level_t;

/*
 * A message that every process of a node, or of a job, would print. One process prints it at any
 * verbosity, the others only from DT_LOG_SETUP on. Works before MPI_Init knows ranks: the
 * launcher's environment gives them. Without a launcher, the process prints it.
 */
__attribute__((format(printf, 1, 2))) void dt_log_once_a_node(const char *format, ...);
__attribute__((format(printf, 1, 2))) void dt_log_once_a_job(const char *format, ...);

/* Whether DAME is on: one process of a job prints it, `always` or from DT_LOG_STATE on. */
__attribute__((format(printf, 2, 3))) void dt_log_state(bool always, const char *format, ...);

/* Why no file can be made in a directory, as an error number; 0: nothing is known to prevent it. */
int dt_directory_error(const char *path);

#endif
