/*
 * DAME's parameters: names, help, values and defaults.
 */
#include "dt_dame.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opal-glue/range.h"
#include "opal/mca/base/mca_base_var_enum.h"
#include "opal/util/output.h"

mca_dt_dame_params_t mca_dt_dame_params;

static dame_passes_t passes;

static const mca_base_component_t *owner;

/* ---- Registering one parameter -------------------------------------------------------------- */

static int register_variable(const char *name, const char *help, mca_base_var_type_t type,
                             mca_base_var_enum_t *values, mca_base_var_info_lvl_t level,
                             void *storage)
{
    return mca_base_component_var_register(owner, name, help, type, values, 0, 0, level,
                                           MCA_BASE_VAR_SCOPE_READONLY, storage);
}

/* The help is text and the default. A bad value gets Open MPI's own message, which names variable,
 * value and valid values; `storage` keeps the default. */
static void register_values(const char *name, const char *text, mca_base_var_type_t type,
                            mca_base_var_enum_t *values, mca_base_var_info_lvl_t level,
                            const char *fallback, void *storage)
{
    char help[1024];
    (void) snprintf(help, sizeof(help), "%s (default: %s).", text, fallback);
    if (0 > register_variable(name, help, type, values, level, storage)) {
        opal_output(0, "dt:dame: parameter dt_dame_%s: the default, %s, is used.", name, fallback);
    }
}

/* A whole number; `storage` holds the default. */
static void register_number(const char *name, const char *text, dt_range_t *range,
                            mca_base_var_info_lvl_t level, int *storage)
{
    char fallback[16];
    (void) snprintf(fallback, sizeof(fallback), "%d", *storage);
    register_values(name, text, MCA_BASE_VAR_TYPE_INT, &range->super, level, fallback, storage);
}

/* One of several names; `storage` holds the default. */
static void register_choice(const char *name, const char *text,
                            const mca_base_var_enum_value_t *choices, mca_base_var_info_lvl_t level,
                            int *storage)
{
    const char *fallback = "";
    for (const mca_base_var_enum_value_t *choice = choices; NULL != choice->string; choice++) {
        if (*storage == choice->value) {
            fallback = choice->string;
        }
    }
    mca_base_var_enum_t *values = NULL;
    (void) mca_base_var_enum_create(name, choices, &values);
    register_values(name, text, MCA_BASE_VAR_TYPE_INT, values, level, fallback, storage);
    if (NULL != values) {
        OBJ_RELEASE(values);
    }
}

/* ---- For those who use DAME ----------------------------------------------------------------- */

static void register_basics(void)
{
    static const mca_base_var_enum_value_t report_values[] = {
        {MCA_DT_DAME_REPORT_NONE, "none"},
        {MCA_DT_DAME_REPORT_RANK0, "rank0"},
        {MCA_DT_DAME_REPORT_ALL, "all"},
        {0, NULL},
    };
    static dt_range_t percent;
    dt_range_init(&percent, 0, 100);
    mca_dt_dame_params.priority = 20;
    register_number("priority",
                    "Priority of DAME. The dt component with the highest priority is used; Open "
                    "MPI's own engine has 50, so DAME moves data only when it is asked for by "
                    "name or given a higher priority",
                    &percent, OPAL_INFO_LVL_3, &mca_dt_dame_params.priority);
    mca_dt_dame_params.verbose = 0;
    register_number("verbose",
                    "How much DAME tells on stderr: 0 nothing but errors, 10 what it sets up",
                    &percent, OPAL_INFO_LVL_3, &mca_dt_dame_params.verbose);
    mca_dt_dame_params.verify = false;
    register_values("verify",
                    "Compare everything DAME packs and unpacks with Open MPI's own engine: "
                    "bytes, amounts and positions. A difference is reported with the datatype's program, the native result is "
                    "used, and the datatype is left to the native engine from then on. Slow; for "
                    "finding out whether DAME is to blame",
                    MCA_BASE_VAR_TYPE_BOOL, &mca_base_var_enum_bool, OPAL_INFO_LVL_3, "false",
                    &mca_dt_dame_params.verify);
    mca_dt_dame_params.report = MCA_DT_DAME_REPORT_NONE;
    register_choice("report",
                    "Print at MPI_Finalize what DAME did in a process: datatypes imported and "
                    "declined with reasons, messages, bytes, fragments, cut blocks and time. "
                    "none: nothing; rank0: rank 0 of MPI_COMM_WORLD prints its own counts; all: "
                    "every rank does",
                    report_values, OPAL_INFO_LVL_2, &mca_dt_dame_params.report);
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

static char *new_passes_help(const char *fallback)
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
    fprintf(out, " (default: %s).", fallback);
    (void) fclose(out);
    return text;
}

static void complain_about_passes(const char *value, const char *bad, int bad_length,
                                  const char *fallback)
{
    char names[256] = "";
    for (int pass = 0; pass < DAME_PASS_COUNT; pass++) {
        size_t used = strlen(names);
        (void) snprintf(names + used, sizeof(names) - used, "%s%s", 0 == pass ? "" : ", ",
                        dame_pass_name((dame_pass_t) pass));
    }
    opal_output(0,
                "dt:dame: parameter dt_dame_passes: the value \"%s\" has \"%.*s\", which is no "
                "pass. Allowed are all, none, or a comma-separated list, without blanks, of: %s. "
                "The default, %s, is used.",
                value, bad_length, bad, names, fallback);
}

/* A string of ours takes the place of MCA's, which frees it like its own. */
static void replace_string(char **storage, const char *text)
{
    free(*storage);
    *storage = strdup(text);
}

static void register_passes(dame_passes_t standard)
{
    char *fallback = new_list_of_passes(standard);
    char *help = NULL == fallback ? NULL : new_passes_help(fallback);
    passes = standard;
    mca_dt_dame_params.passes = fallback; /* MCA makes a copy of it */
    if (NULL != help && 0 <= register_variable("passes", help, MCA_BASE_VAR_TYPE_STRING, NULL,
                                               OPAL_INFO_LVL_5, &mca_dt_dame_params.passes)) {
        /* MCA gives NULL for an empty value */
        const char *value = NULL == mca_dt_dame_params.passes ? "" : mca_dt_dame_params.passes;
        const char *bad;
        int bad_length;
        if (DAME_OK != dame_passes_parse(value, &passes, &bad, &bad_length)) {
            complain_about_passes(value, bad, bad_length, fallback);
            replace_string(&mca_dt_dame_params.passes, fallback);
        }
    }
    free(help);
    free(fallback);
}

static void register_optimiser(void)
{
    static const mca_base_var_enum_value_t sort_values[] = {
        {DAME_SORT_NEVER, "never"},
        {DAME_SORT_AUTO, "auto"},
        {DAME_SORT_ALWAYS, "always"},
        {0, NULL},
    };
    static dt_range_t range;
    static dt_range_t fragment;
    const dame_options_t *standard = dame_options_default();
    register_passes(standard->passes);
    mca_dt_dame_params.sort_displacements = (int) standard->sort;
    register_choice("sort_displacements",
                    "Which lists of equal blocks the pass sort lets be visited in the order of "
                    "their addresses, window by window (dt_dame_fragment_bytes). The packed data "
                    "stays the same. never: none; auto: those of a window and more that reach "
                    "further than dt_dame_sort_range, so by default none, since none became "
                    "faster; always: all of a window and more",
                    sort_values, OPAL_INFO_LVL_5, &mca_dt_dame_params.sort_displacements);
    dt_range_init_bytes(&range, 0, INT_MAX);
    mca_dt_dame_params.sort_range = (int) standard->sort_range;
    register_number("sort_range",
                    "A list is sorted when dt_dame_sort_displacements is auto and there are more "
                    "than so many bytes of user memory from its lowest displacement to its "
                    "highest; the largest number allowed, the default, sorts none",
                    &range, OPAL_INFO_LVL_6, &mca_dt_dame_params.sort_range);
    dt_range_init_bytes(&fragment, 1, INT_MAX);
    mca_dt_dame_params.fragment_bytes = (int) standard->fragment;
    register_number(
        "fragment_bytes",
        "Size of the fragments that messages are cut into. The pass buffer makes windows of "
        "sorted lists a quarter of it, but no less than 64 and no more than 4096 blocks; without "
        "the pass they are 4096. Of no effect where no list is sorted "
        "(dt_dame_sort_displacements). "
        "DAME does not change how the transports cut messages; this should be what they do",
        &fragment, OPAL_INFO_LVL_6, &mca_dt_dame_params.fragment_bytes);
}

/* ---- Programs as files ---------------------------------------------------------------------- */

static mca_base_var_enum_sfv_fn_t dump_string_of_flags;

static void register_dump_dir(void)
{
    static char standard[] = ".";
    mca_dt_dame_params.dump_dir = standard; /* MCA makes a copy of it */
    (void) register_variable("dump_dir",
                             "The directory that files of dt_dame_dump are written to. It must "
                             "exist; a relative one starts from the working directory of the "
                             "process in MPI_Init (default: .).",
                             MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_4,
                             &mca_dt_dame_params.dump_dir);
    if (NULL == mca_dt_dame_params.dump_dir || '\0' == *mca_dt_dame_params.dump_dir) {
        opal_output(0,
                    "dt:dame: parameter dt_dame_dump_dir: the value \"\" is empty, where the name "
                    "of a directory is allowed. The default, %s, is used.",
                    standard);
        replace_string(&mca_dt_dame_params.dump_dir, standard);
    }
}

/* MCA's own has no word for the empty set. */
static int dump_string(mca_base_var_enum_t *self, const int value, char **string)
{
    if (MCA_DT_DAME_DUMP_NONE != value) {
        return dump_string_of_flags(self, value, string);
    }
    if (NULL != string) {
        *string = strdup("none");
    }
    return OPAL_SUCCESS;
}

static void register_dump(void)
{
    static const mca_base_var_enum_value_flag_t dump_values[] = {
        {MCA_DT_DAME_DUMP_NONE, "none", 0},
        {MCA_DT_DAME_DUMP_PROGRAM, "program", 0},
        {MCA_DT_DAME_DUMP_ASM, "asm", 0},
        {0, NULL, 0},
    };
    static dt_range_t limit;
    mca_base_var_enum_flag_t *values = NULL;
    (void) mca_base_var_enum_create_flag("dt_dame_dump", dump_values, &values);
    if (NULL != values) {
        dump_string_of_flags = values->super.string_from_value;
        values->super.string_from_value = dump_string;
    }
    mca_dt_dame_params.dump = MCA_DT_DAME_DUMP_NONE;
    register_values(
        "dump",
        "What to write to files for every datatype that DAME moves, in the directory "
        "dt_dame_dump_dir. none: nothing; program: its program, as the command dame "
        "reads it, with the constructors, the bounds and the uses of the datatype, in "
        "dame-r<rank>-<name of the datatype, or a number>.dame; asm: that and its "
        "machine code, once there is any, in files .pack.bin and .unpack.bin beside it, "
        "with the command that disassembles them in the .dame file",
        MCA_BASE_VAR_TYPE_INT, (mca_base_var_enum_t *) values, OPAL_INFO_LVL_4, "none",
        &mca_dt_dame_params.dump);
    if (NULL != values) {
        OBJ_RELEASE(values);
    }
    register_dump_dir();
    dt_range_init(&limit, 1, INT_MAX);
    mca_dt_dame_params.dump_limit = 10000;
    register_number("dump_limit",
                    "How many datatypes of a process get files, at most, so that a program that "
                    "makes datatypes all the time does not fill a directory",
                    &limit, OPAL_INFO_LVL_5, &mca_dt_dame_params.dump_limit);
}

/* ---- Machine code --------------------------------------------------------------------------- */

static void register_tiers(void)
{
    static const mca_base_var_enum_value_flag_t tier_values[] = {
        {MCA_DT_DAME_TIER_INTERP, "interp", 0},
        {MCA_DT_DAME_TIER_X, "x", 0},
        {0, NULL, 0},
    };
    static const int standard = MCA_DT_DAME_TIER_INTERP | MCA_DT_DAME_TIER_X;
    mca_base_var_enum_flag_t *values = NULL;
    (void) mca_base_var_enum_create_flag("dt_dame_tiers", tier_values, &values);
    mca_dt_dame_params.tiers = standard;
    register_values("tiers",
                    "What moves data, as a comma-separated list. interp: the interpreter, which is "
                    "there in any case, since it moves what the others do not; x: machine code, "
                    "made while the program runs",
                    MCA_BASE_VAR_TYPE_INT, (mca_base_var_enum_t *) values, OPAL_INFO_LVL_4,
                    "interp,x", &mca_dt_dame_params.tiers);
    if (NULL != values) {
        OBJ_RELEASE(values);
    }
    if (0 == mca_dt_dame_params.tiers) {
        opal_output(0, "dt:dame: parameter dt_dame_tiers: the value names no tier. Allowed are "
                       "interp, x, or both with a comma between. The default, interp,x, is used.");
        mca_dt_dame_params.tiers = standard;
    }
}

static void register_promotion(void)
{
    static dt_range_t uses;
    dt_range_init(&uses, 0, INT_MAX);
    mca_dt_dame_params.promotion_threshold = 2;
    register_number("promotion_threshold",
                    "At which message that is packed with a datatype its program is compiled to "
                    "machine code for packing, 1 being the first; 0: at none. The same for "
                    "unpacking",
                    &uses, OPAL_INFO_LVL_3, &mca_dt_dame_params.promotion_threshold);
    register_tiers();
}

/* A size of dame_jit_options_t as a parameter, which is an int. */
static int as_int(int64_t size)
{
    return size < INT_MAX ? (int) size : INT_MAX;
}

static void register_sizes(const dame_jit_options_t *standard)
{
    static const struct {
        const char *name;
        const char *text;
    } texts[] = {
        {"unroll_bytes",
         "Loops of machine code are unrolled until a turn moves about so many bytes"},
        {"straight_bytes",
         "A level of a program that moves up to so many bytes becomes machine code without a loop"},
        {"nontemporal_bytes",
         "Runs of a loop that pack more bytes are written by machine code past the caches; 0: none "
         "are"},
    };
    static dt_range_t any;
    static dt_range_t block;
    int *const storage[] = {&mca_dt_dame_params.unroll_bytes, &mca_dt_dame_params.straight_bytes,
                            &mca_dt_dame_params.nontemporal_bytes};
    const int64_t values[] = {standard->unroll_bytes, standard->straight_bytes,
                              standard->nontemporal_bytes};
    dt_range_init_bytes(&any, 0, INT_MAX);
    for (int i = 0; i < 3; i++) {
        *storage[i] = as_int(values[i]);
        register_number(texts[i].name, texts[i].text, &any, OPAL_INFO_LVL_6, storage[i]);
    }
    dt_range_init_bytes(&block, 64, INT_MAX);
    mca_dt_dame_params.memcpy_bytes = as_int(standard->memcpy_bytes);
    register_number("memcpy_bytes",
                    "Contiguous blocks of more bytes are left to the C library's memcpy by machine "
                    "code, which moves shorter ones itself",
                    &block, OPAL_INFO_LVL_6, &mca_dt_dame_params.memcpy_bytes);
}

static void register_lists(const dame_jit_options_t *standard)
{
    static dt_range_t entries;
    dt_range_init(&entries, 0, INT_MAX);
    mca_dt_dame_params.prefetch_distance = as_int(standard->prefetch_distance);
    register_number("prefetch_distance",
                    "Machine code for a list of blocks fetches so many blocks ahead into the "
                    "caches; 0: it does not",
                    &entries, OPAL_INFO_LVL_6, &mca_dt_dame_params.prefetch_distance);
    mca_dt_dame_params.list_entries = as_int(standard->list_entries);
    register_number("list_entries",
                    "Lists of up to so many blocks are written out as machine code; it reads "
                    "longer ones from a table, so that its size does not grow with them",
                    &entries, OPAL_INFO_LVL_6, &mca_dt_dame_params.list_entries);
}

static void register_code(void)
{
    static const mca_base_var_enum_value_t widths[] = {
        {0, "auto"}, {128, "128"}, {256, "256"}, {512, "512"}, {0, NULL},
    };
    static dt_range_t cache;
    const dame_jit_options_t *standard = dame_jit_options_default();
    register_promotion();
    mca_dt_dame_params.vector_width = standard->vector_bits;
    register_choice("vector_width",
                    "Widest vector registers that machine code uses, in bits. auto: up to 256, and "
                    "512 only to permute, since moves of 512 bits gain nothing; a number: no wider "
                    "ones than that, where the CPU has them",
                    widths, OPAL_INFO_LVL_5, &mca_dt_dame_params.vector_width);
    register_sizes(standard);
    register_lists(standard);
    dt_range_init_bytes(&cache, 4096, (int) DAME_JIT_LARGEST_ARENA);
    mca_dt_dame_params.code_cache_size = as_int((int64_t) standard->arena_bytes);
    register_number("code_cache_size",
                    "Most memory for machine code in a process. When it is full, what was compiled "
                    "first gives way, and is compiled again when it is used again",
                    &cache, OPAL_INFO_LVL_5, &mca_dt_dame_params.code_cache_size);
    mca_dt_dame_params.perf_map = NULL;
    (void) register_variable(
        "perf_map",
        "The directory in which every process writes perf-<pid>.map, with the "
        "places and names of machine code; perf looks for it in /tmp. Code "
        "then has memory pages of its own, as perf wants it, and takes more of "
        "them. Empty: nothing is written (default: empty).",
        MCA_BASE_VAR_TYPE_STRING, NULL, OPAL_INFO_LVL_4, &mca_dt_dame_params.perf_map);
    mca_dt_dame_params.gdb = false;
    register_values("gdb", "Tell the debugger GDB the places and names of machine code",
                    MCA_BASE_VAR_TYPE_BOOL, &mca_base_var_enum_bool, OPAL_INFO_LVL_4, "false",
                    &mca_dt_dame_params.gdb);
}

/* The directory, NULL when there is none to write to. */
static const char *perf_map_directory(void)
{
    const char *directory = mca_dt_dame_params.perf_map;
    if (NULL == directory || '\0' == *directory) {
        return NULL;
    }
    struct stat found;
    errno = 0;
    if (0 == stat(directory, &found) && S_ISDIR(found.st_mode) &&
        0 == access(directory, W_OK | X_OK)) {
        return directory;
    }
    opal_output(0,
                "dt:dame: parameter dt_dame_perf_map: the value \"%s\": %s, where a directory that "
                "can be written to is allowed. The default is used: nothing is written.",
                directory, strerror(0 != errno ? errno : ENOTDIR));
    return NULL;
}

/* ---- All of them ---------------------------------------------------------------------------- */

void mca_dt_dame_register_params(const mca_base_component_t *component)
{
    owner = component;
    register_basics();
    register_optimiser();
    register_dump();
    register_code();
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

dt_promote_options_t mca_dt_dame_promote_options(void)
{
    const mca_dt_dame_params_t *params = &mca_dt_dame_params;
    dt_promote_options_t options = {
        .threshold = params->tiers & MCA_DT_DAME_TIER_X ? params->promotion_threshold : 0,
        .jit = *dame_jit_options_default(),
        .code_files = 0 != (params->dump & MCA_DT_DAME_DUMP_ASM),
    };
    options.jit.vector_bits = params->vector_width;
    options.jit.unroll_bytes = params->unroll_bytes;
    options.jit.straight_bytes = params->straight_bytes;
    options.jit.memcpy_bytes = params->memcpy_bytes;
    options.jit.nontemporal_bytes = params->nontemporal_bytes;
    options.jit.prefetch_distance = params->prefetch_distance;
    options.jit.list_entries = params->list_entries;
    options.jit.arena_bytes = (size_t) params->code_cache_size;
    options.jit.perf_map = perf_map_directory();
    options.jit.gdb = params->gdb;
    return options;
}
