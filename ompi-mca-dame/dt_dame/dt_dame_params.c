/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DAME's parameters: names, help, values and defaults.
 */
#include "dt_dame.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure/counters.h"
#include "ompi-mca-dame/param.h"
#include "report_name.h"

mca_dt_dame_params_t mca_dt_dame_params;

static dame_passes_t passes;

static const mca_base_component_t *owner;

/* ---- Registering one parameter -------------------------------------------------------------- */

/* `storage` holds the default. */
static void register_values(const char *name, const char *text, dt_values_t *values,
                            mca_base_var_info_lvl_t level, int *storage)
{
    const dt_param_t param = {owner, name, text, level, false};
    dt_param_register(&param, values, storage);
}

/* One that MPI_T may change while the job runs. */
static void register_changing(const char *name, const char *text, dt_values_t *values,
                              mca_base_var_info_lvl_t level, int *storage)
{
    const dt_param_t param = {owner, name, text, level, true};
    dt_param_register(&param, values, storage);
}

/* `values` has static storage. */
static void register_choice(const char *name, const char *text, dt_values_t *values,
                            const dt_value_name_t *names, mca_base_var_info_lvl_t level,
                            int *storage)
{
    dt_values_choice(values, names);
    register_values(name, text, values, level, storage);
}

static void register_bool(const char *name, const char *text, dt_values_t *values,
                          mca_base_var_info_lvl_t level, int *storage)
{
    dt_values_bool(values);
    *storage = 0;
    register_values(name, text, values, level, storage);
}

static void register_string(const char *name, const char *text, mca_base_var_info_lvl_t level,
                            dt_param_check_t *check, const char *standard, char **storage)
{
    const dt_param_t param = {owner, name, text, level, false};
    dt_param_register_string(&param, check, standard, storage);
}

static void register_changing_string(const char *name, const char *text,
                                     mca_base_var_info_lvl_t level, dt_param_check_t *check,
                                     const char *standard, char **storage)
{
    const dt_param_t param = {owner, name, text, level, true};
    dt_param_register_string(&param, check, standard, storage);
}

static bool check_papi_events(const char *value, dt_refusal_t *refusal)
{
    int names = '\0' == *value ? 0 : 1;
    bool good = ',' != *value;
    for (const char *c = value; '\0' != *c; c++) {
        names += ',' == *c;
        good = good && !(',' == *c && (',' == c[1] || '\0' == c[1])) && ' ' != *c;
    }
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is not allowed; allowed: a comma-separated list, without blanks, of up to %d "
                    "names, or empty",
                    DAME_COUNTERS);
    return good && names <= DAME_COUNTERS;
}

/* ---- For those who use DAME ----------------------------------------------------------------- */

static bool check_report_file(const char *value, dt_refusal_t *refusal)
{
    struct stat about;
    const bool is_directory = 0 == stat(value, &about) && S_ISDIR(about.st_mode);
    (void) snprintf(refusal->why, sizeof(refusal->why), "is %s; allowed: the name of a file",
                    is_directory ? "a directory" : "empty");
    const char *percent = dt_dame_report_name_error(value);
    if (NULL != percent) {
        (void) snprintf(refusal->why, sizeof(refusal->why),
                        "has \"%.2s\"; allowed: %%j for the job, %%p for the process that writes, "
                        "%%%% for a per cent sign",
                        percent);
    }
    return '\0' != *value && !is_directory && NULL == percent;
}

static void register_basics(void)
{
    static const dt_value_name_t report_names[] = {
        {MCA_DT_DAME_REPORT_NONE, "none"},
        {MCA_DT_DAME_REPORT_SUMMARY, "summary"},
        {MCA_DT_DAME_REPORT_JSON, "json"},
        {0, NULL},
    };
    static dt_values_t percent, reports, answers, keeps, seconds;
    dt_values_numbers(&percent, 0, 100);
    mca_dt_dame_params.priority = 20;
    register_values("priority",
                    "Priority of DAME. The dt component with the highest priority is used; Open "
                    "MPI's own engine has 50, so DAME moves data only when it is asked for by "
                    "name or given a higher priority",
                    &percent, OPAL_INFO_LVL_3, &mca_dt_dame_params.priority);
    mca_dt_dame_params.verbose = 0;
    register_changing("verbose",
                      "How much DAME prints on stderr. 0: only errors; 1: whether it is on, and "
                      "why not, once a job; 5: every datatype that it imports, or declines and "
                      "why; 10: also what it sets up, and programs that become machine code; 20: "
                      "every message of non-contiguous data, and which engine moves it",
                      &percent, OPAL_INFO_LVL_1, &mca_dt_dame_params.verbose);
    register_bool("verify",
                  "Compare everything DAME packs, unpacks and copies with Open MPI's own engine: "
                  "bytes, amounts and positions. Where they differ, Open MPI's description of the "
                  "datatype decides; the difference is reported with the datatype's program, the "
                  "right result is used, and if DAME was wrong the datatype is left to Open MPI's "
                  "engine from then on. One line at the end says how much was compared. Slow; use "
                  "it to find out whether DAME causes a "
                  "wrong result",
                  &answers, OPAL_INFO_LVL_1, &mca_dt_dame_params.verify);
    mca_dt_dame_params.report = MCA_DT_DAME_REPORT_NONE;
    dt_values_choice(&reports, report_names);
    register_changing(
        "report",
        "Report DAME's work and savings at MPI_Finalize. none: nothing; summary: "
        "one page on stderr for all ranks; json: the same and more in a file "
        "(dt_dame_report_file). While it is on, DAME takes times of some "
        "messages and lets Open MPI's own engine move a few, to compare; if it is switched on "
        "later, by MPI_T, it has no times",
        &reports, OPAL_INFO_LVL_1, &mca_dt_dame_params.report);
    register_changing_string(
        "report_file",
        "The file that dt_dame_report json writes; a relative name starts from the "
        "working directory. %j in it is the job (PMIX_NAMESPACE, or Slurm's job and step), %p the "
        "process that writes, %% a per cent sign: with dame-%j-%p.json each job has a file of its "
        "own. An existing file is replaced; a device or a pipe, such as "
        "/dev/stdout, is written into, and a symbolic link is followed",
        OPAL_INFO_LVL_2, check_report_file, "dame-report.json", &mca_dt_dame_params.report_file);
    dt_values_numbers(&seconds, 0, 1000000);
    mca_dt_dame_params.report_every = 60;
    register_values("report_every",
                    "While a job with dt_dame_report moves data, rank 0 writes a snapshot of the "
                    "ranks of its node after 5, 10, 20 ... seconds, and then every "
                    "dt_dame_report_every seconds. A killed job leaves its last snapshot: the report of "
                    "json, and the last run (dt_dame_last_run). 0: nothing is written before "
                    "MPI_Finalize",
                    &seconds, OPAL_INFO_LVL_4, &mca_dt_dame_params.report_every);
    dt_values_bool(&keeps);
    mca_dt_dame_params.last_run = 1;
    register_changing(
        "last_run",
        "Keep what this job did in $HOME/.openmpi/dame-last-run, where ompi_info finds "
        "it (dt_dame_last_run_...), and count for each datatype",
        &keeps, OPAL_INFO_LVL_3, &mca_dt_dame_params.last_run);
    register_string("papi_events",
                    "Events that PAPI counts while DAME packs and unpacks, as a comma-separated "
                    "list of at most eight names, for instance PAPI_L1_DCM,PAPI_TLB_DM. The report "
                    "shows them for each datatype (dt_dame_report). Each fragment then takes some "
                    "microseconds more. Empty: none are counted, and PAPI is not loaded",
                    OPAL_INFO_LVL_4, check_papi_events, "", &mca_dt_dame_params.papi_events);
}

/* ---- How programs are built ----------------------------------------------------------------- */

/* As the user would write it; the caller frees. NULL: out of memory. */
static char *new_list_of_passes(dame_passes_t set)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (NULL == out) {
        return NULL;
    }
    if (DAME_PASSES_ALL == set || DAME_PASSES_NONE == set) {
        fputs(DAME_PASSES_ALL == set ? "all" : "none", out);
    } else {
        const char *comma = "";
        for (int pass = 0; pass < DAME_PASS_COUNT; pass++) {
            if (set & ((dame_passes_t) 1 << pass)) {
                fprintf(out, "%s%s", comma, dame_pass_name((dame_pass_t) pass));
                comma = ",";
            }
        }
    }
    (void) fclose(out);
    return text;
}

static char *new_passes_help(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (NULL == out) {
        return NULL;
    }
    fputs("Which passes of the optimiser work on the programs of datatypes: all, none, or a "
          "comma-separated list of their names.",
          out);
    for (int pass = 0; pass < DAME_PASS_COUNT; pass++) {
        fprintf(out, "%s %s: %s", 0 == pass ? "" : ";", dame_pass_name((dame_pass_t) pass),
                dame_pass_what((dame_pass_t) pass));
    }
    (void) fclose(out);
    return text;
}

static bool check_passes(const char *value, dt_refusal_t *refusal)
{
    const char *bad;
    int bad_length;
    char names[256] = "";
    if (DAME_OK == dame_passes_parse(value, &passes, &bad, &bad_length)) {
        return true;
    }
    for (int pass = 0; pass < DAME_PASS_COUNT; pass++) {
        size_t used = strlen(names);
        (void) snprintf(names + used, sizeof(names) - used, "%s%s", 0 == pass ? "" : ", ",
                        dame_pass_name((dame_pass_t) pass));
    }
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "has \"%.*s\", which is not a pass; allowed: all, none, or a comma-separated "
                    "list, without blanks, of %s",
                    bad_length < 100 ? bad_length : 100, bad, names);
    return false;
}

static void register_passes(dame_passes_t standard)
{
    char *fallback = new_list_of_passes(standard);
    char *help = new_passes_help();
    passes = standard;
    if (NULL != fallback && NULL != help) {
        register_string("passes", help, OPAL_INFO_LVL_5, check_passes, fallback,
                        &mca_dt_dame_params.passes);
    }
    free(help);
    free(fallback);
}

static void register_optimiser(void)
{
    static const dt_value_name_t sort_names[] = {
        {DAME_SORT_NEVER, "never"},
        {DAME_SORT_AUTO, "auto"},
        {DAME_SORT_ALWAYS, "always"},
        {0, NULL},
    };
    static dt_values_t sorts, range, fragment;
    const dame_options_t *standard = dame_options_default();
    register_passes(standard->passes);
    mca_dt_dame_params.sort_displacements = (int) standard->sort;
    register_choice("sort_displacements",
                    "Which lists of equal blocks are visited in address order, one window at a "
                    "time (dt_dame_fragment_bytes). The packed data stays the same. never: none; "
                    "always: every list that fills at least one window; auto: of those, the lists "
                    "that span more bytes than dt_dame_sort_range. The default range is unlimited, "
                    "so auto sorts none: sorting made no measured list faster",
                    &sorts, sort_names, OPAL_INFO_LVL_5, &mca_dt_dame_params.sort_displacements);
    dt_values_bytes(&range, 0, INT_MAX);
    mca_dt_dame_params.sort_range = (int) standard->sort_range;
    register_values("sort_range",
                    "A list is sorted when dt_dame_sort_displacements is auto and there are more "
                    "bytes of user memory than this between its lowest and its highest "
                    "displacement; the largest number allowed, the default, sorts none",
                    &range, OPAL_INFO_LVL_6, &mca_dt_dame_params.sort_range);
    dt_values_bytes(&fragment, 1, INT_MAX);
    mca_dt_dame_params.fragment_bytes = (int) standard->fragment;
    register_values(
        "fragment_bytes",
        "Size of the fragments that messages are cut into. The pass buffer makes windows of "
        "sorted lists a quarter of it, but no less than 64 and no more than 4096 blocks; without "
        "the pass they are 4096. Of no effect where no list is sorted "
        "(dt_dame_sort_displacements). "
        "DAME does not change how the transports cut messages; this should be what they do",
        &fragment, OPAL_INFO_LVL_6, &mca_dt_dame_params.fragment_bytes);
}

static void register_layouts(void)
{
    static dt_values_t cache, directs, devices;
    dt_values_bool(&directs);
    mca_dt_dame_params.direct_pack = 1;
    register_values(
        "direct_pack",
        "Let calls of MPI_Pack and MPI_Unpack of a datatype that DAME knows come to it "
        "directly, without Open MPI's convertor: 128 bytes in 16 blocks take 14 ns "
        "instead of 33. Then DAME also changes GOT slots of the program and its libraries where "
        "they lead to libmpi: calls that a profiling library wraps still go "
        "through it. Switch it off for tools that put probes into libmpi's code",
        &directs, OPAL_INFO_LVL_5, &mca_dt_dame_params.direct_pack);
    dt_values_bool(&devices);
    mca_dt_dame_params.devices = 1;
    register_values(
        "devices",
        "Move non-contiguous data that is in the memory of an NVIDIA device, by kernels or copies "
        "of the driver, also with an Open MPI that was built without devices. Only a program that "
        "has loaded CUDA's driver has such data. 0: leave it to Open MPI, which ends the job if it "
        "was built without",
        &devices, OPAL_INFO_LVL_4, &mca_dt_dame_params.devices);
    dt_values_bytes(&cache, 0, INT_MAX);
    mca_dt_dame_params.layout_cache_size = 1 << 20;
    register_values("layout_cache_size",
                    "Most memory for layouts, with their programs, that no datatype of a process "
                    "has any more. When a datatype is made that has the layout of one that was "
                    "freed, its program, machine code and counts are found here. When it is full, "
                    "those that have been unused for longest are freed; 0: nothing is kept",
                    &cache, OPAL_INFO_LVL_5, &mca_dt_dame_params.layout_cache_size);
}

/* ---- Programs as files ---------------------------------------------------------------------- */

static bool check_dump_dir(const char *value, dt_refusal_t *refusal)
{
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is empty; allowed: the name of a directory");
    return '\0' != *value;
}

static void register_dump(void)
{
    static const dt_value_name_t dump_names[] = {
        {MCA_DT_DAME_DUMP_NONE, "none"},       {MCA_DT_DAME_DUMP_RAW, "raw"},
        {MCA_DT_DAME_DUMP_PROGRAM, "program"}, {MCA_DT_DAME_DUMP_ASM, "asm"},
        {MCA_DT_DAME_DUMP_LLVM, "llvm"},       {0, NULL},
    };
    static dt_values_t dumps, limit;
    dt_values_set(&dumps, dump_names);
    mca_dt_dame_params.dump = MCA_DT_DAME_DUMP_NONE;
    register_values("dump",
                    "What to write to files for every datatype that DAME moves, in the directory "
                    "dt_dame_dump_dir. none: nothing; program: its program, as the command dame "
                    "reads it, with the constructors, the bounds and the uses of all datatypes of "
                    "the same name and calls, in "
                    "dame-r<rank>-<name of the datatype, or a number>.dame; raw: that and the "
                    "program before any pass, for dame optimise --trace, in .raw.dame beside it; "
                    "asm: that and its "
                    "machine code, once there is any, in files .pack.bin and .unpack.bin beside "
                    "it, with the command that disassembles them in the .dame file; llvm: of what "
                    "LLVM compiles, its input before (.ll) and after optimisation (.opt.ll) and "
                    "the assembly (.s), in files <pid>-<number>-<pack or unpack>-<kind>; nothing "
                    "comes from the code cache then, or goes to it",
                    &dumps, OPAL_INFO_LVL_4, &mca_dt_dame_params.dump);
    register_string("dump_dir",
                    "The directory that files of dt_dame_dump are written to. It must exist; a "
                    "relative one starts from the working directory of the process in MPI_Init",
                    OPAL_INFO_LVL_4, check_dump_dir, ".", &mca_dt_dame_params.dump_dir);
    dt_values_numbers(&limit, 1, INT_MAX);
    mca_dt_dame_params.dump_limit = 10000;
    register_values("dump_limit",
                    "Most .dame files of a process, so that an application that keeps "
                    "creating datatypes does not fill a directory",
                    &limit, OPAL_INFO_LVL_5, &mca_dt_dame_params.dump_limit);
}

/* ---- Machine code --------------------------------------------------------------------------- */

static void register_tiers(void)
{
    static const dt_value_name_t tier_names[] = {
        {MCA_DT_DAME_TIER_INTERP, "interp"},
        {MCA_DT_DAME_TIER_X, "x"},
        {MCA_DT_DAME_TIER_L, "l"},
        {MCA_DT_DAME_TIER_OPAL, "opal"},
        {0, NULL},
    };
    static dt_values_t tiers;
    dt_values_set(&tiers, tier_names);
    mca_dt_dame_params.tiers =
        MCA_DT_DAME_TIER_INTERP | MCA_DT_DAME_TIER_X | MCA_DT_DAME_TIER_L | MCA_DT_DAME_TIER_OPAL;
    register_values("tiers",
                    "The engines that may move data, as a comma-separated list. interp: the "
                    "interpreter, which is always available and moves what the others cannot; x: "
                    "machine code, compiled in microseconds while the job runs; l: machine code "
                    "by LLVM, from the code cache (dt_dame_code_dir), or compiled in the "
                    "background where that is expected to pay (dt_dame_llvm_compile); opal: Open "
                    "MPI's own engine, for whole messages that it is measured to move faster "
                    "(dt_dame_promotion_threshold -1, without dt_dame_verify)",
                    &tiers, OPAL_INFO_LVL_4, &mca_dt_dame_params.tiers);
}

static bool check_anything(const char *value, dt_refusal_t *refusal)
{
    (void) value;
    (void) refusal;
    return true;
}

static void register_promotion(void)
{
    static dt_values_t uses, percent;
    dt_values_numbers(&uses, -1, INT_MAX);
    mca_dt_dame_params.import_threshold = -1;
    register_values(
        "import_threshold",
        "When the layout of a new datatype is imported; until then Open MPI's own engine moves its "
        "messages. -1: when the time that this is expected to have saved by then equals its cost, "
        "or, "
        "if dt_dame_promotion_threshold is 0 or more, at the first message. A number: at this "
        "message, "
        "1 or 0 being the first. Layouts that are known from earlier datatypes need no import; "
        "with "
        "dt_dame_verify or dt_dame_dump, all are imported at the first message",
        &uses, OPAL_INFO_LVL_4, &mca_dt_dame_params.import_threshold);
    mca_dt_dame_params.promotion_threshold = -1;
    register_values(
        "promotion_threshold",
        "When a datatype's program is compiled to machine code. -1: when the time that this is "
        "expected to have saved by then equals its cost; some messages are timed, several kinds of "
        "machine code are tried, the fastest is kept, and code that is not faster is demoted. A "
        "number: "
        "at "
        "this message, 1 being the first, one kind of machine code and nothing else, so that runs "
        "are alike. 0: never. Packed and unpacked messages are counted separately",
        &uses, OPAL_INFO_LVL_1, &mca_dt_dame_params.promotion_threshold);
    dt_values_numbers(&percent, 0, 100);
    register_string("profile",
                    "Where the machine's profile is kept: which codes were the fastest on this "
                    "model of CPU in earlier jobs, so that the next one starts with them. auto: "
                    "the directory dame in XDG_CACHE_HOME, or in .cache in the user's home "
                    "directory; otherwise a file or an existing directory. Empty: none is read or "
                    "written",
                    OPAL_INFO_LVL_4, check_anything, "auto", &mca_dt_dame_params.profile);
    mca_dt_dame_params.explore = 1;
    register_changing("explore",
                      "Per cent of the time of a datatype's messages that may be spent on trying "
                      "other kinds of machine code than the first, and on measuring again, when "
                      "dt_dame_promotion_threshold is -1. 0: no others are tried",
                      &percent, OPAL_INFO_LVL_5, &mca_dt_dame_params.explore);
    register_tiers();
}

static bool check_perf_map(const char *value, dt_refusal_t *refusal)
{
    const int error = '\0' == *value ? 0 : dt_directory_error(value);
    refusal->of_node = true;
    (void) snprintf(refusal->why, sizeof(refusal->why),
                    "is not allowed (%s); allowed: a directory that can be written to, or empty",
                    strerror(error));
    return 0 == error;
}

static void register_code(void)
{
    static const dt_value_name_t width_names[] = {
        {0, "auto"}, {128, "128"}, {256, "256"}, {512, "512"}, {0, NULL},
    };
    static dt_values_t widths, cache, answers;
    const dame_jit_options_t *standard = dame_jit_options_default();
    register_promotion();
    mca_dt_dame_params.vector_width = standard->vector_bits;
    register_choice("vector_width",
                    "Widest vector registers that machine code uses, in bits. auto: the width that "
                    "was fastest on CPUs of this make, for each kind of move; a number: up to "
                    "that width, where the CPU has it",
                    &widths, width_names, OPAL_INFO_LVL_5, &mca_dt_dame_params.vector_width);
    dt_values_bytes(&cache, 4096, (int) DAME_JIT_LARGEST_ARENA);
    mca_dt_dame_params.code_cache_size = (int) standard->arena_bytes;
    register_values(
        "code_cache_size",
        "Most memory for machine code in a process. When it is full, the oldest code is "
        "evicted; a program that is still used is compiled again",
        &cache, OPAL_INFO_LVL_5, &mca_dt_dame_params.code_cache_size);
    register_string(
        "perf_map",
        "The directory in which every process writes perf-<pid>.map, with the addresses "
        "and names of machine code, which perf looks for in /tmp, and jit-<pid>.dump with the code "
        "and its unwind information, for perf inject --jit. Each program's code then "
        "takes memory pages of its own, since perf names no others. Empty: no file is "
        "written",
        OPAL_INFO_LVL_4, check_perf_map, "", &mca_dt_dame_params.perf_map);
    register_bool("gdb",
                  "Tell GDB the addresses and names of machine code, and libgcc how exceptions and "
                  "backtraces pass through all of it",
                  &answers, OPAL_INFO_LVL_4, &mca_dt_dame_params.gdb);
}

/* ---- All of them ---------------------------------------------------------------------------- */

void mca_dt_dame_register_params(const mca_base_component_t *component)
{
    owner = component;
    register_basics();
    register_optimiser();
    register_layouts();
    register_dump();
    register_code();
    mca_dt_dame_register_llvm(component, &mca_dt_dame_params);
}

dame_options_t mca_dt_dame_program_options(void)
{
    dame_options_t options = *dame_options_default();
    options.passes = passes;
    options.sort = (dame_sort_t) mca_dt_dame_params.sort_displacements;
    options.sort_range = mca_dt_dame_params.sort_range;
    options.fragment = mca_dt_dame_params.fragment_bytes;
    return options;
}

int mca_dt_dame_threshold(void)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    const int measured = params->promotion_threshold < 0 ? MCA_DT_DAME_TIER_OPAL : 0;
    const int choices = MCA_DT_DAME_TIER_X | MCA_DT_DAME_TIER_L | measured;
    return 0 != (params->tiers & choices) ? params->promotion_threshold : 0;
}

int mca_dt_dame_import_threshold(void)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    return params->import_threshold > 0 ? params->import_threshold
           : 0 == params->import_threshold || params->promotion_threshold >= 0 ? 1
                                                                               : 0;
}

dame_promote_options_t mca_dt_dame_promote_options(void)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    const char *llvm =
        0 != (params->tiers & MCA_DT_DAME_TIER_L) ? mca_dt_dame_llvm_options() : NULL;
    dame_promote_options_t options = {
        .threshold = mca_dt_dame_threshold(),
        .order =
            {
                .llvm = llvm,
                .how = (dame_slow_how_t) params->llvm_compile,
                .code_directories = mca_dt_dame_code_directories(),
                .code_directory_is_standard =
                    NULL != params->code_dir && 0 == strcmp("auto", params->code_dir),
                .code_bytes = params->code_dir_size,
            },
        .profile = NULL == params->profile ? "" : params->profile,
        .explore = &params->explore,
        .native =
            0 != (params->tiers & MCA_DT_DAME_TIER_OPAL) && !params->verify ? DT_NATIVE_ARM : NULL,
        .jit = *dame_jit_options_default(),
    };
    options.jit.vector_bits = params->vector_width;
    options.jit.arena_bytes = (size_t) params->code_cache_size;
    options.jit.perf_map = params->perf_map;
    options.jit.gdb = params->gdb;
    options.jit.crashes = 1;
    options.jit.without_x = 0 == (params->tiers & MCA_DT_DAME_TIER_X);
    return options;
}
