/*
 * The face of opal-glue/: all that other rooms include of it.
 *
 * DAME inside Open MPI: from start to stop, DAME's programs move the data of convertors whose data
 * is not contiguous. One start and one stop a process, by the thread that is in MPI_Init (or in the
 * call that starts late) or MPI_Finalize. Unless noted, the other functions may be called by any
 * thread, also before the start and after the stop, and the texts that they return have static
 * storage.
 */
#ifndef DT_GLUE_H
#define DT_GLUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dame/options.h"
#include "jit/jit.h"

/* ---- Start and stop ------------------------------------------------------------------------- */

/* When LLVM compiles what the code cache does not have. */
typedef enum dt_llvm_compile {
    DT_LLVM_NEVER,
    DT_LLVM_BACKGROUND, /* in a thread of its own, when that is expected to pay */
    DT_LLVM_NOW         /* in the message that wants it, for tests */
} dt_llvm_compile_t;

typedef struct dt_promote_options {
    int32_t threshold; /* the use that compiles, 1 being the first; 0: nothing is compiled; below 0:
                          when that is measured to pay */
    const char *profile; /* measured: where the machine's profile is (measure/profile.h), "" for
                            none. The caller's, until dt_glue_stop() */
    const int *explore;  /* measured: per cent of the time that may be spent on the search for the
                            fastest code, 0 to 100; may change; until dt_glue_stop() */
    dame_jit_options_t jit; /* its strings are the caller's, and stay until dt_glue_stop() */
    const char *llvm;       /* options of DAME-L (jit/l/options.h); NULL: it is not used. The
                               caller's, until dt_glue_start() returns, as the directories */
    dt_llvm_compile_t llvm_compile;
    const char *code_directories;    /* of the code cache (jit/cache.h), NULL: none */
    bool code_directory_is_standard; /* the user named none: problems are told at verbosity 10 */
    int64_t code_bytes;              /* most bytes in the first of them */
    bool native;     /* measured: Open MPI's own engine may move whole messages, too */
    bool code_files; /* write machine code to files beside those of `dump` */
} dt_promote_options_t;

typedef struct dt_glue_options {
    dame_options_t program;         /* how programs are built */
    dt_promote_options_t promotion; /* when programs are compiled, and how */
    bool verify;                    /* compare every fragment with Open MPI's own engine */
    bool times;                     /* take times, also of Open MPI's own engine */
    bool tallies;                   /* count for each datatype */
    const char *dump;         /* directory for the programs of datatypes, or NULL: not written. The
                                 caller's, until dt_glue_start() returns */
    int dump_limit;           /* most datatypes that are written */
    int32_t import_threshold; /* the use of a datatype that imports its layout, 1 being the first;
                                 0: when that pays */
    size_t layout_cache;      /* most bytes kept of layouts that no datatype has any more */
    const char *papi_events;  /* hardware events to count (measure/counters.h), "" for none. The
                                 caller's, until dt_glue_start() returns */
    int output;               /* opal_output stream for messages; open until dt_glue_stop() */
    const int *verbosity;     /* may change; until dt_glue_stop() */
} dt_glue_options_t;

/* Where dt_openmpi_fits(). False, with one message on the output stream, when DAME cannot work
 * here; then nothing was changed and Open MPI's own engine does everything. */
bool dt_glue_start(const dt_glue_options_t *options);

/* In 4.1, MPI_Init opens some 60 components before any data of derived datatypes moves. Those
 * opened after `true` are looked at together at `false`, others each when it is opened. A component
 * that was not looked at yet has its data moved by Open MPI's own engine. */
void dt_glue_opens_components(bool opens);

/* Leaves every function pointer as it was found and frees everything. */
void dt_glue_stop(void);

/* Is the running Open MPI of the series we were compiled for, and do our declarations of its
 * classes, frameworks and parameters fit? False, with a message once a job, if not: then nothing of
 * its internals may be touched. */
bool dt_openmpi_fits(void);

/* Only the former. No message. */
bool dt_openmpi_is_of_series(void);

/* The same for performance variables, by one that was registered with this context. */
bool dt_openmpi_pvar_fits(int index, const void *context);

/* Before dt_late_wait(): registers the process for membarrier(), which costs nothing while it has
 * one thread, and ten milliseconds later. */
void dt_late_prepare(void);

/*
 * At the end of MPI_Init: the next commit of a non-contiguous datatype, or MPI_T_init_thread, calls
 * `start`, once, in whatever thread. Until then nothing of Open MPI is changed but two GOT slots of
 * libmpi. False: these calls cannot be noticed.
 */
bool dt_late_wait(void (*start)(void));

/* Stops waiting, and puts the slots back. */
void dt_late_stop(void);

struct mca_base_framework_t;

/* Makes ompi_info show a framework, if that is the program we are in; before it does, `prepare` is
 * called. All live as long as the process. Once a process. */
void dt_info_show(const char *name, struct mca_base_framework_t *framework, void (*prepare)(void));

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

/* ---- What was done with each datatype ------------------------------------------------------- */

/* What is done with a message; the first two are dame_dir_t's. */
typedef enum dt_work { DT_PACK = DAME_PACK, DT_UNPACK = DAME_UNPACK, DT_COPY, DT_WORKS } dt_work_t;

/* By what. */
typedef enum dt_tier {
    DT_INTERP,
    DT_CODE,
    DT_OPAL, /* Open MPI's own engine, where it is tried or was measured to be faster */
    DT_TIERS
} dt_tier_t;

enum { DT_TALLY_NAME = 40, DT_TALLY_WORDS = 40 };

/* What a byte costs, as samples say. 19 of 20 such estimates are no farther from what all samples
 * would say than the root of error2. */
typedef struct dt_rate {
    double ns; /* < 0: not known */
    double error2;
} dt_rate_t;

typedef struct dt_row_moved {
    int64_t uses;
    int64_t bytes;
    dt_rate_t rate;
} dt_row_moved_t;

/* The name of Open MPI's own engine among the codes of a datatype. */
#define DT_NATIVE_ARM "opal"

enum { DT_STEPS = 4, DT_COSTS = 13, DT_CODE_NAME = 32 };

/* From this use on, this code ran: "x:plain" or the like, or "interp", the interpreter again. */
typedef struct dt_step {
    int64_t use;
    char code[DT_CODE_NAME];
} dt_step_t;

/* What a byte cost with a code, in ticks of the clock (measure/clock.h). */
typedef struct dt_code_cost {
    double ticks;
    char code[DT_CODE_NAME];
} dt_code_cost_t;

/* What became of one direction; before the first step it is the interpreter that runs. */
typedef struct dt_history {
    int32_t nsteps; /* the first, and the last ones */
    int32_t ncosts; /* of the layout that changed last */
    dt_step_t steps[DT_STEPS];
    dt_code_cost_t costs[DT_COSTS];
} dt_history_t;

/* Bytes of the character of UTF-8 that `name` begins with; 0: that is a control character, or no
 * UTF-8. */
int dt_name_character(const char *name);

/* A name that a program has given, which may hold anything, for a terminal or a line of a file:
 * what dt_name_character() is 0 for becomes \n, \t, \r or \x1b. Cuts it to `room`. Returns `text`.
 */
char *dt_name_text(const char *name, char *text, size_t room);

/* A name has fewer than 64 bytes (MPI_MAX_OBJECT_NAME), each of which takes four at most. */
enum { DT_NAME_TEXT = 4 * 63 + 1 };

/* All datatypes of one name and layout that this process has used. Plain data. */
typedef struct dt_tally_row {
    char name[DT_TALLY_NAME]; /* "": they have none */
    char words[DT_TALLY_WORDS];
    int64_t size; /* of an element */
    int64_t datatypes;
    dt_row_moved_t moved[DT_WORKS][DT_TIERS];
    dt_rate_t native[DT_WORKS]; /* the same work by Open MPI's own engine */
    int64_t compiled_at[2];     /* [dame_dir_t]: the use; 0: was not compiled */
    int64_t compile_ns;
    int64_t undone;          /* times that machine code was no faster */
    dt_history_t history[2]; /* [dame_dir_t] */
} dt_tally_row_t;

/* The rows with the most bytes, those first. Returns how many, at most `room`. */
int dt_tally_rows(dt_tally_row_t *rows, int room);

/* Nanoseconds that `work` took, estimated from samples; 0 while the report is off. */
int64_t dt_tally_ns(dt_work_t work);

/* Uses, or bytes, of all datatypes; and of one MPI_Datatype with all others of its name and layout,
 * which the caller must not free meanwhile. */
int64_t dt_tally_total(dt_work_t work, dt_tier_t tier, bool bytes);
int64_t dt_tally_of_datatype(const void *datatype, dt_work_t work, dt_tier_t tier, bool bytes);

/* Of one such MPI_Datatype: what a byte costs in nanoseconds, < 0 when that is not known; the time
 * spent on compiling; how often machine code was undone. */
double dt_tally_rate(const void *datatype, dt_work_t work, dt_tier_t tier);
int64_t dt_tally_compile_ns(const void *datatype);
int64_t dt_tally_undone(const void *datatype);

/* The part of the report about hardware events; nothing when none were to be counted. Before
 * dt_glue_stop(). */
void dt_events_print(FILE *out);

/* ---- Hints ---------------------------------------------------------------------------------- */

/* What a user may know of a datatype (include/mpi-dame.h has the words), and its value. */
typedef enum dt_hint {
    DT_HINT_USES,   /* messages expected in all */
    DT_HINT_COUNT,  /* elements of each message */
    DT_HINT_BASE,   /* address of each message */
    DT_HINT_MATTERS /* without a value */
} dt_hint_t;

/* Keeps a hint for an MPI_Datatype that the caller must not free meanwhile. `carrier` is what
 * MPI_Type_contiguous(1, ..) made of it. Between dt_glue_start() and dt_glue_stop(). False: DAME
 * has no use for it. */
bool dt_glue_hint(const void *carrier, dt_hint_t hint, intptr_t value);

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
