/* dame doctor: is DAME installed, found, chosen and working in Open MPI, and if not, why? */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "dame/cpu.h"
#include "dame_config.h"
#include "jit/cache.h"
#include "jit/jit.h"
#include "jit/user_file.h"
#include "measure/profile.h"

enum { INFO_SECONDS = 60, JOB_SECONDS = 120 };

static const char hook[] = "mca_hook_dt.so";
static const char component[] = "mca_dt_dame.so";

typedef struct doctor {
    const char *ompi_info;
    const char *mpirun;
    char *parameters;  /* what ompi_info prints of the framework dt and both engines */
    char advice[2048]; /* lines: what stands in the way, and what to type */
} doctor_t;

/* ---- Output --------------------------------------------------------------------------------- */

static __attribute__((format(printf, 2, 3))) void say(const char *subject, const char *format, ...)
{
    va_list args;
    printf("%-14s  ", subject);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* One thing that stands in the way. */
static __attribute__((format(printf, 2, 3))) void advise(doctor_t *doctor, const char *format, ...)
{
    const size_t used = strlen(doctor->advice);
    va_list args;
    va_start(args, format);
    const int n = snprintf(doctor->advice + used, sizeof(doctor->advice) - used, "  * ");
    vsnprintf(doctor->advice + used + n, sizeof(doctor->advice) - used - (size_t) n, format, args);
    va_end(args);
    strncat(doctor->advice, "\n", sizeof(doctor->advice) - strlen(doctor->advice) - 1);
}

/* ---- Open MPI ------------------------------------------------------------------------------- */

/* `configured` where that is still there, else what PATH has. */
static const char *program(const char *configured, const char *name)
{
    return *configured != '\0' && access(configured, X_OK) == 0 ? configured : name;
}

/* The value of a parameter that ompi_info printed; the caller frees. */
static char *value_of(const char *text, const char *prefix)
{
    char *value = command_line(text, prefix);
    const size_t length = value == NULL ? 0 : strlen(value);
    if (length >= 2 && value[0] == '"' && value[length - 1] == '"') { /* it has a colon */
        memmove(value, value + 1, length - 2);
        value[length - 2] = '\0';
    }
    return value;
}

static int look_at_openmpi(doctor_t *doctor)
{
    const char *const argv[] = {doctor->ompi_info, "--version", NULL};
    int code;
    char *text = command_output(argv, INFO_SECONDS, &code);
    char *version = command_line(text, "Open MPI v");
    if (version == NULL) {
        say("Open MPI", "%s does not run", doctor->ompi_info);
        advise(doctor, "put Open MPI's ompi_info and mpirun into PATH");
    } else {
        say("Open MPI", "%s, %s", version, doctor->ompi_info);
    }
    if (*TOOL_OMPI_VERSION != '\0') {
        say("compiled for", "Open MPI %s", TOOL_OMPI_VERSION);
    } else {
        say("compiled for", "no Open MPI: configured --without-openmpi");
        advise(doctor, "configure DAME where Open MPI is installed");
    }
    if (version != NULL && *TOOL_OMPI_VERSION != '\0' && strcmp(version, TOOL_OMPI_VERSION) != 0) {
        advise(doctor, "this Open MPI is %s: rebuild DAME with ./setup --with-openmpi=DIR",
               version);
    }
    free(text);
    const int found = version != NULL;
    free(version);
    return found;
}

/* ---- The two components --------------------------------------------------------------------- */

/* Where in the colon-separated `path` a file is: the first such directory. Returns 0 when none has
 * it. */
static int find_in(const char *path, const char *name, char *found, size_t room)
{
    for (const char *at = path; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        snprintf(found, room, "%.*s/%s", (int) length, at, name);
        if (access(found, F_OK) == 0) {
            return 1;
        }
        at += length + (at[length] == ':');
    }
    return 0;
}

static void look_at_files(doctor_t *doctor)
{
    const char *const argv[] = {doctor->ompi_info, "--parsable", "--param", "mca", "base",
                                "--level",         "9",          NULL};
    const char *const names[] = {hook, component};
    int code;
    int missing = 0;
    char *text = command_output(argv, INFO_SECONDS, &code);
    char *path = value_of(text, "mca:mca:base:param:mca_base_component_path:value:");
    say("looks in", "%s", path == NULL ? "(unknown)" : path);
    for (int i = 0; i < 2; i++) {
        char found[4096];
        const int is_there = find_in(path, names[i], found, sizeof(found));
        missing += !is_there;
        say(i == 0 ? "installed" : "", "%s: %s", names[i], is_there ? found : "not there");
    }
    if (missing == 2) {
        advise(doctor, "DAME is not installed where Open MPI looks: in DAME's source tree type\n"
                       "    make -C build install       (into Open MPI's own directory), or\n"
                       "    . build/use.sh              (for this shell only)");
    } else if (missing == 1) {
        advise(doctor, "one of the two files is missing: install both, side by side");
    }
    free(path);
    free(text);
}

/* What ompi_info prints of the framework dt. */
static char *parameters_of_dt(const doctor_t *doctor)
{
    const char *const argv[] = {doctor->ompi_info, "--parsable", "--param", "dt", "all",
                                "--level",         "9",          NULL};
    int code;
    return command_output(argv, INFO_SECONDS, &code);
}

/* Does ompi_info list both, whatever dt says? If not, Open MPI says why it could not load one. */
static void look_at_loading(doctor_t *doctor)
{
    const char *const list[] = {doctor->ompi_info, "--parsable", NULL};
    const char *own = getenv("OMPI_MCA_dt");
    char *choice = own == NULL ? NULL : strdup(own);
    int code;
    setenv("OMPI_MCA_dt", "dame,opal", 1);
    setenv("OMPI_MCA_mca_base_component_show_load_errors", "1", 1);
    char *text = command_output(list, INFO_SECONDS, &code);
    unsetenv("OMPI_MCA_mca_base_component_show_load_errors");
    doctor->parameters = parameters_of_dt(doctor);
    if (choice == NULL) {
        unsetenv("OMPI_MCA_dt");
    } else {
        setenv("OMPI_MCA_dt", choice, 1);
    }
    char *has_hook = command_line(text, "mca:hook:dt:version:");
    char *has_dame = command_line(text, "mca:dt:dame:version:");
    say("loaded", "%s: %s; %s: %s", hook, has_hook != NULL ? "yes" : "no", component,
        has_dame != NULL ? "yes" : "no");
    for (const char *line = text; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        if (copy != NULL && (strstr(copy, "dt:dame: ") != NULL || strstr(copy, hook) != NULL ||
                             strstr(copy, component) != NULL)) {
            say("", "%s", copy);
        }
        free(copy);
        line += length + (line[length] == '\n');
    }
    if ((has_hook == NULL || has_dame == NULL) && *doctor->advice == '\0') {
        advise(doctor, "Open MPI does not load what is installed; the lines above may say why");
    }
    free(choice);
    free(has_dame);
    free(has_hook);
    free(text);
}

/* The parameter dt, which `source` has set, is not such that DAME moves the data. */
static void advise_choice(doctor_t *doctor, const char *value, const char *source)
{
    /* A parameter file of the user's does not change what the environment says. */
    const char *const type = strncmp(source, "environment", strlen("environment")) == 0
                                 ? "mpirun --mca dt dame ..., or in this shell\n"
                                   "    export OMPI_MCA_dt=dame"
                                 : "mpirun --mca dt dame ..., or for all your jobs\n"
                                   "    dame on";
    size_t length;
    const char *unknown = tool_unknown_engine(value, strlen(value), &length);
    if (*value == '\0') {
        advise(doctor, "DAME is not asked for: %s", type);
    } else if (unknown != NULL) {
        advise(doctor,
               "dt = %s: there is no engine \"%.*s\", and jobs end with an error. There are dame\n"
               "    and opal: %s",
               value, (int) length, unknown, type);
    } else if (*value == '^') {
        advise(doctor, "dt = %s excludes DAME: %s", value, type);
    } else if (strchr(value, ',') != NULL) {
        advise(doctor,
               "dt = %s lists candidates, of which the highest priority is used, whatever\n"
               "    their order; name dame alone: %s",
               value, type);
    } else {
        advise(doctor, "dt = %s is Open MPI's own engine: %s", value, type);
    }
}

static void look_at_choice(doctor_t *doctor)
{
    char *text = parameters_of_dt(doctor);
    char *value = value_of(text, "mca:dt:base:param:dt:value:");
    char *source = value_of(text, "mca:dt:base:param:dt:source:");
    char *dame = value_of(doctor->parameters, "mca:dt:dame:param:dt_dame_priority:value:");
    char *opal = value_of(doctor->parameters, "mca:dt:opal:param:dt_opal_priority:value:");
    const int has_both = dame != NULL && opal != NULL;
    const int chosen =
        value != NULL && (strcmp(value, "dame") == 0 || strcmp(value, "^opal") == 0 ||
                          (*value == '\0' && has_both && atoi(dame) > atoi(opal)));
    if (value == NULL) {
        say("chosen", "no: there is no framework dt");
    } else if (*value == '\0') {
        say("chosen", "%s: dt is not set, and the priorities are opal %s, dame %s",
            chosen ? "yes" : "no", opal == NULL ? "none" : opal, dame == NULL ? "none" : dame);
    } else {
        say("chosen", "%s: dt = %s (%s)", chosen ? "yes" : "no", value, source);
    }
    if (value != NULL && !chosen) {
        advise_choice(doctor, value, source == NULL ? "" : source);
    }
    free(opal);
    free(dame);
    free(source);
    free(value);
    free(text);
}

/* ---- A job ---------------------------------------------------------------------------------- */

/* Beside this program in the build directory, else where it is installed. */
static void find_two_ranks(char *name, size_t room)
{
    const ssize_t n = readlink("/proc/self/exe", name, room - 1);
    char *slash = NULL;
    if (n > 0) {
        name[n] = '\0';
        slash = strrchr(name, '/');
    }
    if (slash != NULL) {
        snprintf(slash + 1, room - (size_t) (slash + 1 - name), "two_ranks");
    }
    if (slash == NULL || access(name, X_OK) != 0) {
        snprintf(name, room, "%s/two_ranks", TOOL_LIBEXECDIR);
    }
}

static void print_lines(const char *text, int most)
{
    for (int i = 0; i < most && text != NULL && *text != '\0'; i++) {
        const size_t length = strcspn(text, "\n");
        say("", "%.*s", (int) length, text);
        text += length + (text[length] == '\n');
    }
}

/* Parameters in the environment that do not exist, which a job names. */
static void advise_parameters(doctor_t *doctor, const char *text)
{
    static const char unknown[] = "there is no parameter ";
    for (const char *at = text; at != NULL && (at = strstr(at, unknown)) != NULL;) {
        const size_t length = strcspn(at, "\n");
        advise(doctor, "%.*s", (int) length, at);
        at += length;
    }
}

static void look_at_job(doctor_t *doctor)
{
    char two_ranks[4096];
    char rightness[8] = "";
    long long packed = 0;
    long long compiled = 0;
    long long refused = 0;
    int code;
    find_two_ranks(two_ranks, sizeof(two_ranks));
    if (access(two_ranks, X_OK) != 0) {
        say("working", "not tried: %s is missing", two_ranks);
        return;
    }
    if (geteuid() == 0) { /* mpirun refuses unless told twice */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    const char *const argv[] = {doctor->mpirun,
                                "--oversubscribe",
                                "-np",
                                "2",
                                "--mca",
                                "dt",
                                "dame",
                                "--mca",
                                "dt_dame_promotion_threshold",
                                "2",
                                "--mca",
                                "dt_dame_verbose",
                                "0",
                                two_ranks,
                                NULL};
    char *text = command_output(argv, JOB_SECONDS, &code);
    char *line = command_line(text, "two ranks: ");
    advise_parameters(doctor, text);
    const int read = line == NULL
                         ? 0
                         : sscanf(line,
                                  "%7[a-z], %lld messages packed by DAME, %lld programs compiled, "
                                  "%lld refused",
                                  rightness, &packed, &compiled, &refused);
    if (read != 4 || code != 0) {
        say("working", "no: a job of two ranks failed (exit code %d)", code);
        print_lines(text, 12);
        advise(doctor, "%s cannot run a job here; see its output above", doctor->mpirun);
    } else if (strcmp(rightness, "right") != 0) {
        say("working", "NO: bytes arrived that were not sent");
        advise(doctor, "do not use DAME here: dame off; and send this output to its authors");
    } else if (packed <= 0) {
        say("working", "no: a job of two ranks works, but DAME moved nothing in it");
        print_lines(text, 3);
        if (*doctor->advice == '\0') {
            advise(doctor, "--mca dt dame has no effect; see the lines above");
        }
    } else {
        say("working", "yes: two ranks, %lld messages packed by DAME on rank 0, bytes right",
            packed);
        say("", "machine code: %s",
            compiled > 0  ? "compiled and used"
            : refused > 0 ? "the system refuses to execute it"
                          : "none was compiled");
    }
    free(line);
    free(text);
}

/* ---- This machine --------------------------------------------------------------------------- */

static void look_at_cpu(void)
{
    char line[256] = "";
    char *model = NULL;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && model == NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            model = strchr(line, ':') + 2;
            model[strcspn(model, "\n")] = '\0';
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    struct utsname system;
    const dame_cpu_t cpu = dame_cpu_detect();
    const int known = uname(&system) == 0;
    say("CPU", "%s%s%s", model == NULL ? (known ? system.machine : "unknown") : model,
        cpu.avx512 ? ", AVX-512"
        : cpu.avx2 ? ", AVX2"
                   : "",
        cpu.avx512_vbmi ? " with VBMI" : "");
    if (known) {
        say("system", "%s %s", system.sysname, system.release);
    }
}

static void count_file(void *context, const dame_cache_file_t *file)
{
    int64_t *files = context;
    files[file->fault == NULL ? 0 : 1]++;
}

static void look_at_code_cache(doctor_t *doctor)
{
    char directory[4096];
    int64_t files[2] = {0, 0}; /* good, bad */
    if (dame_user_cache_directory(directory, sizeof(directory)) != 0) {
        say("code cache", "none: neither HOME nor XDG_CACHE_HOME names a directory");
        return;
    }
    const int error = dame_cache_each(directory, count_file, files);
    if (error != 0 && error != ENOENT) {
        say("code cache", "not usable: %s: %s", directory,
            error == EPERM ? "others may write it" : strerror(error));
        advise(doctor, "let nobody but you write %s: chmod go-w %s", directory, directory);
    } else {
        say("code cache", "%s: %lld files, %lld damaged", directory, (long long) files[0],
            (long long) files[1]);
    }
}

static void count_record(void *context, const dame_profile_key_t *key,
                         const dame_profile_value_t *value)
{
    (void) context;
    (void) key;
    (void) value;
}

/* Where jobs keep what they learnt of this CPU, and what they count with PAPI. */
static void look_at_measuring(const doctor_t *doctor)
{
    char cpu[DAME_PROFILE_NAME];
    char *where = value_of(doctor->parameters, "mca:dt:dame:param:dt_dame_profile:value:");
    char *events = value_of(doctor->parameters, "mca:dt:dame:param:dt_dame_papi_events:value:");
    dame_profile_cpu(cpu, sizeof(cpu));
    dame_profile_t *profile = dame_profile_new(where == NULL ? "auto" : where, cpu, NULL);
    if (profile != NULL) {
        const int32_t records = dame_profile_each(profile, count_record, NULL);
        const char *path = dame_profile_path(profile);
        say("profile", "%s: %d records", *path == '\0' ? "none" : path, (int) records);
        dame_profile_free(profile);
    }
    say("PAPI events", "%s",
        events == NULL || *events == '\0' ? "none (dt_dame_papi_events)" : events);
    free(events);
    free(where);
}

/* Compiles a small program, as a job would. */
static void look_at_machine_code(doctor_t *doctor)
{
    static const char text[] = "EXIT VECTORFINAL(64, 1, 24, 8, 8) CONTIGFINAL(8) BOTTOM";
    static const char *const kinds[] = {
        [DAME_JIT_MEMORY_DUAL] = "a memfd, mapped once to write and once to execute",
        [DAME_JIT_MEMORY_OWN] = "pages that are written, then made executable (mprotect)",
        [DAME_JIT_MEMORY_NONE] = "none: the system denies execution",
    };
    dame_program_t *columns = NULL;
    dame_jit_t *jit = NULL;
    dame_jit_stats_t stats;
    dame_status_t status = dame_program_parse(text, sizeof(text) - 1, &columns, NULL);
    if (status == DAME_OK) {
        status = dame_jit_create(NULL, &jit);
    }
    if (status == DAME_OK) {
        status = dame_jit_compile(jit, columns, DAME_PACK, NULL);
        dame_jit_stats(jit, &stats);
        say("tiers", "interpreter%s%s%s", *stats.vector_name != '\0' ? ", x (" : "",
            stats.vector_name, *stats.vector_name != '\0' ? ")" : "; no machine code for this CPU");
        say("code memory", "%s%s%s", kinds[stats.memory],
            stats.memory_errno != 0 ? "; better ones were refused: " : "",
            stats.memory_errno != 0 ? strerror(stats.memory_errno) : "");
        if (status == DAME_ERR_DENIED) {
            advise(doctor,
                   "machine code may not be executed (SELinux: execmem, or execute on tmpfs "
                   "files);\n    DAME works, but only its interpreter");
        }
        dame_jit_release(jit, columns);
        dame_jit_destroy(jit);
    }
    dame_program_free(columns);
}

/* ---- All of it ------------------------------------------------------------------------------ */

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{NULL, 0, NULL, 0}};
    doctor_t doctor = {.ompi_info = program(TOOL_OMPI_INFO, "ompi_info"),
                       .mpirun = program(TOOL_MPIRUN, "mpirun")};
    if (tool_option(argc, argv, ":", longs) != -1 || tool_operands(argc, argv, 0, 0) != TOOL_OK) {
        return TOOL_USAGE;
    }
    say("DAME", "%s", DAME_VERSION);
    if (look_at_openmpi(&doctor)) {
        look_at_files(&doctor);
        look_at_loading(&doctor);
        look_at_choice(&doctor);
        look_at_job(&doctor);
    }
    look_at_cpu();
    look_at_machine_code(&doctor);
    look_at_code_cache(&doctor);
    look_at_measuring(&doctor);
    free(doctor.parameters);
    if (*doctor.advice == '\0') {
        printf("\nAll is well: DAME moves the non-contiguous data of your jobs.\n");
        return TOOL_OK;
    }
    printf("\nWhat stands in the way, and what to type:\n%s", doctor.advice);
    return TOOL_WRONG;
}

const tool_command_t tool_doctor = {
    .name = "doctor",
    .arguments = "",
    .what = "says whether DAME works in this Open MPI; if not, why not",
    .help = "Runs ompi_info, and with mpirun a job of two ranks. Changes nothing. Exit code\n"
            "1: something stands in the way. Its output belongs in a bug report.\n",
    .run = run,
};
